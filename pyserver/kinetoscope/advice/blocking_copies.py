"""Copies to the device that the host waits for: from memory that is not pinned, or without `non_blocking=True`."""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import PINNED_MEMORY
from kinetoscope.analysis.format import count, share
from kinetoscope.trace.columns import MEMCPY, Ints

ID = "blocking-copies"
_LEAST_SHARE = 0.01


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where a step could be a hundredth shorter if the host did not wait for such copies. Whether memory is pinned is in the names of
    CUDA's copies."""
    copies, waits = _uploads(case), waits_of_uploads(case)
    pageable = copies[np.isin(case.trace.kernels.name[copies], case.names(lambda name: "Pageable" in name))]
    launch = case.linked.launch_of_kernel
    waited_for = np.isin(case.op_of_kernel[copies], case.op_of_launch[waits])
    slow = copies[waited_for | np.isin(copies, pageable)]
    calls = np.union1d(launch[slow][launch[slow] >= 0], waits)
    host = float(np.maximum(case.trace.launches.dur_ns[calls], 0).sum()) / 1000 / case.parts
    gain = case.spared_us(calls)
    if case.share(gain) < _LEAST_SHARE:
        return None
    size = float(np.maximum(case.trace.kernels.bytes[slow], 0).sum()) / case.parts
    pinned = (
        f"{count(case.per_step(len(pageable)))} from memory that is not pinned" if len(pageable) else "none of them named as not pinned"
    )
    return (
        Finding(
            id=ID,
            severity=case.severity(gain),
            title="Copies to the device block the host",
            seen=(
                f"The host spends {share(case.share(host))} of the time in copies to the device: "
                f"{count(case.per_step(len(slow)))} {case.each}, {pinned}."
            ),
            remedy='Use DataLoader(pin_memory=True), or tensor.pin_memory() once, and x.to("cuda", non_blocking=True).',
            link=PINNED_MEMORY,
            evidence=[
                Evidence(name="host time", value=host, unit="us"),
                Evidence(name="copies", value=case.per_step(len(slow)), unit="count"),
                Evidence(name="copied", value=size, unit="bytes"),
            ],
            gain_us=gain,
        ),
        _lines(case, calls, launch[slow]),
    )


def _lines(case: Case, calls: Ints, copying: Ints) -> list[AdviceLine]:
    """The host's time as in the evidence, by line; a copy counts once, though its wait may be a call of its own."""
    launches = case.trace.launches
    return case.lines(ID, case.linked.launch.node[calls], launches.dur_ns[calls], calls=np.isin(calls, copying).astype(np.int64))


def _uploads(case: Case) -> Ints:
    """Kernel rows: copies from the host to a device."""
    to_device = case.names(lambda name: "HtoD" in name or "HostToDevice" in name)
    kernels = case.trace.kernels
    return np.flatnonzero((kernels.kind == MEMCPY) & np.isin(kernels.name, to_device) & case.kernel_inside)


def waits_of_uploads(case: Case) -> Ints:
    """Launch rows: waiting in the operators that copy to a device."""
    copying = np.intersect1d(case.op_of_kernel[_uploads(case)], case.ops(lambda name: name == "aten::copy_"))
    waits = case.waits
    return waits[np.isin(case.op_of_launch[waits], copying)]
