"""Steps: when each iteration of the training ran, on the host and on the device.

Rule (the TensorBoard plugin's): a step is the host's range `ProfilerStep#N`, or what our recorder found. Where any step launched device
work, a step lasts until the last device work that was launched wholly inside its range, and begins no earlier than the step before it
ended; the first one also no earlier than device work of no step that ended before its own began. So queued work is charged to the step
that launched it. A trace without steps is one step, from its first to its last operator. Of traces that other tools recorded, steps at
the end are left out whose device work was perhaps not all captured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints

STEP_MARK = "ProfilerStep#"
"""How torch begins the name of the host's range of a step; its number follows."""
_AS_MUCH = 0.8
"""Of the device events of the step before, which the last step must have to be thought whole."""


class Step(Struct, frozen=True, kw_only=True):
    """`[start_ns, end_ns)` in trace time. `number` as the range's name says it."""

    number: int
    name: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Steps:
    """`kept`: in time order, none negative. `left_out`: names of those at the end that were not taken. `marked`: False where the trace
    has none and `kept` is the one step that stands for the recording."""

    kept: list[Step]
    left_out: list[str]
    marked: bool


def steps_of(linked: LinkedTrace) -> list[Step]:
    """The steps in time order; never empty."""
    return find_steps(linked).kept


def find_steps(linked: LinkedTrace) -> Steps:
    """The steps and what was left out."""
    ours = _recorded(linked)
    host = ours or ([] if _found_none(linked) else _annotated(linked))
    marked = bool(host)
    host = host or [Step(number=0, name="recording", start_ns=(whole := _host_extent(linked))[0], end_ns=whole[1])]
    extended, device_events = _with_device(linked, host)
    kept = len(host) if ours else _captured(device_events)
    return Steps(extended[:kept], [step.name for step in host[kept:]], marked)


def _found_none(linked: LinkedTrace) -> bool:
    """Whether our recorder looked for steps and found none: the one range that it then leaves in the trace is no step that ended."""
    recording = linked.trace.recording
    return bool(recording.format) and not recording.steps and recording.run.get("outcome") in ("complete", "short", "interrupted")


def _recorded(linked: LinkedTrace) -> list[Step]:
    """Those that our recorder found, on the trace's clock; those that the trace does not reach are no steps of it."""
    steps = linked.trace.recording.steps
    if not steps or linked.clock is None:
        return []
    edges = linked.clock.to_trace(np.array([step[1:] for step in steps], np.int64).reshape(-1)).reshape(-1, 2).tolist()
    found = [
        Step(number=number, name=f"{STEP_MARK}{number}", start_ns=start, end_ns=end)
        for (number, _, _), (start, end) in zip(steps, edges, strict=True)
        if start <= end and end > 0 and start < linked.trace.end_ns
    ]
    return sorted(found, key=lambda step: (step.start_ns, step.end_ns))


def _annotated(linked: LinkedTrace) -> list[Step]:
    """The ranges `ProfilerStep#N` of the host that ended; of one range inside another the outer."""
    ops, names = linked.trace.ops, linked.trace.names
    number_of = {index: int(name[len(STEP_MARK) :]) for index, name in enumerate(names) if name.startswith(STEP_MARK) and _is_number(name)}
    if not number_of:
        return []
    rows = np.flatnonzero(np.isin(ops.name, list(number_of)) & (ops.dur_ns >= 0))
    rows = rows[np.lexsort((-ops.dur_ns[rows], ops.ts_ns[rows]))]
    end = ops.ts_ns[rows] + ops.dur_ns[rows]
    outer = end > np.concatenate([[-1], np.maximum.accumulate(end)[:-1]]) if len(rows) else end >= 0
    return [
        Step(number=number_of[name], name=names[name], start_ns=start, end_ns=stop)
        for name, start, stop in zip(ops.name[rows[outer]].tolist(), ops.ts_ns[rows[outer]].tolist(), end[outer].tolist(), strict=True)
    ]


def _is_number(name: str) -> bool:
    digits = name[len(STEP_MARK) :]
    return digits.isascii() and digits.isdigit() and len(digits) < 19


def _host_extent(linked: LinkedTrace) -> tuple[int, int]:
    """From the first to the last operator or annotation of the host; the recording where it has none."""
    ops = linked.trace.ops
    real = linked.work_op | ops.annotation | linked.links.evaluates
    if not real.any():
        return linked.window_ns
    return int(ops.ts_ns[real].min()), int((ops.ts_ns + np.maximum(ops.dur_ns, 0))[real].max())


def launched_ns(linked: LinkedTrace) -> tuple[Ints, Ints]:
    """`(start, end)` on the host of the call that started each kernel, else of its operator; -1 where neither is known."""
    launches, ops = linked.trace.launches, linked.trace.ops
    start: Ints = np.full(len(linked.launch_of_kernel), -1, np.int64)
    end = start.copy()
    for table, row in ((ops, linked.op_of_kernel), (launches, linked.launch_of_kernel)):
        known = row >= 0
        start[known] = table.ts_ns[row[known]]
        end[known] = (table.ts_ns + np.maximum(table.dur_ns, 0))[row[known]]
    return start, end


def _with_device(linked: LinkedTrace, host: list[Step]) -> tuple[list[Step], list[int]]:
    """The steps with their device work, and how many device events each launched."""
    kernels = linked.trace.kernels
    begin, finish = kernels.ts_ns, kernels.ts_ns + np.maximum(kernels.dur_ns, 0)
    launch_start, launch_end = launched_ns(linked)
    edges = np.array([(step.start_ns, step.end_ns) for step in host], np.int64)
    step = np.searchsorted(edges[:, 0], launch_start, side="right") - 1
    inside = (launch_start >= 0) & (step >= 0)
    inside &= launch_end <= edges[np.maximum(step, 0), 1]
    if not inside.any():
        return host, [0] * len(host)
    counts = np.bincount(step[inside], minlength=len(host))
    until = np.full(len(host), -1, np.int64)
    np.maximum.at(until, step[inside], finish[inside])
    before = host[0].start_ns
    if counts[0]:
        own = int(begin[inside & (step == 0)].min())
        before = int(finish[~inside & (finish < own)].max(initial=before))
    extended: list[Step] = []
    for one, device_end in zip(host, until.tolist(), strict=True):
        start = max(before, one.start_ns)
        before = max(start, one.end_ns, device_end)
        extended.append(Step(number=one.number, name=one.name, start_ns=start, end_ns=before))
    return extended, counts.tolist()


def _captured(device_events: list[int]) -> int:
    """How many of the steps to keep, by the device events of each."""
    if len(device_events) < 2 or not any(device_events):
        return len(device_events)
    last = max(index for index, count in enumerate(device_events) if count)
    short = last > 0 and device_events[last] < _AS_MUCH * device_events[last - 1]
    return last if short else last + 1
