"""Line costs: what each line of the user's code cost in one rank's trace, with the call stacks, operators and kernels behind it.

Formulas are those of the design's table of line costs (docs/metrics.md). Inclusive numbers take a line once per stack: a node
adds to a line only if no node above it on its path is the same line. Of a part of the recording, times are clipped to it, and what is
counted is what begins in it; only lines that have some part in it are listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.analysis.format import counted, share
from kinetoscope.analysis.line_details import line_details
from kinetoscope.analysis.memory_by_node import NodeMemory, memory_by_node
from kinetoscope.analysis.node_costs import Floats, NodeCosts, kernels_by_node, node_costs, part_of_recording
from kinetoscope.analysis.ranges import Window, within
from kinetoscope.analysis.steps import STEP_MARK, find_steps
from kinetoscope.analysis.tables import DeviceTime, LineCost, LineReport
from kinetoscope.linking.call_tree import OUTSIDE, PRECISIONS, CallTree
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.text import split_lines

_WORTH_SAYING = 0.005
"""Share of the device time."""
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")


def report_of(linked: LinkedTrace, window_ns: Window = None) -> LineReport:
    """The report of a linked trace, or of the part of it in the window."""
    tree = linked.tree
    costs, memory = node_costs(linked, window_ns), memory_by_node(linked, window_ns)
    nodes_of = nodes_of_lines(tree, range(1, len(tree)) if window_ns is None else _taking_part(tree, costs, memory))
    counts = _Counted(tree, costs)
    sources = {file.path: split_lines(file.text) for file in linked.trace.recording.files if file.text is not None}
    keys = sorted(nodes_of)
    rows = [_row(tree, key, nodes_of[key], counts, memory, sources) for key in keys]
    start, end = part_of_recording(linked, window_ns)
    return LineReport(
        steps=_steps(linked) if window_ns is None else _steps_in(linked, window_ns),
        whole=window_ns is None,
        recording_us=(end - start) / 1000,
        devices=DeviceNames(linked.trace).all(),
        device_us=device_time(linked, window_ns),
        host_us=float(costs.host.sum()) / 1000,
        rows=rows,
        details=line_details(linked, costs, [nodes_of[key] for key in keys], window_ns),
        notices=_notices(linked, window_ns),
    )


class _Counted:
    """Own and inclusive sums for every node: inclusive is a node's own plus those of all nodes below."""

    def __init__(self, tree: CallTree, costs: NodeCosts) -> None:
        self.own = costs
        self.host_total = with_nodes_below(tree, costs.host)
        self.host_backward_total = with_nodes_below(tree, costs.host_backward)
        self.device_total = with_nodes_below(tree, costs.device)
        self.device_backward_total = with_nodes_below(tree, costs.device_backward)


def with_nodes_below(tree: CallTree, values: Floats) -> Floats:
    """Each node's value plus those of all nodes below it."""
    total = values.copy()
    for node in range(len(tree) - 1, OUTSIDE, -1):  # a node is made after its parent
        total[tree.parent[node]] += total[node]
    return total


def _taking_part(tree: CallTree, costs: NodeCosts, memory: dict[int, NodeMemory]) -> list[int]:
    """The nodes that have any cost, or one below that has."""
    some: Floats = np.zeros(len(tree))
    some[[*memory]] = 1
    for values in vars(costs).values():
        some += values != 0
    return (np.flatnonzero(with_nodes_below(tree, some)[1:]) + 1).tolist()


def nodes_of_lines(tree: CallTree, chosen: Iterable[int]) -> dict[tuple[str, int], list[int]]:
    """(file, line) → its nodes among the chosen ones."""
    nodes: dict[tuple[str, int], list[int]] = defaultdict(list)
    for node in chosen:
        nodes[(tree.places[tree.place[node]].file, tree.line[node])].append(node)
    return nodes


def outermost_nodes(tree: CallTree, nodes: list[int], key: tuple[str, int]) -> list[int]:
    """Those nodes that have no node of the same line above them."""

    def same(node: int) -> bool:
        return tree.line[node] == key[1] and tree.places[tree.place[node]].file == key[0]

    return [node for node in nodes if not any(same(above) for above in tree.path(tree.parent[node]))]


def _row(
    tree: CallTree,
    key: tuple[str, int],
    nodes: list[int],
    counts: _Counted,
    memory: dict[int, NodeMemory],
    sources: dict[str, list[str]],
) -> LineCost:
    outer = outermost_nodes(tree, nodes, key)
    own = counts.own
    lines = sources.get(key[0], [])

    def us(values: Floats, which: list[int]) -> float:
        return float(values[which].sum()) / 1000

    return LineCost(
        file=key[0],
        line=key[1],
        function=function_of_line(tree, nodes),
        source=lines[key[1] - 1].strip() if 0 < key[1] <= len(lines) else "",
        precision=PRECISIONS[max(tree.precision[node] for node in nodes)],  # type: ignore[arg-type]
        calls=int(own.arrivals[nodes].sum()),
        cpu_self_us=us(own.host, nodes),
        cpu_total_us=us(counts.host_total, outer),
        cpu_backward_us=us(own.host_backward, nodes),
        cpu_backward_total_us=us(counts.host_backward_total, outer),
        gpu_us=us(own.device, nodes),
        gpu_total_us=us(counts.device_total, outer),
        gpu_backward_us=us(own.device_backward, nodes),
        gpu_backward_total_us=us(counts.device_backward_total, outer),
        cpu_recompute_us=us(own.host_recompute, nodes),
        gpu_recompute_us=us(own.device_recompute, nodes),
        launches=int(own.launches[nodes].sum()),
        sync_us=us(own.sync, nodes),
        gpu_idle_us=us(own.idle, nodes),
        alloc_bytes=_bytes([memory[node].allocated for node in nodes if node in memory]),
        freed_bytes=_bytes([memory[node].freed for node in nodes if node in memory]),
        peak_bytes=_bytes([memory[node].at_peak for node in nodes if node in memory]),
        peak_backward_bytes=_bytes([memory[node].at_peak_backward for node in nodes if node in memory]),
    )


