"""The views: for each name how it is computed and the tables (`tables.py`) as which its result is shown. This is the one list of them.

A view is a pure function of a linked trace. It runs in the worker process, so the analyses are imported only when one is computed; what
comes back, and what `--json` prints, are the fields of the struct that the function returns (docs/report.md). Tables name paths into that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from kinetoscope.service import tables
from kinetoscope.service.tables import Table

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

VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        View("overview", "analysis.overview.Overview", _overview, tables.OVERVIEW, with_advice=True),
        View("operators", "analysis.operators.Operators", _operators("name"), tables.OPERATORS),
        View("operators-by-shape", "analysis.operators.Operators", _operators("shape"), tables.OPERATORS_BY_SHAPE),
        View("operators-by-stack", "analysis.operators.Operators", _operators("stack"), tables.OPERATORS_BY_STACK),
        View("operators-by-line", "analysis.operators.Operators", _operators("line"), tables.OPERATORS_BY_LINE),
        View("kernels", "analysis.kernels.Kernels", _kernels("name"), tables.KERNELS),
        View("kernels-by-launch", "analysis.kernels.Kernels", _kernels("launch"), tables.KERNELS_BY_LAUNCH),
        View("modules", "analysis.modules.ModuleReport", _modules, tables.MODULES),
        *(
            View(f"stacks{name}{suffix}", "analysis.stacks.StackTree", _stacks(by, metric), tables.STACKS)
            for name, by in _STACKS_BY
            for suffix, metric in _STACK_METRICS
        ),
        View("memory", "analysis.memory.MemoryReport", _memory, tables.MEMORY),
        View("idle", "analysis.idle_view.Idle", _idle, tables.IDLE),
        View("sync", "analysis.sync.Sync", _sync, tables.SYNC),
        View("distributed", "analysis.distributed.DistributedView", _distributed, tables.DISTRIBUTED, of_ranks=True),
        View(TOTALS, "analysis.compare.Totals", _totals),
        View("advice", "advice.finding.Advice", _advice, tables.ADVICE, with_ranks="advice-of-ranks"),
        View("advice-of-ranks", "advice.finding.Advice", _advice_of_ranks, tables.ADVICE, of_ranks=True),
    )
}
"""All but `lines`, which is kept with the sources in a digest since the editor shows it too."""
