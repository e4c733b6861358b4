"""Matrix products and convolutions that do not run on the Tensor Cores which the device has.

Whether a kernel uses them is in its name. Only kernels whose names say that they compute without (`sgemm`, `scudnn`, `simt` …) count, so
a kernel of an unknown name is never advised on. What they compute in is in the types of their operator, else in their name: float32 can be
computed in a narrower type or TF32; for float16 and bfloat16, sizes of a matrix product that are no multiples of 8 are the reason (cuDNN
pads those of convolutions by itself).
"""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import AMP, TF32
from kinetoscope.analysis.format import count
from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.analysis.operators import ON_TENSOR_CORES
from kinetoscope.trace.columns import KERNEL, Ints, distinct

ID = "tensor-cores"
_LEAST_SHARE = 0.05
_FIRST_CAPABILITY = 7
"""Volta. Of 7.5 the GTX 16 series has none."""
_FIRST_WITH_TF32 = 8
_WITHOUT = re.compile(r"[sh]gemm|[sh]cudnn|simt_|ffma|(dgrad|wgrad)_engine|wgrad_alg\d|(im|ex)plicit_convolve")
_NARROW_KERNEL = re.compile(r"fp16|hgemm|hcudnn|half|bf16|bfloat16")
_NARROW_TYPES = frozenset({"c10::Half", "c10::BFloat16"})
_MATRICES = {
    "aten::mm": (0, 1),
    "aten::bmm": (0, 1),
    "aten::matmul": (0, 1),
    "aten::addmm": (1, 2),
    "aten::baddbmm": (1, 2),
}
"""Which inputs are multiplied."""


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where such kernels take 5 % of the step. Nothing is said where the trace does not say what device it is."""
    capability = _capability(case)
    if capability is None:
        return None
    rows, ops = _kernels(case)
    narrow = _are_narrow(case, rows, ops)
    odd = _odd_sizes(case, ops)
    # what is computed in float64 stays so; a narrow type without sizes that explain it is not understood
    keep = narrow == 0
    keep |= (narrow == 1) & np.isin(ops, np.array(list(odd), np.int64))
    rows, ops, narrow = rows[keep], ops[keep], narrow[keep]
    spent = case.device_us(rows)
    if case.share(spent) < _LEAST_SHARE:
        return None
    wide = float(np.maximum(case.trace.kernels.dur_ns[rows[narrow == 0]], 0).sum()) / 1000 / case.parts
    calls = len(np.unique(ops))
    badly_sized = [op for op in np.unique(ops).tolist() if op in odd]
    shapes = _shapes(case, badly_sized, odd)
    dtype = "in float32" if wide >= spent else "in half precision" if wide <= 0 else "in float32 and half precision"
    words = f" In {count(case.per_step(len(badly_sized)))} of them sizes are no multiples of 8: {shapes}." if badly_sized else ""
    remedy, link = _remedy(capability, wide > 0, bool(badly_sized))
    return (
        Finding(
            id=ID,
            severity=case.severity(spent),
            title="Tensor Cores are not used",
            seen=(
                f"Matrix products and convolutions {dtype}, {count(case.per_step(calls))} {case.each}, run outside the Tensor Cores: "
                f"{100 * case.share(spent):.0f} % of the time.{words}"
            ),
            remedy=remedy,
            link=link,
            evidence=[
                Evidence(name="device time", value=spent, unit="us"),
                Evidence(name="of it in float32", value=wide, unit="us"),
                Evidence(name="kernels", value=case.per_step(len(rows)), unit="count"),
                Evidence(name="calls with sizes not of 8", value=case.per_step(len(badly_sized)), unit="count"),
            ],
        ),
        case.lines_of_kernels(ID, rows),
    )


def _capability(case: Case) -> int | None:
    """The major compute capability of the devices where all have Tensor Cores; AMD's matrix cores are not looked at."""
    if any(case.trace.names[name].startswith("hip") for name in distinct(case.trace.launches.name)):
        return None
    least = min((device.compute_major for device in case.trace.devices), default=-1)
    without = any(word in device.name for device in case.trace.devices for word in ("GTX 16", "AMD", "Radeon"))
    return least if least >= _FIRST_CAPABILITY and not without else None


