"""The whole cost of a line as Markdown. Names come from traces, so everything that is not ours is escaped: no markup, no links, no
commands."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

from kinetoscope.analysis.tables import LineCost, LineDetail, LineReport, WorkItem
from kinetoscope.service import format as fmt
from kinetoscope.service.values import PRECISION_WORDS
from kinetoscope.service.wire import SHOW_LINE

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+.!|~$&\-])")
_MOST_WORK = 5
_LONGEST = 80


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line, cut at 80 characters."""
    flat = " ".join(text.split())
    if len(flat) > _LONGEST:
        flat = flat[: _LONGEST - 1] + "…"
    return _SPECIAL.sub(r"\\\1", flat)


def _flat(text: str) -> str:
    """A sentence that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def line_hover(
    run: str | None, row: LineCost, detail: LineDetail, report: LineReport, *, stale: bool, verified: bool, before: str = ""
) -> str:
    """Markdown for one line: times, what it cost `before`, counts, memory, precision, its dearest operators and kernels, and the way to the
    Lines view."""
    steps = max(1, report.steps)
    blocks = [_title(row, report)]
    if not verified:
        blocks.append("? The text that was profiled is not known: if the file has changed since, this may be another line's.")
    if stale and not verified:
        blocks.append("≈ This line was changed.")
    elif stale:
        blocks.append(f"≈ This line was changed since it was profiled. It was: {escape(row.source)}")
    blocks += [_times(row, report, steps), _flat(before), _recomputed(row, steps), _counts(row, steps), _memory(row, steps)]
    blocks += [f"Precision: {PRECISION_WORDS[row.precision]}."]
    blocks += [_work("Operators", [item for item in detail.work if item.kind == "operator"], steps)]
    blocks += [_work("Kernels", [item for item in detail.work if item.kind == "kernel"], steps)]
    if run is not None:
        argument = quote(json.dumps([{"run": run, "file": row.file, "line": row.line}]))
        blocks.append(f"[Show in the Lines view](command:{SHOW_LINE}?{argument})")
    return "\n\n".join(block for block in blocks if block)


def _title(row: LineCost, report: LineReport) -> str:
    whole = "over the whole recording: it has no steps" if report.whole else "over the selected range: it is not made of whole steps"
    over = f"per step, mean of {fmt.count(report.steps)}" if report.steps else whole
    return f"**{escape(row.function)}, line {row.line}** ({over})"


def _cells(*cells: str) -> str:
    """One row of a table. Editors set columns close together; the wide space keeps numbers apart."""
    first, *rest = cells
    return f"| {first} | " + " | ".join(f"&emsp;{cell}" if cell else "" for cell in rest) + " |"


def _times(row: LineCost, report: LineReport, steps: int) -> str:
    sums = "recording" if report.whole else "selected part"
    lines = [_cells("", "self", "total", "backward", "share", sums), "|:--|--:|--:|--:|--:|--:|"]
    if report.device_us.total > 0:
        whole = row.gpu_total_us + row.gpu_backward_total_us
        cells = [row.gpu_us / steps, row.gpu_total_us / steps, row.gpu_backward_total_us / steps]
        share = fmt.share(whole / report.device_us.total)
        lines.append(_cells("GPU", *(fmt.time_us(cell) for cell in cells), share, fmt.time_us(whole)))
    cells = [row.cpu_self_us / steps, row.cpu_total_us / steps, row.cpu_backward_total_us / steps]
    share = fmt.share(row.cpu_total_us / report.recording_us) if report.recording_us > 0 else ""
    lines.append(_cells("CPU", *(fmt.time_us(cell) for cell in cells), share, fmt.time_us(row.cpu_total_us)))
    return "\n".join(lines)


def _recomputed(row: LineCost, steps: int) -> str:
    times = {"GPU": row.gpu_recompute_us, "CPU": row.cpu_recompute_us}
    parts = [f"{name} {fmt.time_us(value / steps)}" for name, value in times.items() if value]
    return f"of which recomputed in backward: {' · '.join(parts)}" if parts else ""


def _counts(row: LineCost, steps: int) -> str:
    parts = [fmt.counted(row.calls / steps, "call", "calls")]
    if row.launches:
        parts.append(fmt.counted(row.launches / steps, "launch", "launches"))
    if row.sync_us:
        parts.append(f"waits for the device {fmt.time_us(row.sync_us / steps)}")
    if row.gpu_idle_us:
        parts.append(f"leaves the device idle {fmt.time_us(row.gpu_idle_us / steps)}")
    return " · ".join(parts)


def _memory(row: LineCost, steps: int) -> str:
    lines: list[str] = []
    for device in sorted({*row.alloc_bytes, *row.freed_bytes, *row.peak_bytes}):
        parts = [f"allocated {fmt.size_bytes(row.alloc_bytes.get(device, 0) / steps)}"]
        parts.append(f"freed {fmt.size_bytes(row.freed_bytes.get(device, 0) / steps)}")
        peak, backward = row.peak_bytes.get(device, 0), row.peak_backward_bytes.get(device, 0)
        if peak:
            parts.append(f"{fmt.size_bytes(peak)} alive at the peak" + (f" ({fmt.size_bytes(backward)} from backward)" if backward else ""))
        lines.append(f"Memory {escape(device)}: {', '.join(parts)}")
    return "  \n".join(lines)


def _work(title: str, items: list[WorkItem], steps: int) -> str:
    if not items:
        return ""
    lines = [_cells(title, "calls", "CPU", "GPU"), "|:--|--:|--:|--:|"]
    for item in items[:_MOST_WORK]:
        name = escape(item.name) + (" (backward)" if item.backward else "")
        host, device = (fmt.time_us(value / steps) if value else "" for value in (item.host_us, item.device_us))
        lines.append(_cells(name, fmt.count(item.calls / steps), host, device))
    if len(items) > _MOST_WORK:
        lines.append(_cells(f"… and {fmt.count(len(items) - _MOST_WORK)} more", "", "", ""))
    return "\n".join(lines)
