"""The texts of files that no editor has open."""

from __future__ import annotations

import os
from pathlib import Path

from kinetoscope.service.texts import LineMaps


def test_a_text_is_read_again_when_it_changed(tmp_path: Path) -> None:
    file, maps = tmp_path / "a.py", LineMaps()
    file.write_text("one\n")
    assert maps.on_disk(file) == "one\n"
    file.write_text("another\n")
    assert maps.on_disk(file) == "another\n"
    file.unlink()
    assert maps.on_disk(file) is None


def test_a_file_too_large_to_be_a_source_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.touch()
    os.truncate(file, 20 * 1024 * 1024)
    assert LineMaps().on_disk(file) is None


def test_a_map_is_of_the_text_that_is_now_taken_for_the_profiled_one() -> None:
    maps = LineMaps()
    first = maps.map("run", "a.py", "a\nb\n", "a\nb\n")
    assert maps.map("run", "a.py", "a\nb\n", "a\nb\n") is first
    assert maps.map("run", "a.py", "x\na\nb\n", "a\nb\n").now(2) == (1, "shifted")
