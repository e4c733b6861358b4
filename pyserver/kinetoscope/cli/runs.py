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
        script = " ".join([run.name, *run.argv[1:]])
        words = [short_path(run.path), run.created, script, str(run.steps), run.outcome, run.torch, ", ".join(run.devices)]
        if run.problem is not None:
            words[1:] = ["", "", "", "can't be read", "", ""]
        table.add_row(*(Text(word) for word in words), fmt.size_bytes(run.size_bytes))
    out.print(table)
    for run in found:
        if run.problem is not None:
            out.print(f"\n{run.problem}", soft_wrap=True)
    return 0
