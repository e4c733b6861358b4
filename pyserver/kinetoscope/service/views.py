"""The views: for each name how it is computed and how its result is shown as tables. This is the one list of them.

A view is a pure function of a linked trace. It runs in the worker process, so the analyses are imported only when one is computed; what
comes back, and what `--json` prints, are the fields of the struct that the function returns (docs/report.md). Tables name paths into that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

import kinetoscope
from kinetoscope.runs.cache import sealed, unsealed
from kinetoscope.service.digest import Progress, Target, cache_of, code_hash, kept, open_linked
from kinetoscope.service.selection import Selection

if TYPE_CHECKING:
    from kinetoscope.linking.linked import LinkedTrace

Window = tuple[int, int] | None
Content = dict[str, Any]
"""A view's result as plain data."""

Unit = Literal["text", "place", "link", "us", "bytes", "percent", "count"]


@dataclass(frozen=True)
class Column:
    """A column of a table: the field of a row (a dotted path; empty for the row itself) and its unit. Text stands left, numbers right. A
    `place` is an object with `file` and `line`, a `link` is never wrapped, `percent` is of 100;
    `signed`: with a plus where it is above 0."""

    title: str
    field: str
    unit: Unit = "text"
    signed: bool = False


@dataclass(frozen=True)
class Table:
    """A table: where its rows are in the result (a dotted path to a list; to one object for a table of one row), and its columns.
    `children` names the field in which a row holds the rows below it, for trees."""

    title: str
    rows: str
    columns: tuple[Column, ...]
    children: str = ""


@dataclass(frozen=True)
class View:
    """`compute(linked, window_ns)` returns a struct; its field `notices`, where it has one, is shown below the tables."""

    name: str
    compute: Callable[[LinkedTrace, Window], msgspec.Struct]
    tables: tuple[Table, ...] = ()


def _advice(linked: LinkedTrace, window_ns: Window) -> msgspec.Struct:
    from kinetoscope.advice.advise import advice

    return advice(linked, window_ns)


def _totals(linked: LinkedTrace, window_ns: Window) -> msgspec.Struct:
    from kinetoscope.analysis.totals import totals

    return totals(linked, window_ns)


TOTALS = "totals"
"""The view that a comparison is made of; it has no tables."""

VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        View(TOTALS, _totals),
        View(
            "advice",
            _advice,
            (
                Table(
                    "Findings",
                    "findings",
                    (
                        Column("severity", "severity"),
                        Column("finding", "id"),
                        Column("", "title"),
                        Column("gain up to, per step", "gain_us", "us"),
                        Column("what was seen", "seen"),
                        Column("what to do", "remedy"),
                    ),
                ),
                Table(
                    "Their lines",
                    "lines",
                    (
                        Column("finding", "finding"),
                        Column("line", "", "place"),
                        Column("source", "source"),
                        Column("times per step", "calls", "count"),
                        Column("per step", "us", "us"),
                    ),
                ),
                Table("Documentation", "findings", (Column("finding", "id"), Column("page", "link", "link"))),
            ),
        ),
    )
}
"""All but `lines`, which is kept with the sources in a digest since the editor shows it too."""


@lru_cache(maxsize=1)
def views_version() -> str:
    """Kinetoscope's version and a hash of the code that computes views."""
    return f"{kinetoscope.__version__}-{code_hash('trace', 'linking', 'analysis', 'advice', 'service/views.py', 'service/selection.py')}"


def load(of: Target, name: str, selection: Selection) -> Content | None:
    """A view from the cache; None where it has to be computed. Only views of whole recordings are kept. Raises `RunError` where the trace
    can't be read."""
    if not selection.whole:
        return None
    body = cache_of(of, f"view-{name}", views_version()).load(lambda path: unsealed(path.read_bytes()))
    return None if body is None else decode(body)


def decode(body: bytes) -> Content | None:
    """The result of encoded bytes; None where they are not one."""
    try:
        return msgspec.msgpack.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def make(of: Target, name: str, selection: Selection, on_progress: Progress) -> tuple[bytes, OSError | None]:
    """Compute a view of a trace: `(encoded result, why something could not be kept in the cache)`. Raises `RunError` where the trace can't
    be used or has no such part. Heavy: called in the worker process only."""
    linked, not_kept = open_linked(of, on_progress)
    window = selection.window_ns(linked)
    on_progress("view", 0, 1)
    body = msgspec.msgpack.encode(VIEWS[name].compute(linked, window))
    if selection.whole:
        not_kept = kept(cache_of(of, f"view-{name}", views_version()), lambda path: path.write_bytes(sealed(body))) or not_kept
    return body, not_kept
