"""Ranks have unequal work: the device of one computes longer than those of the others, which so have to wait for it.

Only where the waiting itself can't be told, since the ranks did not record the same collectives; else `stragglers` says more.
"""

from __future__ import annotations

import numpy as np
from msgspec import structs

from kinetoscope.advice.evidence import LINES_AT_MOST
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding, severity_of
from kinetoscope.advice.links import SKEWED_RANKS
from kinetoscope.advice.ranks import Ranks
from kinetoscope.trace.columns import KERNEL

ID = "imbalance"
_LEAST_SHARE = 0.1


def find(ranks: Ranks) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where a rank computes longer than the mean rank by 10 % of the step. Equal work would shorten the step by that at most."""
    computed = {one.rank: one.computation_us + one.overlap_us for one in ranks.view.ranks if one.steps}
    if ranks.view.stragglers or len(computed) < 2 or not any(len(case.trace.kernels.ts_ns) for case in ranks.cases.values()):
        return None
    most, least = max(computed, key=lambda rank: computed[rank]), min(computed, key=lambda rank: computed[rank])
    mean = sum(computed.values()) / len(computed)
    more = computed[most] - mean
    if ranks.share(more) < _LEAST_SHARE:
        return None
    return (
        Finding(
            id=ID,
            severity=severity_of(ranks.share(more)),
            title="Ranks have unequal work",
            seen=(
                f"The device of rank {most} computes {100 * computed[most] / mean - 100:.0f} % longer than that of the mean rank, "
                f"rank {least} the least: {100 * ranks.share(more):.0f} % of the step."
            ),
            remedy="Give all ranks equal work: batches with as many tokens or pixels, shards and pipeline stages that take equally long.",
            link=SKEWED_RANKS,
            evidence=[
                Evidence(name=f"computing, rank {most}", value=computed[most], unit="us"),
                Evidence(name="computing, mean rank", value=mean, unit="us"),
                Evidence(name=f"computing, rank {least}", value=computed[least], unit="us"),
            ],
            gain_us=more,
        ),
        _lines(ranks, most, least),
    )


def _lines(ranks: Ranks, most: int, least: int) -> list[AdviceLine]:
    """The dearest lines of the rank with most work, by how much more device time they take than on the one with the least."""
    spent: list[dict[tuple[str, int], AdviceLine]] = []
    for rank in (most, least):
        case = ranks.cases[rank]
        rows = np.flatnonzero((case.trace.kernels.kind == KERNEL) & case.kernel_inside)
        spent.append({(line.file, line.line): line for line in case.lines_of_kernels(ID, rows, most=None)})
    heavy, light = spent
    more = [
        structs.replace(line, us=line.us - (light[place].us if place in light else 0.0), rank=most)
        for place, line in heavy.items()
        if place not in light or line.us > light[place].us
    ]
    return sorted(more, key=lambda line: -line.us)[:LINES_AT_MOST]
