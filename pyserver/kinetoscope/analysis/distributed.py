"""The view of several ranks: how each spent its steps, what its collectives moved and how fast, who waited for whom, and why.

Formulas are the TensorBoard plugin's (computation, overlap, communication, other; data transfer and synchronising) and nccl-tests'
(algorithm and bus bandwidth). The n-th call of a process group is the same collective on all its ranks, and the n-th message that one
rank sent to another in it is the n-th that the other received from the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.communication import POINT_TO_POINT, UNKNOWN, Call, Communication, Group, bus_factor, communication
from kinetoscope.analysis.devices import DeviceNames, compute_capability, properties_of
from kinetoscope.analysis.intervals import Intervals, clipped, divide, union, union_of
from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.steps import steps_of
from kinetoscope.analysis.stragglers import Matched, Straggler, stragglers
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import KERNEL

Window = tuple[int, int]
_OF_ONE_SIZE = frozenset({"all_reduce", "broadcast", "reduce"})
"""Collectives in which all ranks have as much data."""


class RankDevice(Struct, frozen=True, kw_only=True):
    """A device that a rank worked on; what the trace does not say is None."""

    rank: int
    device: str
    name: str | None
    memory_bytes: int | None
    compute_capability: str | None


class RankStep(Struct, frozen=True, kw_only=True):
    """One step of one rank. `computation_us` (alone) + `overlap_us` + `communication_us` (alone) + `other_us` = `step_us`. And
    `transfer_us` + `synchronising_us` = `overlap_us` + `communication_us`; both are None where a collective of the step was not found on
    other ranks."""

    rank: int
    step: int
    name: str
    step_us: float
    computation_us: float
    overlap_us: float
    communication_us: float
    other_us: float
    transfer_us: float | None
    synchronising_us: float | None


class RankSummary(Struct, frozen=True, kw_only=True):
    """The mean of a rank's steps, in microseconds, and which part of its communication was hidden behind computation (percent; None where
    it had none)."""

    rank: int
    steps: int
    step_us: float
    computation_us: float
    overlap_us: float
    communication_us: float
    other_us: float
    transfer_us: float | None
    synchronising_us: float | None
    overlap_percent: float | None


class CollectiveCall(Struct, frozen=True, kw_only=True):
    """One call on one rank. `latency_us`: of its kernels, waiting included; `transfer_us`: without the waiting; `wait_us` the rest.
    Bandwidths in GB/s are of the transfer, and where that is not known of the latency. `peer`: the rank that a message went to or came
    from. What is not known is None."""

    rank: int
    name: str
    group: str
    group_size: int | None
    peer: int | None
    dtype: str
    bytes: int | None
    start_us: float
    latency_us: float
    transfer_us: float | None
    wait_us: float | None
    algorithm_gb_per_s: float | None
    bus_gb_per_s: float | None
    backward: bool
    frame: StackFrame | None


class CollectiveStats(Struct, frozen=True, kw_only=True):
    """The calls of one collective by one rank in one group. `total_bytes` and bandwidths are of the calls whose size is known, None where
    none is; `transfer_us` is None unless all were found on the other ranks."""

    rank: int
    name: str
    group: str
    group_description: str
    group_ranks: str
    group_size: int | None
    calls: int
    total_bytes: int | None
    mean_bytes: float | None
    total_latency_us: float
    mean_latency_us: float
    transfer_us: float | None
    mean_transfer_us: float | None
    algorithm_gb_per_s: float | None
    bus_gb_per_s: float | None


class DistributedView(Struct, frozen=True, kw_only=True):
    """`collectives` and `calls` by rank; `stragglers` by the wait they caused, empty where no collective was found on several ranks."""

    backend: str
    world_size: int | None
    ranks: list[RankSummary]
    steps: list[RankStep]
    collectives: list[CollectiveStats]
    calls: list[CollectiveCall]
    stragglers: list[Straggler]
    devices: list[RankDevice]
    notices: list[str]


def distributed(ranks: Mapping[int, LinkedTrace], windows: Mapping[int, Window] | None = None) -> DistributedView:
    """Of one rank or several. `windows` has one for each rank, in its own time: steps are clipped to it and collectives taken that began in
    it. Raises `ValueError` for no rank."""
    if not ranks:
        raise ValueError("no rank to look at")
    ordered = {rank: ranks[rank] for rank in sorted(ranks)}
    talks = {rank: communication(linked) for rank, linked in ordered.items()}
    matched, unmatched = _matched(talks)
    transfer = {call: one.transfer_ns for one in matched for call in one.calls.values()} | _messages(talks)
    world = _world_size(ordered)
    if windows is not None:
        matched = [one for one in matched if all(_in(windows[rank], call.start_ns) for rank, call in one.calls.items())]
    taken = {rank: [call for call in talks[rank].calls if windows is None or _in(windows[rank], call.start_ns)] for rank in ordered}
    calls = [(rank, call, transfer.get(call)) for rank in ordered for call in taken[rank]]
    steps = [
        step
        for rank, linked in ordered.items()
        for step in _steps(rank, linked, talks[rank], transfer, None if windows is None else windows[rank])
    ]
    assumed = any(not call.group.size and call.bytes >= 0 for _, call, _ in calls)
    return DistributedView(
        backend=next((linked.trace.distributed.backend for linked in ordered.values() if linked.trace.distributed), ""),
        world_size=world,
        ranks=[_summary(rank, [step for step in steps if step.rank == rank]) for rank in ordered],
        steps=steps,
        collectives=_stats(calls, world),
        calls=[_row(ordered[rank], rank, call, moved, world) for rank, call, moved in calls],
        stragglers=stragglers(ordered, {rank: found.kernels for rank, found in talks.items()}, matched),
        devices=[device for rank, linked in ordered.items() for device in _devices(rank, linked)],
        notices=_notices(ordered, calls, unmatched, world if assumed else None),
    )


def _in(window: Window, time_ns: int) -> bool:
    return window[0] <= time_ns < window[1]


def _world_size(ranks: Mapping[int, LinkedTrace]) -> int | None:
    said = [linked.trace.distributed.world_size for linked in ranks.values() if linked.trace.distributed]
    return max((size for size in said if size > 0), default=None)


def _matched(talks: Mapping[int, Communication]) -> tuple[list[Matched], int]:
    """Collectives on several ranks, and how many groups had calls that do not pair up: not the same ones in the same order, or of other
    sizes where all ranks must have one. What is not known by name is not paired."""
    of_group: dict[tuple[str, str, str], dict[int, list[Call]]] = defaultdict(dict)
    for rank, found in talks.items():
        for call in found.calls:
            if call.kind not in POINT_TO_POINT and call.kind != UNKNOWN:
                of_group[(call.group.name, call.group.description, call.group.ranks)].setdefault(rank, []).append(call)
    matched: list[Matched] = []
    unmatched = 0
    for calls in of_group.values():
        if len(calls) < 2:
            continue
        sequences = {tuple((call.kind, call.bytes if call.kind in _OF_ONE_SIZE else 0) for call in mine) for mine in calls.values()}
        if len(sequences) > 1:
            unmatched += 1
            continue
        before = dict.fromkeys(calls, -1)
        for together in zip(*calls.values(), strict=True):
            pairs = dict(zip(calls, together, strict=True))
            matched.append(Matched(pairs, before))
            before = {rank: max(before[rank], call.end_ns) for rank, call in pairs.items()}
    return matched, unmatched


def _messages(talks: Mapping[int, Communication]) -> dict[Call, int]:
    """Messages between two ranks that both recorded → nanoseconds of their transfer: as long as on the side that was quicker, which waited
    for nobody. Between two ranks of a group messages arrive in the order in which they were sent; where the two did not record as many,
    or not of the same sizes, none is paired."""
    sent: dict[tuple[Group, int, int], list[Call]] = defaultdict(list)
    received: dict[tuple[Group, int, int], list[Call]] = defaultdict(list)
    for rank, found in talks.items():
        for call in found.calls:
            if call.peer >= 0 and call.times_data:
                one = (sent, (call.group, rank, call.peer)) if call.kind == "send" else (received, (call.group, call.peer, rank))
                one[0][one[1]].append(call)
    transfer: dict[Call, int] = {}
    for way, calls in sent.items():
        others = received.get(way, [])
        if [(call.bytes, call.dtype) for call in calls] == [(call.bytes, call.dtype) for call in others]:
            for pair in zip(calls, others, strict=True):
                transfer |= dict.fromkeys(pair, min(call.dur_ns for call in pair))
    return transfer


def _steps(rank: int, linked: LinkedTrace, talks: Communication, transfer: Mapping[Call, int], window: Window | None) -> Iterable[RankStep]:
    computes, communicates = computing(linked, talks), communicating(linked, talks)
    known = [(call, transfer[call]) for call in talks.calls if call in transfer]
    moving = union(np.array([call.end_ns - ns for call, ns in known], np.int64), np.array([call.end_ns for call, _ in known], np.int64))
    lost = [(call.start_ns, call.end_ns) for call in talks.calls if call not in transfer]
    for step in steps_of(linked):
        start, end = (step.start_ns, step.end_ns) if window is None else (max(step.start_ns, window[0]), min(step.end_ns, window[1]))
        if end < start or (window is not None and end == start):
            continue
        work, talk = clipped(computes, (start, end)), clipped(communicates, (start, end))
        both = divide(work, talk)[0].length()
        whole = not any(begin < end and until > start for begin, until in lost)
        moved = divide(talk, moving)[0].length()
        yield RankStep(
            rank=rank,
            step=step.number,
            name=step.name,
            step_us=(end - start) / 1000,
            computation_us=(work.length() - both) / 1000,
            overlap_us=both / 1000,
            communication_us=(talk.length() - both) / 1000,
            other_us=(end - start + both - work.length() - talk.length()) / 1000,
            transfer_us=moved / 1000 if whole else None,
            synchronising_us=(talk.length() - moved) / 1000 if whole else None,
        )


def computing(linked: LinkedTrace, talks: Communication) -> Intervals:
    """When a rank computed: its kernels; on a rank without device work its operators, less what communicates on the host."""
    kernels, ops = linked.trace.kernels, linked.trace.ops
    if len(kernels.ts_ns):
        rows = np.flatnonzero((kernels.kind == KERNEL) & ~talks.kernels)
        return union(kernels.ts_ns[rows], kernels.ts_ns[rows] + np.maximum(kernels.dur_ns[rows], 0))
    wrapping = [index for index, name in enumerate(linked.trace.names) if name.startswith(("c10d::", "record_param_comms"))]
    rows = np.flatnonzero(linked.work_op & ~np.isin(ops.name, wrapping))
    return divide(union(ops.ts_ns[rows], linked.ops_nested.end_ns[rows]), talks.host)[1]


def communicating(linked: LinkedTrace, talks: Communication) -> Intervals:
    """When a rank communicated: its kernels that do, and what libraries did on the host."""
    kernels = linked.trace.kernels
    rows = np.flatnonzero(talks.kernels)
    return union_of(union(kernels.ts_ns[rows], kernels.ts_ns[rows] + np.maximum(kernels.dur_ns[rows], 0)), talks.host)


def _summary(rank: int, steps: list[RankStep]) -> RankSummary:
    def mean(values: list[float]) -> float:
        return sum(values) / len(values) if values else 0.0

    def known(values: list[float | None]) -> float | None:
        real = [value for value in values if value is not None]
        return mean(real) if real and len(real) == len(values) else None

    overlap, alone = mean([step.overlap_us for step in steps]), mean([step.communication_us for step in steps])
    return RankSummary(
        rank=rank,
        steps=len(steps),
        step_us=mean([step.step_us for step in steps]),
        computation_us=mean([step.computation_us for step in steps]),
        overlap_us=overlap,
        communication_us=alone,
        other_us=mean([step.other_us for step in steps]),
        transfer_us=known([step.transfer_us for step in steps]),
        synchronising_us=known([step.synchronising_us for step in steps]),
        overlap_percent=100 * overlap / (overlap + alone) if overlap + alone else None,
    )


def _bandwidths(call: Call, size: int, ns: int, ranks: int | None) -> tuple[float | None, float | None]:
    """Algorithm and bus bandwidth of so many bytes of such calls; bytes by nanoseconds are GB/s."""
    if size < 0 or ns <= 0 or not call.times_data:
        return None, None
    factor = bus_factor(call.kind, ranks or 0)
    return size / ns, None if factor is None else factor * size / ns


def _ranks_of(call: Call, world: int | None) -> int | None:
    return call.group.size or world


def _row(linked: LinkedTrace, rank: int, call: Call, moved: int | None, world: int | None) -> CollectiveCall:
    algorithm, bus = _bandwidths(call, call.bytes, call.dur_ns if moved is None else moved, _ranks_of(call, world))
    return CollectiveCall(
        rank=rank,
        name=call.kind,
        group=call.group.name,
        group_size=_ranks_of(call, world),
        peer=call.peer if call.peer >= 0 else None,
        dtype=call.dtype,
        bytes=call.bytes if call.bytes >= 0 else None,
        start_us=call.start_ns / 1000,
        latency_us=call.dur_ns / 1000,
        transfer_us=None if moved is None else moved / 1000,
        wait_us=None if moved is None else (call.dur_ns - moved) / 1000,
        algorithm_gb_per_s=algorithm,
        bus_gb_per_s=bus,
        backward=call.backward,
        frame=frame_of(linked, call.node) if call.node != OUTSIDE else None,
    )


def _stats(calls: list[tuple[int, Call, int | None]], world: int | None) -> list[CollectiveStats]:
    groups: dict[tuple[object, ...], list[tuple[Call, int | None]]] = defaultdict(list)
    for rank, call, moved in calls:
        groups[(rank, call.kind, call.group)].append((call, moved))
    rows: list[CollectiveStats] = []
    for (rank, *_), together in groups.items():
        one = together[0][0]
        sized = [(call, call.dur_ns if moved is None else moved) for call, moved in together if call.bytes >= 0]
        total = sum(call.bytes for call, _ in sized) if sized else -1
        algorithm, bus = _bandwidths(one, total, sum(ns for _, ns in sized), _ranks_of(one, world))
        known = [moved for _, moved in together if moved is not None]
        whole = len(known) == len(together)
        latency = sum(call.dur_ns for call, _ in together) / 1000
        rows.append(
            CollectiveStats(
                rank=int(str(rank)),
                name=one.kind,
                group=one.group.name,
                group_description=one.group.description,
                group_ranks=one.group.ranks,
                group_size=_ranks_of(one, world),
                calls=len(together),
                total_bytes=total if sized else None,
                mean_bytes=total / len(sized) if sized else None,
                total_latency_us=latency,
                mean_latency_us=latency / len(together),
                transfer_us=sum(known) / 1000 if whole else None,
                mean_transfer_us=sum(known) / 1000 / len(known) if whole else None,
                algorithm_gb_per_s=algorithm,
                bus_gb_per_s=bus,
            )
        )
    return sorted(rows, key=lambda row: (row.rank, -row.total_latency_us))


def _devices(rank: int, linked: LinkedTrace) -> list[RankDevice]:
    names = DeviceNames(linked.trace)
    rows: list[RankDevice] = []
    for number in np.unique(linked.trace.kernels.device).tolist():
        name = names.of_work(number)
        known = properties_of(linked.trace, name)
        rows.append(
            RankDevice(
                rank=rank,
                device=name,
                name=known.name or None,
                memory_bytes=known.memory_bytes if known.memory_bytes >= 0 else None,
                compute_capability=compute_capability(known),
            )
        )
    return rows


def _notices(
    ranks: Mapping[int, LinkedTrace], calls: list[tuple[int, Call, int | None]], unmatched: int, assumed_size: int | None
) -> list[str]:
    notices: list[str] = []
    if not calls:
        return ["No communication between ranks was recorded."]
    if len(ranks) == 1:
        notices.append(
            "Only one rank is at hand: how long its collectives waited for others is not known, and bandwidths are of the whole latency."
        )
    elif unmatched:
        what = "one process group" if unmatched == 1 else f"{unmatched} process groups"
        notices.append(f"The ranks did not record the same collectives of {what}, so their waiting cannot be told from data transfer.")
    if len(ranks) > 1:
        notices += _unpaired([(call, moved) for _, call, moved in calls if call.kind in POINT_TO_POINT], set(ranks))
    if assumed_size is not None:
        notices.append(f"The trace does not say which ranks take part in some collectives: they are taken to be all {assumed_size}.")
    unsized = sum(call.bytes < 0 for _, call, _ in calls)
    if unsized:
        notices.append(f"{unsized} of {len(calls)} collective calls do not say their size (record_shapes=True): they have no bandwidth.")
    return notices


def _unpaired(messages: list[tuple[Call, int | None]], ranks: set[int]) -> list[str]:
    """Why messages between two ranks have no partner."""
    alone = [call for call, moved in messages if moved is None]
    reasons = {
        "the ranges of libraries that work on the host, as gloo, do not say how long the data took": [c for c in alone if not c.times_data],
        "the trace does not say which rank they went to or came from (as of batch_isend_irecv)": [
            call for call in alone if call.times_data and call.peer < 0
        ],
        "the trace of the other rank is not at hand": [c for c in alone if c.times_data and c.peer >= 0 and c.peer not in ranks],
        "the two ranks did not record the same": [c for c in alone if c.times_data and c.peer in ranks],
    }
    return [
        f"{len(found)} of {len(messages)} messages between two ranks have no transfer time: {reason}."
        for reason, found in reasons.items()
        if found
    ]
