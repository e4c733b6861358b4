"""The tables that the analyses return.

They are msgspec structs, so that the same definition is the cache's, the wire's and the command line's JSON. Field names are a
contract: they are those of the design's table of line costs. Times are microseconds of wall time (`*_us`), sizes bytes, all
summed over the recording or the part of it that was asked for.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Precision = Literal["line", "call", "inferred", "function"]
"""How a cost was tied to its line, best first: `line` (line log), `call` (the exact calling line), `inferred` (source aligned with events),
`function` (only the function is known; `line` is then that of its `def`)."""


class LineCost(Struct, frozen=True, kw_only=True):
    """What one line of one file cost in one run.

    `*_self_us` and `gpu_us` belong to the line as the innermost recorded user line; `*_total_us` adds the recorded user frames it called,
    counting a line once per stack. Backward work belongs to the line of its forward operator. Per-device sizes are keyed by device
    (`cpu`, `cuda:0`). `precision` is the weakest of what was added up.
    """

    file: str
    """Absolute path as recorded; for a foreign trace the name as the trace gives it."""
    line: int
    function: str
    source: str
    """Text of the line as it was profiled, without indentation; empty where the source is not at hand."""
    precision: Precision
    calls: int
    """Times the line was arrived at. A one-line loop or comprehension counts once."""
    cpu_self_us: float
    cpu_total_us: float
    cpu_backward_us: float
    cpu_backward_total_us: float
    gpu_us: float
    gpu_total_us: float
    gpu_backward_us: float
    gpu_backward_total_us: float
    cpu_recompute_us: float
    """Wall time in which forward work of the line was done again inside a backward operator (activation checkpointing): a part of
    `cpu_self_us` where user frames ran there, else of `cpu_backward_us`."""
    gpu_recompute_us: float
    """Likewise a part of `gpu_us` and `gpu_backward_us`."""
    launches: int
    sync_us: float
    gpu_idle_us: float
    alloc_bytes: dict[str, int]
    freed_bytes: dict[str, int]
    peak_bytes: dict[str, int]
    """Bytes alive at the device's peak that this line allocated, forward and backward."""
    peak_backward_bytes: dict[str, int]
    """The part of `peak_bytes` that was allocated in backward."""


class DeviceTime(Struct, frozen=True, kw_only=True):
    """Device time, microseconds: attributed to user lines + library frames only + unattributed = total."""

    attributed: float
    library: float
    unattributed: float
    without_launch: float
    """The part of `unattributed` whose launch was not recorded; of the rest the launching thread's call stacks were not."""
    total: float


class WorkItem(Struct, frozen=True, kw_only=True):
    """An operator or kernel name below a line, with its share of the line's own cost."""

    name: str
    kind: Literal["operator", "kernel"]
    backward: bool
    calls: int
    host_us: float
    """Operators: host time of the outermost operators of that name. Kernels: 0."""
    device_us: float


class StackFrame(Struct, frozen=True, kw_only=True):
    """A place in the source; `file` as in `LineCost`."""

    file: str
    line: int
    function: str
    precision: Precision


class LineStack(Struct, frozen=True, kw_only=True):
    """One call stack in which a line was the innermost user line, outermost frame first, with the line's own cost there."""

    frames: list[StackFrame]
    calls: int
    cpu_self_us: float
    cpu_backward_us: float
    gpu_us: float
    gpu_backward_us: float


class LineDetail(Struct, frozen=True, kw_only=True):
    """What stands behind one `LineCost`: its operators and kernels and its call stacks, dearest first."""

    work: list[WorkItem]
    stacks: list[LineStack]


class LineReport(Struct, frozen=True, kw_only=True):
    """All line costs of one rank. `details[i]` belongs to `rows[i]`; rows are sorted by file and line."""

    steps: int
    """Recorded steps; 0 when none was found (the numbers are then of the whole recording). Of a part: the steps that it is made of, 0 where
    it cuts one."""
    recording_us: float
    """Wall time of the recording or the part."""
    devices: list[str]
    """Devices that worked or allocated in the recording, e.g. `cpu`, `cuda:0`."""
    device_us: DeviceTime
    host_us: float
    """Host time attributed to user lines over all threads: the sum of `cpu_self_us`."""
    rows: list[LineCost]
    details: list[LineDetail]
    notices: list[str]
    """What the reader of the numbers should know, one sentence each."""
    whole: bool = True
    """Of the recording; False: of a part of it."""
