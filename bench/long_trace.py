"""A trace of millions of events that opens at once: what bench/pages.mjs looks at.

    python bench/long_trace.py [--events 5000000] [--mb 32] [--work FOLDER]

A trace of that size on disk (bench/big_trace.py), whose columns in the user's cache are those of bench/timeline.py: the same recording,
many times after itself. `kinetoscope view` then shows so many events without minutes of reading. Prints the path of the trace. Set
XDG_CACHE_HOME to a folder of its own: what is in the cache is not what the file says.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from big_trace import make
from timeline import MIB, events_of, repeated

from kinetoscope.service import digest
from kinetoscope.trace import stored
from kinetoscope.trace.reader import read_trace


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--mb", type=int, default=32, help="size of the trace that is repeated")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kinetoscope-bench")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    path: Path = options.work / f"long-{options.events}-of-{options.mb}.pt.trace.json"
    if not path.exists():
        make(path, options.mb * MIB)
    columns = digest.cache_of(digest.target(path), "columns", digest.columns_version())
    if columns.load(stored.load) is None:
        once = read_trace(path, lambda done, total: None, 0)
        trace = repeated(once, max(-(-options.events // events_of(once)), 1))
        columns.store(lambda entry: stored.store(trace, entry))
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
