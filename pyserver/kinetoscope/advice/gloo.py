"""Processes with GPUs that talk through gloo, which goes by the hosts' memory. As the TensorBoard plugin's third rule."""

from __future__ import annotations

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import BACKENDS
from kinetoscope.analysis.format import counted

ID = "gloo"


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where a device worked, gloo is the backend or ran collectives, and NCCL (RCCL) did not."""
    backend = case.trace.distributed.backend.lower() if case.trace.distributed else ""
    rows = case.ops(lambda name: name.startswith("gloo:"))
    nccl = "nccl" in backend or len(case.ops(lambda name: name.startswith("nccl:")))
    if nccl or not case.kernel_inside.any() or not (backend == "gloo" or len(rows)):
        return None
    host = case.host_us(rows)
    return (
        Finding(
            id=ID,
            severity="high",
            title="Devices communicate through gloo",
            seen=(
                "The processes talk through gloo, that is through host memory: "
                f"{counted(case.per_step(len(rows)), 'collective', 'collectives')} {case.each}."
            ),
            remedy='Use dist.init_process_group("nccl").',
            link=BACKENDS,
            evidence=[
                Evidence(name="collectives", value=case.per_step(len(rows)), unit="count"),
                Evidence(name="host time", value=host, unit="us"),
            ],
        ),
        case.lines_of_ops(ID, rows),
    )
