"""`kinetoscope report`: the dearest lines of a run or another view of it, as a table, as JSON, or as a page for a browser."""

from __future__ import annotations

import io
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

from kinetoscope.cli.output import console, read, read_view, short_path, write_json
from kinetoscope.cli.view_tables import show_view
from kinetoscope.service import format as fmt
from kinetoscope.service import report as reports
from kinetoscope.service.digest import Digest
from kinetoscope.service.errors import RunError
from kinetoscope.service.report import Chosen
from kinetoscope.service.selection import WHOLE, Selection
from kinetoscope.service.wire import DeviceTime, LineCost, MetricSetting

_LIMIT = 20
_PAGE_WIDTH = 180
"""Characters of a line in a page: a browser scrolls."""
_LEAST_SOURCE, _MOST_SOURCE = 12, 60
_WORDS = {"gpu_time": "GPU time", "cpu_time": "CPU time", "memory": "memory"}


def report(options: Namespace) -> int:
    """Print the report of a run; 0 where there is one."""
    what = reports.choose(Path(options.path), options.rank, infer=not options.no_inference)
    of = what.of
    part = Selection(options.step, options.range)
    limit = options.limit or _LIMIT
    if options.view == "lines":
        digest = read(of, part)
        return _tell(
            options,
            lambda: reports.as_json(what, digest, part, options.metric, options.limit),
            lambda page: show(what, digest, part, options.metric, limit, page),
        )
    if options.rank is not None and reports.of_ranks(options.view):
        raise RunError(f"The view {options.view} is of all ranks together.", "Leave out --rank.")
    content = read_view(of, options.view, part, ranks=options.rank is None and len(what.ranks) > 1)
    return _tell(
        options,
        lambda: reports.view_as_json(what, options.view, part, content),
        lambda page: show_view(page or console(), what, options.view, content, limit),
    )


def _tell(options: Namespace, as_json: Callable[[], bytes], table: Callable[[Console | None], None]) -> int:
    """In the form that was asked for; `table` writes to the page it gets, or to the terminal."""
    if options.json:
        write_json(as_json())
    elif options.html:
        _write_page(Path(options.html), table)
    else:
        table(None)
    return 0


def _write_page(file: Path, table: Callable[[Console | None], None]) -> None:
    """The table as a page of its own, with nothing that is loaded or run. Raises `RunError` where it can't be written."""
    page = Console(record=True, file=io.StringIO(), width=_PAGE_WIDTH, highlight=False, markup=False, emoji=False)
    table(page)
    try:
        file.write_text(page.export_html(theme=DEFAULT_TERMINAL_THEME), encoding="utf-8")
    except OSError as error:
        raise RunError(f"{file} can't be written: {error.strerror or error}.", "Name a file in a folder that can be written.") from error
    print(f"Open in a browser: {file.resolve().as_uri()}")


def show(
    what: Chosen,
    digest: Digest,
    part: Selection = WHOLE,
    metric: MetricSetting = "auto",
    limit: int = _LIMIT,
    page: Console | None = None,
) -> None:
    """Print what was chosen and the table of its dearest lines to the terminal, or to `page`."""
    out = page or console()
    found = digest.report
    chosen, rows = reports.ranked(digest, metric, limit)
    steps = max(1, found.steps)
    said = "; ".join([*_said(part, found.steps), ", ".join(found.devices)])
    out.print(f"{short_path(str(what.of.path))}: the dearest lines by their own {_WORDS[chosen]} ({said})", soft_wrap=True)
    for words in what.said:
        out.print(f"Shown: {words}.", soft_wrap=True)
    on_device = found.device_us.total > 0
    names = ["calls", "CPU self", "CPU total", *(["GPU fwd", "GPU bwd"] if on_device else ["CPU bwd"]), "memory", "precision"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    cells = [_cells(row, steps, on_device) for row in rows]
    table.add_column("line", no_wrap=True)
    others = _width_of_others(cells, names)
    source_width = max(_LEAST_SOURCE, min(_MOST_SOURCE, out.width - others))
    table.add_column("source", no_wrap=True, overflow="ellipsis", max_width=source_width)
    for name in names:
        table.add_column(name, justify="left" if name == "precision" else "right", no_wrap=True)
    for words in cells:
        table.add_row(*(Text(word) for word in words))
    # Where the terminal is too narrow even so, its own wrapping is better than numbers that are cut.
    (page or console(least=others + source_width)).print(table)
    if len(found.rows) > len(rows):
        out.print(f"… and {fmt.count(len(found.rows) - len(rows))} more lines", soft_wrap=True)
    for words in _rest_of_device(found.device_us, steps):
        out.print(words, soft_wrap=True)
    for notice in dict.fromkeys([*found.notices, *(each.message for each in (digest.manifest.notices if digest.manifest else []))]):
        out.print(f"Note: {notice}", soft_wrap=True)


def _said(part: Selection, steps: int) -> list[str]:
    """What the numbers are of."""
    if part.step is not None:
        return [f"step {part.step}"]
    mean = [f"per step, mean of {steps}"] if steps else []
    if part.range_us is not None:
        return [f"range {part.range_us[0]:g}:{part.range_us[1]:g} µs", *mean]
    return mean or ["whole recording: it has no steps"]


def _rest_of_device(time: DeviceTime, steps: int) -> list[str]:
    """Device time that belongs to no line of the user's, with its share."""
    parts = {
        "in libraries only": time.library,
        "unattributed, launch not recorded": time.without_launch,
        "unattributed, no call stacks": time.unattributed - time.without_launch,
    }
    return [f"GPU {fmt.time_us(part / steps)} ({fmt.share(part / time.total)}) {name}" for name, part in parts.items() if part > 0]


def _cells(row: LineCost, steps: int, on_device: bool) -> list[str]:
    times = [row.cpu_self_us, row.cpu_total_us, *([row.gpu_us, row.gpu_backward_us] if on_device else [row.cpu_backward_us])]
    memory = sum(row.alloc_bytes.values())
    return [
        f"{short_path(row.file)}:{row.line}",
        row.source or row.function,
        fmt.count(row.calls / steps),
        *(fmt.time_us(value / steps) if value else "" for value in times),
        fmt.size_bytes(memory / steps, plus=True) if memory else "",
        row.precision,
    ]


def _width_of_others(cells: list[list[str]], names: list[str]) -> int:
    """Characters of all columns but the source: they are never cut, as they are what is asked for."""
    heads = ["line", "", *names]
    columns = [[head, *column] for head, column in zip(heads, zip(*cells, strict=True), strict=True)] if cells else []
    return sum(max(map(len, column)) + 2 for column in [*columns[:1], *columns[2:]])
