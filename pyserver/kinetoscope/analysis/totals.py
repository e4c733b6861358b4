"""What one recording brings to a comparison: the numbers of its views, put together."""

from __future__ import annotations

from collections import defaultdict

from kinetoscope.analysis.compare import Named, Part, Peak, Totals
from kinetoscope.analysis.kernels import kernels
from kinetoscope.analysis.memory import memory
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.overview import overview
from kinetoscope.linking.linked import LinkedTrace


def totals(linked: LinkedTrace, window_ns: tuple[int, int] | None = None) -> Totals:
    """Each number is that of the view of its name, with the same window; memory peaks are of the recorded allocations."""
    whole = overview(linked, window_ns)
    calls: dict[str, int] = defaultdict(int)
    device: dict[str, float] = defaultdict(float)
    for row in kernels(linked, window_ns).rows:
        calls[row.name] += row.calls
        device[row.name] += row.total_us
    steps = whole.steps
    return Totals(
        steps=steps.count + len(steps.left_out) if steps.marked else 0,
        step_us=steps.mean_us,
        least_us=min(step.us for step in steps.each),
        most_us=max(step.us for step in steps.each),
        rank=whole.configuration.rank or 0,
        world_size=whole.configuration.world_size or 1,
        torch=whole.configuration.torch,
        device_type=whole.configuration.device_type,
        devices=sorted(one.name for one in whole.devices),
        categories=[Part(name=one.name, us=one.us) for one in whole.categories],
        operators=[
            Named(name=row.name, calls=row.calls, host_us=row.host_self_us, device_us=row.device_self_us)
            for row in operators(linked, window_ns).rows
        ],
        kernels=[Named(name=name, calls=calls[name], host_us=0.0, device_us=us) for name, us in device.items()],
        memory=[
            Peak(device=one.device, bytes=one.peak.recorded_bytes) for one in memory(linked, window_ns).devices if one.peak is not None
        ],
    )