def function_of_line(tree: CallTree, nodes: list[int]) -> str:
    """The function that the line stands in: that of a frame of its own rather than of a comprehension or lambda on the line."""
    names = [tree.places[tree.place[node]].function for node in nodes]
    return next((name for name in names if not name.endswith(_COMPREHENSIONS)), names[0])


def _bytes(parts: list[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for device, size in part.items():
            total[device] = total.get(device, 0) + size
    return total


def device_time(linked: LinkedTrace, window_ns: Window = None) -> DeviceTime:
    """Where device time went: user lines; launches known but only library frames above; launch or frames unknown. The three add
    up to the total, exactly."""
    node, _, duration = kernels_by_node(linked, window_ns)
    thread = linked.kernel_thread
    framed = (thread >= 0) & (linked.timelines.of_thread[np.maximum(thread, 0)] >= 0)
    on_lines = node != OUTSIDE
    attributed = int(duration[on_lines].sum())
    library = int(duration[~on_lines & framed].sum())
    unattributed = int(duration[~on_lines & ~framed].sum())
    without_launch = int(duration[~on_lines & (thread < 0)].sum())
    return DeviceTime(
        attributed=attributed / 1000,
        library=library / 1000,
        unattributed=unattributed / 1000,
        without_launch=without_launch / 1000,
        total=(attributed + library + unattributed) / 1000,
    )


def _steps(linked: LinkedTrace) -> int:
    if linked.trace.recording.format:
        return len(linked.trace.recording.steps)
    marks = [index for index, name in enumerate(linked.trace.names) if name.startswith(STEP_MARK)]
    return len(set(linked.trace.ops.name[np.isin(linked.trace.ops.name, marks)].tolist()))


def _steps_in(linked: LinkedTrace, window_ns: tuple[int, int]) -> int:
    """How many steps a window is made of; 0 where it cuts one, or reaches over those at the end that were not captured whole: its numbers
    are then not those of steps."""
    found = find_steps(linked)
    start, end = window_ns
    touched = [step for step in found.kept if found.marked and step.start_ns < end and step.end_ns > start]
    cut = any(step.start_ns < start or step.end_ns > end for step in touched)
    return 0 if cut or (found.left_out and end > found.kept[-1].end_ns) else len(touched)


def _notices(linked: LinkedTrace, window_ns: Window) -> list[str]:
    """What the reader of the numbers should know."""
    trace = linked.trace
    notices = [str(notice.get("message", "")) for notice in trace.recording.run.get("notices", [])]
    if trace.lost:
        lost = trace.lost
        what = f"{counted(lost.events, 'event', 'events')} of the trace could not be read" if lost.events else "The trace is not whole"
        where = f", at byte {lost.offset} of the uncompressed text" if lost.offset >= 0 else ""
        notices.append(f"{what}: {lost.reason}{where}. The numbers are of what is left.")
    if trace.recording.format and trace.recording.line_log.threads and linked.clock is None:
        notices.append("The trace has none of the recording's clock markers, so the line log could not be used: numbers are by function.")
    if not trace.recording.format and not len(trace.frames.ts_ns):
        if len(linked.timelines.all):
            notices.append(
                "The lines come from the call stacks of the operators: CPU times are of operators alone, without the Python around them."
            )
        else:
            notices.append("The trace has neither a line log nor Python stacks (with_stack=True), so no cost can be tied to a line.")
    return notices + _missing_device_time(linked, window_ns) + (_outside_steps(linked) if window_ns is None else [])


def _outside_steps(linked: LinkedTrace) -> list[str]:
    """An amount per step is the sum of the recording by the number of its steps: it says too much where work ran outside of them."""
    found, kernels = find_steps(linked), linked.trace.kernels
    dur_ns = np.maximum(kernels.dur_ns, 0)
    total_ns = int(dur_ns.sum())
    if not found.marked or total_ns == 0:
        return []
    edges = np.array([(step.start_ns, step.end_ns) for step in found.kept], np.int64)
    starts, ends = edges[:, 0], edges[:, 1]
    step = np.searchsorted(starts, kernels.ts_ns, side="right") - 1
    outside = (step < 0) | (kernels.ts_ns >= ends[np.maximum(step, 0)])
    if found.left_out:  # They count as steps, and what ran after the last one kept is theirs.
        outside &= kernels.ts_ns < ends[-1]
    part = int(dur_ns[outside].sum()) / total_ns
    if part < _WORTH_SAYING:
        return []
    return [f"{share(part)} of the device time ran in none of the steps: amounts per step are those of the whole recording by its steps."]


def _missing_device_time(linked: LinkedTrace, window_ns: Window) -> list[str]:
    notices: list[str] = []
    time = device_time(linked, window_ns)
    reasons = {
        "its launches were not recorded, as where they lie before the recording": time.without_launch,
        "no call stacks of the threads that launched it were recorded": time.unattributed - time.without_launch,
    }
    for reason, part in reasons.items():
        if time.total and part / time.total >= _WORTH_SAYING:
            notices.append(f"{100 * part / time.total:.0f} % of the device time could not be tied to a line: {reason}.")
    kernels = linked.trace.kernels
    unended = int(((kernels.dur_ns < 0) & within(kernels.ts_ns, window_ns)).sum())
    if unended:
        what = "1 piece of device work has" if unended == 1 else f"{unended} pieces of device work have"
        notices.append(f"{what} no duration in the trace: their device time is missing from the numbers.")
    return notices
