"""`zero_grad(set_to_none=False)`: gradients are filled with zeros instead of dropped. Dropping is torch's default from 2.0 on."""

from __future__ import annotations

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import ZERO_GRAD
from kinetoscope.analysis.format import counted

ID = "zero-grad"


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where `Optimizer.zero_grad` fills anything."""
    rows = case.ops(lambda name: name.startswith("Optimizer.zero_grad#"))
    fills = case.ops(lambda name: name in ("aten::zero_", "aten::_foreach_zero_"))
    fills = fills[case.within(fills, rows) >= 0]
    fills = fills[case.within(case.linked.ops_nested.parent[fills], fills) < 0]
    if not len(fills):
        return None
    kernels, _ = case.kernels_within(fills)
    host, device = case.host_us(fills), case.device_us(kernels)
    return (
        Finding(
            id=ID,
            severity=case.severity(max(host, device)),
            title="Gradients are filled with zeros",
            seen=(
                f"zero_grad fills {counted(case.per_step(len(fills)), 'gradient', 'gradients')} {case.each} with zeros, so that they keep "
                "their memory in the forward pass."
            ),
            remedy="Call zero_grad(set_to_none=True), or leave it at that default.",
            link=ZERO_GRAD,
            evidence=[
                Evidence(name="fills", value=case.per_step(len(fills)), unit="count"),
                Evidence(name="host time", value=host, unit="us"),
                Evidence(name="device time", value=device, unit="us"),
            ],
            gain_us=max(host, device),
        ),
        case.lines_of_ops(ID, fills),
    )
