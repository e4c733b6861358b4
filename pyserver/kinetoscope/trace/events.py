"""The shape of one Chrome-trace event as Kineto writes it, for msgspec's typed decoding.

Only what columns are made of is declared; msgspec skips the rest without building objects. Types are as wide as real traces are odd
(`tid` may be text, `ts` text in Ascend's traces), because one event of an unexpected type would send its whole chunk to the slow path.
"""

from __future__ import annotations

from msgspec import Struct, field

Number = int | float | str | None


class EventArgs(Struct, frozen=True, gc=False):
    """The `args` of events that we read."""

    external_id: Number = field(name="External id", default=None)
    external_id_of_2021: Number = field(name="external id", default=None)
    """How device events of torch 1.8 to 1.10 spell it."""
    sequence_number: Number = field(name="Sequence number", default=None)
    forward_thread: Number = field(name="Fwd thread id", default=None)
    correlation: Number = None
    device: Number = None
    stream: Number = None
    python_id: Number = field(name="Python id", default=None)
    python_parent: Number = field(name="Python parent id", default=None)
    call_from: str | None = field(name="CallFrom", default=None)
    call_stack: str | None = field(name="Call stack", default=None)
    bytes: Number = field(name="Bytes", default=None)
    address: Number = field(name="Addr", default=None)
    device_type: Number = field(name="Device Type", default=None)
    device_id: Number = field(name="Device Id", default=None)
    total_allocated: Number = field(name="Total Allocated", default=None)


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
