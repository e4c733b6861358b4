"""The command line: `kinetoscope profile | report | view | diff | runs | lsp`. Each command is a module, imported only when
it is called."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import kinetoscope

Argument = TypeVar("Argument")

INTERRUPTED = 130
"""Exit code after Ctrl+C, as shells have it."""

_DEPENDENCIES = frozenset({"msgspec", "numpy", "pygls", "lsprotocol", "cattrs", "attrs", "attr", "rich", "uvicorn", "h11", "click"})
"""What `pip install --no-deps kinetoscope` leaves out: the recorder needs none of it."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kinetoscope", description="What each line of a PyTorch program costs.")
    parser.add_argument("--version", action="version", version=f"kinetoscope {kinetoscope.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    # Its options are the recorder's too, so it parses its own words; here it is only listed.
    commands.add_parser("profile", help="run a script and record what its lines cost", add_help=False)

    report = commands.add_parser("report", help="show what the lines of a run cost")
    report.add_argument("path", nargs="?", default=".", help="run, trace file, or folder of runs or traces (the newest); default: here")
    report.add_argument("--rank", type=int, metavar="R", help="the process of a distributed run (default: the lowest rank)")
    report.add_argument("--view", default="lines", metavar="NAME", help="what to show (default: %(default)s; a wrong name lists all)")
    part = report.add_mutually_exclusive_group()
    part.add_argument("--step", type=int, metavar="N", help="only step N of the recording")
    part.add_argument("--range", type=_range, metavar="A:B", help="only from A to B, microseconds since its start")
    report.add_argument("--json", action="store_true", help="as JSON: all numbers, summed over the recorded steps")
    report.add_argument("--html", metavar="FILE", help="write the table to a page for a browser instead")
    report.add_argument("--limit", type=_positive, metavar="N", help="show N rows of a table (default: 20; with --json all)")
    report.add_argument(
        "--metric",
        choices=["auto", "gpu_time", "cpu_time", "memory"],
        default="auto",
        help="what lines are ranked by (default: %(default)s)",
    )

    report.add_argument(
        "--no-inference", action="store_true", help="do not infer lines from sources where the recording does not tell them"
    )
    view = commands.add_parser("view", help="show the pages of runs and traces in a browser")
    view.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="runs, trace files, or folders of them; default: here")
    view.add_argument("--port", type=_port, default=0, metavar="P", help="the port to serve on (default: one that is free)")
    view.add_argument("--no-browser", action="store_true", help="only print the address")

    diff = commands.add_parser("diff", help="compare two runs or traces, before and after a change")
    diff.add_argument("before", help="run folder, trace file, or folder of runs (the newest)")
    diff.add_argument("after", help="likewise")
    diff.add_argument("--fail-over", type=_share, metavar="P%", help="exit 1 where a step's wall time or GPU time rose by more than that")
    diff.add_argument("--json", action="store_true", help="as JSON: everything, also what did not change")
    diff.add_argument("--rank", type=int, metavar="R", help="of runs of several processes, this one's (default: the lowest)")
    diff.add_argument("--limit", type=_positive, default=10, metavar="N", help="show N rows of a table (default: %(default)s)")

    runs = commands.add_parser("runs", help="list runs, newest first")
    runs.add_argument("folder", nargs="?", default=".", help="folder of runs, or one that holds .kinetoscope (default: here)")

    commands.add_parser("lsp", help="the language server, on standard input and output")
    return parser


def _range(text: str) -> tuple[float, float]:
    start, _, end = text.partition(":")
    try:
        chosen = float(start), float(end)
    except ValueError:
        raise argparse.ArgumentTypeError("must be two numbers, as 1000:2500") from None
    if not 0 <= chosen[0] < chosen[1] < math.inf:
        raise argparse.ArgumentTypeError("must begin before it ends, and not before 0")
    return chosen


def _share(text: str) -> float:
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 <= percent < math.inf:
        raise argparse.ArgumentTypeError("must be per cent, as 5%")
    return percent / 100


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code. Problems go to standard error, with what to do."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except ModuleNotFoundError as error:
        if error.name not in _DEPENDENCIES:
            raise
        print(f"kinetoscope: {sys.executable} has no {error.name}: only the recorder is installed there.", file=sys.stderr)
        print(
            "kinetoscope: Install Kinetoscope with what it needs, on Python 3.10 or newer: python -m pip install kinetoscope",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("kinetoscope: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has enough (`| head`). Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(words: list[str]) -> int:
    if words[:1] == ["profile"]:
        from kinetoscope.cli.profile import profile

        return _told(profile, words[1:])
    options = _parser().parse_args(words)
    if options.command == "report":
        from kinetoscope.cli.report import report

        return _told(report, options)
    if options.command == "view":
        from kinetoscope.cli.view import view

        return _told(view, options)
    if options.command == "diff":
        from kinetoscope.cli.diff import diff

        return _told(diff, options)
    if options.command == "runs":
        from kinetoscope.cli.runs import runs

        return _told(runs, options)
    from kinetoscope.cli.lsp import lsp

    return lsp()


def _told(command: Callable[[Argument], int], argument: Argument) -> int:
    """Call a command and tell a problem that it raises."""
    from kinetoscope.service.errors import RunError

    try:
        return command(argument)
    except RunError as error:
        print(f"kinetoscope: {error.message}", file=sys.stderr)
        if error.remedy:
            print(f"kinetoscope: {error.remedy}", file=sys.stderr)
        return 1
