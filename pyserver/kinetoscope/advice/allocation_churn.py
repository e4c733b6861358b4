"""Device memory is taken from the driver and given back inside steps, where torch's allocator should have all it needs after the first."""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import ALLOCATOR
from kinetoscope.analysis.format import counted

ID = "allocation-churn"
_TAKES = frozenset({"cudaMalloc", "hipMalloc", "cuMemCreate"})
_GIVES = frozenset({"cudaFree", "hipFree", "cuMemRelease"})


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where it happens at least once a step, other than in the first of several. Without steps it can't be told from starting up."""
    rows = case.launches(lambda name: name in _TAKES or name in _GIVES)
    launches = case.trace.launches
    later = rows[launches.ts_ns[rows] >= case.start_ns(min(1, len(case.steps) - 1))] if case.steps else rows[:0]
    if len(later) < max(1, len(case.steps) - 1):
        return None
    host = float(np.maximum(launches.dur_ns[rows], 0).sum()) / 1000 / case.parts
    taken = int(np.isin(launches.name[rows], case.names(_TAKES.__contains__)).sum())
    return (
        Finding(
            id=ID,
            severity=case.severity(host),
            title="Device memory is allocated inside the step",
            seen=(
                f"The driver is asked for memory {counted(case.per_step(taken), 'time', 'times')} {case.each}, and is given some back "
                f"{counted(case.per_step(len(rows) - taken), 'time', 'times')}, which waits for the device."
            ),
            remedy=(
                "Leave out torch.cuda.empty_cache() in the loop, keep shapes the same, or set "
                "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; near the memory's limit use smaller batches or checkpointing."
            ),
            link=ALLOCATOR,
            evidence=[
                Evidence(name="allocations", value=case.per_step(taken), unit="count"),
                Evidence(name="releases", value=case.per_step(len(rows) - taken), unit="count"),
                Evidence(name="host time", value=host, unit="us"),
            ],
            gain_us=host,
        ),
        case.lines_of_launches(ID, rows),
    )
