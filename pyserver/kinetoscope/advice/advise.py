"""All findings of a trace. A finding is a module with `find(case)`; this is the one list of them."""

from __future__ import annotations

from collections.abc import Callable

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
    memory_limit,
    optimizer_loop,
    small_kernels,
    synchronising,
    tensor_cores,
    unneeded_copies,
    zero_grad,
)
from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import Advice, AdviceLine, Finding
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
_GRAVITY = {"high": 0, "medium": 1, "low": 2}


def advice(linked: LinkedTrace, window_ns: tuple[int, int] | None) -> Advice:
    """The findings of the steps that begin in the window; of the window itself where the recording has no steps."""
    case = Case(linked, window_ns)
    found = [each for find in FINDINGS if (each := find(case)) is not None]
    found.sort(key=lambda each: (_GRAVITY[each[0].severity], -(each[0].gain_us or 0)))
    notices = [] if case.steps else ["The recording has no steps here: the numbers are of the whole of it."]
    return Advice(
        steps=len(case.steps),
        step_us=case.step_us,
        findings=[finding for finding, _ in found],
        lines=[line for _, lines in found for line in lines],
        notices=notices,
    )
