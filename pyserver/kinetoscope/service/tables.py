"""How results are shown as tables, in a terminal and in a report's page: the columns of each view, as paths into its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["text", "tree", "place", "places", "link", "us", "bytes", "percent", "count"]


@dataclass(frozen=True)
class Column:
    """A column of a table: the field of a row (a dotted path; empty for the row itself) and its unit. Text stands left, numbers right. A
    `tree` is text that is indented by the row's `depth`, a `place` an object with `file` and `line`, `places` a list of them, a `link` text
    that is never wrapped, `percent` is of 100. Numbers by name are listed. `signed`: with a plus where it is above 0.
    `optional`: left out where no row has it."""

    title: str
    field: str
    unit: Unit = "text"
    signed: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Table:
    """A table: where its rows are in the result (a dotted path to a list; to one object for a table of one row), and its columns. In a path
    `devices[].operators` are the operators of all devices, each of which has then its device's fields too."""

    title: str
    rows: str
    columns: tuple[Column, ...]


_OPERATOR_TIMES = (
    Column("calls", "calls", "count"),
    Column("GPU self", "device_self_us", "us"),
    Column("GPU total", "device_total_us", "us"),
    Column("CPU self", "host_self_us", "us"),
    Column("CPU total", "host_total_us", "us"),
    Column("Tensor Cores", "tensor_cores_self_percent", "percent"),
)
_KERNEL_TIMES = (
    Column("calls", "calls", "count"),
    Column("total", "total_us", "us"),
    Column("mean", "mean_us", "us"),
    Column("min", "min_us", "us"),
    Column("max", "max_us", "us"),
    Column("blocks/SM", "blocks_per_sm", "count"),
    Column("occupancy", "occupancy", "percent"),
    Column("Tensor Cores", "tensor_cores"),
)
_OWNED = (Column("device", "device"),)
OVERVIEW = (
    Table(
        "Configuration",
        "configuration",
        (
            Column("device", "device_type"),
            Column("devices", "devices"),
            Column("rank", "rank", "count"),
            Column("of", "world_size", "count"),
            Column("torch", "torch"),
        ),
    ),
    Table("Steps", "steps", (Column("steps", "count", "count"), Column("mean", "mean_us", "us"), Column("left out", "left_out"))),
    Table(
        "Where a step's time goes",
        "categories",
        (Column("category", "name"), Column("time", "us", "us"), Column("share", "percent", "percent")),
    ),
    Table(
        "Devices",
        "devices",
        (
            Column("device", "device"),
            Column("name", "name"),
            Column("memory", "memory_bytes", "bytes"),
            Column("capability", "compute_capability"),
            Column("utilization", "utilization", "percent"),
            Column("SM efficiency", "sm_efficiency", "percent"),
            Column("occupancy", "occupancy", "percent"),
            Column("Tensor Cores", "tensor_core_share", "percent"),
        ),
    ),
    Table("Bound by", "bound", (Column("what", "kind"), Column("why", "evidence"))),
    Table("Advice", "advice", (Column("finding", ""),)),
)
OPERATORS = (Table("Operators", "rows", (Column("operator", "name"), *_OPERATOR_TIMES)),)
OPERATORS_BY_SHAPE = (Table("Operators", "rows", (Column("operator", "name"), Column("shapes", "input_shape"), *_OPERATOR_TIMES)),)
OPERATORS_BY_STACK = (Table("Operators", "rows", (Column("operator", "name"), Column("stack", "stack", "places"), *_OPERATOR_TIMES)),)
OPERATORS_BY_LINE = (Table("Operators", "rows", (Column("operator", "name"), Column("line", "stack", "places"), *_OPERATOR_TIMES)),)
KERNELS = (Table("Kernels", "rows", (Column("kernel", "name"), Column("family", "family"), *_KERNEL_TIMES)),)
KERNELS_BY_LAUNCH = (
    Table(
        "Kernels",
        "rows",
        (
            Column("kernel", "name"),
            Column("operator", "operator"),
            Column("grid", "grid"),
            Column("block", "block"),
            Column("registers", "registers", "count"),
            Column("shared memory", "shared_memory_bytes", "bytes"),
            *_KERNEL_TIMES,
        ),
    ),
)
MODULES = (
    Table(
        "Modules",
        "rows",
        (
            Column("module", "name", "tree"),
            Column("calls", "calls", "count"),
            Column("operators", "operators", "count"),
            Column("GPU self", "device_self_us", "us"),
            Column("GPU total", "device_total_us", "us"),
            Column("GPU bwd", "device_backward_total_us", "us"),
            Column("CPU self", "host_self_us", "us"),
            Column("CPU total", "host_total_us", "us"),
            Column("CPU bwd", "host_backward_total_us", "us"),
            Column("memory", "alloc_total_bytes", "bytes"),
        ),
    ),
)
STACKS = (
    Table(
        "Stacks",
        "nodes",
        (
            Column("frame", "name", "tree"),
            Column("line", "", "place"),
            Column("total (ns or bytes)", "weight_total", "count"),
            Column("self", "weight_self", "count"),
        ),
    ),
)
MEMORY = (
    Table(
        "Devices",
        "devices",
        (
            Column("device", "device"),
            Column("peak allocated", "curve.peak_allocated_bytes", "bytes"),
            Column("peak reserved", "curve.peak_reserved_bytes", "bytes"),
            Column("of it recorded", "peak.recorded_bytes", "bytes"),
            Column("blocks", "blocks", "count"),
        ),
    ),
    *(
        Table(f"Who owns the peak, by {title}", f"devices[].peak.{title}", (*_OWNED, *columns, Column("bytes", "bytes", "bytes")))
        for title, columns in (
            ("lines", (Column("line", "", "place"), Column("function", "name"))),
            ("operators", (Column("operator", "name"),)),
            ("modules", (Column("module", "name"),)),
            ("phases", (Column("phase", "name"),)),
            ("categories", (Column("category", "name"),)),
        )
    ),
    Table(
        "Operators",
        "devices[].operators",
        (
            *_OWNED,
            Column("operator", "name"),
            Column("calls", "calls", "count"),
            Column("increase self", "increase_self_bytes", "bytes"),
            Column("increase total", "increase_total_bytes", "bytes"),
            Column("allocated self", "allocation_self_bytes", "bytes"),
            Column("allocated total", "allocation_total_bytes", "bytes"),
        ),
    ),
)
IDLE = (
    Table(
        "Devices",
        "devices",
        (
            Column("device", "device"),
            Column("time", "total_us", "us"),
            Column("idle", "idle_us", "us"),
            Column("gaps", "gaps", "count"),
            Column("longest", "longest_gap_us", "us"),
            Column("by cause", "causes", "us"),
        ),
    ),
    Table(
        "Lines that left them idle",
        "lines",
        (
            Column("line", "frame", "place"),
            Column("idle", "idle_us", "us"),
            Column("data loading", "data_loading_us", "us"),
            Column("synchronisation", "synchronisation_us", "us"),
            Column("launching", "host_us", "us"),
        ),
    ),
    Table(
        "Launch queues",
        "queues",
        (
            Column("device", "device"),
            Column("stream", "stream", "count"),
            Column("mean length", "mean_length", "count"),
            Column("longest", "max_length", "count"),
            Column("empty", "empty_us", "us"),
        ),
    ),
    Table(
        "Launches",
        "launches.kernels",
        (
            Column("kernel", "name"),
            Column("launches", "launches", "count"),
            Column("shorter than their call", "short", "count"),
            Column("call", "call_mean_us", "us"),
            Column("device", "device_mean_us", "us"),
            Column("delay", "delay_mean_us", "us"),
        ),
    ),
)
SYNC = tuple(
    Table(
        title,
        rows,
        (
            *columns,
            Column("cause", "cause"),
            Column("call", "call"),
            Column("calls", "calls", "count"),
            Column("waited", "wait_us", "us"),
            Column("longest", "max_us", "us"),
        ),
    )
    for title, rows, columns in (
        ("Lines that wait for the device", "lines", (Column("line", "frame", "place"),)),
        ("Kinds of waiting", "kinds", ()),
    )
)
DISTRIBUTED = (
    Table(
        "Ranks, mean step",
        "ranks",
        (
            Column("rank", "rank", "count"),
            Column("step", "step_us", "us"),
            Column("computation", "computation_us", "us"),
            Column("overlap", "overlap_us", "us"),
            Column("communication", "communication_us", "us"),
            Column("other", "other_us", "us"),
            Column("transfer", "transfer_us", "us"),
            Column("synchronising", "synchronising_us", "us"),
            Column("hidden", "overlap_percent", "percent"),
        ),
    ),
    Table(
        "Collectives",
        "collectives",
        (
            Column("rank", "rank", "count"),
            Column("collective", "name"),
            Column("group", "group_description"),
            Column("calls", "calls", "count"),
            Column("bytes", "total_bytes", "bytes"),
            Column("latency", "mean_latency_us", "us"),
            Column("transfer", "mean_transfer_us", "us"),
            Column("alg. GB/s", "algorithm_gb_per_s", "count"),
            Column("bus GB/s", "bus_gb_per_s", "count"),
        ),
    ),
    Table(
        "Who came late",
        "stragglers",
        (
            Column("rank", "rank", "count"),
            Column("late", "late", "count"),
            Column("others waited", "caused_wait_us", "us"),
            Column("waited", "waited_us", "us"),
        ),
    ),
    Table(
        "Devices",
        "devices",
        (
            Column("rank", "rank", "count"),
            Column("device", "device"),
            Column("name", "name"),
            Column("memory", "memory_bytes", "bytes"),
            Column("capability", "compute_capability"),
        ),
    ),
)
ADVICE = (
    Table(
        "Findings",
        "findings",
        (
            Column("severity", "severity"),
            Column("finding", "id"),
            Column("", "title"),
            Column("gain up to, per step", "gain_us", "us"),
            Column("what was seen", "seen"),
            Column("what to do", "remedy"),
        ),
    ),
    Table(
        "Their lines",
        "lines",
        (
            Column("finding", "finding"),
            Column("rank", "rank", "count", optional=True),
            Column("line", "", "place"),
            Column("source", "source"),
            Column("times per step", "calls", "count"),
            Column("per step", "us", "us"),
            Column("at the peak", "bytes", "bytes", optional=True),
        ),
    ),
    Table("Documentation", "findings", (Column("finding", "id"), Column("page", "link", "link"))),
)
