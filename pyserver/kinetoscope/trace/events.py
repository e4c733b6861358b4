"""The shape of one Chrome-trace event as Kineto writes it, for msgspec's typed decoding.

Only what columns are made of is declared; msgspec skips the rest without building objects. Types are as wide as real traces are odd
(`tid` may be text, `ts` text in Ascend's traces), because one event of an unexpected type would send its whole chunk to the slow path.
"""

from __future__ import annotations

from msgspec import Raw, Struct, field

Number = int | float | str | None
NOTHING = Raw()


class EventArgs(Struct, frozen=True, gc=False):
    """The `args` of events that we read; a number that is missing is -1 (of `Bytes`, 0; None where so declared);
    lists stay the text that they are."""

    external_id: Number = field(name="External id", default=-1)
    external_id_of_2021: Number = field(name="external id", default=-1)
    """How device events of torch 1.8 to 1.10 spell it."""
    sequence_number: Number = field(name="Sequence number", default=-1)
    forward_thread: Number = field(name="Fwd thread id", default=-1)
    correlation: Number = -1
    device: Number = None
    stream: Number = None
    python_id: Number = field(name="Python id", default=-1)
    python_parent: Number = field(name="Python parent id", default=-1)
    call_from: str | None = field(name="CallFrom", default=None)
    call_stack: str | None = field(name="Call stack", default=None)
    bytes: Number = field(name="Bytes", default=0)
    address: Number = field(name="Addr", default=-1)
    device_type: Number = field(name="Device Type", default=-1)
    device_id: Number = field(name="Device Id", default=-1)
    total_allocated: Number = field(name="Total Allocated", default=-1)
    total_reserved: Number = field(name="Total Reserved", default=-1)
    module_id: Number = field(name="Python module id", default=-1)
    input_dims: Raw = field(name="Input Dims", default=NOTHING)
    input_types: Raw = field(name="Input type", default=NOTHING)
    grid: Raw = NOTHING
    block: Raw = NOTHING
    registers: Number = field(name="registers per thread", default=-1)
    shared_memory: Number = field(name="shared memory", default=-1)
    blocks_per_sm: Number = field(name="blocks per SM", default=None)
    occupancy: Number = field(name="est. achieved occupancy %", default=None)
    copied_bytes: Number = field(name="bytes", default=-1)
    collective: str | None = field(name="Collective name", default=None)
    dtype: str | None = None
    in_elements: Number = field(name="In msg nelems", default=-1)
    out_elements: Number = field(name="Out msg nelems", default=-1)
    group: str | None = field(name="Process Group Name", default=None)
    group_description: str | None = field(name="Process Group Description", default=None)
    group_ranks: Raw = field(name="Process Group Ranks", default=NOTHING)
    task_type: str | None = field(name="Task Type", default=None)
    """Of Ascend's device work, which has no category."""
    group_size: Number = field(name="Group size", default=-1)
    source: Number = field(name="Src Rank", default=-1)
    destination: Number = field(name="Dst Rank", default=-1)


class Event(Struct, gc=False):
    """One event. `ts` and `dur` are microseconds."""

    ph: str = ""
    cat: str | None = None
    name: str | None = None
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    ts: Number = None
    dur: Number = None
    id: Number = None
    args: EventArgs = EventArgs()
