"""Communication that no computation hides: the devices wait for each other's data while no kernel runs.

What to do depends on who communicates: DistributedDataParallel, FSDP, an all-to-all (experts, embedding tables), gradients that are reduced
by hand, or anything else.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import COLLECTIVES, DDP, FSDP
from kinetoscope.analysis.communication import Call, communication
from kinetoscope.analysis.distributed import communicating, computing
from kinetoscope.analysis.format import count
from kinetoscope.analysis.intervals import divide
from kinetoscope.trace.columns import Ints

ID = "communication"
_LEAST_SHARE = 0.05
_DDP_BUCKET_BYTES = 25 << 20
"""DDP's default; larger messages gain nothing from larger buckets."""
_MANY_CALLS = 4
_WIDE_TYPES = frozenset({"float", "float32", "double", "float64"})
_OF_FSDP = frozenset({"all_gather", "reduce_scatter"})


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires where it takes more than 5 % of the step. Waiting for ranks that come later is in it: one rank can't tell it from transfer.
    Nothing is said of messages of gloo and MPI: their ranges do not tell when data went."""
    talks = communication(case.linked)
    start, end = case.extents
    hidden, alone = divide(communicating(case.linked, talks), computing(case.linked, talks))
    exposed, overlap = (float(part.within(start, end).sum()) / 1000 / case.parts for part in (alone, hidden))
    calls = [call for call in talks.calls if _in(call.start_ns, start, end)]
    timed = bool(calls) and all(call.times_data for call in calls)
    if not timed or case.share(exposed) <= _LEAST_SHARE:
        return None
    kind, main = _dearest(calls)
    sized = [call.bytes for call in main if call.bytes >= 0]
    mean_bytes = sum(sized) / len(sized) if sized else None
    evidence = [
        Evidence(name="communication alone", value=exposed, unit="us"),
        Evidence(name="hidden behind computation", value=overlap, unit="us"),
        Evidence(name="hidden", value=100 * overlap / (overlap + exposed), unit="percent"),
        Evidence(name="collectives", value=case.per_step(len(calls)), unit="count"),
    ]
    if mean_bytes is not None:
        evidence.append(Evidence(name=f"mean size of {kind}", value=mean_bytes, unit="bytes"))
    remedy, link = _remedy(case, kind, main, mean_bytes, overlap < exposed)
    return (
        Finding(
            id=ID,
            severity=case.severity(exposed),
            title="Communication is not hidden behind computation",
            seen=(
                f"For {100 * case.share(exposed):.0f} % of the time the device only communicates, waiting for other ranks included; "
                f"{100 * overlap / (overlap + exposed):.0f} % of the communication is hidden. Most of it is {kind}, "
                f"{count(case.per_step(len(main)))} {case.each}."
            ),
            remedy=remedy,
            link=link,
            evidence=evidence,
            gain_us=exposed,
        ),
        _lines(case, calls),
    )


def _in(time_ns: int, start: Ints, end: Ints) -> bool:
    return bool(((start <= time_ns) & (time_ns < end)).any())


def _dearest(calls: list[Call]) -> tuple[str, list[Call]]:
    """The kind of collective that takes longest, and its calls."""
    of_kind: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        of_kind[call.kind].append(call)
    return max(of_kind.items(), key=lambda entry: sum(call.dur_ns for call in entry[1]))


def _remedy(case: Case, kind: str, main: list[Call], mean_bytes: float | None, mostly_alone: bool) -> tuple[str, str]:
    """What to do, and where it is documented. Nothing that the trace shows to be done or of no use."""
    wide = all(not call.dtype or call.dtype.lower() in _WIDE_TYPES for call in main)
    many = case.per_step(len(main)) >= _MANY_CALLS
    if len(case.ops(lambda name: name.startswith(("FullyShardedDataParallel", "FSDP::")))) and (kind in _OF_FSDP or kind == "unknown"):
        words = ["fetch the next layers' parameters earlier (forward_prefetch, set_modules_to_forward_prefetch)"]
        words += ["shard larger modules, so that there are fewer collectives"] if many else []
        words += ["reduce gradients in bfloat16 (MixedPrecisionPolicy)"] if wide else []
        return _sentence([*words, "use a larger batch per rank"]), FSDP
    if len(case.ops(lambda name: name == "DistributedDataParallel.forward")) and kind == "all_reduce":
        words = ["accumulate gradients over several batches under model.no_sync()"]
        words += ["halve what is sent with register_comm_hook(None, default_hooks.bf16_compress_hook)"] if wide else []
        words += ["try another bucket_cap_mb"] if mostly_alone and many and (mean_bytes or 0) < _DDP_BUCKET_BYTES else []
        return _sentence([*words, "use a larger batch per rank"]), DDP
    if kind == "all_reduce" and case.training:
        by_hand = "let DistributedDataParallel reduce the gradients: it sends them in buckets while the backward pass still computes"
        return _sentence([by_hand, "use a larger batch per rank"]), DDP
    words = ["call it with async_op=True and wait only where its result is needed"]
    words += ["send what belongs together in one call"] if many and (mean_bytes or 0) < _DDP_BUCKET_BYTES else []
    if kind == "all_to_all":
        words.append("split the batch, so that one part computes while the other communicates")
    words += ["send a narrower type"] if wide else []
    return _sentence(words), COLLECTIVES


def _sentence(words: list[str]) -> str:
    text = "; ".join(words)
    return f"{text[0].upper()}{text[1:]}."


def _lines(case: Case, calls: list[Call]) -> list[AdviceLine]:
    return case.lines(ID, _column([call.node for call in calls]), _column([call.dur_ns for call in calls]))


def _column(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)
