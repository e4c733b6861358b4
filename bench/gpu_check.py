"""What only a machine with a GPU can show, in one short run (at most 4 minutes): does every kernel reach its line?

    python bench/gpu_check.py [--out FOLDER]

Needs torch with a GPU, and the server's numpy, msgspec, isal and backports.zstd in this interpreter. Beside the checkout is enough:
`pip install --target build/gpu-check msgspec isal backports.zstd`; that folder is looked in. It records the examples and two
programs of known costs, and checks: every kernel has a line; forward kernels are on the line that launched them, those of the
autograd engine's thread on their forward line; bytes by line are what `torch.cuda` counted; small matrices are bound by overhead,
large ones by compute; what the line log adds to a step. It prints one line a check, writes `gpu_check.json`
and a small trace for the tests' data to FOLDER, and exits with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "pyserver"), str(ROOT / "build" / "gpu-check")]

from kinetoscope.analysis.lines import report_of  # noqa: E402
from kinetoscope.analysis.overview import overview  # noqa: E402
from kinetoscope.analysis.tables import LineCost, LineDetail, LineReport  # noqa: E402
from kinetoscope.linking.linked import LinkedTrace, link  # noqa: E402
from kinetoscope.trace.reader import read_trace  # noqa: E402

RECORDER = ROOT / "pyserver" / "kinetoscope" / "recorder"
REPEATS = 4
WORLDS = {64: "overhead", 4096: "compute"}
"""Size of matrices → what bounds their steps."""

KNOWN = f"""import torch
x = torch.randn(512, 512, device="cuda", requires_grad=True)
w = torch.randn(512, 512, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([x, w], lr=0.0, foreach=False)
for i in range({REPEATS + 4}):
    y = x @ w
    z = y.relu()
    s = z.sum()
    s.backward()
    optimizer.step()
    value = s.item()
"""
MATMUL, RELU, SUM, BACKWARD, ITEM = 6, 7, 8, 9, 11

MEMORY = """import json, sys
import torch
def counted():
    return torch.cuda.memory_stats()["allocated_bytes.all.allocated"]
torch.zeros(1, device="cuda")
marks = [counted()]
a = torch.empty(1000, 1000, device="cuda")
marks.append(counted())
b = a + 1
marks.append(counted())
c = b.to(torch.float64)
marks.append(counted())
with open(sys.argv[1], "w") as file:
    json.dump([after - before for before, after in zip(marks, marks[1:])], file)
"""
MEMORY_LINES = (7, 9, 11)


class Checks:
    """Results as they come."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, name: str, ok: bool, seen: Any) -> None:
        self.rows.append({"check": name, "ok": ok, "seen": seen})
        print(f"{'ok  ' if ok else 'FAIL'} {name}: {seen}", flush=True)


def record(program: Path, folder: Path, *options: str, arguments: tuple[str, ...] = ()) -> Path:
    """The trace of the run that the recorder made."""
    command = [sys.executable, str(RECORDER), "--out", str(folder), *options, str(program), *arguments]
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL)
    run = max((path for path in folder.iterdir() if (path / "run.json").is_file()), key=lambda path: path.stat().st_mtime_ns)
    return next(run.glob("rank0.pt.trace.json*"))


def linked(trace: Path) -> LinkedTrace:
    return link(read_trace(trace, lambda done, total: None), str(trace))


def read(trace: Path) -> LineReport:
    return report_of(linked(trace))


def rows_of(report: LineReport) -> dict[int, tuple[LineCost, LineDetail]]:
    return {row.line: (row, detail) for row, detail in zip(report.rows, report.details, strict=True)}


def kernel_calls(detail: LineDetail, backward: bool) -> int:
    return sum(item.calls for item in detail.work if item.kind == "kernel" and item.backward == backward)


def check_examples(checks: Checks, folder: Path) -> None:
    """Every kernel of the examples reaches a user line."""
    for program in sorted((ROOT / "examples").glob("*.py")):
        time = read(record(program, folder / program.stem)).device_us
        share = time.attributed / time.total if time.total else 0.0
        checks.add(f"{program.name}: device time on user lines", share >= 0.999, f"{100 * share:.2f} % of {time.total:.0f} us")


def check_worlds(checks: Checks, folder: Path) -> None:
    """Of one program, what bounds it at two sizes of its matrices."""
    for size, kind in WORLDS.items():
        trace = record(ROOT / "examples" / "matmul_add.py", folder / f"size{size}", arguments=("--size", str(size)))
        bound = overview(linked(trace)).bound
        checks.add(f"matmul_add.py --size {size}: bound by {kind}", bound.kind == kind, f"{bound.kind}: {bound.evidence}")


def check_known(checks: Checks, folder: Path, out: Path) -> None:
    """Kernels of a known program, forward and from the engine's own thread."""
    program = folder / "known.py"
    program.write_text(KNOWN)
    trace = record(program, folder / "known", "--skip", "3", "--record", str(REPEATS))
    rows = rows_of(read(trace))
    for line, name in ((MATMUL, "matmul"), (RELU, "relu"), (SUM, "sum")):
        row, detail = rows[line]
        forward, backward = kernel_calls(detail, backward=False), kernel_calls(detail, backward=True)
        checks.add(f"{name}: forward kernels on its line", row.gpu_us > 0 and forward >= REPEATS, f"{forward} kernels, {row.gpu_us:.1f} us")
        expected = backward == 0 if name == "sum" else backward >= REPEATS  # the gradient of a sum is an expanded view
        checks.add(f"{name}: backward kernels on its line", expected, f"{backward} kernels, {row.gpu_backward_us:.1f} us")
    row, detail = rows[BACKWARD]
    stray = [item.name for item in detail.work if item.kind == "operator" and item.name.endswith("Backward0")]
    checks.add("backward(): keeps no operator's work to itself", not stray, stray or f"{row.gpu_us:.1f} us of gradient accumulation")
    checks.add("item(): waits for the device", rows[ITEM][0].sync_us > 0, f"{rows[ITEM][0].sync_us:.1f} us")
    shutil.copy(trace, out / f"gpu_known.{'.'.join(trace.name.split('.')[1:])}")


def check_memory(checks: Checks, folder: Path) -> None:
    """Bytes by line against the allocator's own count."""
    program, truth = folder / "memory.py", folder / "memory.json"
    program.write_text(MEMORY)
    rows = rows_of(read(record(program, folder / "memory", arguments=(str(truth),))))
    for line, expected in zip(MEMORY_LINES, json.loads(truth.read_text()), strict=True):
        seen = rows[line][0].alloc_bytes.get("cuda:0", 0)
        checks.add(f"memory of line {line}", seen == expected, f"{seen} bytes, torch.cuda counted {expected}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("gpu_check"))
    out: Path = parser.parse_args().out
    import torch

    if not torch.cuda.is_available():
        print("gpu_check needs a GPU: torch.cuda.is_available() is False in this interpreter.", file=sys.stderr)
        return 2
    out.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        check_known(checks, folder, out)
        check_memory(checks, folder)
        check_examples(checks, folder)
        check_worlds(checks, folder)
    overhead = subprocess.run([sys.executable, str(ROOT / "bench" / "recorder.py"), "--quick"], capture_output=True, text=True, timeout=150)
    print(overhead.stdout, overhead.stderr, sep="")
    machine = {"device": torch.cuda.get_device_name(0), "torch": torch.__version__, "python": sys.version.split()[0]}
    (out / "gpu_check.json").write_text(json.dumps({"machine": machine, "checks": checks.rows, "overhead": overhead.stdout}, indent=1))
    return 0 if all(row["ok"] for row in checks.rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
