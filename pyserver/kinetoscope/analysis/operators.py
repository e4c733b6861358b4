"""The operators of one rank, put together by name, by name and input shapes, by call stack, or by line."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.op_tree import OpTree, op_tree
from kinetoscope.analysis.operator_rows import calls_of
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.places import FileNames, parse_frame
from kinetoscope.trace.columns import Bools, Ints, distinct
from kinetoscope.trace.text import one_line

GroupBy = Literal["name", "shape", "stack", "line"]

ON_TENSOR_CORES = re.compile(
    r"(aten::)?("
    r"_?conv(olution)?(_?transpose)?[123]?d?(_backward(_overrideable)?|_overrideable)?|conv_tbc|_convolution_(mode|double_backward)"
    r"|(cudnn|miopen|mkldnn)_convolution\w*|_slow_conv\w*|slow_conv\w*|thnn_conv\w*"
    r"|linear(_backward)?|_?addmm\w*|addbmm|baddbmm|b?mm|addm?v|mv|matmul|linalg_(multi_dot|matmul)|chain_matmul|einsum|bilinear"
    r"|_(scaled|grouped|scaled_grouped|int|sparse_semi_structured)_(b?mm|addmm|linear)"
    r"|_?scaled_dot_product\w*|_flash_attention\w*|_efficient_attention\w*|_cudnn_attention\w*|_?multi_head_attention\w*"
    r"|(lstm|gru|rnn_tanh|rnn_relu)(_cell)?|_cudnn_rnn(_backward)?|_thnn_fused_(lstm|gru)_cell|miopen_rnn\w*"
    r")|(Add(b?mm|mv)|Baddbmm|B?mm|Mv|Linear|Matmul|(Cudnn|Miopen|Mkldnn)?Convolution\w*?|\w*ScaledDotProduct\w*|Cudnn(Rnn|RNN))Backward\d*"
)
"""Operators that can run on Tensor Cores: matrix products, convolutions, recurrent cells and attention, and their backward ones."""


_LIFTED_NS = 1 << 62


class Operator(Struct, frozen=True, kw_only=True):
    """One group. Sums over its calls, microseconds; `*_total_us` count nested operators of the same group once."""

    name: str
    input_shape: str
    """JSON text as the trace has it; empty where the group is of several or it was not recorded."""
    stack: list[StackFrame]
    """Outermost first; grouped by stack all frames, by line the one of the line, else none. Backward operators are on the stack of their
    forward operator."""
    backward: bool
    """Grouped by stack or line: of backward operators. Else False."""
    calls: int
    host_self_us: float
    host_total_us: float
    device_self_us: float
    device_total_us: float
    tensor_cores_eligible: bool
    tensor_cores_self_percent: float | None
    """Of the time of the group's own kernels that spent on Tensor Cores; None where it has no kernels."""
    tensor_cores_total_percent: float | None


class Operators(Struct, frozen=True, kw_only=True):
    """`rows`: largest device self time first, then host self time. The self times of `rows` and the unlinked sum to all device time."""

    group_by: GroupBy
    rows: list[Operator]
    unlinked_device_us: float
    """Device time of kernels, copies and fills whose operator is not known."""


def operators(
    linked: LinkedTrace, window_ns: tuple[int, int] | None = None, group_by: GroupBy = "name", threads: Collection[int] | None = None
) -> Operators:
    """The table; with a window (trace time), of the operators that start inside it, whole, with all device work they started; with
    threads (of the trace), of those that ran on them."""
    trace, tree = linked.trace, op_tree(linked)
    kernels = trace.kernels
    call = calls_of(trace.ops.name[tree.row], tree.parent)
    start = trace.ops.ts_ns[tree.row[call]]
    chosen = np.flatnonzero((start >= window_ns[0]) & (start < window_ns[1])) if window_ns else np.arange(len(start))
    if threads is not None:
        chosen = chosen[np.isin(trace.ops.thread[tree.row[call[chosen]]], [*threads])]
    places = _Places(linked, tree)
    key = _keys(linked, tree, places, group_by)[call[chosen]]
    _, example, group = np.unique(key, return_index=True, return_inverse=True)
    outermost = _outermost(linked, tree, chosen, group)

    on_cores = np.zeros(len(tree.row), np.int64)
    names = KernelNames(trace.names, kernels.name)
    known = np.flatnonzero((tree.op_of_kernel >= 0) & names.tensor_cores[kernels.name])
    np.add.at(on_cores, tree.op_of_kernel[known], np.maximum(kernels.dur_ns[known], 0))

    def sums(values: Ints | Bools, which: Bools | None = None) -> list[int]:
        rows = chosen if which is None else chosen[which]
        total = np.zeros(len(example), np.int64)
        np.add.at(total, group if which is None else group[which], values[rows].astype(np.int64))
        return total.tolist()

    calls = sums(call == np.arange(len(call)))
    host_self, host_total = sums(tree.host_self), sums(tree.host_total, outermost)
    device_self, device_total = sums(tree.device_self), sums(tree.device_total, outermost)
    cores_self, cores_total = sums(on_cores), sums(tree.with_inside(on_cores), outermost)
    can = sums(_eligible(linked, tree, on_cores))
    rows = [
        Operator(
            name=trace.names[trace.ops.name[tree.row[one]]],
            input_shape=_shape(linked, int(tree.row[one])) if group_by == "shape" else "",
            stack=places.stack(one) if group_by == "stack" else places.stack(one)[-1:] if group_by == "line" else [],
            backward=group_by in ("stack", "line") and bool(places.backward[one]),
            calls=calls[g],
            host_self_us=host_self[g] / 1000,
            host_total_us=host_total[g] / 1000,
            device_self_us=device_self[g] / 1000,
            device_total_us=device_total[g] / 1000,
            tensor_cores_eligible=can[g] > 0,
            tensor_cores_self_percent=100 * cores_self[g] / device_self[g] if device_self[g] else None,
            tensor_cores_total_percent=100 * cores_total[g] / device_total[g] if device_total[g] else None,
        )
        for g, one in enumerate(chosen[example].tolist())
    ]
    return Operators(
        group_by=group_by,
        rows=sorted(rows, key=lambda row: (-row.device_self_us, -row.host_self_us, row.name)),
        unlinked_device_us=_unlinked_ns(linked, tree, window_ns) / 1000,
    )


