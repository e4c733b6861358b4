"""The whole way without an editor: the real recorder records a program while the real server watches, and its lines get their numbers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from kinetoscope.service import wire
from kinetoscope.service.programs import recorder_path
from support.lsp import editor

PROGRAM = """\
import torch


def forward(w, x):
    h = x @ w
    big = torch.zeros(512, 512)
    return h.relu() + big[0, 0]


w = torch.ones(64, 64, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = forward(w, torch.ones(64, 64)).sum()
    loss.backward()
    optimizer.step()
"""


async def test_a_script_recorded_beside_the_editor_gets_its_numbers(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    async with editor(tmp_path, inline={"metric": "memory", "threshold_percent": 5}) as window:
        uri = window.open(script)
        command = [sys.executable, str(recorder_path()), "--skip", "1", "--record", "2", str(script)]
        recording = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, stderr=asyncio.subprocess.PIPE)
        await window.until(lambda: any(isinstance(told, wire.RunArrived) and told.arrived is not None for told in window.told))
        await recording.communicate()
        assert (await window.hints(uri))[6].startswith("+1.0 MiB")
        lenses = await window.lenses(uri)
        assert list(lenses) == [4], "the loop's own lines allocate next to nothing"
        assert "in its lines" in lenses[4]
        hover = await window.hover(uri, 5)
        assert hover is not None
        assert "aten::" in hover
        assert "exact line" in hover
        view = await window.ask("kinetoscope/lines/view")
        assert view.steps == 2
        [zeros] = [row for row in view.rows if row.line == 6]
        assert (zeros.calls, zeros.alloc_bytes, zeros.precision) == (2, {"cpu": 2 * 1024 * 1024}, "line")
        window.tell(wire.InlineSettings(metric="cpu_time", threshold_percent=0))
        assert list(await window.lenses(uri)) == [4, 12]
        window.tell(wire.InlineSettings(metric="memory", threshold_percent=5))
        window.change(uri, "# edited\n" + PROGRAM)
        assert (await window.hints(uri))[7].startswith("+1.0 MiB")
