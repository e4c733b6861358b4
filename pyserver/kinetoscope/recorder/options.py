"""The command line of the recorder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Callable

DEFAULT_FOLDER = ".kinetoscope"


@dataclass(frozen=True)
class Options:
    """What to run and how to record it. `target` is a script's path, or a module's name where `is_module`."""

    target: str = ""
    is_module: bool = False
    arguments: tuple[str, ...] = ()
    out: str = DEFAULT_FOLDER
    name: str | None = None
    skip: int = 3
    record: int = 5
    stacks: bool = False
    shapes: bool = True
    memory: bool = True
    line_log: bool = True
    stop_after: bool = False
    include: tuple[str, ...] = field(default=())
    exclude: tuple[str, ...] = field(default=())
    status: str | None = None


def _count(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}")
        return value

    parse.__name__ = "whole number"
    return parse


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kinetoscope recorder",
        usage="%(prog)s [options] (script.py | -m module) [arguments of the script …]",
        description="Run a PyTorch program and record what each of its lines costs.",
        allow_abbrev=False,
    )
    parser.add_argument("--out", default=DEFAULT_FOLDER, metavar="FOLDER", help="folder of runs (default: %(default)s)")
    parser.add_argument("--name", metavar="NAME", help="name of the run's folder (default: time and script)")
    parser.add_argument("--skip", type=_count(0), default=3, metavar="N", help="steps to let pass first (default: %(default)s)")
    parser.add_argument("--record", type=_count(1), default=5, metavar="N", help="steps to record (default: %(default)s)")
    parser.add_argument(
        "--after", choices=["stop", "continue"], default="continue", help="what the script does then (default: %(default)s)"
    )
    parser.add_argument("--stacks", action="store_true", help="record Python call stacks too: frames inside libraries, slower")
    parser.add_argument("--no-shapes", action="store_true", help="do not record the operators' input shapes")
    parser.add_argument("--no-memory", action="store_true", help="do not record allocations")
    parser.add_argument("--no-line-log", action="store_true", help="do not log lines: numbers are then known by function at best")
    parser.add_argument("--include", action="append", default=[], metavar="PATH", help="file or folder whose lines are logged too")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="files whose lines are not logged")
    parser.add_argument("--status", metavar="FILE", help="append what happens to this file, one JSON object a line")
    parser.add_argument("-m", dest="module", action="store_true", help="run a module instead of a script")
    return parser


def _split(arguments: Sequence[str], parser: argparse.ArgumentParser) -> tuple[list[str], list[str]]:
    """Our options, and the script with its own arguments: the border is the first word that is neither an option nor an option's value."""
    with_value = {text for action in parser._actions if action.nargs is None for text in action.option_strings}  # pyright: ignore[reportPrivateUsage]
    position = 0
    while position < len(arguments) and arguments[position].startswith("-"):
        word = arguments[position]
        position += 1
        if word == "--":
            return list(arguments[: position - 1]), list(arguments[position:])
        if word in with_value:
            position += 1
        elif word == "-m":
            break
    return list(arguments[:position]), list(arguments[position:])


def parse(arguments: Sequence[str]) -> Options:
    """Parse the words after the recorder's own name; argparse prints usage and exits with 2 where they make no sense."""
    parser = _parser()
    ours, theirs = _split(arguments, parser)
    found = parser.parse_args(ours)
    if not theirs:
        parser.error("name the script to profile, or -m and a module")
    return Options(
        target=theirs[0],
        is_module=found.module,
        arguments=tuple(theirs[1:]),
        out=found.out,
        name=found.name,
        skip=found.skip,
        record=found.record,
        stacks=found.stacks,
        shapes=not found.no_shapes,
        memory=not found.no_memory,
        line_log=not found.no_line_log,
        stop_after=found.after == "stop",
        include=tuple(found.include),
        exclude=tuple(found.exclude),
        status=found.status,
    )
