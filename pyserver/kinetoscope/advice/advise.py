"""All findings of a trace, and of several ranks together. A finding is a module with `find`; these are the one list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kinetoscope.advice import (
    allocation_churn,
    blocking_copies,
    communication,
    conv_bias,
    cudnn_search,
    data_loader,
    data_parallel,
    fragmentation,
    gloo,
    imbalance,
    memory_limit,
    optimizer_loop,
    small_kernels,
    stragglers,
    synchronising,
    tensor_cores,
    unneeded_copies,
    zero_grad,
)
from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import Advice, AdviceLine, Finding
from kinetoscope.advice.ranks import Ranks, Window
from kinetoscope.linking.linked import LinkedTrace

Found = tuple[Finding, list[AdviceLine]]

FINDINGS: tuple[Callable[[Case], Found | None], ...] = (
    data_loader.find,
    synchronising.find,
    blocking_copies.find,
    optimizer_loop.find,
    zero_grad.find,
    unneeded_copies.find,
    conv_bias.find,
    cudnn_search.find,
    allocation_churn.find,
    data_parallel.find,
    gloo.find,
    communication.find,
    small_kernels.find,
    tensor_cores.find,
    memory_limit.find,
    fragmentation.find,
)
OF_RANKS: tuple[Callable[[Ranks], Found | None], ...] = (
    stragglers.find,
    imbalance.find,
)
_GRAVITY = {"high": 0, "medium": 1, "low": 2}


def advice(linked: LinkedTrace, window_ns: Window | None) -> Advice:
    """The findings of the steps that begin in the window; of the window itself where the recording has no steps."""
    case = Case(linked, window_ns)
    whole = "The recording has no steps: the numbers are of all of it."
    part = "No step begins in the selected part: the numbers are of that part as it is."
    notices = [] if case.steps else [whole if window_ns is None else part]
    return _advice(len(case.steps), case.step_us, [found for find in FINDINGS if (found := find(case)) is not None], notices)


def advice_of_ranks(linked: Mapping[int, LinkedTrace], windows: Mapping[int, Window | None]) -> Advice:
    """The findings that only several ranks together show; none of one rank."""
    if len(linked) < 2:
        return _advice(0, 0.0, [], ["Only one rank is at hand: whether ranks wait for each other is not known."])
    ranks = Ranks(linked, windows)
    return _advice(ranks.steps, ranks.step_us, [found for find in OF_RANKS if (found := find(ranks)) is not None], ranks.view.notices)


def _advice(steps: int, step_us: float, found: list[Found], notices: list[str]) -> Advice:
    found = sorted(found, key=lambda each: (_GRAVITY[each[0].severity], -(each[0].gain_us or 0)))
    return Advice(
        steps=steps,
        step_us=step_us,
        findings=[finding for finding, _ in found],
        lines=[line for _, lines in found for line in lines],
        notices=notices,
    )
