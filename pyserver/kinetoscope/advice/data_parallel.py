"""`nn.DataParallel`: one process drives all devices and copies the model to them in every step. As the TensorBoard plugin's second rule."""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import DATA_PARALLEL

ID = "data-parallel"


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where its forward ran and more than one device worked."""
    rows = case.ops(lambda name: name == "DataParallel.forward")
    devices = len(np.unique(case.trace.kernels.device[case.kernel_inside]))
    if not len(rows) or devices < 2:
        return None
    host = case.host_us(rows)
    return (
        Finding(
            id=ID,
            severity="high",
            title="DataParallel drives the devices from one process",
            seen=f"DataParallel spreads each step over {devices} devices; its forward takes {100 * case.share(host):.0f} % of the time.",
            remedy="Use DistributedDataParallel with one process for each device (torchrun).",
            link=DATA_PARALLEL,
            evidence=[
                Evidence(name="devices", value=devices, unit="count"),
                Evidence(name="forward", value=host, unit="us"),
            ],
        ),
        case.lines_of_ops(ID, rows),
    )
