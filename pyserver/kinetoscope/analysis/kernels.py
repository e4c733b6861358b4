"""The device work of one rank, put together by name, or by name, launch properties and operator."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.analysis.lines import function_of_line, nodes_of_lines
from kinetoscope.analysis.op_tree import OpTree, op_tree
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.linking.call_tree import OUTSIDE, PRECISIONS
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import KERNEL, MEMCPY, MEMSET, Bools, Floats, Ints
from kinetoscope.trace.text import one_line

GroupBy = Literal["name", "launch"]
Kind = Literal["kernel", "memcpy", "memset"]
_KINDS: dict[int, Kind] = {KERNEL: "kernel", MEMCPY: "memcpy", MEMSET: "memset"}

LINES_AT_MOST = 5
"""Of each group these many lines that launched it are named."""


class LaunchLine(Struct, frozen=True, kw_only=True):
    """A line that launched calls of a group, and their time."""

    frame: StackFrame
    """`precision`: the weakest of all device work of the line."""
    backward: bool
    """Whether backward operators launched them; the line is then that of their forward operator."""
    calls: int
    total_us: float


class Kernel(Struct, frozen=True, kw_only=True):
    """One group of kernels, copies or fills. What the group does not have in common, or the trace does not say, is empty or None."""

    name: str
    kind: Kind
    family: str
    """`gemm`, `convolution`, `attention`, … (`analysis/kernel_names.py`)."""
    operator: str
    """That launched it; grouped by launch only, and empty where it is not known."""
    grid: str
    """As JSON text; grouped by launch only, as are the three after it."""
    block: str
    registers: int | None
    """Per thread."""
    shared_memory_bytes: int | None
    calls: int
    total_us: float
    mean_us: float
    min_us: float
    max_us: float
    blocks_per_sm: float | None
    """Mean weighted by duration, of the calls that the trace says it of."""
    occupancy: float | None
    """Likewise, percent."""
    tensor_cores: bool
    bytes: int | None
    """Copied or set, in all."""
    lines: list[LaunchLine]
    """Dearest first, at most five."""
    more_lines: int
    """Not listed, forward and backward apart; their sums are what the listed and `no_line_*` leave of the group's."""
    no_line_calls: int
    """Those that no line is known of: no launch was recorded, or no line of the user's code was open at it."""
    no_line_us: float


class Kernels(Struct, frozen=True, kw_only=True):
    """`rows`: largest total first; their totals sum to `total_us`."""

    group_by: GroupBy
    rows: list[Kernel]
    total_us: float


def kernels(
    linked: LinkedTrace,
    window_ns: tuple[int, int] | None = None,
    group_by: GroupBy = "name",
    streams: Collection[tuple[int, int]] | None = None,
) -> Kernels:
    """The table; with a window (trace time), of the work that begins inside it, whole; with streams (`(device, stream)`), of theirs."""
    trace, work = linked.trace, linked.trace.kernels
    chosen = np.flatnonzero((work.ts_ns >= window_ns[0]) & (work.ts_ns < window_ns[1])) if window_ns else np.arange(len(work.ts_ns))
    if streams is not None:
        chosen = chosen[on_streams(linked, streams)[chosen]]
    known = KernelNames(trace.names, work.name)
    operator = _operators(linked, op_tree(linked)) if group_by == "launch" else np.full(len(work.ts_ns), -1, np.int64)
    columns = [work.kind, work.name]
    if group_by == "launch":
        columns += [operator, work.grid, work.block, work.registers, work.shared_memory]
    group, example = _groups([column[chosen] for column in columns])
    count = len(example)
    dur = np.maximum(work.dur_ns[chosen], 0)
    total, shortest, longest = np.zeros(count, np.int64), np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    np.add.at(total, group, dur)
    np.minimum.at(shortest, group, dur)
    np.maximum.at(longest, group, dur)
    calls = np.bincount(group, minlength=count)
    size = np.zeros(count, np.int64)
    np.add.at(size, group, np.maximum(work.bytes[chosen], 0))
    told = np.bincount(group, weights=work.bytes[chosen] >= 0, minlength=count)
    blocks = _weighted(work.blocks_per_sm[chosen], dur, group, count)
    occupancy = _weighted(work.occupancy[chosen], dur, group, count)
    apart = group_by == "launch"
    launched = _Launched(linked, chosen, group, count)
    rows = [
        Kernel(
            name=trace.names[work.name[one]],
            kind=_KINDS[int(work.kind[one])],
            family=known.family[work.name[one]],
            operator=_text(trace.names, int(operator[one])),
            grid=one_line(_text(trace.names, int(work.grid[one]))) if apart else "",
            block=one_line(_text(trace.names, int(work.block[one]))) if apart else "",
            registers=_number(int(work.registers[one])) if apart else None,
            shared_memory_bytes=_number(int(work.shared_memory[one])) if apart else None,
            calls=int(calls[g]),
            total_us=int(total[g]) / 1000,
            mean_us=int(total[g]) / int(calls[g]) / 1000,
            min_us=int(shortest[g]) / 1000,
            max_us=int(longest[g]) / 1000,
            blocks_per_sm=blocks[g],
            occupancy=occupancy[g],
            tensor_cores=bool(known.tensor_cores[work.name[one]]),
            bytes=int(size[g]) if told[g] else None,
            lines=launched.lines[g],
            more_lines=launched.more[g],
            no_line_calls=int(launched.no_line_calls[g]),
            no_line_us=int(launched.no_line_ns[g]) / 1000,
        )
        for g, one in enumerate(chosen[example].tolist())
    ]
    rows.sort(key=lambda row: (-row.total_us, row.name))
    return Kernels(group_by=group_by, rows=rows, total_us=int(total.sum()) / 1000)


