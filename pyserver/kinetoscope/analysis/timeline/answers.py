"""What is asked of a timeline, and what it answers.

Times are microseconds since the recording's start (`*_us`; negative for what began before it), as in the wire's `Part`. An event is named
by a number that is the same each time that a trace is read. Columns of numbers are `bytes`: little-endian arrays without a header, which
JSON carries as base64, since a tile holds tens of thousands of numbers; all columns of a track have one entry a piece.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from kinetoscope.analysis.tables import Precision, StackFrame

TrackKind = Literal["thread", "device", "steps", "lines", "python", "operators", "annotations", "stream", "counter"]
"""`thread` and `device` only hold other tracks. `lines`: where a thread was in the user's code, a row a frame. `python`: Python frames.
`operators`: operators, annotations and runtime calls of a thread. `annotations`: the annotations as a stream saw them
(`gpu_user_annotation`). `stream`: kernels, copies and fills."""

EventKind = Literal[
    "step", "line", "frame", "module", "operator", "annotation", "runtime", "kernel", "memcpy", "memset", "device_annotation"
]
"""`frame`: a Python frame; `module`: one of an `nn.Module`; `line`: a thread standing on one line of the user's code."""

EventCategory = Literal[
    "step", "annotation", "line", "call", "inferred", "function", "user", "library", "builtin", "module",
    "operator", "backward", "recomputed", "runtime", "waiting",
    "gemm", "convolution", "attention", "norm", "elementwise", "reduction", "communication", "copy", "fill", "optimizer", "index", "random",
    "pooling", "loss", "softmax", "sort", "other",
]  # fmt: skip
"""What an event is coloured by. Lines: their precision (`line`, `call`, `inferred`, `function`). Python frames: whose code it is.
Operators: in a backward operator (`backward`) or not (`operator`), or forward work that is done again in one (`recomputed`). Runtime calls:
those that wait for the device (`waiting`), others (`runtime`). Device work: its family, as in the kernels view (`gemm` to `other`)."""

CounterUnit = Literal["bytes", "percent", "count"]


class CounterSeries(Struct, frozen=True, kw_only=True):
    """One curve of a counter, with its least and greatest value in the whole recording."""

    name: str
    low: float
    high: float


class Track(Struct, frozen=True, kw_only=True):
    """One track. Those of one parent follow it, in the order in which they are shown."""

    id: str
    """The same each time that the trace is read."""
    kind: TrackKind
    title: str
    detail: str
    """What tells it from others of its title: process and thread ids, the number of a device; else empty."""
    help: str
    """What the track shows, one sentence."""
    parent: str | None
    rows: int
    """How many events lie one in another at most: rows 0 (outermost) to `rows - 1`. 0 for `thread`, `device` and `counter`."""
    events: int
    """Of a counter: how often it changes."""
    start_us: float
    end_us: float
    """From the start of its first event to the last end; both 0 where there are none."""
    unit: CounterUnit | None
    """Of a counter, else null."""
    series: list[CounterSeries]
    """Of a counter, else empty."""


class Tracks(Struct, frozen=True, kw_only=True):
    """All tracks of one rank. `start_us` (at most 0) to `end_us` (more than 0) holds all events."""

    tracks: list[Track]
    start_us: float
    end_us: float
    recording_us: float
    """Length of the recording."""
    notices: list[str]
    """What the timeline lacks and why, one sentence each: no Python stacks, no device work, …"""


class TileQuestion(Struct, frozen=True, kw_only=True):
    """The events of some tracks from `start_us` to `end_us`, for a screen of `width_px` (1 to 16384) pixels."""

    tracks: list[str]
    start_us: float
    end_us: float
    width_px: int


class TrackTile(Struct, frozen=True, kw_only=True):
    """One track's events in the range, those that reach into it too, as pieces: by row, then in time order, none over another in its row.

    Events as wide as a pixel or wider are pieces of their own, exact to the nanosecond. Of narrower ones, all that begin in the same pixel
    are one piece, from the first's start to the last's end, named after the longest. So a row has at most two pieces a pixel.
    """

    track: str
    events: int
    """In the range: the sum of `count`."""
    start_us: bytes
    """Float64Array."""
    dur_us: bytes
    """Float64Array."""
    row: bytes
    """Uint32Array, from 0 for the outermost."""
    name: bytes
    """Uint32Array: index into the tile's `names` and `categories`."""
    event: bytes
    """Uint32Array: the event, or the longest (of those the first) that the piece stands for."""
    count: bytes
    """Uint32Array: how many events the piece stands for; 1 for an event that is shown as it is."""


class CounterPixels(Struct, frozen=True, kw_only=True):
    """One curve, one entry a pixel (Float64Array of `width_px`): its mean over the pixel's time, the least and greatest value in it, and
    the value at its end. NaN where it has no value (before a memory counter's first event)."""

    name: str
    mean: bytes
    low: bytes
    high: bytes
    last: bytes


class CounterTile(Struct, frozen=True, kw_only=True):
    """The curves of one counter."""

    track: str
    series: list[CounterPixels]


class Tile(Struct, frozen=True, kw_only=True):
    """The answer to a `TileQuestion`, with its range. `categories[i]` belongs to `names[i]`."""

    start_us: float
    end_us: float
    width_px: int
    names: list[str]
    categories: list[EventCategory]
    tracks: list[TrackTile]
    """Those of the question that are no counters and hold no other tracks, in its order."""
    counters: list[CounterTile]


class EventQuestion(Struct, frozen=True, kw_only=True):
    """All about one event, by its number."""

    event: int


class EventRef(Struct, frozen=True, kw_only=True):
    """An event and where it is."""

    event: int
    kind: EventKind
    track: str
    row: int
    name: str
    category: EventCategory
    start_us: float
    dur_us: float