def _kernels(case: Case) -> tuple[Ints, Ints]:
    """`(kernel, operator)` of the kernels in the steps that compute an eligible operator without Tensor Cores."""
    kernels, names = case.trace.kernels, case.trace.names
    families = KernelNames(names, kernels.name)
    plain = [
        number
        for number in distinct(kernels.name)
        if families.family[number] in ("gemm", "convolution")
        and not families.tensor_cores[number]
        and _WITHOUT.search(names[number].lower())
    ]
    rows = np.flatnonzero((kernels.kind == KERNEL) & np.isin(kernels.name, plain) & case.kernel_inside)
    op = case.within(case.op_of_kernel[rows], case.ops(lambda name: ON_TENSOR_CORES.fullmatch(name) is not None))
    return rows[op >= 0], op[op >= 0]


def _are_narrow(case: Case, rows: Ints, ops: Ints) -> Ints:
    """Of each kernel: 0 for float32, 1 for half precision, 2 for anything else."""
    kernels, table, names = case.trace.kernels, case.trace.ops, case.trace.names
    of_types = {number: _precision(_parsed(names[number])) for number in distinct(table.input_types[ops]) if number >= 0}
    of_names = {number: int(_NARROW_KERNEL.search(names[number].lower()) is not None) for number in distinct(kernels.name[rows])}
    told = [of_types.get(types) for types in table.input_types[ops].tolist()]
    return np.array([of_names[name] if one is None else one for name, one in zip(kernels.name[rows].tolist(), told, strict=True)], np.int64)


def _precision(types: list[object]) -> int | None:
    floats = {one for one in types if one in ("float", "double") or one in _NARROW_TYPES}
    if not floats:
        return None
    return 1 if floats <= _NARROW_TYPES else 0 if "float" in floats and "double" not in floats else 2


def _parsed(text: str) -> list[object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _odd_sizes(case: Case, ops: Ints) -> dict[int, list[int]]:
    """Operator → its sizes that are no multiples of 8, of those that have any."""
    table, names = case.trace.ops, case.trace.names
    found: dict[int, list[int]] = {}
    for op in np.unique(ops).tolist():
        name, dims = names[table.name[op]], int(table.input_dims[op])
        sizes = _sizes(name, _parsed(names[dims])) if name in _MATRICES and dims >= 0 else []
        if odd := [size for size in sizes if size % 8]:
            found[op] = odd
    return found


def _sizes(name: str, dims: list[object]) -> list[int]:
    """The sizes of a product: rows, inner, columns."""
    first, second = _MATRICES[name]
    shapes = [dims[place] if place < len(dims) else None for place in (first, second)]
    left, right = (shape if isinstance(shape, list) and all(isinstance(size, int) for size in shape) else [] for shape in shapes)
    if len(left) < 2 or len(right) < 2:
        return []
    return [left[-2], left[-1], right[-1]]


def _shapes(case: Case, ops: list[int], odd: dict[int, list[int]]) -> str:
    """The three most frequent in words: `aten::mm [[64, 100], [100, 10]] (100, 10)`."""
    table, names = case.trace.ops, case.trace.names
    kinds = Counter((int(table.name[op]), int(table.input_dims[op]), tuple(odd[op])) for op in ops)
    words: list[str] = []
    for (name, dims, sizes), _ in kinds.most_common(3):
        first, second = _MATRICES[names[name]]
        shapes = [shape for place, shape in enumerate(_parsed(names[dims])) if place in (first, second)]
        words.append(f"{names[name]} {json.dumps(shapes)} ({', '.join(map(str, dict.fromkeys(sizes)))})")
    return "; ".join(words)


def _remedy(capability: int, wide: bool, badly_sized: bool) -> tuple[str, str]:
    sizes = "pad these sizes to multiples of 8"
    if not wide:
        return f"{sizes[0].upper()}{sizes[1:]}.", AMP
    then = f"; {sizes}" if badly_sized else ""
    if capability < _FIRST_WITH_TF32:
        return f'Compute them in torch.autocast("cuda", dtype=torch.float16), training with torch.amp.GradScaler{then}.', AMP
    tf32 = 'torch.set_float32_matmul_precision("high") and torch.backends.cudnn.allow_tf32 = True'
    return f'Compute them in torch.autocast("cuda", dtype=torch.bfloat16), or allow TF32: {tf32}{then}.', TF32
