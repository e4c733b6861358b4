"""`cudnn.benchmark` searches for the fastest algorithm again and again: it does so for each new shape of a convolution's input.

A search is seen by its timing: a convolution that waits for the device. In the first recorded step it is what one wants; later it means
that shapes change.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import CUDNN
from kinetoscope.analysis.format import counted
from kinetoscope.trace.columns import Ints

ID = "cudnn-search"
_CONVOLUTIONS = frozenset(
    {
        "aten::cudnn_convolution",
        "aten::cudnn_convolution_transpose",
        "aten::cudnn_convolution_relu",
        "aten::cudnn_convolution_add_relu",
        "aten::miopen_convolution",
        "aten::miopen_convolution_transpose",
        "aten::convolution_backward",
    }
)


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where convolutions search in a step after the first."""
    waits = waits_of_searches(case)
    searching = np.unique(case.op_of_launch[waits])
    if len(case.steps) < 2 or not (case.trace.ops.ts_ns[searching] >= case.start_ns(1)).any():
        return None
    host = case.host_us(searching)
    return (
        Finding(
            id=ID,
            severity=case.severity(host),
            title="cuDNN searches for algorithms in every step",
            seen=(
                f"{counted(case.per_step(len(searching)), 'convolution', 'convolutions')} {case.each} with timings of several algorithms: "
                "input shapes are new each time."
            ),
            remedy="Pad or bucket inputs to a few shapes, or set torch.backends.cudnn.benchmark = False.",
            link=CUDNN,
            evidence=[
                Evidence(name="searching convolutions", value=case.per_step(len(searching)), unit="count"),
                Evidence(name="host time", value=host, unit="us"),
                Evidence(name="timings", value=case.per_step(len(waits)), unit="count"),
            ],
            gain_us=float(np.maximum(case.trace.launches.dur_ns[waits], 0).sum()) / 1000 / case.parts,
        ),
        case.lines_of_ops(ID, searching),
    )


def waits_of_searches(case: Case) -> Ints:
    """Launch rows: waiting in convolutions."""
    waits = case.waits
    return waits[np.isin(case.op_of_launch[waits], case.ops(_CONVOLUTIONS.__contains__))]
