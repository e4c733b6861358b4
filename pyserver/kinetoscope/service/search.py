"""Search among the names of a run: its lines by text, file and function; its operators, kernels and modules by name."""

from __future__ import annotations

import ntpath
from collections.abc import Iterable
from typing import Any

from kinetoscope.analysis.tables import LineCost
from kinetoscope.service.views import Content
from kinetoscope.service.wire import SearchHit, SearchHits

_MOST_OF_A_KIND = 20


def hits(text: str, lines: Iterable[LineCost], operators: Content, kernels: Content, modules: Content) -> SearchHits:
    """Everything whose name holds the text, case ignored, dearest first within each kind: lines, operators, kernels, modules. A line is
    found by its file's name; by the whole path only where the text has a separator, since all lines of a project lie below its folder.
    The contents are those of the views of these names. Nothing for a blank text."""
    wanted = text.strip().casefold()
    if not wanted:
        return SearchHits(hits=[], more=0)
    whole = "/" in wanted or "\\" in wanted
    found: list[SearchHit] = []
    more = 0
    for kind in (
        [_line(row) for row in lines if _holds(wanted, row.source, _place(row, whole), row.function)],
        [_operator(row) for row in operators["rows"] if _holds(wanted, row["name"])],
        [_kernel(row) for row in kernels["rows"] if _holds(wanted, row["name"])],
        _modules([row for row in modules["rows"] if _holds(wanted, row["name"])]),
    ):
        kind.sort(key=lambda hit: -hit.us)
        found += kind[:_MOST_OF_A_KIND]
        more += len(kind[_MOST_OF_A_KIND:])
    return SearchHits(hits=found, more=more)


def _holds(wanted: str, *names: str) -> bool:
    return any(wanted in name.casefold() for name in names)


def _place(row: LineCost, whole: bool) -> str:
    """`train.py:12`, or with the whole path. Paths of Windows too, wherever this runs."""
    return f"{row.file if whole else ntpath.basename(row.file)}:{row.line}"


def _line(row: LineCost) -> SearchHit:
    place = _place(row, whole=False)
    device_us = row.gpu_us + row.gpu_backward_us
    return SearchHit(
        kind="line",
        name=row.source or row.function,
        detail=f"{place}, {row.function}" if row.source else place,
        us=device_us or row.cpu_self_us,
        file=row.file,
        line=row.line,
    )


def _operator(row: dict[str, Any]) -> SearchHit:
    us = row["device_self_us"] or row["host_self_us"]
    return SearchHit(kind="operator", name=row["name"], detail=_calls(row["calls"]), us=us, file=None, line=None)


def _kernel(row: dict[str, Any]) -> SearchHit:
    return SearchHit(
        kind="kernel", name=row["name"], detail=f"{row['family']}, {_calls(row['calls'])}", us=row["total_us"], file=None, line=None
    )


def _modules(rows: list[dict[str, Any]]) -> list[SearchHit]:
    """One hit a module, however many ways it is called."""
    merged: dict[str, SearchHit] = {}
    for row in rows:
        us = (row["device_self_us"] + row["device_backward_self_us"]) or row["host_self_us"]
        before = merged.get(row["name"])
        place = (row["file"], row["line"]) if row["file"] else (None, None)
        merged[row["name"]] = SearchHit(
            kind="module",
            name=row["name"],
            detail=ntpath.basename(row["file"]),
            us=us + (before.us if before else 0.0),
            file=place[0],
            line=place[1],
        )
    return list(merged.values())


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"
