"""Copies that change no value, type or device: `.contiguous()` of a tensor that is not, `.to(…, copy=True)` of the same.

Only calls that really copied count: `aten::contiguous` with a clone inside, `aten::_to_copy` whose copy has one type on both sides and ran
on a device, not between it and the host.
"""

from __future__ import annotations

import json

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import MEMORY_FORMAT
from kinetoscope.analysis.format import count, counted, share
from kinetoscope.trace.columns import MEMCPY, Ints, distinct

ID = "unneeded-copies"
_LEAST_SHARE = 0.01
_ONE_FORMAT = "Keep one memory format from end to end (channels_last for images). "


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires at a hundredth of the step. `.to()` is judged only where the trace has types (`record_shapes=True`)."""
    layout, same = _copying_contiguous(case), _copies_to_same(case)
    rows = np.union1d(layout, same)
    rows = rows[case.within(case.linked.ops_nested.parent[rows], rows) < 0]
    kernels, _ = case.kernels_within(rows)
    spent = case.device_us(kernels) if len(kernels) else case.host_us(rows)
    if case.share(spent) < _LEAST_SHARE:
        return None
    images = len(case.ops(lambda name: name == "aten::conv2d"))
    return (
        Finding(
            id=ID,
            severity=case.severity(spent),
            title="Tensors are copied to change their layout only",
            seen=(
                f"{counted(case.per_step(len(rows)), 'copy', 'copies')} {case.each} that change at most the layout "
                f"({count(case.per_step(len(layout)))} by contiguous, "
                f"{count(case.per_step(len(same)))} to the same type and device): {share(case.share(spent))} of the time."
            ),
            remedy=(
                f"{_ONE_FORMAT if images else ''}Drop .contiguous() and .to() that need not be: most operators take tensors of any strides."
            ),
            link=MEMORY_FORMAT,
            evidence=[
                Evidence(name="copies", value=case.per_step(len(rows)), unit="count"),
                Evidence(name="device time", value=case.device_us(kernels), unit="us"),
                Evidence(name="host time", value=case.host_us(rows), unit="us"),
            ],
            gain_us=spent,
        ),
        case.lines_of_ops(ID, rows),
    )


def _copying_contiguous(case: Case) -> Ints:
    rows = case.ops(lambda name: name == "aten::contiguous")
    clones = case.ops(lambda name: name == "aten::clone")
    return np.intersect1d(rows, case.linked.ops_nested.parent[clones])


def _copies_to_same(case: Case) -> Ints:
    ops, nested = case.trace.ops, case.linked.ops_nested
    same = [index for index in distinct(ops.input_types) if index >= 0 and _one_type(case.trace.names[index])]
    copies = case.ops(lambda name: name == "aten::copy_")
    copies = copies[np.isin(ops.input_types[copies], same)]
    copies = copies[np.isin(nested.parent[copies], case.ops(lambda name: name == "aten::_to_copy"))]
    rows = nested.parent[copies]
    kernels, of = case.kernels_within(copies)
    across = case.names(lambda name: any(way in name for way in ("HtoD", "DtoH", "HostToDevice", "DeviceToHost")))
    crossing = (case.trace.kernels.kind[kernels] == MEMCPY) & np.isin(case.trace.kernels.name[kernels], across)
    return np.unique(rows[np.isin(copies, of) & ~np.isin(copies, of[crossing])])


def _one_type(types: str) -> bool:
    """Whether the recorded types of a copy (`["float", "float", ""]`) are one on both sides."""
    try:
        inputs = json.loads(types)
    except ValueError:
        return False
    return isinstance(inputs, list) and len(inputs) >= 2 and bool(inputs[0]) and inputs[0] == inputs[1]
