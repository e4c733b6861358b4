"""How launches did: what their calls cost beside what they started, how long the work waited, and how many waited at a time.

Definitions are HTA's (kernel launch statistics, augmented counters), by launch rather than by kernel: a graph is one launch, with the
device time of all its kernels, and its work begins with the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import KERNEL, Bools, Floats, Ints

LONG_CALL_US, LONG_DELAY_US = 50, 100
"""HTA's limits for calls and delays that are worth a look."""
FULL_QUEUE = 1024
"""As many launches can wait on a CUDA stream; the next call blocks until one is done."""
_BUCKETS = 500
Window = tuple[int, int]


class Spread(Struct, frozen=True, kw_only=True):
    """Microseconds; all 0 where there is nothing."""

    mean_us: float
    median_us: float
    p95_us: float
    max_us: float


class LaunchesOfKernel(Struct, frozen=True, kw_only=True):
    """The launches of one kernel name. `short`: those whose device work took less time than their call."""

    name: str
    launches: int
    short: int
    call_mean_us: float
    device_mean_us: float
    delay_mean_us: float


class LaunchStatistics(Struct, frozen=True, kw_only=True):
    """Launches of kernels. `delay`: from the end of the call to the beginning of the work, 0 where it began before the call returned.
    `short`: device work took less time than its call; then the host cannot keep the device busy with such launches."""

    launches: int
    short: int
    long_calls: int
    """Calls above `LONG_CALL_US`."""
    long_delays: int
    """Delays above `LONG_DELAY_US`: the device lags behind the host, which is good unless something waits for the result."""
    call: Spread
    device: Spread
    delay: Spread
    kernels: list[LaunchesOfKernel]
    """By number of short launches, then of launches."""


class StreamQueue(Struct, frozen=True, kw_only=True):
    """How many launches of a stream were called and not yet done. `mean` and `most` are of equal parts of the time from `start_us`
    to `end_us` (trace time)."""

    device: str
    stream: int
    start_us: float
    end_us: float
    mean_length: float
    max_length: int
    empty_us: float
    full_us: float
    """With `FULL_QUEUE` or more."""
    mean: list[float]
    most: list[int]


def launch_statistics(linked: LinkedTrace, window_ns: Window | None) -> LaunchStatistics:
    """Of the launches of kernels whose call began in the window."""
    kernels, calls = linked.trace.kernels, linked.trace.launches
    usable = (kernels.kind == KERNEL) & (linked.launch_of_kernel >= 0) & (kernels.dur_ns >= 0)
    rows = np.flatnonzero(usable)
    rows = rows[calls.dur_ns[linked.launch_of_kernel[rows]] >= 0] if len(rows) else rows
    if window_ns is not None and len(rows):
        called = calls.ts_ns[linked.launch_of_kernel[rows]]
        rows = rows[(called >= window_ns[0]) & (called < window_ns[1])]
    launch, first, which = np.unique(linked.launch_of_kernel[rows], return_index=True, return_inverse=True)  # kernels are in time order
    call = calls.dur_ns[launch] / 1000
    device = np.bincount(which, weights=kernels.dur_ns[rows], minlength=len(launch)) / 1000
    delay = np.maximum(kernels.ts_ns[rows[first]] - calls.ts_ns[launch] - calls.dur_ns[launch], 0) / 1000
    short = device < call
    return LaunchStatistics(
        launches=len(launch),
        short=int(short.sum()),
        long_calls=int((call > LONG_CALL_US).sum()),
        long_delays=int((delay > LONG_DELAY_US).sum()),
        call=_spread(call),
        device=_spread(device),
        delay=_spread(delay),
        kernels=_by_kernel(linked.trace.names, kernels.name[rows[first]], short, call, device, delay),
    )


def _spread(us: Floats) -> Spread:
    if not len(us):
        return Spread(mean_us=0, median_us=0, p95_us=0, max_us=0)
    return Spread(mean_us=float(us.mean()), median_us=float(np.median(us)), p95_us=float(np.percentile(us, 95)), max_us=float(us.max()))


