"""Running the program as `python script.py` or `python -m module` would: same argv, `__main__`, `sys.path[0]`, exit code and tracebacks."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import zipfile
from types import ModuleType, TracebackType
from typing import Any

from .messages import Problem
from .options import Options

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
EXIT_BY_SIGINT = 130


class Outcome:
    """How the program ended: its exit code, and whether an exception or Ctrl+C ended it."""

    def __init__(self) -> None:
        self.code = 0
        self.interrupted = False


def check(options: Options) -> None:
    """Raise Problem where there is nothing to run."""
    if not options.is_module and not os.path.exists(options.target):
        raise Problem(
            f"There is no script {options.target} in {os.getcwd()}.",
            "Check the path; options of the recorder stand before the script, its own after it.",
        )


def prepare(options: Options, as_module: bool) -> None:
    """Set `sys.argv`, `sys.path` and `__main__`. `as_module`: we were started by -m, so that `sys.path[0]` is the working directory."""
    arguments = list(options.arguments)
    if as_module and not getattr(sys.flags, "safe_path", False) and sys.path:
        del sys.path[0]
    sys.argv[:] = ["-m" if options.is_module else options.target, *arguments]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [sys.executable, *(["-m"] if options.is_module else []), options.target, *arguments]  # type: ignore[attr-defined]
    if not getattr(sys.flags, "safe_path", False) and not sys.flags.isolated:
        sys.path.insert(0, _first_of_path(options))
    elif _is_container(options):
        sys.path.insert(0, os.path.abspath(options.target))
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    main.__dict__.setdefault("__annotations__", {})
    sys.modules["__main__"] = main


def _is_container(options: Options) -> bool:
    return not options.is_module and (os.path.isdir(options.target) or zipfile.is_zipfile(options.target))


def _first_of_path(options: Options) -> str:
    if options.is_module:
        return os.getcwd()
    if _is_container(options):
        return os.path.abspath(options.target)
    path = options.target
    if os.path.islink(path):
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return os.path.dirname(os.path.abspath(path))


def main_file(options: Options) -> str | None:
    """The file that will be `__main__`, as far as that is known before it runs."""
    if _is_container(options):
        return os.path.join(options.target, "__main__.py")
    if not options.is_module:
        return options.target
    try:
        spec = importlib.util.find_spec(options.target)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(options.target + ".__main__")
    except (ImportError, AttributeError, ValueError):
        return None
    return spec.origin if spec is not None else None


def run(options: Options, outcome: Outcome) -> None:
    """Run the program to its end. What it raises is raised, SystemExit too; a traceback that is printed later shows no frame of ours."""
    try:
        if options.is_module:
            runpy._run_module_as_main(options.target)  # type: ignore[attr-defined]  # pyright: ignore
        elif _is_container(options):
            runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]  # pyright: ignore
        else:
            _run_script(os.path.abspath(options.target))
    except SystemExit as error:
        outcome.code = _exit_code(error.code)
        raise
    except BaseException as error:
        outcome.interrupted = True
        outcome.code = EXIT_BY_SIGINT if isinstance(error, KeyboardInterrupt) else 1
        _hide_our_frames_when_printed()
        raise


def _run_script(path: str) -> None:
    namespace = sys.modules["__main__"].__dict__
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    namespace.update(__file__=path, __loader__=loader, __cached__=None)
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, path, "exec", dont_inherit=True), namespace)


def _exit_code(code: Any) -> int:
    """The exit code that Python gives for SystemExit(code)."""
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def _hide_our_frames_when_printed() -> None:
    """Let the exception go up through our frames, for Python then ends the process as it should, but hide them from whoever prints it."""
    hook = sys.excepthook

    def without_our_frames(kind: Any, error: BaseException, traceback: TracebackType | None) -> None:
        sys.excepthook = hook
        shown = _trim(_below_launch(traceback))
        _trim_chain(error, set())
        error.__traceback__ = shown
        sys.last_traceback = shown
        hook(kind, error, shown)

    sys.excepthook = without_our_frames


def _below_launch(traceback: TracebackType | None) -> TracebackType | None:
    """What lies below the call of `run`: above it are our entry and, when that was started by -m, Python's own."""
    entry = traceback
    while entry is not None and entry.tb_frame.f_code is not run.__code__:
        entry = entry.tb_next
    return traceback if entry is None else entry.tb_next


def _trim(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without the entries of the recorder's own files, wherever they stand."""
    kept: list[TracebackType] = []
    while traceback is not None:
        if not os.path.abspath(traceback.tb_frame.f_code.co_filename).startswith(_FOLDER):
            kept.append(traceback)
        traceback = traceback.tb_next
    for entry, following in zip(kept, [*kept[1:], None]):
        entry.tb_next = following
    return kept[0] if kept else None


def _trim_chain(error: BaseException, seen: set[int]) -> None:
    chained: tuple[BaseException | None, ...] = (error.__cause__, error.__context__)
    seen.add(id(error))
    for other in chained:
        if other is not None and id(other) not in seen:
            other.__traceback__ = _trim(other.__traceback__)
            _trim_chain(other, seen)
