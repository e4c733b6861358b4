"""Makes run folders whose truth is known: a small project, its files on disk, and a trace of two steps whose every cost is stated here.

Per step of 1,000 µs, on `cuda:0` (K = device time of a kernel):

| place | what happens |
|---|---|
| train.py 14 `train_step(step)` | calls the rest |
| train.py 6 `y = forward(x)` | calls model.py |
| model.py 2 `h = x @ x` | mm, K 400, its backward K 200 |
| model.py 3 `return h.relu()` | relu, K 100 |
| train.py 7 `loss = y.sum()` | sum, K 50; allocates 1 MiB |
| train.py 8 `loss.backward()` | the backward of `h = x @ x` runs, on the engine's thread |
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.kineto import ENGINE, ENTER, LEAVE, LINE, MAIN, TraceMaker

TRAIN = """\
import torch
from model import forward


def train_step(x):
    y = forward(x)
    loss = y.sum()
    loss.backward()
    return loss


for step in range(2):
    with torch.enable_grad():
        train_step(step)
"""

MODEL = """\
def forward(x):
    h = x @ x
    return h.relu()
"""

STEPS = 2
STEP_US = 1000.0
MIB = 1024 * 1024


def write_project(folder: Path) -> Path:
    """The two source files on disk; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.py").write_text(TRAIN)
    (folder / "model.py").write_text(MODEL)
    return folder


def manifest(project: Path, **fields: Any) -> dict[str, Any]:
    """A whole run.json; `fields` replace its own."""
    whole: dict[str, Any] = {
        "format": 1,
        "written_by": "0.1.0",
        "created": "2026-11-30T10:00:00+00:00",
        "name": "train.py",
        "main": str(project / "train.py"),
        "argv": ["train.py"],
        "cwd": str(project),
        "python": "3.12.1",
        "torch": "2.13.0+cu128",
        "platform": "Linux",
        "hostname": "host",
        "executable": "/usr/bin/python3",
        "environment": {},
        "devices": [{"name": "cpu", "kind": "cpu"}, {"name": "cuda:0", "kind": "cuda"}],
        "rank": 0,
        "world_size": 1,
        "steps": STEPS,
        "step_source": "optimizer",
        "outcome": "complete",
        "exit": 0,
        "traces": [{"rank": 0, "file": "rank0.pt.trace.json"}],
        "notices": [],
    }
    return whole | fields


def trace(project: Path, coarse_model: bool = False, gemm_us: float = 400) -> TraceMaker:
    """The trace of the module's table. `coarse_model`: the lines of `forward` are not known, only the function. `gemm_us`: K of
    `h = x @ x`, where it is to be less."""
    maker = TraceMaker(end_us=STEPS * STEP_US + 20)
    train = maker.source(str(project / "train.py"), TRAIN)
    model = maker.source(str(project / "model.py"), MODEL)
    module = maker.code(train, "<module>", 1)
    train_step = maker.code(train, "train_step", 5)
    forward = maker.code(model, "forward", 1, coarse=coarse_model)
    log = maker.log(MAIN)
    log.add(1, ENTER, module, 1)
    for step in range(STEPS):
        at = 10 + step * STEP_US
        maker.event("user_annotation", f"ProfilerStep#{step}", at, STEP_US)
        maker.steps.append((step, round(at * 1000), round((at + STEP_US) * 1000)))
        log.add(at, LINE, module, 12).add(at + 1, LINE, module, 13).add(at + 2, LINE, module, 14)
        log.add(at + 10, ENTER, train_step, 5).add(at + 11, LINE, train_step, 6)
        log.add(at + 20, ENTER, forward, 1).add(at + 21, LINE, forward, 2)
        maker.op("aten::mm", at + 30, 20, seq=step * 10).kernel("gemm", at + 40, at + 50, gemm_us)
        log.add(at + 60, LINE, forward, 3)
        maker.op("aten::relu", at + 70, 20).kernel("relu", at + 80, at + 450, 100)
        log.add(at + 100, LEAVE, forward).add(at + 101, LINE, train_step, 7)
        maker.op("aten::sum", at + 110, 20).kernel("reduce", at + 120, at + 550, 50)
        maker.memory(at + 115, MIB, 4096 + step, device_type=1, device_id=0)
        log.add(at + 140, LINE, train_step, 8)
        maker.backward("MmBackward0", at + 200, 100, ENGINE, seq=step * 10).kernel("gemm_grad", at + 250, at + 650, 200, tid=ENGINE)
        log.add(at + 900, LINE, train_step, 9).add(at + 910, LEAVE, train_step)
    log.add(10 + STEPS * STEP_US, LEAVE, module)
    return maker


def rich_trace(project: Path, gemm_us: float = 400) -> TraceMaker:
    """The project's trace, and in it what every view has something to say of: a module, a wait, a starving loader, filled gradients."""
    maker = trace(project, gemm_us=gemm_us)
    maker.event("python_function", "nn.Module: Net_0", 24, 896, **{"Python id": 1, "Python module id": 0})
    for step in range(STEPS):
        at = 10 + step * STEP_US
        maker.event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 860, 100)
        maker.event("user_annotation", "Optimizer.zero_grad#SGD.zero_grad", at + 400, 60).op("aten::zero_", at + 410, 20)
        maker.event("cuda_runtime", "cudaDeviceSynchronize", at + 500, 300, MAIN)
    return maker


def foreign_trace(train: str = "train.py", model: str = "model.py", *, call_from: bool = False) -> TraceMaker:
    """The same program as another tool recorded it, without backward: Python stacks name functions by `train` and `model`, no line log, no
    source. `call_from`: calls bear the line they were made on, as from torch 2.14 on. Per step K 550, of which `forward` has 500."""
    maker = TraceMaker(end_us=STEPS * STEP_US + 20)
    maker.event("python_function", f"{train}(1): <module>", 1, STEPS * STEP_US + 10)
    for step in range(STEPS):
        at = 10 + step * STEP_US
        maker.event("user_annotation", f"ProfilerStep#{step}", at, STEP_US)
        maker.event("python_function", f"{train}(5): train_step", at + 10, 900, **({"CallFrom": f"{train}:14"} if call_from else {}))
        maker.event("python_function", f"{model}(1): forward", at + 20, 80, **({"CallFrom": f"{train}:6"} if call_from else {}))
        maker.op("aten::mm", at + 30, 20).kernel("gemm", at + 40, at + 50, 400)
        maker.op("aten::relu", at + 70, 20).kernel("relu", at + 80, at + 450, 100)
        maker.op("aten::sum", at + 110, 20).kernel("reduce", at + 120, at + 550, 50)
    return maker


def write_run(runs: Path, name: str, project: Path, *, maker: TraceMaker | None = None, **fields: Any) -> Path:
    """A run folder, written as the recorder does: whole or absent. Returns its path."""
    runs.mkdir(parents=True, exist_ok=True)
    partial = runs / f".{name}.partial"
    partial.mkdir()
    whole = manifest(project, **fields)
    made = maker or trace(project)
    made.run = {key: value for key, value in whole.items() if key != "traces"}
    made.write(partial / "rank0.pt.trace.json")
    (partial / "run.json").write_text(json.dumps(whole))
    run = runs / name
    partial.rename(run)
    return run
