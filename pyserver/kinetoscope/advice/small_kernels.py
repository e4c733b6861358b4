"""The host launches work more slowly than the device does it: small kernels with gaps between, in which the device waits for the host.

Only gaps shorter than a millisecond count, and of them only the part in which nothing was launched yet and neither a data loader nor the
device was waited for (`analysis.idle`): longer ones are other work of the program, which no faster launching would shorten. And they must
be many: one is not a series of launches that could be made at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import CUDA_GRAPHS, TORCH_COMPILE
from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.analysis.format import counted, time_us
from kinetoscope.analysis.idle import HOST, Gaps, gaps_of_devices, shared_by_node, stretches
from kinetoscope.analysis.intervals import Intervals, clipped
from kinetoscope.trace.columns import KERNEL, Ints

ID = "small-kernels"
_LEAST_SHARE = 0.2
_LONGEST_GAP_NS = 1_000_000
_LEAST_GAPS = 20
"""Per step."""
_SMALL_US = 50.0
"""Half of the kernels must be shorter: a launch costs 5 to 20 µs, under a profiler more."""


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where a device idles so for a fifth of the time. With several devices the one that ran most kernels is looked at."""
    kernels = case.trace.kernels
    rows = np.flatnonzero((kernels.kind == KERNEL) & case.kernel_inside & (kernels.dur_ns >= 0))
    if not len(rows):
        return None
    devices, counts = np.unique(kernels.device[rows], return_counts=True)
    device = int(devices[counts.argmax()])
    rows = rows[kernels.device[rows] == device]
    median = float(np.median(kernels.dur_ns[rows])) / 1000
    gaps = _gaps(case, device)
    short = _short(gaps)
    launching = [(thread, when) for thread, cause, when in stretches(case.linked, short) if cause == HOST]
    idle = sum(when.length() for _, when in launching) / 1000 / case.parts
    many = case.per_step(len(short.start_ns)) >= _LEAST_GAPS
    if not many or median > _SMALL_US or case.share(idle) < _LEAST_SHARE:
        return None
    busy = 100 * gaps.busy.length() / max(gaps.within_ns[1] - gaps.within_ns[0], 1)
    remedy, link = _remedy(case, device)
    return (
        Finding(
            id=ID,
            severity=case.severity(idle),
            title="The host launches kernels more slowly than the device runs them",
            seen=(
                f"For {100 * case.share(idle):.0f} % of the time the device waits for the next launch, and works for {busy:.0f} %: "
                f"{counted(case.per_step(len(rows)), 'kernel', 'kernels')} {case.each}, half of them shorter than {time_us(median)}."
            ),
            remedy=remedy,
            link=link,
            evidence=[
                Evidence(name="device waits for launches", value=idle, unit="us"),
                Evidence(name="device works", value=busy, unit="percent"),
                Evidence(name="kernels", value=case.per_step(len(rows)), unit="count"),
                Evidence(name="median kernel", value=median, unit="us"),
            ],
            gain_us=idle,
        ),
        _lines(case, rows, launching),
    )


def _gaps(case: Case, device: int) -> Gaps:
    """Of the device, from the first step's start to the last one's end; without steps as far as it worked."""
    start, end = case.extents
    within = (int(start.min()), int(end.max())) if case.steps else case.window_ns
    return next(gaps for gaps in gaps_of_devices(case.linked, within) if gaps.device == device)


def _short(gaps: Gaps) -> Gaps:
    """Those in which the host was late with the next launch, if not by much."""
    keep = (gaps.end_ns - gaps.start_ns < _LONGEST_GAP_NS) & (gaps.issued_ns > gaps.start_ns)
    return replace(
        gaps,
        start_ns=gaps.start_ns[keep],
        end_ns=gaps.end_ns[keep],
        thread=gaps.thread[keep],
        issued_ns=gaps.issued_ns[keep],
        queued_for=gaps.queued_for[keep],
    )


def _remedy(case: Case, device: int) -> tuple[str, str]:
    """Compiling and graphs only where torch has them for the device, and what is not used yet."""
    if not DeviceNames(case.trace).of_work(device).startswith(("cuda", "xpu")):
        return "Give each kernel more to do with a larger batch, and call fewer, larger operators.", TORCH_COMPILE
    compiled = len(case.ops(lambda name: name.startswith(("Torch-Compiled Region", "CompiledFunction"))))
    graphs = len(case.launches(lambda name: name.endswith("GraphLaunch")))
    if compiled and graphs:
        return "Use a larger batch; what is launched outside the graphs is on the lines below.", CUDA_GRAPHS
    if compiled:
        return 'Use a larger batch, or torch.compile(model, mode="reduce-overhead"), which replays CUDA graphs.', CUDA_GRAPHS
    if graphs:
        return "Use a larger batch, or bring the lines below under torch.compile or into the graph.", TORCH_COMPILE
    return (
        'Use a larger batch; or torch.compile(model), which fuses kernels, with mode="reduce-overhead" to replay them as CUDA graphs too.',
        TORCH_COMPILE,
    )


def _lines(case: Case, kernels: Ints, launching: list[tuple[int, Intervals]]) -> list[AdviceLine]:
    """The idle time by what the launching thread stood on, and how many kernels each line launched itself."""
    idle = np.zeros(len(case.linked.tree))
    for thread, when in launching:
        if thread >= 0:
            idle += sum((shared_by_node(case.linked, thread, clipped(when, step)) for step in _steps(case)), np.zeros(len(idle)))
    launches = np.bincount(case.linked.kernel.node[kernels], minlength=len(idle))
    nodes = np.flatnonzero(idle > 0)
    return case.lines(ID, nodes, idle[nodes].astype(np.int64), calls=launches[nodes])


def _steps(case: Case) -> list[tuple[int, int]]:
    start, end = case.extents
    return list(zip(start.tolist(), end.tolist(), strict=True))
