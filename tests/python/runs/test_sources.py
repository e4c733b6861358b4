"""Where a recorded file is now."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.runs.sources import file_name, locate


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name in ("train.py", "src/model.py", "pkg/train.py"):
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path / "work"


def test_the_recorded_path_wins_where_the_file_is_still_there(here: Path) -> None:
    assert locate(str(here / "train.py"), "/elsewhere", [], []) == here / "train.py"


def test_a_file_of_another_machine_is_found_relative_to_its_working_directory(here: Path) -> None:
    assert locate("/cluster/job/src/model.py", "/cluster/job", [], [here]) == here / "src" / "model.py"


def test_or_relative_to_its_sys_path(here: Path) -> None:
    assert locate("/lib/code/src/model.py", "/cluster/job", ["/lib/code"], [here]) == here / "src" / "model.py"


def test_two_different_answers_are_none(here: Path) -> None:
    assert locate("/cluster/pkg/train.py", "/cluster", ["/cluster/pkg"], [here]) is None
    assert locate("/cluster/train.py", "/cluster", [], [here, here / "pkg"]) is None


def test_the_same_file_found_twice_is_one_answer(here: Path) -> None:
    assert locate("/cluster/src/model.py", "/cluster", ["/cluster/src"], [here, here / "src"]) == here / "src" / "model.py"


def test_only_files_that_exist_and_no_way_out_of_the_workspace(here: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("")
    assert locate("/cluster/gone.py", "/cluster", [], [here]) is None
    assert locate("/cluster/../secret.py", "/cluster", [], [here]) is None
    assert locate("/cluster/src", "/cluster", [], [here]) is None
    assert locate("relative.py", "", [], [here]) is None
    assert locate("/cluster/\0.py", "/cluster", [], [here]) is None


def test_windows_paths_are_understood_everywhere(here: Path) -> None:
    assert locate("C:\\job\\src\\model.py", "c:\\job", [], [here]) == here / "src" / "model.py"
    assert file_name("C:\\job\\src\\model.py") == "model.py"
