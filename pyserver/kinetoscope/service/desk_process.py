"""The desk's process: opens one linked trace, then answers questions of it until its input ends.

    python -m kinetoscope.service.desk_process RUN [--rank R] [--no-inference] [--more]

On stdin one JSON line `{"id", "method", "params"}` a question (before the first, with `--more`, one line with the target's sources and
peers). On stdout: JSON lines `{"stage", "done", "total"}` while the trace is being opened, then for each question, in their order,
`{"id", "problem", "remedy"}`, or `{"id", "size": N}` and N bytes, the answer as MessagePack.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import sys
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import digest, wire
from kinetoscope.service.questions import QUESTIONS, Opened
from kinetoscope.service.worker import Reporter, say

logger = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Serve until stdin ends; 1 where the trace can't be opened, which was said."""
    parser = argparse.ArgumentParser(prog="kinetoscope.service.desk_process")
    parser.add_argument("run", type=Path)
    parser.add_argument("--rank", type=int, default=None)
    parser.add_argument("--no-inference", action="store_true")
    parser.add_argument("--more", action="store_true", help="the first line of stdin has the target's sources and peers, as JSON")
    options = parser.parse_args(arguments)
    gc.disable()  # As in the worker: what is opened are columns.
    try:
        of = digest.target(options.run, options.rank, infer=not options.no_inference)
        if options.more:
            more = msgspec.json.decode(sys.stdin.buffer.readline(), type=digest.More)
            of = msgspec.structs.replace(of, sources=more.sources, peers=more.peers)
        linked, _ = digest.open_linked(of, Reporter())
    except RunError as error:
        say({"problem": error.message, "remedy": error.remedy})
        return 1
    except MemoryError:
        say({"problem": f"There is not enough memory to read {options.run}.", "remedy": "Record fewer steps, or use a larger machine."})
        return 1
    gc.enable()
    gc.freeze()
    say({"stage": "open"})
    _serve(Opened(of, linked), sys.stdin.buffer)
    return 0


def _serve(opened: Opened, questions: BinaryIO) -> None:
    for line in questions:
        asked: dict[str, Any] = json.loads(line)
        try:
            params = msgspec.convert(asked["params"], wire.REQUESTS[asked["method"]][0])
            body = msgspec.msgpack.encode(QUESTIONS[asked["method"]](opened, params))
        except RunError as error:
            say({"id": asked["id"], "problem": error.message, "remedy": error.remedy})
        except MemoryError:
            say({"id": asked["id"], "problem": "There is not enough memory for this view.", "remedy": "Choose a step or a shorter range."})
        except Exception as error:  # One view that fails must not close the others.
            logger.exception("%s failed", asked["method"])
            remedy = "This is an error of Kinetoscope: please report it with the log."
            say({"id": asked["id"], "problem": f"Computing {asked['method']} failed: {error!r}.", "remedy": remedy})
        else:
            say({"id": asked["id"], "size": len(body)}, body)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.exit(1)  # Whoever asked is gone.
