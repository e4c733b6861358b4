"""Advice on real traces: what the TensorBoard plugin's samples are known for, and no number that can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.advice.advise import advice, advice_of_ranks
from kinetoscope.advice.finding import Advice
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace

TRACES = Path(__file__).resolve().parents[4] / "shared" / "traces"
pytestmark = pytest.mark.skipif(
    not TRACES.is_dir(), reason=f"the real traces are not at hand ({TRACES.parent.name}/{TRACES.name} beside the checkout)"
)
WITHOUT_WORKERS = "tb_plugin_samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"
WITH_WORKERS = "tb_plugin_samples/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"


def of(name: str) -> Advice:
    path = TRACES / name
    return advice(link(read_trace(path, lambda done, total: None), name), None)


def test_the_plugin_s_sample_without_workers_starves_and_the_one_with_workers_does_not() -> None:
    """The plugin's golden file has 59,262 µs of DataLoader in a step of the first."""
    starved = {finding.id: finding for finding in of(WITHOUT_WORKERS).findings}
    assert starved["data-loader"].gain_us == pytest.approx(59_262, abs=1)
    assert {"optimizer-loop", "zero-grad"} <= set(starved)
    assert "data-loader" not in {finding.id for finding in of(WITH_WORKERS).findings}


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        pytest.param(WITH_WORKERS, {"tensor-cores"}, {"small-kernels", "communication"}, id="ResNet in float32 on V100"),
        pytest.param("nvidia_v100_ns_rank0.pt.trace.json.gz", {"tensor-cores"}, {"small-kernels", "communication"}, id="busy V100"),
        pytest.param(
            "nvidia_v100_memory_us.json.gz", {"communication", "tensor-cores", "fragmentation"}, {"memory-limit"}, id="all-reduce by hand"
        ),
        pytest.param("nvidia_a100_nccl_rank0of2.json.gz", {"communication", "small-kernels"}, {"tensor-cores"}, id="TF32 on A100"),
        pytest.param("nvidia_h100_bert_infer.json.gz", {"small-kernels"}, {"tensor-cores", "synchronising-lines"}, id="small BERT"),
        pytest.param("amd_mi300_sd35_infer.json.gz", {"small-kernels"}, {"tensor-cores", "synchronising-lines"}, id="waits at its end"),
        pytest.param("amd_mi300_resnet_checkpoint_train.json.gz", {"communication"}, {"small-kernels"}, id="graph-free but busy"),
    ],
)
def test_real_programs_are_told_what_ails_them_and_nothing_that_does_not(name: str, has: set[str], has_not: set[str]) -> None:
    found = {finding.id for finding in of(name).findings}
    assert has <= found
    assert not has_not & found


def test_gradients_that_are_reduced_one_by_one_are_advised_ddp() -> None:
    """404 all-reduces a step, none of them hidden."""
    finding = next(finding for finding in of("nvidia_v100_memory_us.json.gz").findings if finding.id == "communication")
    assert "404 per step" in finding.seen
    assert finding.remedy.startswith("Let DistributedDataParallel reduce the gradients")


def test_gradients_in_bfloat16_are_not_advised_to_be_narrowed() -> None:
    finding = next(finding for finding in of("amd_mi300_resnet_checkpoint_train.json.gz").findings if finding.id == "communication")
    assert finding.remedy == "Accumulate gradients over several batches under model.no_sync(); use a larger batch per rank."


def test_of_eight_ranks_the_one_that_waits_least_made_the_others_wait() -> None:
    ranks = {
        rank: link(read_trace(TRACES / f"nvidia_v100_dlrm_8ranks/worker{rank}.pt.trace.json.gz", lambda done, total: None), str(rank))
        for rank in range(8)
    }
    [finding] = advice_of_ranks(ranks, dict.fromkeys(ranks)).findings
    assert (finding.id, finding.title) == ("stragglers", "Rank 7 is late to collectives, and the others wait")
    assert finding.gain_us == pytest.approx(5851, abs=1)
    assert finding.explains == ["communication"]


@pytest.mark.parametrize(
    "name",
    [
        WITHOUT_WORKERS,
        "nvidia_h100_owlv2_infer.json.gz",
        "nvidia_v100_dlrm_8ranks/worker1.pt.trace.json.gz",
        "nvidia_a100_cuda_sync.json.gz",
    ],
)
def test_no_number_is_below_zero_and_no_gain_above_the_step(name: str) -> None:
    result = of(name)
    for finding in result.findings:
        assert all(evidence.value >= 0 for evidence in finding.evidence)
        assert 0 <= (finding.gain_us or 0) <= result.step_us
    assert all(line.us >= 0 and line.calls > 0 for line in result.lines)