def on_streams(linked: LinkedTrace, streams: Collection[tuple[int, int]]) -> Bools:
    """Which device work ran on any of the streams."""
    work = linked.trace.kernels
    result = np.zeros(len(work.ts_ns), bool)
    for device, stream in streams:
        result |= (work.device == device) & (work.stream == stream)
    return result


class _Launched:
    """The lines that launched the calls of each group."""

    def __init__(self, linked: LinkedTrace, chosen: Ints, group: Ints, count: int) -> None:
        node, dur = linked.kernel.node[chosen], np.maximum(linked.trace.kernels.dur_ns[chosen], 0)
        known = node != OUTSIDE
        self.no_line_calls = np.bincount(group[~known], minlength=count)
        self.no_line_ns = np.zeros(count, np.int64)
        np.add.at(self.no_line_ns, group[~known], dur[~known])

        tree = linked.tree
        nodes = nodes_of_lines(tree, np.unique(node[known]).tolist())
        frames = [
            StackFrame(
                file=file,
                line=line,
                function=function_of_line(tree, of_line),
                precision=PRECISIONS[max(tree.precision[one] for one in of_line)],  # type: ignore[arg-type]
            )
            for (file, line), of_line in nodes.items()
        ]
        number = np.zeros(len(tree), np.int64)
        for index, of_line in enumerate(nodes.values()):
            number[of_line] = index
        columns = [group[known], number[node[known]], linked.kernel.backward[chosen][known].astype(np.int64)]
        pair, example = _groups(columns)
        of_group, line, backward = (column[example] for column in columns)
        total = np.zeros(len(example), np.int64)
        np.add.at(total, pair, dur[known])
        calls = np.bincount(pair, minlength=len(example))
        self.lines: list[list[LaunchLine]] = [[] for _ in range(count)]
        for one in np.lexsort((backward, line, -total, of_group)).tolist():
            g = int(of_group[one])
            if len(self.lines[g]) < LINES_AT_MOST:
                self.lines[g].append(
                    LaunchLine(
                        frame=frames[line[one]], backward=bool(backward[one]), calls=int(calls[one]), total_us=int(total[one]) / 1000
                    )
                )
        self.more = [int(of_all) - len(lines) for of_all, lines in zip(np.bincount(of_group, minlength=count), self.lines, strict=True)]


def _operators(linked: LinkedTrace, tree: OpTree) -> Ints:
    """The number of the name of each kernel's operator, -1 where it is not known."""
    found = tree.op_of_kernel
    return np.where(found >= 0, linked.trace.ops.name[tree.row[np.maximum(found, 0)]], -1) if len(tree.row) else found


def _groups(columns: list[Ints]) -> tuple[Ints, Ints]:
    """`(group of each row, a row of each group)`: rows are of one group if all columns are equal."""
    order = np.lexsort(columns)
    new: Bools = np.ones(len(order), bool)
    new[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    return group, order[new]


def _weighted(values: Floats, weight: Ints, group: Ints, count: int) -> list[float | None]:
    """The mean of each group, weighted; work of no duration counts where all of the group has none. None where no value is said."""
    said = values >= 0
    heavy = np.bincount(group[said], weights=weight[said], minlength=count)
    plain = np.bincount(group[said], minlength=count)
    with_weight = np.bincount(group[said], weights=values[said] * weight[said], minlength=count)
    without = np.bincount(group[said], weights=values[said], minlength=count)
    return [
        float(a / b) if b else float(c / d) if d else None
        for a, b, c, d in zip(with_weight.tolist(), heavy.tolist(), without.tolist(), plain.tolist(), strict=True)
    ]


def _text(names: list[str], number: int) -> str:
    return names[number] if number >= 0 else ""


def _number(value: int) -> int | None:
    return value if value >= 0 else None
