"""Advice on real traces: what the TensorBoard plugin's samples are known for, and no number that can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.advice.advise import advice
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
