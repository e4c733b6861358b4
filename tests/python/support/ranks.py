"""Traces of several ranks, whose collectives are placed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENTER, LINE, MAIN, TraceMaker
from support.runs import TRAIN, write_run

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


class Rank(TraceMaker):
    """One of `world` ranks."""

    def __init__(self, rank: int = 0, world: int = 2, backend: str = "nccl") -> None:
        super().__init__()
        self.rank = rank
        self.info = {"backend": backend, "rank": rank, "world_size": world}
        self.numbered = 1000

    def document(self) -> dict[str, Any]:
        """With what the trace says of the rank and its devices."""
        device = {"name": "H100", "totalGlobalMem": 80_000, "computeMajor": 9, "computeMinor": 0}
        return super().document() | {"distributedInfo": self.info, "deviceProperties": [{"id": 0, **device}, {"id": 1, **device}]}

    def collective(self, name: str, at: float, start: float, dur: float, kernel: str = ALL_REDUCE, **says: Any) -> Rank:
        """Called at `at`, its kernel runs from `start` on. What it says of itself stands on the kernel."""
        self.numbered += 1
        number = self.numbered
        self.event("user_annotation", f"nccl:{name}", at, 5, MAIN)
        self.event("cuda_runtime", "cudaLaunchKernelExC", at + 1, 2, MAIN, correlation=number)
        self.event("kernel", kernel, start, dur, 20, correlation=number, device=0, stream=20, **says)
        return self

    def step(self, number: int, start: float, end: float) -> Rank:
        self.event("user_annotation", f"ProfilerStep#{number}", start, end - start, MAIN)
        return self

    def linked(self, folder: Path) -> LinkedTrace:
        path = self.write(folder / f"rank{self.rank}.pt.trace.json")
        return link(read_trace(path, lambda done, total: None), str(path))


def says(name: str, sent: int, received: int | None = None, ranks: int = 2, dtype: str = "Float", group: str = "0") -> dict[str, Any]:
    return {
        "Collective name": name,
        "dtype": dtype,
        "In msg nelems": sent,
        "Out msg nelems": sent if received is None else received,
        "Group size": ranks,
        "Process Group Name": group,
        "Process Group Description": "default_pg",
        "Process Group Ranks": str(list(range(ranks))),
    }


def write_late_rank(runs: Path, name: str, project: Path, **fields: Any) -> Path:
    """A run of two ranks of the project of `support/runs.py`: before the second all-reduce rank 1 stands 250 µs longer on train.py 7
    `loss = y.sum()` than rank 0, which waits for it for 250 µs."""
    ranks: list[Rank] = []
    for number, longer in ((0, 0), (1, 250)):
        rank = Rank(number).step(0, 5, 600)
        rank.end_us = 700
        rank.steps.append((0, 5_000, 600_000))
        train_step = rank.code(rank.source(str(project / "train.py"), TRAIN), "train_step", 5)
        log = rank.log().add(1, ENTER, train_step, 5).add(10, LINE, train_step, 6)
        log.add(55, LINE, train_step, 7).add(100 + longer, LINE, train_step, 8)
        rank.collective("all_reduce", 20, 30, 20, **says("allreduce", 1_000_000))
        rank.op("aten::mm", 110 + longer, 20).kernel("gemm", 112 + longer, 120 + longer, 20)
        ranks.append(rank.collective("all_reduce", 200 + longer, 210 + longer, 310 - longer, **says("allreduce", 1_000_000)))
    traces = [{"rank": rank.rank, "file": f"rank{rank.rank}.pt.trace.json"} for rank in ranks]
    run = write_run(runs, name, project, maker=ranks[0], world_size=2, steps=1, traces=traces, **fields)
    ranks[1].write(run / "rank1.pt.trace.json")
    return run
