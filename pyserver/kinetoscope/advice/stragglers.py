"""Ranks that come late to collectives: all others wait for them (`analysis.stragglers`)."""

from __future__ import annotations

from collections.abc import Iterator

from kinetoscope.advice.finding import AdviceLine, Evidence, Finding, severity_of
from kinetoscope.advice.links import SKEWED_RANKS
from kinetoscope.advice.ranks import Ranks
from kinetoscope.analysis.stragglers import LateReason, Straggler

ID = "stragglers"
_LEAST_SHARE = 0.05
_NAMED = 0.01
"""Of the step, for which each other rank must wait for a rank on average for it to be named. Ranks with equal work differ by less, and take
turns in being the last."""
_ONE_RANK = 0.5
"""Of all waiting, that one rank must cause to be named alone."""
_EXPLAINS = 0.25
"""Of what another rank waited for it, that a reason must amount to."""


def find(ranks: Ranks) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where a rank waits for others for 5 % of the step on average. That is also by how much steps could be shorter at most: if all
    came as early as they do on average."""
    found = ranks.view.stragglers
    waited = sum(one.waited_us for one in found) / max(len(found), 1) / ranks.parts
    caused = sum(one.caused_wait_us for one in found)
    if ranks.share(waited) < _LEAST_SHARE or caused == 0:  # Where each wait is within what clocks differ by, nobody is known to be late.
        return None
    first = found[0]
    others = len(found) - 1
    alone = first.caused_wait_us >= _ONE_RANK * caused
    late = [one for one in found if ranks.share(one.caused_wait_us / others / ranks.parts) >= _NAMED]
    late = late[:1] if alone else late
    reason = _reason(first, others) if late else None
    lines = list(_lines(ranks, late, others))
    most = "" if late else "at most "
    share = f"{most}{100 * first.caused_wait_us / caused:.0f} % of it for rank {first.rank}"
    return (
        Finding(
            id=ID,
            severity=severity_of(ranks.share(waited)),
            title=f"{_who(late)} late to collectives, and the others wait",
            seen=(
                f"A rank waits for others for {100 * ranks.share(waited):.0f} % of the step, {share}, which came last to "
                f"{first.late / ranks.parts:.4g} of a step's collectives.{_why(reason) if late else _BY_TURNS}"
            ),
            remedy=_remedy(reason, alone),
            link=SKEWED_RANKS,
            evidence=[
                Evidence(name="waiting of a rank", value=waited, unit="us"),
                Evidence(name=f"waiting for rank {first.rank}, all ranks together", value=first.caused_wait_us / ranks.parts, unit="us"),
                Evidence(name=f"collectives that rank {first.rank} came last to", value=first.late / ranks.parts, unit="count"),
            ],
            gain_us=waited,
            explains=["communication"] if _mostly_waiting(ranks) else [],
        ),
        lines,
    )


def _who(late: list[Straggler]) -> str:
    if not late:
        return "Ranks are by turns"
    return f"Rank {late[0].rank} is" if len(late) == 1 else f"Ranks {', '.join(str(one.rank) for one in late)} are"


def _mostly_waiting(ranks: Ranks) -> bool:
    """Whether ranks wait for each other for at least half of the time for which they communicate."""
    known = [one for one in ranks.view.ranks if one.synchronising_us is not None]
    whole = sum(one.overlap_us + one.communication_us for one in known)
    return bool(known) and 2 * sum(one.synchronising_us or 0.0 for one in known) >= whole


def _explains(reason: LateReason, one: Straggler, others: int) -> bool:
    return reason.excess_us * others >= _EXPLAINS * one.caused_wait_us


def _reason(one: Straggler, others: int) -> LateReason | None:
    """What made it late, None where that is not known: what came before the first collective of a recording can't be compared."""
    return next((reason for reason in one.reasons if _explains(reason, one, others)), None)


def _why(reason: LateReason | None) -> str:
    if reason is None:
        return " What made it late is not known."
    where = f"{reason.frame.file}:{reason.frame.line}" if reason.frame else reason.operator
    took = "its device worked longer" if reason.on == "device" else "its host took longer"
    return f" Mostly {took} than those of the others: {where}."


def _remedy(reason: LateReason | None, alone: bool) -> str:
    if reason is None:
        return "Compare what this rank does before its collectives in the timeline with another rank." if alone else _VARYING
    if reason.on == "device":
        return (
            "Give all ranks equal work: batches with as many tokens or pixels, shards of equal size. Where the work is equal, "
            "this device is slower: look at its clocks and temperature."
        )
    if alone:
        return "Move what only this rank does (loading, logging, saving, evaluating) out of the step, or into another thread or process."
    return _VARYING


_BY_TURNS = " No rank is late by itself: each makes the others wait for less than 1 % of the step."
_VARYING = (
    "Make what ranks do in a step alike: batches of equal size, loading ahead, garbage collection at the same step (gc.freeze, gc.disable)."
)


def _lines(ranks: Ranks, late: list[Straggler], others: int) -> Iterator[AdviceLine]:
    for one in late:
        for reason in one.reasons:
            if reason.frame is not None and _explains(reason, one, others):
                yield AdviceLine(
                    finding=ID,
                    file=reason.frame.file,
                    line=reason.frame.line,
                    function=reason.frame.function,
                    source=ranks.cases[one.rank].source(reason.frame.file, reason.frame.line),
                    calls=reason.collectives / ranks.parts,
                    us=reason.excess_us / ranks.parts,
                    rank=one.rank,
                )
