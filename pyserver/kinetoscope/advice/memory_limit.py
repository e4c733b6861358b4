"""The device's memory is nearly full. As the TensorBoard plugin's seventh rule: more than 90 % of it is allocated at the peak.

What to do depends on what fills it, by the categories of the memory view.
"""

from __future__ import annotations

from kinetoscope.advice.device_memory import gib, held, lines_of_peak
from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine, Evidence, Finding
from kinetoscope.advice.links import CHECKPOINT, FSDP, INFERENCE_MODE
from kinetoscope.analysis.memory import memory
from kinetoscope.trace.columns import distinct

ID = "memory-limit"
_FULL = 0.9
_OF_THE_MODEL = ("parameter", "gradient", "optimizer state")
_INFERENCE = "Where it is not held on purpose, as a cache is: use a smaller batch, torch.inference_mode(), or weights in a narrower type."


def find(case: Case) -> tuple[Finding, list[AdviceLine]] | None:
    """Fires for the fullest device. Needs `profile_memory=True` and the device's size."""
    full = [one for one in held(case) if one.total and one.allocated > _FULL * one.total]
    if not full:
        return None
    fullest = max(full, key=lambda one: one.allocated / (one.total or 1))
    total = fullest.total or 1
    report = next(one for one in memory(case.linked, case.window_ns).devices if one.device == fullest.device)
    by_category = {owner.name: owner.bytes for owner in report.peak.categories} if report.peak else {}
    before = (report.peak.before_bytes or 0) if report.peak else 0
    # What was allocated before the recording outlives steps: mostly the model and its optimizer's state.
    model = sum(by_category.get(name, 0) for name in _OF_THE_MODEL) + before
    evidence = [
        Evidence(name="peak allocated", value=fullest.allocated, unit="bytes"),
        Evidence(name="memory of the device", value=total, unit="bytes"),
        Evidence(name="allocated", value=100 * fullest.allocated / total, unit="percent"),
    ]
    evidence += [Evidence(name=f"{name} at the peak", value=size, unit="bytes") for name, size in by_category.items() if name != "unknown"]
    if report.peak is not None and report.peak.before_bytes is not None:
        evidence.append(Evidence(name="allocated before the recording", value=report.peak.before_bytes, unit="bytes"))
    remedy, link = _remedy(case, model > fullest.allocated / 2) if case.training else (_INFERENCE, INFERENCE_MODE)
    return (
        Finding(
            id=ID,
            severity="high" if case.training else "low",
            title="The device's memory is nearly full",
            seen=(
                f"At the peak {gib(fullest.allocated)} of the {gib(total)} of {fullest.device} are allocated "
                f"({100 * fullest.allocated / total:.0f} %), {gib(before)} of them since before the recording."
            ),
            remedy=remedy,
            link=link,
            evidence=evidence,
        ),
        lines_of_peak(case, ID, fullest.memory),
    )


def _remedy(case: Case, mostly_model: bool) -> tuple[str, str]:
    """Of training, without what the trace shows to be done: sharding, recomputing, computing in a narrow type."""
    sharded = len(case.ops(lambda name: name.startswith(("FullyShardedDataParallel", "FSDP::"))))
    recomputing = bool((case.linked.op.recomputed & case.op_inside).any())
    types = [number for number in distinct(case.trace.ops.input_types) if number >= 0]
    narrow = any("c10::Half" in case.trace.names[one] or "c10::BFloat16" in case.trace.names[one] for one in types)
    ways = [] if recomputing else ["recompute activations in backward (torch.utils.checkpoint)"]
    ways.append("use smaller batches and accumulate their gradients")
    ways += [] if narrow else ["compute in torch.autocast"]
    shard = "shard parameters, gradients and optimizer state over several devices (FSDP's fully_shard, or ZeroRedundancyOptimizer)"
    if mostly_model and not sharded:
        return f"{_capital(shard)}. Smaller batches help little here.", FSDP
    return f"{_capital('; '.join([*ways, *([] if sharded else [shard])]))}.", FSDP if recomputing and not sharded else CHECKPOINT


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"
