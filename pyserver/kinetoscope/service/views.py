"""The views: for each name how it is computed and how its result is shown as tables. This is the one list of them.

A view is a pure function of a linked trace. It runs in the worker process, so the analyses are imported only when one is computed; what
comes back, and what `--json` prints, are the fields of the struct that the function returns (docs/report.md). Tables name paths into that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from kinetoscope.analysis.kernels import GroupBy as KernelGroup
    from kinetoscope.analysis.operators import GroupBy as OperatorGroup
    from kinetoscope.analysis.stacks import By as StackGroup
    from kinetoscope.analysis.stacks import Metric as StackMetric
    from kinetoscope.linking.linked import LinkedTrace

OfOne: TypeAlias = "Callable[[LinkedTrace, Window], msgspec.Struct]"
Compute: TypeAlias = "Callable[[Mapping[int, LinkedTrace], Mapping[int, Window]], msgspec.Struct]"

Window = tuple[int, int] | None
Content = dict[str, Any]
"""A view's result as plain data."""

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


@dataclass(frozen=True)
class View:
    """`compute(linked, windows)` gets linked traces and the window of each, both by rank, and returns the struct that `returns` names, as
    `module.Struct` of this package; its field `notices`, where it has one, is shown below the tables. `of_ranks`: it is asked of all ranks
    of a run together, else of one. `with_ranks` names the view of all ranks whose lists stand with its own where no rank was chosen.
    `with_advice`: a report of it has also the findings of the view `advice`, in words, as `advice`. One without tables is not shown."""

    name: str
    returns: str
    compute: Compute
    tables: tuple[Table, ...] = ()
    of_ranks: bool = False
    with_ranks: str = ""
    with_advice: bool = False

    def result(self) -> type[msgspec.Struct]:
        """The struct that it returns; imports the analysis."""
        module, _, struct = self.returns.rpartition(".")
        return getattr(import_module(f"kinetoscope.{module}"), struct)


def _of_one(view: Callable[[], OfOne]) -> Compute:
    """`View.compute` of a function of one linked trace, which `view` imports."""

    def compute(linked: Mapping[int, LinkedTrace], windows: Mapping[int, Window]) -> msgspec.Struct:
        [rank] = linked
        return view()(linked[rank], windows[rank])

    return compute


@_of_one
def _overview() -> OfOne:
    from kinetoscope.analysis.overview import overview

    return overview


def _operators(group_by: OperatorGroup) -> Compute:
    @_of_one
    def compute() -> OfOne:
        from kinetoscope.analysis.operators import operators

        return partial(operators, group_by=group_by)

    return compute


def _kernels(group_by: KernelGroup) -> Compute:
    @_of_one
    def compute() -> OfOne:
        from kinetoscope.analysis.kernels import kernels

        return partial(kernels, group_by=group_by)

    return compute


@_of_one
def _modules() -> OfOne:
    from kinetoscope.analysis.modules import modules

    return modules


def _stacks(by: StackGroup, metric: StackMetric | None) -> Compute:
    @_of_one
    def compute() -> OfOne:
        from kinetoscope.analysis.stacks import stacks

        return partial(stacks, by=by, metric=metric)

    return compute


@_of_one
def _memory() -> OfOne:
    from kinetoscope.analysis.memory import memory

    return memory


@_of_one
def _idle() -> OfOne:
    from kinetoscope.analysis.idle_view import idle

    return idle


@_of_one
def _sync() -> OfOne:
    from kinetoscope.analysis.sync import sync

    return sync


def _distributed(linked: Mapping[int, LinkedTrace], windows: Mapping[int, Window]) -> msgspec.Struct:
    from kinetoscope.analysis.distributed import distributed

    chosen = {rank: window for rank, window in windows.items() if window is not None}
    return distributed(linked, chosen or None)


@_of_one
def _advice() -> OfOne:
    from kinetoscope.advice.advise import advice

    return advice


