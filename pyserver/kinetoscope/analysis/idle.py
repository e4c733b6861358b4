"""Device idle time: when nothing ran, why, and the lines that caused it.

A gap is the time between two activities of a device in which none of its streams works. Its time is split, in this order:

* `unknown` – all of it, where the launch of the work that ended it was not recorded or nothing did;
* the *host's part*, until the call that launched the work that ended it: the time in which the launching thread was in a data
  loader's `__next__` is `data_loading`; of the rest `synchronisation` is as much as the thread waited in synchronising calls that were on
  when the gap began or began within it (without the wait the launch would have come that much earlier, not more); what is left is `host`;
* the rest: `launch_latency` where the call was made within the gap. Work that was enqueued before the gap waited for something: for work
  before it on its stream to be finished up (`between_kernels`), or, if its stream was free before the gap began, for an event of another
  stream, device or copy (`dependency`).

Lines get the host's part (`gpu_idle_us`): it is shared among the nodes that the launching thread stood on in that time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetoscope.analysis.intervals import Intervals, clipped, divide, union
from kinetoscope.analysis.waiting import waiting_calls
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints

CAUSES = ("data_loading", "synchronisation", "host", "launch_latency", "between_kernels", "dependency", "unknown")
DATA_LOADING, SYNCHRONISATION, HOST, LAUNCH_LATENCY, BETWEEN_KERNELS, DEPENDENCY, UNKNOWN = range(7)
OF_THE_HOST = (DATA_LOADING, SYNCHRONISATION, HOST)
"""The causes that make up the host's part."""
Window = tuple[int, int]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gaps:
    """The gaps of one device in time order, disjoint."""

    device: int
    within_ns: Window
    """What is looked at: the window, else from the device's first to its last activity. Gaps at its ends may reach out of it."""
    busy: Intervals
    """When the device worked, within that."""
    start_ns: Ints
    end_ns: Ints
    thread: Ints
    """The thread whose launch ended the gap, -1 where that is not known."""
    issued_ns: Ints
    """When the launch was called, within the gap: the end of the host's part; the gap's start where there is none."""
    queued_for: Ints
    """Number in `CAUSES` of the part after the host's."""


def gaps_of_devices(linked: LinkedTrace, window_ns: Window | None = None) -> Iterator[Gaps]:
    """For each device in turn. With a window, the time in it before the first and after the last activity are gaps too."""
    kernels = linked.trace.kernels
    for device in np.unique(kernels.device).tolist():
        rows = np.flatnonzero(kernels.device == device)
        begin = kernels.ts_ns[rows]
        until = np.maximum.accumulate(begin + np.maximum(kernels.dur_ns[rows], 0))
        within = window_ns or (int(begin[0]), int(until[-1]))
        after = np.flatnonzero(begin > np.concatenate([[within[0]], until[:-1]]))
        start, end, ended_by = np.concatenate([[within[0]], until])[after], begin[after], rows[after]
        if until[-1] < within[1]:
            start, end, ended_by = np.append(start, until[-1]), np.append(end, within[1]), np.append(ended_by, -1)
        shown = np.minimum(end, within[1]) > np.maximum(start, within[0])
        yield _explained(linked, device, within, rows, (start[shown], end[shown], ended_by[shown]))


def stretches(linked: LinkedTrace, gaps: Gaps) -> Iterator[tuple[int, int, Intervals]]:
    """`(thread, number of the cause, when)` of all time in the gaps, within what is looked at; disjoint. The thread is -1 where
    none is known."""
    for thread in np.unique(gaps.thread[(gaps.thread >= 0) & (gaps.issued_ns > gaps.start_ns)]).tolist():
        mine = gaps.thread == thread
        for cause, when in _host_part(linked, thread, gaps.start_ns[mine], gaps.issued_ns[mine]).items():
            yield thread, cause, clipped(when, gaps.within_ns)
    for cause in np.unique(gaps.queued_for).tolist():
        for thread in np.unique(gaps.thread[gaps.queued_for == cause]).tolist():
            mine = (gaps.queued_for == cause) & (gaps.thread == thread)
            yield thread, cause, clipped(union(gaps.issued_ns[mine], gaps.end_ns[mine]), gaps.within_ns)


