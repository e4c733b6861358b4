"""Broken traces of all kinds: refused with a reason, or read as far as they are sound, and never anything else.

A bounded number of rounds with fixed seeds; `bench/fuzz.py` goes on for as long as one likes with others.
"""

from __future__ import annotations

import random
import resource
import sys
from pathlib import Path

import pytest

from kinetoscope.trace import blocks as blocks_module
from kinetoscope.trace import reader
from support.broken import survives
from support.mutations import MUTATORS, made_traces, real_traces

TRACES = Path(__file__).resolve().parents[4] / "shared" / "traces"
MADE = made_traces()
ROUNDS, ROUNDS_OF_REAL = 8, 2
MORE_MEMORY_AT_MOST = 256 << 20


def broken_rounds(data: bytes, mutator: str, seed: str, folder: Path, rounds: int) -> None:
    rng = random.Random(seed)
    path = folder / "broken.json"
    for _ in range(rounds):
        path.write_bytes(MUTATORS[mutator](data, rng))
        survives(path)


@pytest.fixture(params=["one block", "many blocks"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether the file is read in one piece or in many."""
    if request.param == "many blocks":
        monkeypatch.setattr(blocks_module, "BLOCK_BYTES", 2048)
        monkeypatch.setattr(reader, "BLOCK_BYTES", 2048)
    return request.param


@pytest.mark.timeout(60)
@pytest.mark.parametrize("mutator", MUTATORS)
@pytest.mark.parametrize("name", MADE)
def test_nothing_but_a_trace_error_comes_of_a_broken_trace(name: str, mutator: str, blocks: str, tmp_path: Path) -> None:
    assert survives_whole(MADE[name], tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    broken_rounds(MADE[name], mutator, f"{name} {mutator} {blocks}", tmp_path, ROUNDS)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * (1 if sys.platform == "darwin" else 1024) < MORE_MEMORY_AT_MOST


@pytest.mark.timeout(60)
@pytest.mark.skipif(not TRACES.is_dir(), reason="the real traces are not at hand (shared/traces beside the checkout)")
@pytest.mark.parametrize("mutator", MUTATORS)
def test_nor_of_a_real_one(mutator: str, blocks: str, tmp_path: Path) -> None:
    for name, data in real_traces(TRACES, 70_000).items():
        if "golden" not in name:
            broken_rounds(data, mutator, f"{name} {mutator} {blocks}", tmp_path, ROUNDS_OF_REAL)


def survives_whole(data: bytes, folder: Path) -> bool:
    path = folder / "whole.json"
    path.write_bytes(data)
    return survives(path)