class _Places:
    """Where each operator of a tree was called from: the number of a place, and whether it is a backward operator, whose place is that of
    its forward operator. Places are nodes of the call tree, and after them the texts that torch 1.8 to 1.11 wrote of call stacks."""

    def __init__(self, linked: LinkedTrace, tree: OpTree) -> None:
        self._linked = linked
        self._files = FileNames(linked.trace.recording)
        self._stacks: dict[int, list[StackFrame]] = {}
        text = linked.trace.ops.call_stack[tree.row]
        node = linked.op.node[tree.row]
        self.place = np.where((node == OUTSIDE) & (text >= 0), len(linked.tree) + text, node)
        self.backward = linked.op.backward[tree.row]

    def stack(self, operator: int) -> list[StackFrame]:
        """The user's frames, outermost first."""
        return self._frames(int(self.place[operator]))

    def lines(self) -> Ints:
        """A number for the innermost line of each operator."""
        used, index = np.unique(self.place, return_inverse=True)
        numbers: dict[tuple[str, int], int] = {}
        of_place = [
            numbers.setdefault((frames[-1].file, frames[-1].line) if frames else ("", 0), len(numbers))
            for frames in map(self._frames, used.tolist())
        ]
        return np.array(of_place, np.int64)[index]

    def _frames(self, place: int) -> list[StackFrame]:
        if place not in self._stacks:
            tree = self._linked.tree
            self._stacks[place] = (
                [frame_of(self._linked, node) for node in reversed([*tree.path(place)])]
                if place < len(tree)
                else self._parsed(self._linked.trace.names[place - len(tree)])
            )
        return self._stacks[place]

    def _parsed(self, text: str) -> list[StackFrame]:
        """Innermost first in the text, each with the line that ran."""
        frames = [parsed for part in reversed(text.split(";")) if (parsed := parse_frame(part)) and self._files.is_user(parsed.path)]
        return [StackFrame(file=self._files.resolve(f.path), line=f.line, function=f.function, precision="call") for f in frames]


def _keys(linked: LinkedTrace, tree: OpTree, places: _Places, group_by: GroupBy) -> Ints:
    """Equal for operators of the same group."""
    trace = linked.trace
    name = trace.ops.name[tree.row]
    if group_by == "name":
        return name
    if group_by == "shape":
        return name * (len(trace.names) + 1) + trace.ops.input_dims[tree.row] + 1
    where = places.lines() if group_by == "line" else places.place
    return (name * (len(linked.tree) + len(trace.names) + 1) + where) * 2 + places.backward


def _outermost(linked: LinkedTrace, tree: OpTree, chosen: Ints, group: Ints) -> Bools:
    """Which of the chosen operators lie in none of their own group: those that start when all earlier ones of it on the thread ended."""
    ops = linked.trace.ops
    rows = tree.row[chosen]
    order = np.lexsort((np.arange(len(rows)), group, ops.thread[rows]))
    start, end = ops.ts_ns[rows][order], (ops.ts_ns[rows] + tree.host_total[chosen])[order]
    new: Bools = np.ones(len(order), bool)
    new[1:] = (group[order][1:] != group[order][:-1]) | (ops.thread[rows][order][1:] != ops.thread[rows][order][:-1])
    # One cumulative maximum for all: each series is lifted above the one before.
    if int(end.max(initial=0)) >= _LIFTED_NS // max(int(new.sum()), 1):
        start, end = np.unique(np.stack([start, end]), return_inverse=True)[1].reshape(2, -1)
    lift = np.cumsum(new) * (int(end.max(initial=0)) + 1)
    reach = np.maximum.accumulate(end + lift) - lift
    result: Bools = np.ones(len(order), bool)
    result[order[1:]] = new[1:] | (start[1:] >= reach[:-1])
    return result


def _eligible(linked: LinkedTrace, tree: OpTree, on_cores: Ints) -> Bools:
    """By its name, by its kernels, or by an operator inside."""
    names = linked.trace.names
    wanted = [number for number in distinct(linked.trace.ops.name[tree.row]) if ON_TENSOR_CORES.fullmatch(names[number])]
    own = np.isin(linked.trace.ops.name[tree.row], wanted) | (on_cores > 0)
    return tree.with_inside(own.astype(np.int64)) > 0


def _unlinked_ns(linked: LinkedTrace, tree: OpTree, window_ns: tuple[int, int] | None) -> int:
    kernels = linked.trace.kernels
    rows = tree.op_of_kernel < 0
    if window_ns:
        rows &= (kernels.ts_ns >= window_ns[0]) & (kernels.ts_ns < window_ns[1])
    return int(np.maximum(kernels.dur_ns[rows], 0).sum())


def _shape(linked: LinkedTrace, row: int) -> str:
    text = int(linked.trace.ops.input_dims[row])
    return one_line(linked.trace.names[text]) if text >= 0 else ""
