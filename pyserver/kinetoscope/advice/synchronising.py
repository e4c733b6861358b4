"""Lines in the step that make the host wait for the device (`.item()`, `.cpu()`, `nonzero`, printing a tensor).

While the host waits it queues nothing, so the device runs dry afterwards; a wait after which no device idles costs nothing. Copies to the
device, releases of memory and cuDNN's search wait too, and have findings of their own.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.blocking_copies import waits_of_uploads
from kinetoscope.advice.cudnn_search import waits_of_searches
from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import SYNCHRONISATION
from kinetoscope.analysis.format import counted, share
from kinetoscope.trace.columns import Ints

ID = "synchronising-lines"
_LEAST_SHARE = 0.01


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where the devices idle for a hundredth of the step since the host waited."""
    rows = np.setdiff1d(case.waits, np.concatenate([waits_of_uploads(case), waits_of_searches(case)]))
    if not case.steps:
        rows = _without_the_last(case, rows)
    waiting = float(np.maximum(case.trace.launches.dur_ns[rows], 0).sum()) / 1000 / case.parts
    idle = case.spared_us(rows)
    if case.share(idle) < _LEAST_SHARE:
        return None
    calls = case.per_step(len(rows))
    return (
        Finding(
            id=ID,
            severity=case.severity(idle),
            title="Lines wait for the device",
            seen=(
                f"The host waits for the device in {counted(calls, 'call', 'calls')} {case.each}, for {share(case.share(waiting))} of the "
                f"time; since nothing is queued then, the device idles for up to {share(case.share(idle))} of the time."
            ),
            remedy=_remedy(case, rows),
            link=SYNCHRONISATION,
            evidence=[
                Evidence(name="waiting", value=waiting, unit="us"),
                Evidence(name="calls", value=calls, unit="count"),
                Evidence(name="device idle since", value=idle, unit="us"),
            ],
            gain_us=idle,
        ),
        case.lines_of_launches(ID, rows),
    )


def _remedy(case: Case, rows: Ints) -> str:
    explicit = rows[np.isin(case.trace.launches.name[rows], case.names(lambda name: name.endswith("DeviceSynchronize")))]
    leave_out = "Leave out torch.cuda.synchronize() but where time is measured. " if len(explicit) else ""
    read_later = (
        "add up losses as tensors and read them every few steps" if case.training else "copy results to the host together at the end"
    )
    return f"{leave_out}Keep values on the device: {read_later}, use torch.where instead of nonzero, print after the loop."


def _without_the_last(case: Case, rows: Ints) -> Ints:
    """Where there are no steps, without those after which nothing is launched: the profiler waits so when it stops."""
    issued = case.linked.launch_of_kernel
    last = int(case.trace.launches.ts_ns[issued[issued >= 0]].max(initial=0))
    return rows[case.trace.launches.ts_ns[rows] < last]
