"""A convolution with a bias right before a batch norm: the norm takes the mean away, and the bias with it.

Seen where shapes were recorded (`record_shapes=True`): the third input of the convolution is its bias, and the next operator beside it is
a norm.
"""

from __future__ import annotations

import json

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import CONV_BIAS
from kinetoscope.analysis.format import counted
from kinetoscope.trace.columns import distinct

ID = "conv-bias"
_CONVOLUTIONS = ("aten::conv1d", "aten::conv2d", "aten::conv3d")


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires at the first such pair; the gain is the time of adding the biases, without their backward."""
    ops, nested = case.trace.ops, case.linked.ops_nested
    biased = [index for index in distinct(ops.input_dims) if index >= 0 and _has_bias(case.trace.names[index])]
    rows = case.ops(lambda name: name in _CONVOLUTIONS)
    rows = rows[np.isin(ops.input_dims[rows], biased)]
    following = case.after(rows)
    rows, following = rows[following < len(ops.name)], following[following < len(ops.name)]
    norm = case.names(lambda name: name == "aten::batch_norm")
    beside = (nested.thread[following] == nested.thread[rows]) & (nested.parent[following] == nested.parent[rows])
    rows = rows[beside & np.isin(ops.name[following], norm)]
    if not len(rows):
        return None
    adds = case.ops(lambda name: name == "aten::add_")
    adds = adds[case.within(adds, rows) >= 0]
    kernels, _ = case.kernels_within(adds)
    spent = case.device_us(kernels) if len(kernels) else case.host_us(adds)
    return (
        Finding(
            id=ID,
            severity=case.severity(spent),
            title="Convolutions have a bias that a batch norm takes away",
            seen=f"{counted(case.per_step(len(rows)), 'convolution', 'convolutions')} {case.each} with a bias, followed by a batch norm.",
            remedy="Make these convolutions with bias=False.",
            link=CONV_BIAS,
            evidence=[
                Evidence(name="convolutions", value=case.per_step(len(rows)), unit="count"),
                Evidence(name="adding the bias", value=spent, unit="us"),
            ],
            gain_us=spent if spent > 0 else None,
        ),
        case.lines_of_ops(ID, rows),
    )


def _has_bias(dims: str) -> bool:
    """Whether a convolution's recorded shapes (`[[8, 3, 32, 32], [16, 3, 3, 3], [16], …]`) have a bias."""
    try:
        inputs = json.loads(dims)
    except ValueError:
        return False
    return isinstance(inputs, list) and len(inputs) > 2 and isinstance(inputs[2], list) and len(inputs[2]) == 1
