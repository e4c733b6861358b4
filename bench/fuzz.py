"""Breaks traces at random for as long as one likes, and says which seed broke the reader, the linking or the report.

    python bench/fuzz.py [--seconds 60] [--seed N] [--at-most 200000]

The same ways of breaking as the test (tests/python/support/mutations.py), with seeds that are new each time, several in a row on one
file, and limits of seconds for each and of memory for all. A finding's file is kept, and `--seed` repeats it. Exit code 1 where there
was one.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "python"))

from kinetoscope.trace import blocks, reader  # noqa: E402
from support.broken import survives  # noqa: E402
from support.mutations import MUTATORS, made_traces, real_traces  # noqa: E402

SECONDS_A_CASE = 20
MEMORY = 4 << 30


def one_case(seed: int, sources: dict[str, bytes], path: Path) -> str:
    """Break one trace by `seed`; what was done to it. Raises what the product raises."""
    rng = random.Random(seed)
    name = rng.choice(list(sources))
    steps = [rng.choice(list(MUTATORS)) for _ in range(rng.choice((1, 1, 2, 3)))]
    blocks.BLOCK_BYTES = reader.BLOCK_BYTES = rng.choice((512, 4096, 1 << 20))
    data = sources[name]
    for step in steps:
        try:
            data = MUTATORS[step](data, rng)
        except (ValueError, RecursionError, KeyError, TypeError, IndexError):
            continue  # a mutator of values on what is no JSON any more
    path.write_bytes(data)
    helpers = rng.choice((0, 0, 1, 2))
    what = f"{name}: {', '.join(steps)}, blocks of {reader.BLOCK_BYTES}, {helpers} helpers"
    signal.alarm(SECONDS_A_CASE)
    try:
        survives(path, helpers)
    except Exception as error:
        print(f"{what}: {type(error).__name__}", flush=True)
        raise
    finally:
        signal.alarm(0)
    return what


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, help="repeat this one case")
    parser.add_argument("--at-most", type=int, default=200_000, help="bytes of the real traces that are taken too")
    options = parser.parse_args()
    sources = made_traces() | real_traces(REPOSITORY.parent / "shared" / "traces", options.at_most)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError(f"longer than {SECONDS_A_CASE} s")))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    folder = Path(tempfile.mkdtemp(prefix="kinetoscope-fuzz-"))
    until = time.monotonic() + options.seconds
    cases = findings = 0
    kinds: set[str] = set()
    while options.seed is not None or time.monotonic() < until:
        seed = random.SystemRandom().randrange(1 << 48) if options.seed is None else options.seed
        cases += 1
        try:
            one_case(seed, sources, folder / "case.json")
        except Exception:  # noqa: BLE001
            findings += 1
            where = traceback.format_exc(limit=-3)
            if where.splitlines()[-1] + where.splitlines()[1] not in kinds:
                kinds.add(where.splitlines()[-1] + where.splitlines()[1])
                (folder / "case.json").rename(folder / f"{seed}.json")
                print(f"seed {seed} (kept in {folder}):\n{where}", flush=True)
        if options.seed is not None:
            break
    print(f"{cases} broken traces from {len(sources)} sound ones, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
