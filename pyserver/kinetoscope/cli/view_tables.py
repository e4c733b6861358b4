"""Shows any view in the terminal by the tables that the registry of views describes for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from kinetoscope.cli.output import short_path
from kinetoscope.service import format as fmt
from kinetoscope.service.report import Chosen
from kinetoscope.service.tables import Column, Table
from kinetoscope.service.views import VIEWS, Content

_WORDY = 60
"""Most characters of a text in a column before it is wrapped."""
_FORMATS: dict[str, Callable[[float], str]] = {
    "us": fmt.time_us,
    "bytes": fmt.size_bytes,
    "percent": lambda percent: fmt.share(percent / 100),
    "count": fmt.count,
}
"""Units of numbers; columns of all others are text."""


def show_view(out: Console, what: Chosen, name: str, content: Content, limit: int) -> None:
    """Print the tables of a view, `limit` rows of each, then what the reader should know."""
    out.print(f"{short_path(str(what.of.path))}: {name}", soft_wrap=True)
    for words in [] if VIEWS[name].of_ranks else what.said:
        out.print(f"Shown: {words}.", soft_wrap=True)
    show_tables(out, VIEWS[name].tables, content, limit)
    for notice in content.get("notices", []):
        out.print(f"Note: {notice}", soft_wrap=True)


def show_tables(out: Console, tables: tuple[Table, ...], content: Content, limit: int) -> None:
    """Print tables of a result. One that has no row is said to have none."""
    for table in tables:
        rows = _rows(content, table.rows)
        if not rows:
            out.print(f"\n{table.title}: none", soft_wrap=True)
            continue
        out.print(f"\n{table.title}", style="bold", soft_wrap=True)
        out.print(_grid(table, rows[:limit]))
        if len(rows) > limit:
            out.print(f"… and {fmt.count(len(rows) - limit)} more", soft_wrap=True)


def _rows(content: Any, path: str) -> list[Any]:
    """The rows that a path leads to; see `Table`."""
    outer, _, inner = path.partition("[].")
    if inner:
        return [{**above, **row} for above in _rows(content, outer) for row in _rows(above, inner)]
    found = _value(content, path)
    return found if isinstance(found, list) else [] if found is None else [found]


def _grid(table: Table, rows: list[Any]) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    columns = [column for column in table.columns if not column.optional or any(_value(row, column.field) is not None for row in rows)]
    for column in columns:
        left, wraps = column.unit not in _FORMATS, column.unit not in {*_FORMATS, "link"}
        grid.add_column(
            column.title, justify="left" if left else "right", no_wrap=not wraps, overflow="fold", max_width=_WORDY if wraps else None
        )
    for row in rows:
        grid.add_row(*(Text(_words(row, column)) for column in columns))
    return grid


def _value(row: Any, path: str) -> Any:
    """What a dotted path leads to; None where it leads nowhere."""
    for name in filter(None, path.split(".")):
        row = row.get(name) if isinstance(row, dict) else None
    return row


def _words(row: Any, column: Column) -> str:
    value = _value(row, column.field)
    if value is None:
        return ""
    if column.unit == "place":
        return _place(value)
    if column.unit == "places":
        return " → ".join(map(_place, value))
    if column.unit == "tree":
        return "  " * row["depth"] + value
    if column.unit not in _FORMATS:
        return ", ".join(map(str, value)) if isinstance(value, list) else "yes" if value is True else "" if value is False else str(value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_FORMATS[column.unit](part)}" for name, part in value.items() if part)
    text = _FORMATS[column.unit](value)
    return f"+{text}" if column.signed and value > 0 else text


def _place(of: Any) -> str:
    return f"{short_path(of['file'])}:{of['line']}" if of["file"] else ""
