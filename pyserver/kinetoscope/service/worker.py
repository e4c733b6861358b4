"""The worker process: reads one trace, computes its digest or a view, and ends.

    python -m kinetoscope.service.worker RUN [--rank R] [--no-inference] [--view NAME] [--step N | --range START_US END_US] [--more]

On stdout: progress as JSON lines `{"stage", "done", "total"}`, at last either `{"problem", "remedy"}`, or `{"stage": "done", "size": N}`
and then N bytes, the encoded result. Ending the process is how reading is cancelled; the cache entry appears by a rename, so nothing
half-made stays.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path

import msgspec

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import computing, digest
from kinetoscope.service.selection import Selection

_EVERY_S = 0.05


class Reporter:
    """Writes progress, at most one line every 50 ms, but each new stage at once."""

    def __init__(self) -> None:
        self._stage = ""
        self._next_s = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage == self._stage and now < self._next_s:
            return
        self._stage, self._next_s = stage, now + _EVERY_S
        say({"stage": stage, "done": done, "total": total})


def say(message: dict[str, object], body: bytes = b"") -> None:
    """One message to the process that started us, and the bytes that belong to it."""
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + body)
    sys.stdout.buffer.flush()


def main(arguments: list[str]) -> int:
    """Run the worker; the exit code is 0 when the result was delivered."""
    parser = argparse.ArgumentParser(prog="kinetoscope.service.worker")
    parser.add_argument("run", type=Path)
    parser.add_argument("--rank", type=int, default=None)
    parser.add_argument("--no-inference", action="store_true")
    parser.add_argument("--more", action="store_true", help="stdin has the target's sources and peers, as JSON")
    parser.add_argument("--view", default=None)
    parser.add_argument("--step", type=int, default=None)
    parser.add_argument("--range", type=float, nargs=2, default=None)
    options = parser.parse_args(arguments)
    part = Selection(options.step, tuple(options.range) if options.range else None)
    gc.disable()  # A process that lives for one trace, whose objects are columns: looking for cycles would cost a tenth of its time.
    try:
        of = digest.target(options.run, options.rank, infer=not options.no_inference)
        if options.more:
            more = msgspec.json.decode(sys.stdin.buffer.read(), type=digest.More)
            of = msgspec.structs.replace(of, sources=more.sources, peers=more.peers)
        body, not_kept = computing.make(of, options.view, part, Reporter()) if options.view else digest.make(of, Reporter(), part)
    except RunError as error:
        say({"problem": error.message, "remedy": error.remedy})
        return 1
    except MemoryError:
        say(
            {
                "problem": f"There is not enough memory to read {options.run}.",
                "remedy": "Record fewer steps, or read it on a larger machine.",
            }
        )
        return 1
    if not_kept is not None:
        print(f"What was computed of {options.run} could not be kept, so it will be made again next time: {not_kept}", file=sys.stderr)
    say({"stage": "done", "size": len(body)}, body)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.exit(1)  # Whoever asked is gone.
