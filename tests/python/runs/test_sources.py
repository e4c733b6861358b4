"""Where a recorded file is now: each way, their order, and that nothing is guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kinetoscope.runs.sources import (
    Ambiguous,
    Fit,
    Found,
    Machine,
    Missing,
    PathMapping,
    Resolution,
    Roots,
    file_name,
    resolve,
)
from kinetoscope.runs.workspace_files import walk

FILES = ("train.py", "src/model.py", "src/pkg/util.py", "pkg/train.py", "src/pkg/__init__.py")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name in FILES:
        write(tmp_path / "work" / name)
    return tmp_path / "work"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def machine(*folders: Path, **fields: object) -> Machine:
    """A machine with workspace folders, searched now."""
    return Machine(folders=folders, named=walk(folders).named, **fields)  # type: ignore[arg-type]


def job(*sys_path: str) -> Roots:
    return Roots("/cluster/job", sys_path)


def mapping(*pairs: tuple[str, Path]) -> tuple[PathMapping, ...]:
    return tuple(PathMapping(remote, str(local)) for remote, local in pairs)


def path_of(resolution: Resolution) -> Path | None:
    return resolution.path if isinstance(resolution, Found) else None


def only(*fitting: Path) -> Callable[[Path], Fit]:
    def fit(path: Path) -> Fit:
        return "yes" if path in fitting else "no"

    return fit


class TestRecordedPlaces:
    def test_the_recorded_path_wins_where_the_file_is_still_there(self, here: Path) -> None:
        assert resolve(str(here / "train.py"), Roots("/elsewhere"), machine(here / "pkg")) == Found(here / "train.py", "recorded")

    def test_a_file_of_another_machine_is_found_relative_to_its_working_directory(self, here: Path) -> None:
        assert resolve("/cluster/job/src/model.py", job(), machine(here)) == Found(here / "src" / "model.py", "workspace")

    def test_or_relative_to_its_sys_path(self, here: Path) -> None:
        assert path_of(resolve("/lib/code/src/model.py", job("/lib/code"), machine(here))) == here / "src" / "model.py"

    def test_a_relative_name_is_found_below_the_recorded_roots_that_are_here(self, here: Path) -> None:
        assert resolve("pkg/util.py", Roots("/gone", (str(here / "src"),)), Machine()) == Found(here / "src/pkg/util.py", "roots")

    def test_two_different_answers_are_asked_about(self, here: Path) -> None:
        both = (here / "train.py", here / "pkg" / "train.py")
        assert resolve("/c/pkg/train.py", Roots("/c/pkg", ("/c",)), machine(here)) == Ambiguous(both, "workspace")
        assert resolve("/c/train.py", Roots("/c"), machine(here, here / "pkg")) == Ambiguous(both, "workspace")

    def test_unless_the_text_of_one_fits(self, here: Path) -> None:
        there = resolve("/c/pkg/train.py", Roots("/c/pkg", ("/c",)), machine(here), only(here / "pkg" / "train.py"))
        assert path_of(there) == here / "pkg" / "train.py"

    def test_the_same_file_found_twice_is_one_answer(self, here: Path) -> None:
        found = resolve("/cluster/src/model.py", Roots("/cluster", ("/cluster/src",)), machine(here, here / "src"))
        assert path_of(found) == here / "src" / "model.py"


class TestMappings:
    def test_the_longest_remote_root_wins(self, here: Path) -> None:
        roots = mapping(("/cluster", here), ("/cluster/job", here / "src"), ("/clu", here / "pkg"))
        assert resolve("/cluster/job/model.py", Roots(), Machine(mappings=roots)) == Found(here / "src" / "model.py", "mapping")

    def test_a_shorter_one_is_taken_where_the_longest_leads_to_no_file(self, here: Path) -> None:
        roots = mapping(("/cluster/job", here / "src"), ("/cluster", here / "src"))
        assert path_of(resolve("/cluster/job/train.py", Roots(), Machine(mappings=roots))) is None
        assert path_of(resolve("/cluster/pkg/util.py", Roots(), Machine(mappings=roots))) == here / "src/pkg/util.py"

    def test_a_mapping_comes_before_the_recorded_path_and_the_workspace(self, here: Path) -> None:
        roots = mapping((str(here), here / "pkg"))
        assert resolve(str(here / "train.py"), Roots(str(here)), machine(here, mappings=roots)) == Found(
            here / "pkg" / "train.py", "mapping"
        )

    def test_a_remote_root_ends_at_a_separator(self, here: Path) -> None:
        assert resolve("/cluster/train.py", Roots(), Machine(mappings=mapping(("/clus", here)))) == Missing(("mapping", "recorded"))

    @pytest.mark.parametrize("remote", ["C:\\Users\\me\\job", "c:/users/ME/job/", "C:\\Users\\.\\me\\x\\..\\job"])
    def test_windows_roots_and_names_in_any_case_and_with_either_separator(self, here: Path, remote: str) -> None:
        there = Machine(mappings=mapping((remote, here)))
        for name in ("C:\\Users\\me\\job\\src\\model.py", "c:/Users/me/Job/src/model.py"):
            assert path_of(resolve(name, Roots(), there)) == here / "src" / "model.py"

    def test_a_network_share_can_be_mapped(self, here: Path) -> None:
        there = Machine(mappings=mapping(("\\\\server\\share\\job", here)))
        assert path_of(resolve("\\\\SERVER\\share\\job\\src\\model.py", Roots(), there)) == here / "src" / "model.py"

    def test_posix_names_keep_their_case(self, here: Path) -> None:
        assert path_of(resolve("/Cluster/train.py", Roots(), Machine(mappings=mapping(("/cluster", here))))) is None

    def test_a_relative_name_is_tried_below_each_local_root(self, here: Path) -> None:
        roots = mapping(("/a", here / "src"), ("/b", here))
        assert path_of(resolve("model.py", Roots(), Machine(mappings=roots))) == here / "src" / "model.py"
        assert path_of(resolve("pkg\\util.py", Roots(), Machine(mappings=roots))) == here / "src" / "pkg" / "util.py"
        both = mapping(("/a", here / "pkg"), ("/b", here))
        assert resolve("train.py", Roots(), Machine(mappings=both)) == Ambiguous((here / "pkg" / "train.py", here / "train.py"), "mapping")

    def test_an_empty_remote_root_is_of_relative_names_only(self, here: Path) -> None:
        there = Machine(mappings=mapping(("", here / "src"), ("/x", here)))
        assert path_of(resolve("pkg/util.py", Roots(), there)) == here / "src" / "pkg" / "util.py"
        assert path_of(resolve("/pkg/util.py", Roots(), there)) is None

    def test_a_mapping_of_one_file_may_give_it_another_name(self, here: Path) -> None:
        one = mapping(("/cluster/old.py", here / "train.py"))
        assert path_of(resolve("/cluster/old.py", Roots(), Machine(located=one))) == here / "train.py"

    def test_what_the_user_answered_comes_after_mappings_but_settles_what_they_leave_open(self, here: Path) -> None:
        answer = mapping(("", here / "pkg"))
        clear = Machine(mappings=mapping(("", here)), located=answer)
        assert resolve("train.py", Roots(), clear) == Found(here / "train.py", "mapping")
        unclear = Machine(mappings=mapping(("/a", here / "pkg"), ("/b", here)), located=answer)
        assert resolve("train.py", Roots(), unclear) == Found(here / "pkg" / "train.py", "located")


class TestWorkspaceSearch:
    def test_a_relative_name_is_found_in_any_folder_where_all_its_parts_are(self, here: Path) -> None:
        assert resolve("pkg/util.py", Roots(), machine(here)) == Found(here / "src" / "pkg" / "util.py", "workspace")

    def test_a_file_name_alone_is_certain_only_in_a_workspace_folder_itself(self, here: Path) -> None:
        (here / "pkg" / "train.py").unlink()
        assert path_of(resolve("train.py", Roots(), machine(here))) == here / "train.py"
        assert resolve("model.py", Roots(), machine(here)) == Ambiguous((here / "src" / "model.py",), "workspace")
        assert path_of(resolve("model.py", Roots(), machine(here), only(here / "src/model.py"))) == here / "src/model.py"

    def test_a_file_in_a_workspace_folder_does_not_hide_another_of_its_name(self, here: Path) -> None:
        both = (here / "train.py", here / "pkg" / "train.py")
        assert resolve("train.py", Roots(), machine(here)) == Ambiguous(both, "workspace")
        assert path_of(resolve("train.py", Roots(), machine(here), only(both[1]))) == both[1]

    def test_of_an_absolute_name_the_most_trailing_parts_win(self, here: Path) -> None:
        write(here / "old" / "util.py")
        assert path_of(resolve("/home/other/src/pkg/util.py", Roots(), machine(here))) == here / "src" / "pkg" / "util.py"
        assert path_of(resolve("D:\\other\\PKG\\util.py", Roots(), machine(here))) == here / "src" / "pkg" / "util.py"

    def test_two_equally_good_ones_are_asked_about(self, here: Path) -> None:
        other = write(here / "old" / "pkg" / "util.py")
        found = resolve("/home/other/lib/pkg/util.py", Roots(), machine(here))
        assert isinstance(found, Ambiguous)
        assert set(found.candidates) == {other, here / "src" / "pkg" / "util.py"}

    def test_one_trailing_part_is_a_question_and_so_is_a_packages_init(self, here: Path) -> None:
        assert resolve("/home/other/model.py", Roots(), machine(here)) == Ambiguous((here / "src" / "model.py",), "workspace")
        init = here / "src" / "pkg" / "__init__.py"
        assert resolve("/home/other/pkg/__init__.py", Roots(), machine(here)) == Ambiguous((init,), "workspace")
        assert path_of(resolve("/home/src/pkg/__init__.py", Roots(), machine(here))) == init

    def test_a_file_whose_text_is_another_is_a_question(self, here: Path) -> None:
        assert isinstance(resolve("pkg/util.py", Roots(), machine(here), only()), Ambiguous)

    def test_a_search_that_was_cut_short_proves_nothing(self, here: Path) -> None:
        short = Machine(folders=(here,), named=walk([here], most_entries=4).named)
        assert not walk([here], most_entries=4).named("train.py").whole
        assert isinstance(resolve("pkg/train.py", Roots(), short), Ambiguous)

    def test_installed_hidden_and_generated_files_are_left_out(self, here: Path) -> None:
        for folder in (".git", "node_modules/x", ".venv/lib", "env/lib", "src/__pycache__", "lib/site-packages"):
            write(here / folder / "solver.py")
        write(here / "env" / "pyvenv.cfg")
        (here / "round").symlink_to(here)
        assert walk([here]).named("solver.py").files == ()
        assert walk([here]).named("Util.py").files == (here / "src" / "pkg" / "util.py",)

    def test_an_installed_file_of_another_machine_needs_all_its_parts(self, here: Path) -> None:
        name = "/opt/conda/lib/python3.10/site-packages/torch/src/pkg/util.py"
        assert path_of(resolve(name, Roots(), machine(here))) is None
        clone = write(here / "torch" / "src" / "pkg" / "util.py")
        assert path_of(resolve(name, Roots(), machine(here))) == clone


class TestInterpreter:
    def test_installed_files_are_found_by_its_sys_path(self, tmp_path: Path) -> None:
        linear = write(tmp_path / "site-packages" / "torch" / "nn" / "linear.py")
        there = Machine(interpreter=(tmp_path / "none", tmp_path / "site-packages"))
        for name in (
            "torch/nn/linear.py",
            "/opt/conda/lib/python3.10/site-packages/torch/nn/linear.py",
            "C:\\Python\\Lib\\site-packages\\torch\\nn\\linear.py",
        ):
            assert resolve(name, Roots(), there) == Found(linear, "interpreter")

    def test_and_those_of_the_standard_library(self, tmp_path: Path) -> None:
        decoder = write(tmp_path / "json" / "decoder.py")
        there = Machine(interpreter=(tmp_path,))
        for name in ("/usr/lib/python3.12/json/decoder.py", "C:\\Python312\\Lib\\json\\decoder.py", "json/decoder.py"):
            assert path_of(resolve(name, Roots(), there)) == decoder

    def test_but_no_absolute_file_of_the_users(self, tmp_path: Path) -> None:
        write(tmp_path / "job" / "train.py")
        assert path_of(resolve("/cluster/job/train.py", Roots(), Machine(interpreter=(tmp_path,)))) is None


class TestHostileNames:
    def test_only_files_that_exist_and_no_way_out_of_a_root(self, here: Path, tmp_path: Path) -> None:
        write(tmp_path / "secret.py")
        everywhere = machine(here, mappings=mapping(("/cluster", here)), interpreter=(here,))
        for name in (
            "/cluster/gone.py",
            "/cluster/../secret.py",
            "../secret.py",
            "src/../../secret.py",
            "..\\secret.py",
            "C:secret.py",
            "/cluster/..\\..\\secret.py",
            "/cluster/src",
            "",
            "/",
            ".",
            "/cluster/\0.py",
            "/cluster/" + "a" * 5000 + ".py",
            "/cluster/" + "a" * 300 + ".py",
        ):
            assert isinstance(resolve(name, Roots("/cluster", ("", "/")), everywhere), Missing), name

    def test_dots_inside_a_name_are_resolved_by_its_parts(self, here: Path) -> None:
        assert path_of(resolve("/cluster/job/scripts/../src/./model.py", job(), machine(here))) == here / "src" / "model.py"

    def test_what_was_tried_is_said(self, here: Path) -> None:
        there = machine(here, mappings=mapping(("/x", here)), interpreter=(here,))
        assert resolve("gone.py", Roots("/c"), there) == Missing(("mapping", "roots", "workspace", "interpreter"))
        assert resolve("/gone.py", Roots(), Machine()) == Missing(("recorded",))

    def test_windows_paths_are_understood_everywhere(self, here: Path) -> None:
        assert path_of(resolve("C:\\job\\src\\model.py", Roots("c:\\job"), machine(here))) == here / "src" / "model.py"
        assert file_name("C:\\job\\src\\model.py") == "model.py"
