"""Compares two recordings: reads both, finds the lines of the one in the other through the profiled sources, and shows it as tables."""

from __future__ import annotations

import os
from typing import get_args

import msgspec

from kinetoscope.analysis.compare import Comparison, Match, Place, Side, Totals, compare, exceeded
from kinetoscope.analysis.tables import Precision
from kinetoscope.runs.mapping import LineMap, map_lines
from kinetoscope.service import reading
from kinetoscope.service.digest import Digest, Progress, Target
from kinetoscope.service.report import head, to_json
from kinetoscope.service.selection import Selection
from kinetoscope.service.tables import Column, Table, Unit
from kinetoscope.service.views import TOTALS, Content

__all__ = ["COMPARISON_TABLES", "Comparison", "as_content", "as_json", "compared", "exceeded"]

_MATCHES: dict[str, Match] = {"fresh": "same", "shifted": "moved", "stale": "changed"}


async def compared(before: Target, after: Target, on_progress: Progress) -> Comparison:
    """The comparison of two traces. Raises `RunError` where one of them can't be used."""
    sides: list[Side] = []
    digests: list[Digest] = []
    for of in (before, after):
        digests.append(await reading.read(of, on_progress))
        content = await reading.read_view(of, TOTALS, Selection(), on_progress)
        sides.append(Side(msgspec.convert(content, Totals), digests[-1].report.rows))
    places, unverified = lines_after(*digests)
    comparison = compare(sides[0], sides[1], places)
    notices = [*comparison.notices, *_precisions(*digests)]
    if unverified:
        notices.append(f"The profiled text of {_some(unverified)} is not known in both recordings: their lines are matched by number.")
    return msgspec.structs.replace(comparison, notices=notices)


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")


def _precisions(before: Digest, after: Digest) -> list[str]:
    """Which functions have lines of another precision in the one recording than in the other, as where a source is here for one of them
    only: a function's time stands at its lines there and at its first line here."""
    same = same_files(before, after)
    now = _precisions_of_functions(after)
    differ: dict[tuple[str, str], list[str]] = {}
    for (file, function), precisions in _precisions_of_functions(before).items():
        others = now.get((same.get(file, ""), function), precisions)
        if precisions != others:
            differ.setdefault((_listed(precisions), _listed(others)), []).append(f"{function} in {os.path.basename(file)}")
    return [
        f"The lines of {_some(functions)} have the precision {one} before and {other} after: their numbers are not of the same kind."
        for (one, other), functions in differ.items()
    ]


def _precisions_of_functions(digest: Digest) -> dict[tuple[str, str], set[Precision]]:
    found: dict[tuple[str, str], set[Precision]] = {}
    for row in digest.report.rows:
        found.setdefault((row.file, row.function), set()).add(row.precision)
    return found


def _listed(precisions: set[Precision]) -> str:
    return " and ".join(f"`{precision}`" for precision in get_args(Precision) if precision in precisions)


def as_content(comparison: Comparison) -> Content:
    """As plain data, for tables."""
    return msgspec.to_builtins(comparison)


def as_json(before: Target, after: Target, comparison: Comparison) -> bytes:
    """As JSON: what was read, and the comparison's fields."""
    return to_json({"before": head(before), "after": head(after), **as_content(comparison)})


def lines_after(before: Digest, after: Digest) -> tuple[dict[tuple[str, int], Place], list[str]]:
    """Where each line that cost something before is after, and the names of files whose lines could be matched by number only.

    Files are the same where their paths are, or their paths below the working directories. Their lines are mapped as an editor's text is.
    """
    same = same_files(before, after)
    texts = [{file.path: file.text for file in digest.files} for digest in (before, after)]
    functions = {(row.file, row.line): row.function for row in after.report.rows}
    maps: dict[str, LineMap] = {}
    places: dict[tuple[str, int], Place] = {}
    unverified: list[str] = []
    for row in before.report.rows:
        path = same.get(row.file)
        if path is None:
            continue
        old, new = texts[0].get(row.file), texts[1].get(path)
        if old is None or new is None:
            if functions.get((path, row.line)) == row.function:
                places[(row.file, row.line)] = Place(path, row.line, "unverified")
                unverified.append(os.path.basename(path))
            continue
        if row.file not in maps:
            maps[row.file] = map_lines(old, new)
        now = maps[row.file].now(row.line)
        if now is not None:
            places[(row.file, row.line)] = Place(path, now.line, _MATCHES[now.freshness])
    return places, list(dict.fromkeys(unverified))


def same_files(before: Digest, after: Digest) -> dict[str, str]:
    """The files of the recording before that are in the one after, with their names there."""
    theirs = {_below(path, after.cwd): path for path in _files(after)} | {path: path for path in _files(after)}
    found = {path: theirs.get(path, theirs.get(_below(path, before.cwd))) for path in _files(before)}
    return {path: other for path, other in found.items() if other is not None}


def _files(digest: Digest) -> set[str]:
    return {*(row.file for row in digest.report.rows), *(file.path for file in digest.files)}


def _below(path: str, folder: str) -> str:
    """A path as seen from the working directory, where it lies below it."""
    return path.removeprefix(folder.rstrip("/\\")).lstrip("/\\") if folder and path.startswith(folder) else path


def _changes(title: str, field: str, unit: Unit) -> tuple[Column, ...]:
    return (
        Column(f"{title} before", f"{field}.before", unit),
        Column("after", f"{field}.after", unit),
        Column("difference", f"{field}.difference", unit, signed=True),
    )


COMPARISON_TABLES: tuple[Table, ...] = (
    Table(
        "Steps",
        "steps",
        (
            Column("steps before", "count.before", "count"),
            Column("after", "count.after", "count"),
            *_changes("step time", "mean_us", "us"),
            Column("", "mean_us.percent", "percent", signed=True),
            *_changes("GPU time", "gpu_us", "us"),
            Column("", "gpu_us.percent", "percent", signed=True),
        ),
    ),
    Table("Fastest and slowest step", "steps", (*_changes("fastest", "least_us", "us"), *_changes("slowest", "most_us", "us"))),
    Table("Categories", "categories", (Column("category", "name"), *_changes("time", "us", "us"))),
    Table(
        "Lines",
        "lines",
        (
            Column("line", "", "place"),
            Column("source", "source"),
            Column("match", "match"),
            *_changes("GPU", "gpu_us", "us"),
            *_changes("CPU", "cpu_self_us", "us"),
        ),
    ),
    Table(
        "Operators",
        "operators",
        (Column("operator", "name"), *_changes("GPU", "device_self_us", "us"), *_changes("CPU", "host_self_us", "us")),
    ),
    Table("Kernels", "kernels", (Column("kernel", "name"), *_changes("calls", "calls", "count"), *_changes("time", "total_us", "us"))),
    Table("Memory", "memory", (Column("device", "device"), *_changes("peak", "peak_bytes", "bytes"))),
)
"""The comparison in a terminal."""
