"""The optimizer updates parameter after parameter with many small operators instead of all at once (`foreach`), or could fuse them.

torch takes `foreach` by itself for parameters on a GPU; on the CPU only `fused=True` helps.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import OPTIMIZERS
from kinetoscope.analysis.format import counted, share

ID = "optimizer-loop"
_RANGE = "Optimizer.step#"
_FUSED_ANYWHERE = frozenset({"Adam", "AdamW", "SGD"})
_FUSED_ON_CPU = _FUSED_ANYWHERE | {"Adagrad"}
_FOREACH = _FUSED_ON_CPU | {"ASGD", "Adadelta", "Adafactor", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"}
_LEAST_SHARE = 0.03
_LEAST_OPERATORS = 50
"""Per step, below which nothing would be won."""


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where the operators of one of torch's optimizers, none of them fused, are many and it takes 3 % of the step."""
    rows = case.ops(lambda name: name.startswith(_RANGE) and _class(name) in _FOREACH)
    host = case.host_us(rows)
    if case.share(host) < _LEAST_SHARE:
        return None
    below = case.below(rows)
    below = below[case.linked.work_op[below]]
    called = case.trace.ops.name[below]
    if np.isin(called, case.names(lambda name: name.startswith("aten::_fused_"))).any():
        return None
    top = below[np.isin(case.linked.ops_nested.parent[below], rows)]
    at_once = bool(np.isin(called, case.names(lambda name: name.startswith("aten::_foreach_"))).any())
    if not at_once and case.per_step(len(top)) < _LEAST_OPERATORS:
        return None
    kernels, _ = case.kernels_within(rows)
    names = sorted({_class(case.trace.names[name]) for name in case.trace.ops.name[rows].tolist()})
    fusable = any(name in (_FUSED_ANYWHERE if len(kernels) else _FUSED_ON_CPU) for name in names)
    if (at_once or not len(kernels)) and not fusable:
        return None
    own = ", ".join(names)
    use = f"Use {own}(…, fused=True)" if fusable else f"Use {own}(…, foreach=True)"
    otherwise = "; where that does not go, leave foreach at its default." if fusable and not at_once and len(kernels) else "."
    launched = f" and {counted(case.per_step(len(kernels)), 'kernel', 'kernels')}" if len(kernels) else ""
    on_device = [
        Evidence(name="kernels", value=case.per_step(len(kernels)), unit="count"),
        Evidence(name="device time", value=case.device_us(kernels), unit="us"),
    ]
    return (
        Finding(
            id=ID,
            severity="low" if at_once else case.severity(host),
            title="The optimizer is not fused" if at_once else "The optimizer updates one parameter at a time",
            seen=(
                f"{own} takes {share(case.share(host))} of the time: "
                f"{counted(case.per_step(len(top)), 'operator', 'operators')}{launched} {case.each}."
            ),
            remedy=use + otherwise,
            link=OPTIMIZERS,
            evidence=[
                Evidence(name="host time", value=host, unit="us"),
                Evidence(name="operators", value=case.per_step(len(top)), unit="count"),
                *(on_device if len(kernels) else []),
            ],
        ),
        case.lines_of_ops(ID, rows),
    )


def _class(name: str) -> str:
    """`AdamW` of `Optimizer.step#AdamW.step`."""
    return name.removeprefix(_RANGE).removesuffix(".step")
