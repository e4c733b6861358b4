"""`kinetoscope runs`: the runs of a folder."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from rich.table import Table
from rich.text import Text

from kinetoscope.cli.output import console, short_path
from kinetoscope.service import format as fmt
from kinetoscope.service import report as reports


def runs(options: Namespace) -> int:
    """Print a table of runs, newest first, each with its problem where it has one."""
    folder = reports.folder_of_runs(Path(options.folder))
    out = console()
    found = reports.summaries(folder)
    if not found:
        out.print(f"There is no run in {short_path(str(folder))}. Make one with `kinetoscope profile script.py`.")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("run", "recorded", "script", "steps", "outcome", "torch", "devices", "size"):
        table.add_column(name, justify="right" if name in ("steps", "size") else "left", overflow="fold")
    for run in found:
        if run.problem is not None:
            table.add_row(Text(short_path(run.path)), "", Text(run.problem), "", "", "", "", fmt.size_bytes(run.size_bytes))
            continue
        words = [run.path, run.created, " ".join([run.name, *run.argv[1:]]), str(run.steps), run.outcome, run.torch, ", ".join(run.devices)]
        words[0] = short_path(run.path)
        table.add_row(*(Text(word) for word in words), fmt.size_bytes(run.size_bytes))
    out.print(table)
    return 0