def _explained(linked: LinkedTrace, device: int, within: Window, rows: Ints, gaps: tuple[Ints, Ints, Ints]) -> Gaps:
    """`rows`: the device's activities; `gaps`: start, end and the activity after each, -1 for none."""
    launches, kernels = linked.trace.launches, linked.trace.kernels
    start, end, ended_by = gaps
    launch: Ints = np.where(ended_by >= 0, linked.launch_of_kernel[ended_by], -1)
    known = launch >= 0
    called, thread = start.copy(), launch.copy()
    called[known], thread[known] = launches.ts_ns[launch[known]], launches.thread[launch[known]]
    free = _free_since(kernels.stream[rows], kernels.ts_ns[rows] + np.maximum(kernels.dur_ns[rows], 0))
    waited_for = np.where(free[np.searchsorted(rows, np.maximum(ended_by, 0))] < start, DEPENDENCY, BETWEEN_KERNELS)
    cause = np.where(known, np.where(called > start, LAUNCH_LATENCY, waited_for), UNKNOWN)
    return Gaps(
        device=device,
        within_ns=within,
        busy=union(np.concatenate([[within[0]], end]), np.concatenate([start, [within[1]]])),
        start_ns=start,
        end_ns=end,
        thread=thread,
        issued_ns=np.clip(called, start, end),
        queued_for=cause,
    )


def _free_since(stream: Ints, end_ns: Ints) -> Ints:
    """For each activity when those before it on its stream had ended; -1 for the first. Activities are in time order."""
    result = np.full(len(stream), -1, np.int64)
    for number in np.unique(stream).tolist():
        mine = np.flatnonzero(stream == number)
        result[mine[1:]] = np.maximum.accumulate(end_ns[mine])[:-1]
    return result


def _host_part(linked: LinkedTrace, thread: int, start: Ints, issued: Ints) -> dict[int, Intervals]:
    """The host's part of gaps that one thread ended, by cause."""
    whole = union(start, issued)
    loader, rest = divide(whole, _loading(linked, thread))
    waits = _share_of_waits(linked, thread, start, issued, rest)
    return {DATA_LOADING: loader, SYNCHRONISATION: waits, HOST: divide(rest, waits)[1]}


def _loading(linked: LinkedTrace, thread: int) -> Intervals:
    """When a thread waited for a data loader's next batch."""
    ops, names = linked.trace.ops, linked.trace.names
    loaders = ("enumerate(DataLoader)#", "enumerate(DataPipe)#")
    of_name = [index for index, name in enumerate(names) if name.startswith(loaders)]
    rows = np.flatnonzero(np.isin(ops.name, of_name) & (ops.thread == thread))
    return union(ops.ts_ns[rows], linked.ops_nested.end_ns[rows])


def _share_of_waits(linked: LinkedTrace, thread: int, start: Ints, issued: Ints, rest: Intervals) -> Intervals:
    """The beginnings of the stretches, of each gap together as long as the waits that belong to it. A gap is `start` to `issued`;
    `rest` lies in the gaps."""
    launches = linked.trace.launches
    calls = waiting_calls(linked)
    calls = calls[(launches.thread[calls] == thread) & (launches.dur_ns[calls] > 0)]
    waits = union(launches.ts_ns[calls], launches.ts_ns[calls] + launches.dur_ns[calls])
    if not len(waits.start_ns) or not len(rest.start_ns):
        return union(rest.start_ns[:0], rest.end_ns[:0])
    first = np.searchsorted(waits.end_ns, start, side="right")
    last = np.searchsorted(waits.start_ns, issued, side="left")
    lengths = np.concatenate([[0], np.cumsum(waits.end_ns - waits.start_ns)])
    waited = lengths[np.maximum(last, first)] - lengths[first]
    gap = np.searchsorted(start, rest.start_ns, side="right") - 1
    before = np.concatenate([[0], np.cumsum(rest.end_ns - rest.start_ns)])[:-1]
    before -= before[np.searchsorted(gap, gap)]
    share = np.clip(waited[gap] - before, 0, rest.end_ns - rest.start_ns)
    return union(rest.start_ns, rest.start_ns + share)


def idle_by_node(linked: LinkedTrace, window_ns: Window | None = None) -> NDArray[np.float64]:
    """Nanoseconds of caused idle time within the window for each node of the call tree. Those of several devices add up."""
    result = np.zeros(len(linked.tree), np.float64)
    for gaps in gaps_of_devices(linked, window_ns):
        for thread in np.unique(gaps.thread[gaps.thread >= 0]).tolist():
            mine = gaps.thread == thread
            when = clipped(union(gaps.start_ns[mine], gaps.issued_ns[mine]), gaps.within_ns)
            result += shared_by_node(linked, thread, when)
    return result


def shared_by_node(linked: LinkedTrace, thread: int, when: Intervals) -> NDArray[np.float64]:
    """Nanoseconds of some time for each node that the thread stood on in them. Before its first move it stood nowhere."""
    which = int(linked.timelines.of_thread[thread])
    timeline = linked.timelines.all[which] if which >= 0 else None
    if timeline is None or not len(timeline.ts_ns) or not len(when.start_ns):
        return np.zeros(len(linked.tree), np.float64)
    edges = np.concatenate([timeline.ts_ns, [max(int(when.end_ns[-1]), int(timeline.ts_ns[-1]))]])
    return np.bincount(timeline.node, weights=np.diff(when.before(edges)), minlength=len(linked.tree)).astype(np.float64)