def _advice_of_ranks(linked: Mapping[int, LinkedTrace], windows: Mapping[int, Window]) -> msgspec.Struct:
    from kinetoscope.advice.advise import advice_of_ranks

    return advice_of_ranks(linked, windows)


@_of_one
def _totals() -> OfOne:
    from kinetoscope.analysis.totals import totals

    return totals


_STACKS_BY: tuple[tuple[str, StackGroup], ...] = (
    ("", "python"),
    ("-by-line", "line"),
    ("-by-module", "module"),
    ("-by-operator", "operator"),
)
_STACK_METRICS: tuple[tuple[str, StackMetric | None], ...] = (("", None), ("-gpu", "gpu"), ("-cpu", "cpu"), ("-memory", "memory"))
"""Without a metric in its name a view is of device time where there is some, else of host time."""

TOTALS = "totals"
"""The view that a comparison is made of; it has no tables."""

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
_STACKS = (
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
_OWNED = (Column("device", "device"),)
_ADVICE = (
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


VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        View(
            "overview",
            "analysis.overview.Overview",
            _overview,
            (
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
                Table(
                    "Steps", "steps", (Column("steps", "count", "count"), Column("mean", "mean_us", "us"), Column("left out", "left_out"))
                ),
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
            ),
            with_advice=True,
        ),
        View(
            "operators",
            "analysis.operators.Operators",
            _operators("name"),
            (Table("Operators", "rows", (Column("operator", "name"), *_OPERATOR_TIMES)),),
        ),
        View(
            "operators-by-shape",
            "analysis.operators.Operators",
            _operators("shape"),
            (Table("Operators", "rows", (Column("operator", "name"), Column("shapes", "input_shape"), *_OPERATOR_TIMES)),),
        ),
        View(
            "operators-by-stack",
            "analysis.operators.Operators",
            _operators("stack"),
            (Table("Operators", "rows", (Column("operator", "name"), Column("stack", "stack", "places"), *_OPERATOR_TIMES)),),
        ),
        View(
            "operators-by-line",
            "analysis.operators.Operators",
            _operators("line"),
            (Table("Operators", "rows", (Column("operator", "name"), Column("line", "stack", "places"), *_OPERATOR_TIMES)),),
        ),
        View(
            "kernels",
            "analysis.kernels.Kernels",
            _kernels("name"),
            (Table("Kernels", "rows", (Column("kernel", "name"), Column("family", "family"), *_KERNEL_TIMES)),),
        ),
        View(
            "kernels-by-launch",
            "analysis.kernels.Kernels",
            _kernels("launch"),
            (
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
            ),
        ),
        View(
            "modules",
            "analysis.modules.ModuleReport",
            _modules,
            (
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
            ),
        ),
        *(
            View(f"stacks{name}{suffix}", "analysis.stacks.StackTree", _stacks(by, metric), _STACKS)
            for name, by in _STACKS_BY
            for suffix, metric in _STACK_METRICS
        ),
        View(
            "memory",
            "analysis.memory.MemoryReport",
            _memory,
            (
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
                    Table(
                        f"Who owns the peak, by {title}", f"devices[].peak.{title}", (*_OWNED, *columns, Column("bytes", "bytes", "bytes"))
                    )
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
            ),
        ),
        View(
            "idle",
            "analysis.idle_view.Idle",
            _idle,
            (
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
            ),
        ),
        View(
            "sync",
            "analysis.sync.Sync",
            _sync,
            tuple(
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
            ),
        ),
        View(
            "distributed",
            "analysis.distributed.DistributedView",
            _distributed,
            (
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
            ),
            of_ranks=True,
        ),
        View(TOTALS, "analysis.compare.Totals", _totals),
        View("advice", "advice.finding.Advice", _advice, _ADVICE, with_ranks="advice-of-ranks"),
        View("advice-of-ranks", "advice.finding.Advice", _advice_of_ranks, _ADVICE, of_ranks=True),
    )
}
"""All but `lines`, which is kept with the sources in a digest since the editor shows it too."""
