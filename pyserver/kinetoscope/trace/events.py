"""The shape of one Chrome-trace event as Kineto writes it, for msgspec's typed decoding.

Only what columns are made of is declared; msgspec skips the rest without building objects. Types are as wide as real traces are odd
(`tid` may be text, `ts` text in Ascend's traces), because one event of an unexpected type would send its whole chunk to the slow path.
"""

from __future__ import annotations

from msgspec import Struct, field

Number = int | float | str | None


class EventArgs(Struct, frozen=True, gc=False):
    """The `args` of events that we read; a number that is missing is -1 (of `Bytes`, 0; of `device` and `stream` None)."""

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