Relation = Literal["launch", "kernel", "operator", "forward", "backward", "parent", "device_annotation", "annotation"]
"""What another event is to one: `launch`: the call that started this device work. `operator`: the innermost operator that did. `kernel`:
device work that was launched in this event. `forward`: the operator of this backward one. `backward`: one of this operator, or of one in
it. `parent`: the event around it on its track. `device_annotation`: this annotation as the device saw it; `annotation`: the reverse."""


class EventLink(Struct, frozen=True, kw_only=True):
    """An event that belongs to another."""

    relation: Relation
    to: EventRef


class OperatorInput(Struct, frozen=True, kw_only=True):
    """One input of an operator as the trace has it, e.g. shape `[8, 16]` and type `float`; empty where it does not say."""

    shape: str
    type: str


class KernelFacts(Struct, frozen=True, kw_only=True):
    """What the trace says of a piece of device work; null and empty where it does not."""

    family: str
    tensor_cores: bool
    grid: str
    block: str
    registers: int | None
    """Per thread."""
    shared_memory_bytes: int | None
    """Per block."""
    blocks_per_sm: float | None
    occupancy: float | None
    """Estimated achieved occupancy, percent."""
    bytes: int | None
    """Copied or set."""
    correlation: int | None
    delay_us: float | None
    """From the end of the call that launched it to its start, 0 where it began before the call returned."""


class CollectiveFacts(Struct, frozen=True, kw_only=True):
    """What the trace says of a collective on this event; empty and null where it does not."""

    collective: str
    dtype: str
    in_elements: int | None
    out_elements: int | None
    group: str
    group_description: str
    group_ranks: str
    group_size: int | None


class PythonFrame(Struct, frozen=True, kw_only=True):
    """A Python frame around an event. `file` and `line` are of its `def`, empty and 0 for built-ins and modules."""

    event: int
    name: str
    file: str
    line: int
    function: str
    user: bool


class EventDetails(Struct, frozen=True, kw_only=True):
    """Everything that is known of one event."""

    event: EventRef
    ended: bool
    """False where the trace has no duration: `event.dur_us` then lasts until the trace's end on a thread, and is 0 of runtime calls and
    device work."""
    self_us: float
    """Without the events inside it on its track."""
    thread: str
    """Title of the thread that it ran on, or, of device work, that launched it; empty where that is not known."""
    device: str
    stream: int | None
    backward: bool
    """Belongs to a backward operator; its stack is then that of the forward operator."""
    recomputed: bool
    """Forward work that is done again in backward (activation checkpointing)."""
    device_us: float | None
    """Of host events: time of all device work that was launched in it; null where none was."""
    inputs: list[OperatorInput]
    sequence: int | None
    """autograd's number."""
    kernel: KernelFacts | None
    collective: CollectiveFacts | None
    line: StackFrame | None
    """The line it belongs to: the innermost of `stack`."""
    stack: list[StackFrame]
    """The user's call path, outermost first; empty where it is not known."""
    python: list[PythonFrame]
    """All Python frames on the thread at its start (of device work: at its launch), libraries' too, outermost first; empty where the trace
    has none."""
    links: list[EventLink]
    links_left_out: dict[str, int]
    """Of each relation, how many links there are beyond the first 100."""


class FindQuestion(Struct, frozen=True, kw_only=True):
    """The next event (`backwards`: the one before) whose name has the text in it, whatever its case. Events are in the order of their
    start; on from `event`, else from the time `from_us`, else from the beginning; after the last comes the first. `tracks` null: all."""

    text: str
    tracks: list[str] | None = None
    event: int | None = None
    from_us: float | None = None
    backwards: bool = False


class Found(Struct, frozen=True, kw_only=True):
    """The match, null where nothing matches; its place among all matches, from 0."""

    match: EventRef | None
    index: int
    matches: int


class LocateQuestion(Struct, frozen=True, kw_only=True):
    """The events of a line as profiled (`file` and `line`), or of everything that is called `name` exactly."""

    file: str | None = None
    line: int | None = None
    name: str | None = None


class Located(Struct, frozen=True, kw_only=True):
    """`events`: the first 500 of `matches`, in time order. Of a line they are the stretches in which a thread stood on it, the outermost
    operators that it ran, backward ones too, and their device work. `longest`: index into `events`, -1 where there are none; `reason` then
    says why."""

    events: list[EventRef]
    matches: int
    longest: int
    reason: str | None


class SumsQuestion(Struct, frozen=True, kw_only=True):
    """What the part of the recording cost, by operator, kernel and line. With `tracks` (else null), only of these: operators of their
    threads, device work of their streams, lines by both."""

    tracks: list[str] | None = None


class OperatorSum(Struct, frozen=True, kw_only=True):
    """As in the operators view: operators that begin in the range, whole."""

    name: str
    calls: int
    host_self_us: float
    host_total_us: float
    device_self_us: float
    device_total_us: float


class KernelSum(Struct, frozen=True, kw_only=True):
    """As in the kernels view: device work that begins in the range, whole."""

    name: str
    family: str
    calls: int
    total_us: float


class LineSum(Struct, frozen=True, kw_only=True):
    """As in the lines view; what reaches into the range counts with what lies in it."""

    file: str
    line: int
    function: str
    precision: Precision
    cpu_self_us: float
    cpu_total_us: float
    gpu_us: float
    """Forward and backward device time of the line itself."""
    gpu_total_us: float
    """With that of the user frames it called."""


class Sums(Struct, frozen=True, kw_only=True):
    """Each list is complete, dearest first."""

    start_us: float
    end_us: float
    operators: list[OperatorSum]
    kernels: list[KernelSum]
    lines: list[LineSum]
