"""`kinetoscope diff`: two runs beside each other, and an exit code for gates in CI."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from kinetoscope.cli.output import compared, console, short_path, write_json
from kinetoscope.cli.view_tables import show_tables
from kinetoscope.service import report as reports
from kinetoscope.service.comparison import COMPARISON_TABLES, Comparison, as_content, as_json, exceeded

WORSE, UNDECIDED = 1, 2
"""Exit codes of a gate: it rose too much; it can't be said since only one of the two has steps."""


def diff(options: Namespace) -> int:
    """Print the comparison; 0, or what the gate says."""
    before, after = (reports.resolve(Path(path), options.rank) for path in (options.before, options.after))
    found = compared(before, after)
    if options.json:
        write_json(as_json(before, after, found))
    else:
        out = console()
        what = "per step" if found.per_step else "of whole recordings"
        out.print(f"{short_path(str(before.path))} → {short_path(str(after.path))} ({what})", soft_wrap=True)
        show_tables(out, COMPARISON_TABLES, as_content(found), options.limit)
        for notice in found.notices:
            out.print(f"Note: {notice}", soft_wrap=True)
    return 0 if options.fail_over is None else _gate(found, options.fail_over)


def _gate(found: Comparison, limit: float) -> int:
    counts = found.steps.count
    if bool(counts.before) != bool(counts.after):
        print("kinetoscope: Only one of the two has steps, so --fail-over can't be judged.", file=sys.stderr)
        return UNDECIDED
    reasons = exceeded(found, limit)
    for reason in reasons:
        print(f"kinetoscope: {reason} More than {100 * limit:g} % fails.", file=sys.stderr)
    return WORSE if reasons else 0
