"""The line costs of a trace file, read and linked as the product does."""

from __future__ import annotations

from pathlib import Path

from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.tables import LineReport
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace


def line_report(path: Path) -> LineReport:
    """The report of a file. Raises `TraceError`."""
    return report_of(link(read_trace(path, lambda done, total: None), str(path)))
