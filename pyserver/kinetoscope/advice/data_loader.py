"""The data loader starves the device: the step waits for the next batch while nothing else runs.

As the TensorBoard plugin's first rule: more than 5 % of the step. Time in which the device works meanwhile starves nobody and does not
count.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import DATA_LOADING

ID = "data-loader"
_LEAST_SHARE = 0.05


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Needs the loader's ranges, which torch records by itself."""
    rows = case.ops(lambda name: name.startswith(("enumerate(DataLoader)#", "enumerate(DataPipe)#")))
    rows = rows[case.within(case.linked.ops_nested.parent[rows], rows) < 0]
    nested = case.linked.ops_nested
    host_ns = nested.end_ns[rows] - nested.ts_ns[rows]
    starved_ns = host_ns - (case.busy_ns(nested.end_ns[rows]) - case.busy_ns(nested.ts_ns[rows]))
    starved = float(starved_ns.sum()) / 1000 / case.parts
    if case.share(starved) <= _LEAST_SHARE:
        return None
    alone = bool(np.isin(case.trace.ops.name[rows], case.names(lambda name: "_SingleProcess" in name)).any())
    # Memory is pinned for copies to a device; without one torch only warns.
    device = len(case.trace.kernels.ts_ns) > 0
    meanwhile = " while the device does nothing" if device else ", and the step waits for it"
    pinned = "pin_memory=True, " if device else ""
    return (
        Finding(
            id=ID,
            severity=case.severity(starved),
            title="The step waits for data",
            seen=f"The data loader takes {100 * case.share(starved):.0f} % of the time{meanwhile}.",
            remedy=(
                f"Load in other processes: DataLoader(num_workers=4, {pinned}persistent_workers=True)."
                if alone
                else "Raise num_workers or prefetch_factor of the DataLoader, keep persistent_workers=True, or make each sample cheaper."
            ),
            link=DATA_LOADING,
            evidence=[
                Evidence(name="waiting", value=starved, unit="us"),
                Evidence(name="loading", value=float(host_ns.sum()) / 1000 / case.parts, unit="us"),
                Evidence(name="share of the step", value=100 * case.share(starved), unit="percent"),
            ],
            gain_us=starved,
        ),
        case.lines_of_ops(ID, rows),
    )
