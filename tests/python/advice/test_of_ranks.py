"""Findings that only several ranks together show: each on ranks that have the fault, and on ranks that have not.

Every rank runs one step of 1,000 µs; its `main` loads on line 2 and computes on line 3.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.advice.advise import OF_RANKS, advice_of_ranks
from kinetoscope.advice.finding import Advice
from support.kineto import ENTER, LINE
from support.ranks import Rank, says

TEXT = "def main():\n    batch = load()\n    loss = model(batch)\n"
LOAD, MODEL = 2, 3


def rank_of(number: int, loading_us: float) -> Rank:
    """It loads from 50 to 50 + `loading_us`."""
    rank = Rank(number, 3).step(1, 0, 1000)
    main = rank.code(rank.source("/project/train.py", TEXT), "main", 1)
    rank.log().add(1, ENTER, main, 1).add(50, LINE, main, LOAD).add(50 + loading_us, LINE, main, MODEL)
    return rank


def late_loader(fault: bool) -> list[Rank]:
    """All end their second all-reduce at 700; the second rank, if it loads for 400 µs longer, comes last to it by so much."""
    ranks: list[Rank] = []
    for number in (0, 1, 2):
        longer = 400 if fault and number == 1 else 0
        rank = rank_of(number, 50 + longer).collective("all_reduce", 20, 30, 20, **says("allreduce", 10, ranks=3))
        rank.op("aten::mm", 110 + longer, 20).kernel("gemm", 112 + longer, 120 + longer, 20)
        ranks.append(rank.collective("all_reduce", 200 + longer, 210 + longer, 490 - longer, **says("allreduce", 10, ranks=3)))
    return ranks


def late_by_turns(waits: list[tuple[int, float]], world: int) -> list[Rank]:
    """One step of 10,000 µs; to one collective after the other comes one rank by so much later than the others."""
    ranks: list[Rank] = []
    for number in range(world):
        rank = Rank(number, world).step(1, 0, 10_000)
        at = 100.0
        for late, wait in waits:
            begin = at + (wait if number == late else 0)
            rank.collective("all_reduce", begin - 20, begin, at + wait + 20 - begin, **says("allreduce", 10, ranks=world))
            at += wait + 120
        ranks.append(rank)
    return ranks


def unequal(fault: bool) -> list[Rank]:
    """The first rank computes for 500 µs, or 110, the others for 100; nothing is known of their collectives."""
    ranks: list[Rank] = []
    for number, gemm in ((0, 500 if fault else 110), (1, 100), (2, 100)):
        rank = rank_of(number, 10)
        rank.kernel("gemm", 150, 160, gemm)
        ranks.append(rank)
    return ranks


def advice_to(folder: Path, ranks: list[Rank]) -> Advice:
    linked = {rank.rank: rank.linked(folder) for rank in ranks}
    return advice_of_ranks(linked, dict.fromkeys(linked))


def test_a_rank_that_loads_longer_makes_the_others_wait(tmp_path: Path) -> None:
    result = advice_to(tmp_path, late_loader(True))
    [finding] = result.findings
    assert (finding.id, finding.severity, finding.title) == ("stragglers", "high", "Rank 1 is late to collectives, and the others wait")
    assert finding.gain_us == pytest.approx(800 / 3)
    assert "100 % of it for rank 1, which came last to 1 of a step's collectives" in finding.seen
    assert "Mostly its host took longer than those of the others: /project/train.py:2." in finding.seen
    assert finding.remedy.startswith("Move what only this rank does")
    [line] = result.lines
    assert (line.rank, line.file, line.line, line.source, line.us) == (1, "/project/train.py", LOAD, "batch = load()", pytest.approx(400))
    assert (result.steps, result.step_us) == (1, 1000)


def test_ranks_that_come_together_wait_for_nobody(tmp_path: Path) -> None:
    assert advice_to(tmp_path, late_loader(False)).findings == []


def test_a_rank_for_which_the_others_hardly_wait_is_not_named(tmp_path: Path) -> None:
    waits = [(1, 900.0), (2, 900.0), (0, 90.0)]  # The last is below a hundredth of the step.
    [finding] = advice_to(tmp_path, late_by_turns(waits, 3)).findings
    assert finding.title == "Ranks 1, 2 are late to collectives, and the others wait"
    waits[2] = (0, 110.0)
    [finding] = advice_to(tmp_path, late_by_turns(waits, 3)).findings
    assert finding.title == "Ranks 1, 2, 0 are late to collectives, and the others wait"


def test_where_each_is_late_by_a_little_none_is_named(tmp_path: Path) -> None:
    result = advice_to(tmp_path, late_by_turns([(rank, 90.0) for rank in range(8)], 8))
    [finding] = result.findings
    assert finding.title == "Ranks are by turns late to collectives, and the others wait"
    assert "at most 12 % of it for rank 0" in finding.seen
    assert "No rank is late by itself" in finding.seen
    assert result.lines == []


def test_waits_within_what_clocks_differ_by_make_nobody_late(tmp_path: Path) -> None:
    many = 72  # Each rank waits for 9 µs before most of them: 5.7 % of the step.
    assert advice_to(tmp_path, late_by_turns([(turn % 8, 9.0) for turn in range(many)], 8)).findings == []
    [finding] = advice_to(tmp_path, late_by_turns([(turn % 8, 11.0) for turn in range(many)], 8)).findings
    assert finding.title == "Ranks are by turns late to collectives, and the others wait"


def test_waiting_explains_communication_that_one_rank_alone_would_be_advised_on(tmp_path: Path) -> None:
    [finding] = advice_to(tmp_path, late_loader(True)).findings
    assert finding.explains == ["communication"]


def test_a_rank_with_more_work_than_the_others_is_told_with_its_lines(tmp_path: Path) -> None:
    result = advice_to(tmp_path, unequal(True))
    [finding] = result.findings
    assert (finding.id, finding.severity) == ("imbalance", "high")
    assert finding.gain_us == pytest.approx(500 - 700 / 3)
    assert [(line.rank, line.line, line.us) for line in result.lines] == [(0, MODEL, pytest.approx(400))]


def test_ranks_with_equal_work_are_not_advised(tmp_path: Path) -> None:
    assert advice_to(tmp_path, unequal(False)).findings == []


def test_every_finding_of_ranks_is_tested_here() -> None:
    assert {find.__module__.rpartition(".")[2] for find in OF_RANKS} == {"stragglers", "imbalance"}


def test_one_rank_alone_is_said_to_tell_nothing(tmp_path: Path) -> None:
    result = advice_to(tmp_path, late_loader(True)[:1])
    assert (result.findings, result.notices) == ([], ["Only one rank is at hand: whether ranks wait for each other is not known."])
