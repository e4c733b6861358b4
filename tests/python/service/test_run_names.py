"""How runs are called in a list, so that each is told from the others."""

from __future__ import annotations

from kinetoscope.service.summaries import told_apart
from kinetoscope.service.wire import RunSummary


def run(main: str | None, name: str = "train.py") -> RunSummary:
    return RunSummary(
        path=f"/runs/{main}",
        kind="run",
        name=name,
        created="",
        main=main,
        argv=[],
        steps=1,
        step_source="none",
        outcome="complete",
        torch="",
        python="",
        devices=[],
        notices=[],
        size_bytes=1,
        problem=None,
    )


def names(*runs: RunSummary) -> list[str]:
    return [one.name for one in told_apart(list(runs))]


def test_runs_of_one_script_have_its_name() -> None:
    assert names(run("/p/train.py"), run("/p/train.py"), run("/p/eval.py", "eval.py")) == ["train.py", "train.py", "eval.py"]


def test_scripts_of_one_name_are_told_apart_by_their_folders_as_far_as_that_takes() -> None:
    assert names(run("/p/a/train.py"), run("/p/b/train.py"), run("/p/a/train.py")) == ["a/train.py", "b/train.py", "a/train.py"]
    assert names(run("/p/a/x/train.py"), run("/p/b/x/train.py")) == ["a/x/train.py", "b/x/train.py"]
    assert names(run("C:\\p\\a\\train.py"), run("C:\\p\\b\\train.py")) == ["a/train.py", "b/train.py"]


def test_a_run_whose_script_is_not_known_and_one_with_a_name_of_its_own_keep_theirs() -> None:
    assert names(run(None), run("/p/a/train.py"), run("/p/b/train.py", "night"), run("/p/c/eval.py", "night")) == [
        "train.py",
        "train.py",
        "night",
        "night",
    ]
