"""Which tracks a linked trace has, in the order in which they are shown, and how the events of each are found.

First the steps; then each thread with the lines of its user code, its Python frames, and its operators; then each device with how it was
used, its memory and its streams. What the trace has nothing of has no track.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.analysis.gpu_metrics import busy, sm_efficiency_over_time
from kinetoscope.analysis.launch_statistics import waiting_launches
from kinetoscope.analysis.memory_by_node import DeviceMemory, memory_of_devices
from kinetoscope.analysis.memory_curve import allocated_after
from kinetoscope.analysis.ranges import depths
from kinetoscope.analysis.timeline.answers import CounterUnit, TrackKind
from kinetoscope.analysis.timeline.curve import Curve, curve_of, curve_of_intervals
from kinetoscope.analysis.timeline.events import DEVICE_RANGE, FRAME, KERNEL, LAUNCH, LINE, OP, STEP, TABLES, Events
from kinetoscope.analysis.timeline.rows import packed_rows
from kinetoscope.analysis.timeline.spans import Spans, spans_of
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.clock import MARKER
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import KERNEL as IS_KERNEL
from kinetoscope.trace.columns import Ints

STEPS = "steps"


@dataclass(frozen=True)
class Lane:
    """A track. Its events, or of a counter its curves, are looked for when they are first needed."""

    id: str
    kind: TrackKind
    title: str
    help: str
    detail: str = ""
    parent: str | None = None
    unit: CounterUnit | None = None
    thread: int | None = None
    """Of the trace."""
    timeline: int | None = None
    """Index of a `lines` track's thread into the linked trace's timelines."""
    stream: tuple[int, int] | None = None
    """`(device, stream)`"""
    find_spans: Callable[[], Spans] | None = None
    find_curves: Callable[[], dict[str, Curve]] | None = None

    @cached_property
    def spans(self) -> Spans | None:
        """None of counters and of what only holds other tracks."""
        return self.find_spans() if self.find_spans is not None else None

    @cached_property
    def curves(self) -> dict[str, Curve]:
        return self.find_curves() if self.find_curves is not None else {}


class Lanes:
    """The tracks of one linked trace."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._linked = events.linked
        self._names = DeviceNames(self._linked.trace)
        self.all: dict[str, Lane] = {lane.id: lane for lane in self._lanes()}

    def of_event(self, event: int) -> str:
        """The track that an event is on. Raises `KeyError` for those that are on none (the clock marks of our recorder)."""
        row, table = divmod(event, TABLES)
        trace = self._linked.trace
        if table == STEP:
            found = STEPS
        elif table == LINE:
            found = self._standing_ids[int(np.searchsorted(self._events.standing.bounds, row, side="right")) - 1]
        elif table == FRAME:
            found = f"{_thread(int(trace.frames.thread[row]))}/python"
        elif table in (OP, LAUNCH):
            found = f"{_thread(int((trace.ops if table == OP else trace.launches).thread[row]))}/operators"
        else:
            work = trace.kernels if table == KERNEL else trace.device_ranges
            found = f"{_device(int(work.device[row]))}/stream:{work.stream[row]}" + ("" if table == KERNEL else "/annotations")
        if found not in self.all:
            raise KeyError(event)
        return found

    def below(self, tracks: Collection[str]) -> list[Lane]:
        """These tracks, and those that they hold."""
        return [lane for lane in self.all.values() if lane.id in tracks or lane.parent in tracks]

    def of_thread(self, thread: int, part: TrackKind) -> Lane | None:
        """A thread's `lines`, `python` or `operators`; None where it has none."""
        return self.all.get(f"{_thread(thread)}/{part}")

    def name_of_device(self, device: int) -> str:
        """`device` as kernels have it."""
        return self._names.of_work(device)

    def _lanes(self) -> Iterator[Lane]:
        if self._events.steps:
            yield Lane(
                STEPS, "steps", "Steps", "Each training step, with the device work that it launched.", find_spans=lambda: self._table(STEP)
            )
        for thread in self._threads():
            yield from self._lanes_of_thread(thread)
        for number, tid in self._silent():
            if not (self._linked.timelines.all[number].node != OUTSIDE).any():
                continue
            lane = f"log:{tid}"
            yield Lane(lane, "thread", self._log_names.get(tid, "") or "Thread", "A thread that only ran Python.", f"tid {tid}")
            yield self._lines(lane, number, None)
        yield from self._lanes_of_devices()

    # Threads

    def _threads(self) -> list[int]:
        """Threads with events: the one that runs the forward pass first, then as they began."""
        trace = self._linked.trace
        began: dict[int, int] = {}
        for table in (trace.ops, trace.frames, trace.launches):
            thread, first = np.unique(table.thread, return_index=True)
            for number, ts in zip(thread.tolist(), table.ts_ns[first].tolist(), strict=True):
                began[number] = min(ts, began.get(number, ts))
        for number, which in enumerate(self._linked.timelines.of_thread[: len(trace.threads)].tolist()):
            if which >= 0 and (self._linked.timelines.all[which].node != OUTSIDE).any():
                began.setdefault(number, int(self._linked.timelines.all[which].ts_ns[0]))
        return sorted(began, key=lambda thread: (thread != self._main, began[thread], thread))

    @cached_property
    def _main(self) -> int:
        """The thread that runs the forward pass, else one whose id is its process's."""
        if self._linked.links.main_thread >= 0:
            return self._linked.links.main_thread
        return next((number for number, (pid, tid) in enumerate(self._linked.trace.threads) if pid == tid), -1)

    @cached_property
    def _log_names(self) -> dict[int | str, str]:
        return {log.tid: log.name for log in self._linked.trace.recording.line_log.threads}

    def _silent(self) -> Iterator[tuple[int, int]]:
        """`(timeline, tid)` of threads that have a line log and no events: the linked trace has them last, in the log's order."""
        tids = {tid for _, tid in self._linked.trace.threads}
        known = len(self._linked.timelines.all)
        quiet = [tid for tid in dict.fromkeys(log.tid for log in self._linked.trace.recording.line_log.threads) if tid not in tids]
        of_thread = set(self._linked.timelines.of_thread.tolist())
        yield from zip([number for number in range(known) if number not in of_thread], quiet, strict=False)

    @cached_property
    def _standing_ids(self) -> dict[int, str]:
        """Timeline → its track."""
        of_thread = self._linked.timelines.of_thread.tolist()
        found = {timeline: f"{_thread(thread)}/lines" for thread, timeline in enumerate(of_thread) if timeline >= 0}
        return found | {timeline: f"log:{tid}/lines" for timeline, tid in self._silent()}

    def title_of_thread(self, thread: int) -> str:
        """As a track is titled: the name that the program gave it, else what it does."""
        if named := self._log_names.get(self._linked.trace.threads[thread][1], ""):
            return named
        if thread == self._main:
            return "Main thread"
        roots = self._linked.links.nested.thread
        return "Backward thread" if len(roots) and (roots == thread).any() else "Thread"

    def _lanes_of_thread(self, thread: int) -> Iterator[Lane]:
        trace, lane = self._linked.trace, _thread(thread)
        pid, tid = trace.threads[thread]
        yield Lane(lane, "thread", self.title_of_thread(thread), "What one thread of the program did.", f"pid {pid}, tid {tid}")
        which = int(self._linked.timelines.of_thread[thread])
        if which >= 0 and (self._linked.timelines.all[which].node != OUTSIDE).any():
            yield self._lines(lane, which, thread)
        if _has(trace.frames.thread, thread):
            about = "Python functions as they called one another, with those of libraries and modules."
            yield Lane(f"{lane}/python", "python", "Python", about, parent=lane, thread=thread, find_spans=lambda: self._frames(thread))
        if _has(trace.ops.thread, thread) or (trace.launches.thread == thread).any():
            about = "PyTorch's operators with those that they call, annotations, and calls of the device's runtime."
            yield Lane(
                f"{lane}/operators", "operators", "Operators", about, parent=lane, thread=thread, find_spans=lambda: self._host(thread)
            )

    def _lines(self, parent: str, timeline: int, thread: int | None) -> Lane:
        return Lane(
            f"{parent}/lines",
            "lines",
            "Lines",
            "The line of your code on which the thread stood, and below it the line in the function that it called.",
            parent=parent,
            thread=thread,
            timeline=timeline,
            find_spans=lambda: self._stood(timeline),
        )

    def _stood(self, timeline: int) -> Spans:
        standing = self._events.standing
        low, high = standing.bounds[timeline : timeline + 2].tolist()
        event = np.arange(low, high) * TABLES + LINE
        return spans_of(standing.row[low:high], standing.start_ns[low:high], standing.end_ns[low:high], event)

    def _frames(self, thread: int) -> Spans:
        low, high = np.searchsorted(self._linked.trace.frames.thread, [thread, thread + 1]).tolist()
        start, end = self._events.times_of(FRAME)
        return _nested(start[low:high], end[low:high], np.arange(low, high) * TABLES + FRAME)

    def _host(self, thread: int) -> Spans:
        """Operators, annotations and calls, without the marks of our recorder's clock."""
        ops = self._linked.trace.ops
        low, high = np.searchsorted(ops.thread, [thread, thread + 1]).tolist()
        op = low + np.flatnonzero(~self._is_marker[ops.name[low:high]])
        call = self._calls[slice(*np.searchsorted(self._linked.trace.launches.thread[self._calls], [thread, thread + 1]).tolist())]
        (op_start, op_end), (call_start, call_end) = self._events.times_of(OP), self._events.times_of(LAUNCH)
        event = np.concatenate([op * TABLES + OP, call * TABLES + LAUNCH])
        start, end = np.concatenate([op_start[op], call_start[call]]), np.concatenate([op_end[op], call_end[call]])
        # Both parts are in order already, which this sort is quick with; of what begins together the operator is outside.
        order = np.argsort(start, kind="stable")
        return _nested(start[order], end[order], event[order])

    @cached_property
    def _is_marker(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([name.startswith(MARKER) for name in self._linked.trace.names], bool)

    @cached_property
    def _calls(self) -> Ints:
        """Rows of the trace's launches, by thread and start, longest first."""
        launches = self._linked.trace.launches
        return np.lexsort((-launches.dur_ns, launches.ts_ns, launches.thread))

    def _table(self, table: int) -> Spans:
        start, end = self._events.times_of(table)
        return spans_of(packed_rows(start, end), start, end, np.arange(len(start)) * TABLES + table)

    # Devices

    def _lanes_of_devices(self) -> Iterator[Lane]:
        """Devices by number; memory of devices that did no work, and the host's, after them."""
        kernels, ranges = self._linked.trace.kernels, self._linked.trace.device_ranges
        memory = {of_device.device: of_device for of_device in memory_of_devices(self._linked)}
        queues = {(device, stream): (begin, done) for device, stream, begin, done in waiting_launches(self._linked)}
        for device in np.unique(np.concatenate([kernels.device, ranges.device])).tolist():
            name, lane = self._names.of_work(device), _device(device)
            about = "What one device did, as it measured it."
            yield Lane(lane, "device", name, about, f"device {device}" if device >= 0 else "")
            if ((kernels.device == device) & (kernels.kind == IS_KERNEL)).any():
                yield from self._use_of(device, lane)
            if name in memory:
                yield self._memory(memory.pop(name), f"{lane}/memory", lane)
            for stream in np.unique(np.concatenate([table.stream[table.device == device] for table in (kernels, ranges)])).tolist():
                yield from self._lanes_of_stream(device, stream, queues)
        for name in sorted(memory):
            lane = f"device:{name}"
            yield Lane(lane, "device", name, "Memory of a device that ran nothing in this recording, or of the host.")
            yield self._memory(memory[name], f"{lane}/memory", lane)

    def _use_of(self, device: int, parent: str) -> Iterator[Lane]:
        trace, origin = self._linked.trace, self._linked.window_ns[0]

        def utilisation() -> dict[str, Curve]:
            return {"utilisation": curve_of_intervals(busy(trace, device), 100.0, origin)}

        def sm_efficiency() -> dict[str, Curve]:
            return {"SM efficiency": curve_of(*sm_efficiency_over_time(trace, device), origin)}

        about = "Share of the time in which any kernel ran; copies do not count."
        yield Lane(f"{parent}/utilisation", "counter", "Utilisation", about, "", parent, "percent", find_curves=utilisation)
        mine = (trace.kernels.device == device) & (trace.kernels.kind == IS_KERNEL)
        if (trace.kernels.blocks_per_sm[mine] > 0).any():
            about = "Share of the multiprocessors that had a block to run: the kernels' blocks for each, at most 1."
            yield Lane(f"{parent}/sm_efficiency", "counter", "SM efficiency", about, "", parent, "percent", find_curves=sm_efficiency)

    def _memory(self, of_device: DeviceMemory, lane: str, parent: str) -> Lane:
        memory = self._linked.trace.memory
        allocated, counted = allocated_after(self._linked, of_device)
        reserved = memory.total_reserved[of_device.rows]
        told = bool((reserved > 0).any() and (reserved >= 0).all())

        def curves() -> dict[str, Curve]:
            at = memory.ts_ns[of_device.rows]
            found = {"allocated": Curve(at, allocated.astype(np.float64))}
            return found | {"reserved": Curve(at, reserved.astype(np.float64))} if told else found

        about = "Memory that tensors have allocated" + (", and that PyTorch has reserved." if told else ".")
        about += " It counts from 0 at the start of the recording: the trace does not say what was allocated before." if counted else ""
        return Lane(lane, "counter", "Memory", about, "", parent, "bytes", find_curves=curves)

    def _lanes_of_stream(self, device: int, stream: int, queues: dict[tuple[int, int], tuple[Ints, Ints]]) -> Iterator[Lane]:
        parent = _device(device)
        lane = f"{parent}/stream:{stream}"
        kernels, ranges = self._linked.trace.kernels, self._linked.trace.device_ranges
        if ((ranges.device == device) & (ranges.stream == stream)).any():
            yield Lane(
                f"{lane}/annotations",
                "annotations",
                f"Annotations of stream {stream}",
                "Annotations as the device saw them: from the first to the last kernel that was launched inside.",
                parent=parent,
                find_spans=lambda: self._device_ranges(device, stream),
            )
        if ((kernels.device == device) & (kernels.stream == stream)).any():
            yield Lane(
                lane,
                "stream",
                f"Stream {stream}",
                "Kernels, copies and fills in the order in which they ran; a second row where they overlap.",
                parent=parent,
                stream=(device, stream),
                find_spans=lambda: self._work(device, stream),
            )
        if (device, stream) in queues:
            begin, done = queues[device, stream]
            yield Lane(
                f"{lane}/queue",
                "counter",
                f"Launch queue of stream {stream}",
                "How many launches of the stream were called and not yet done.",
                parent=parent,
                unit="count",
                find_curves=lambda: {"launches": _queue(begin, done, self._linked.window_ns[0])},
            )

    def _device_ranges(self, device: int, stream: int) -> Spans:
        ranges = self._linked.trace.device_ranges
        rows = np.flatnonzero((ranges.device == device) & (ranges.stream == stream))
        rows = rows[np.lexsort((-ranges.dur_ns[rows], ranges.ts_ns[rows]))]
        start, end = self._events.times_of(DEVICE_RANGE)
        return _nested(start[rows], end[rows], rows * TABLES + DEVICE_RANGE)

    def _work(self, device: int, stream: int) -> Spans:
        kernels = self._linked.trace.kernels
        rows = np.flatnonzero((kernels.device == device) & (kernels.stream == stream))
        rows = rows[np.argsort(kernels.ts_ns[rows], kind="stable")]
        start, end = (column[rows] for column in self._events.times_of(KERNEL))
        return spans_of(packed_rows(start, end), start, end, rows * TABLES + KERNEL)


def _thread(number: int) -> str:
    return f"thread:{number}"


def _device(number: int) -> str:
    return f"device:{number}"


def _has(thread: Ints, number: int) -> bool:
    """Whether a column that is sorted holds the thread."""
    low, high = np.searchsorted(thread, [number, number + 1])
    return bool(low < high)


def _nested(start_ns: Ints, end_ns: Ints, event: Ints) -> Spans:
    """Events of one thread, by start, longest first."""
    nested = nest(np.zeros(len(start_ns), np.int64), start_ns, end_ns - start_ns, 0)
    return spans_of(depths(nested.parent), start_ns, end_ns, event)


def _queue(begin: Ints, done: Ints, from_ns: int) -> Curve:
    time = np.concatenate([[min(from_ns, int(begin.min()))], begin, done])
    change = np.concatenate([[0], np.ones(len(begin), np.int64), -np.ones(len(done), np.int64)])
    order = np.argsort(time, kind="stable")
    time, length = time[order], np.cumsum(change[order])
    settled = np.append(time[1:] > time[:-1], True)  # what changes back at once never waited
    return Curve(time[settled], length[settled].astype(np.float64))
