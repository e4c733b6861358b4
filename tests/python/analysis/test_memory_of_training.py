"""What the memory of a real training is for: torch records it on the CPU, and how much there is of each kind is known by construction."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from kinetoscope.analysis.memory import memory
from kinetoscope.analysis.modules import modules
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace

FLOAT = 4
INPUTS, HIDDEN, OUTPUTS, BATCH = 256, 512, 64, 128
PARAMETERS = FLOAT * (INPUTS * HIDDEN + HIDDEN + HIDDEN * OUTPUTS + OUTPUTS)

PROGRAM = f"""
import sys
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

with profile(activities=[ProfilerActivity.CPU], profile_memory=True, with_stack=True, with_modules=True) as recorded:
    net = nn.Sequential(nn.Linear({INPUTS}, {HIDDEN}), nn.ReLU(), nn.Linear({HIDDEN}, {OUTPUTS}))
    optimizer = torch.optim.Adam(net.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randn({BATCH}, {INPUTS}), torch.randn({BATCH}, {OUTPUTS})
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
recorded.export_chrome_trace(sys.argv[1])
"""


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> LinkedTrace:
    if find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here")
    path = tmp_path_factory.mktemp("training") / "rank0.pt.trace.json"
    subprocess.run([sys.executable, "-c", PROGRAM, str(path)], check=True, capture_output=True, timeout=150)
    return link(read_trace(path, lambda done, total: None), str(path))


def test_parameters_gradients_and_optimizer_state_at_the_peak_are_what_the_model_has(training: LinkedTrace) -> None:
    [device] = memory(training).devices
    assert device.peak is not None
    kinds = {owner.name: owner.bytes for owner in device.peak.categories}
    assert kinds["parameter"] == PARAMETERS
    assert kinds["gradient"] == PARAMETERS
    step_counts = FLOAT * 4
    assert kinds["optimizer state"] == 2 * PARAMETERS + step_counts


def test_the_hidden_layer_is_kept_for_backward_once_a_step(training: LinkedTrace) -> None:
    [device] = memory(training).devices
    hidden = [event for event in device.events if event.category == "activation" and event.bytes == FLOAT * BATCH * HIDDEN]
    assert [event.operator for event in hidden] == ["aten::clamp_min"] * 2


def test_modules_are_called_once_a_step_and_own_their_gradients(training: LinkedTrace) -> None:
    rows = {row.name: row for row in modules(training).rows}
    assert {name: (row.calls, row.parent) for name, row in rows.items()} == {
        "Sequential_0": (2, -1),
        "Linear_0": (2, 0),
        "ReLU_0": (2, 0),
        "Linear_1": (2, 0),
    }
    assert all(rows[name].host_backward_self_us > 0 for name in ("Linear_0", "ReLU_0", "Linear_1"))
    assert rows["Linear_0"].peak_self_bytes["cpu"] >= FLOAT * (INPUTS * HIDDEN + HIDDEN)
