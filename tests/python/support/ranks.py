"""Traces of several ranks, whose collectives are placed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import MAIN, TraceMaker

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
