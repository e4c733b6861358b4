"""The allocator reserves much more of the device's memory than tensors ever need at once: free pieces are too small for what is asked."""

from __future__ import annotations

from kinetoscope.advice.device_memory import gib, held, lines_of_peak
from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding, Severity
from kinetoscope.advice.links import ALLOCATOR

ID = "fragmentation"
_LEAST_SHARE = 0.3
_LEAST_BYTES = 512 << 20
"""Below it the allocator's rounding to segments of 2 and 20 MiB could be the reason."""
_NEARLY_FULL = 0.9


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where the peak of the reserved memory is at least 512 MiB and 30 % of itself above the peak of the allocated. It is `high`
    where the device is nearly full, since memory then runs out though enough is free, else `low`: it costs no time."""
    unused = [(one.reserved - one.allocated, one.reserved, one) for one in held(case) if one.reserved]
    unused = [entry for entry in unused if entry[0] >= max(_LEAST_BYTES, _LEAST_SHARE * entry[1])]
    if not unused:
        return None
    more, reserved, device = max(unused, key=lambda entry: entry[0])
    full = device.total is not None and reserved > _NEARLY_FULL * device.total
    severity: Severity = "high" if full else "low"
    of_device = f", of the {gib(device.total)} that {device.device} has" if device.total else ""
    evidence = [
        Evidence(name="peak reserved", value=reserved, unit="bytes"),
        Evidence(name="peak allocated", value=device.allocated, unit="bytes"),
        Evidence(name="not used", value=100 * more / reserved, unit="percent"),
    ]
    if device.total is not None:
        evidence.append(Evidence(name="memory of the device", value=device.total, unit="bytes"))
    # Segments that can grow are mapped by the driver's virtual memory calls.
    expandable = len(case.launches(lambda name: name in ("cuMemMap", "cuMemCreate", "hipMemMap", "hipMemCreate")))
    return (
        Finding(
            id=ID,
            severity=severity,
            title="Reserved memory is much larger than what tensors need",
            seen=f"{gib(reserved)} are reserved{of_device}, but never more than {gib(device.allocated)} allocated.",
            remedy=(
                ("" if expandable else "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. ")
                + "Keep shapes the same from step to step (pad or bucket them); if only an earlier phase needed more, call "
                "torch.cuda.empty_cache() once after it."
            ),
            link=ALLOCATOR,
            evidence=evidence,
        ),
        lines_of_peak(case, ID, device.memory),
    )
