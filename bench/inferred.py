"""How often lines inferred from stacks and source are right: programs are recorded with both stacks and line log, and read without the
latter. Shares of the outermost forward operators in user frames, once with the saved lines of calls and once by inference alone.

The last program is read with the modules and optimizers of torch itself as user code. Exits with 1 where more than 1 % is wrong.
`--details` names what was wrong or unresolved.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from support.line_truth import Agreement, agreement  # noqa: E402
from support.recording import record  # noqa: E402

MOST_WRONG = 0.01
TORCH = Path(torch.__file__).parent
OF_TORCH = [TORCH / part for part in ("nn/modules", "nn/functional.py", "nn/utils", "optim", "_tensor.py")]
WIDE = ROOT / "bench" / "programs" / "encoder_lstm.py"


def programs() -> list[tuple[Path, list[str]]]:
    """Each program with the recorder's options for it."""
    plain = [*sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "tests/python/exactness/programs").glob("*.py")), WIDE]
    return [*((program, []) for program in plain), (WIDE, [word for path in OF_TORCH for word in ("--include", str(path))])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for the recordings; those that are there are read again")
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        sums = {True: Agreement(), False: Agreement()}
        print(f"{'program':32}{'':12}{'ops':>7}{'line of call':>14}{'inferred':>10}{'unresolved':>12}{'wrong':>8}")
        for program, more in programs():
            name = program.stem + (" (torch as user)" if more else "")
            runs = folder / name.replace(" ", "_")
            runs.mkdir(parents=True, exist_ok=True)
            kept = sorted(runs.glob("*/rank0.pt.trace.json*"))
            trace = kept[-1] if kept else record(program, runs, "--stacks", *more)
            for callers in (True, False):
                found = agreement(trace, callers=callers)
                sums[callers] += found
                show(name, found, callers)
                worst = max(worst, found.share(found.wrong))
                if options.details:
                    details(found)
        for callers, total in sums.items():
            show("all", total, callers)
    return 1 if worst > MOST_WRONG else 0


def show(name: str, found: Agreement, callers: bool) -> None:
    """One row of the table."""
    right = {precision: found.right[precision] / found.ops if found.ops else 0.0 for precision in ("call", "inferred")}
    print(
        f"{name:32}{'with callers' if callers else 'alone':12}{found.ops:>7}{right['call']:>14.1%}{right['inferred']:>10.1%}"
        f"{found.share(found.unresolved):>12.1%}{found.share(found.wrong):>8.1%}"
    )


def details(found: Agreement) -> None:
    """What was wrong and what stayed open, the most frequent first."""
    for (op, truth, told), count in found.wrong.most_common(12):
        print(f"    wrong {count:5} {op}: {truth[0]}:{truth[1]}, told {told[0]}:{told[1]}")
    for (op, truth), count in found.unresolved.most_common(12):
        print(f"    open  {count:5} {op}: {truth[0]}:{truth[1]}")


if __name__ == "__main__":
    sys.exit(main())