def _by_kernel(names: list[str], name: Ints, short: Bools, call: Floats, device: Floats, delay: Floats) -> list[LaunchesOfKernel]:
    found, which, counts = np.unique(name, return_inverse=True, return_counts=True)
    sums = [np.bincount(which, weights=column, minlength=len(found)).tolist() for column in (short, call, device, delay)]
    rows = [
        LaunchesOfKernel(
            name=names[number],
            launches=count,
            short=int(few),
            call_mean_us=calls / count,
            device_mean_us=work / count,
            delay_mean_us=waits / count,
        )
        for number, count, few, calls, work, waits in zip(found.tolist(), counts.tolist(), *sums, strict=True)
    ]
    return sorted(rows, key=lambda row: (-row.short, -row.launches, row.name))


def stream_queues(linked: LinkedTrace, names: DeviceNames, window_ns: Window | None) -> list[StreamQueue]:
    """Of each stream with a known launch, within the window, else from its first call to the end of its last work."""
    found: list[StreamQueue] = []
    for device, stream, begin, done in waiting_launches(linked):
        within = window_ns or (int(begin.min()), int(done.max()))
        found.append(_queue(names.of_work(device), stream, begin, done, within))
    return found


def waiting_launches(linked: LinkedTrace) -> Iterator[tuple[int, int, Ints, Ints]]:
    """`(device, stream, when each launch of it was called, when it was done)` of each stream with a known launch."""
    kernels, calls = linked.trace.kernels, linked.trace.launches
    known = (linked.launch_of_kernel >= 0) & (kernels.dur_ns >= 0)
    for device, stream, rows in _streams(kernels.device, kernels.stream):
        mine = rows[known[rows]]
        if not len(mine):
            continue
        launch, place = np.unique(linked.launch_of_kernel[mine], return_inverse=True)
        done = np.zeros(len(launch), np.int64)
        np.maximum.at(done, place, kernels.ts_ns[mine] + kernels.dur_ns[mine])
        yield device, stream, np.minimum(calls.ts_ns[launch], done), done


def _streams(device: Ints, stream: Ints) -> Iterator[tuple[int, int, Ints]]:
    """`(device, stream, rows)` of each."""
    for one in np.unique(device).tolist():
        rows = np.flatnonzero(device == one)
        for number in np.unique(stream[rows]).tolist():
            yield one, number, rows[stream[rows] == number]


def _queue(device: str, stream: int, begin: Ints, done: Ints, within: Window) -> StreamQueue:
    times = np.clip(np.concatenate([begin, done]), *within)
    order = np.argsort(times, kind="stable")
    edges = np.concatenate([[within[0]], times[order], [within[1]]])
    length = np.concatenate([[0], np.cumsum(np.repeat([1, -1], len(begin))[order])])
    lasted = np.diff(edges)
    total = max(within[1] - within[0], 1)
    grid = np.linspace(within[0], within[1], _BUCKETS + 1)
    area = np.concatenate([[0], np.cumsum(length * lasted)])
    real = np.append(True, lasted > 0)
    filled = np.diff(np.interp(grid, edges[real], area[real]))
    bucket = np.clip(np.searchsorted(grid, edges[:-1], side="right") - 1, 0, _BUCKETS - 1)
    most = np.zeros(_BUCKETS, np.int64)
    np.maximum.at(most, bucket[lasted > 0], length[lasted > 0])
    on_edge = np.searchsorted(edges, grid[:-1], side="right") - 1
    most = np.maximum(most, length[np.minimum(on_edge, len(length) - 1)])
    return StreamQueue(
        device=device,
        stream=stream,
        start_us=within[0] / 1000,
        end_us=within[1] / 1000,
        mean_length=float((length * lasted).sum()) / total,
        max_length=int(length[lasted > 0].max(initial=0)),
        empty_us=int(lasted[length == 0].sum()) / 1000,
        full_us=int(lasted[length >= FULL_QUEUE].sum()) / 1000,
        mean=(filled / (total / _BUCKETS)).tolist(),
        most=most.tolist(),
    )
