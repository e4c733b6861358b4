"""What each view costs in an open desk: from the linked trace to the bytes of its answer.

    python bench/views.py [TRACE] [--mb 250] [--rounds 3]

Without a trace it makes its own (bench/big_trace.py). Times are CPU time, which is what it takes on a core of its own: of the first call,
which prepares what a linked trace keeps, and of the fastest of all. The exit code is 1 where a first call is above the budget of 200 ms.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from big_trace import make

from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.service.views import VIEWS, View
from kinetoscope.trace.reader import read_trace

MIB = 1 << 20
BUDGET_MS = 200.0


def opened(trace: Path) -> LinkedTrace:
    return link(read_trace(trace, lambda done, total: None), str(trace))


def spent_ms(view: View, linked: LinkedTrace) -> tuple[float, int]:
    """CPU time of one call, and the bytes of its answer."""
    begun = time.process_time()
    body = msgspec.msgpack.encode(view.compute({0: linked}, {0: None}))
    return (time.process_time() - begun) * 1000, len(body)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=Path, nargs="?")
    parser.add_argument("--mb", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, own = Path(folder) / "small.pt.trace.json", Path(folder) / "own.pt.trace.json"
        make(small, MIB)
        if options.trace is None:
            make(own, options.mb * MIB)
        tiny, linked = opened(small), opened(options.trace or own)
    gc.freeze()  # As the desk does.
    missed: list[str] = []
    print(f"{'view':<24}{'first, ms':>10}{'fastest, ms':>13}{'answer, KiB':>13}")
    for name, view in VIEWS.items():
        spent_ms(view, tiny)  # Importing is not computing.
        measured = [spent_ms(view, linked) for _ in range(options.rounds)]
        times = [ms for ms, _ in measured]
        print(f"{name:<24}{times[0]:>10.0f}{min(times):>13.0f}{measured[0][1] / 1024:>13.0f}")
        missed += [name] if times[0] > BUDGET_MS and view.tables else []  # Others are not asked of a desk.
    print(f"above the budget of {BUDGET_MS:.0f} ms: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
