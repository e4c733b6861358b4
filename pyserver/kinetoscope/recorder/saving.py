"""Writing a run folder: whole or absent (docs/run-format.md)."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import time
from typing import Any, BinaryIO, Callable

from .messages import Problem

CHUNK = 1 << 20
WriteTrace = Callable[[str], None]
"""Writes torch's trace JSON to a path."""


def default_name(main: str) -> str:
    stem = os.path.splitext(os.path.basename(main))[0] or "run"
    return time.strftime("%Y%m%d-%H%M%S-") + stem


def check_folder(folder: str) -> None:
    """Raise Problem where a run could not be written to `folder`. Creates nothing."""
    existing = folder
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing)
    if not os.path.isdir(existing):
        raise Problem(f"Runs cannot be saved in {folder}: {existing} is not a folder.", "Choose another place with --out FOLDER.")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise Problem(
            f"Runs cannot be saved in {folder}: {existing} is not writable.",
            "Choose another place with --out FOLDER, or change its rights.",
        )


def save_run(folder: str, name: str, recording: dict[str, Any], write_trace: WriteTrace) -> str:
    """Write one run and return its absolute path. `recording` is the object that goes into the trace; its `run` is the manifest
    without `traces`.

    Raises Problem where that fails; nothing new is left behind then, and nothing old is touched.
    """
    partial: str | None = None
    try:
        os.makedirs(folder, exist_ok=True)
        _ignore_in_git(folder)
        final, partial = _reserve(folder, name)
        file = f"rank{recording['run']['rank']}.pt.trace.json.gz"
        plain = os.path.join(partial, "trace.json")
        write_trace(plain)
        _check_whole(plain)
        with open(plain, "rb") as source, gzip.open(os.path.join(partial, file), "wb", compresslevel=1) as target:
            insert_recording(source, target, recording)  # type: ignore[arg-type]  # pyright: ignore
        os.remove(plain)
        manifest = {**recording["run"], "traces": [{"rank": recording["run"]["rank"], "file": file}]}
        with open(os.path.join(partial, "run.json"), "w", encoding="utf-8") as target_text:
            json.dump(manifest, target_text, indent=1)
            target_text.write("\n")
        os.rename(partial, final)
        return final
    except BaseException as error:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)
        if isinstance(error, OSError):
            remedy = "Free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "See to it that the folder can be written"
            raise Problem(
                f"The run could not be saved in {folder}: {error.strerror or error}.",
                f"{remedy}, or choose another place with --out FOLDER.",
            ) from error
        if isinstance(error, RuntimeError):
            raise Problem(f"torch could not write its trace: {error}.", "Record fewer steps (--record), or leave out --stacks.") from error
        raise


def _check_whole(path: str) -> None:
    """Torch does not tell when it could not write all of its file; it then lacks its end."""
    with open(path, "rb") as file:
        file.seek(max(os.path.getsize(path) - 64, 0))
        if not file.read().rstrip().endswith((b"}", b"]")):
            raise OSError(errno.ENOSPC, "torch's trace is not whole, probably for want of space")


def _ignore_in_git(folder: str) -> None:
    path = os.path.join(folder, ".gitignore")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("*\n")


def _reserve(folder: str, name: str) -> tuple[str, str]:
    """The final path and a fresh `.partial` folder beside it. A name that is taken gets `-2`, `-3` …, also while another process
    writes it."""
    number = 1
    while True:
        candidate = name if number == 1 else f"{name}-{number}"
        final = os.path.join(folder, candidate)
        partial = os.path.join(folder, f".{candidate}.partial")
        if not os.path.lexists(final):
            try:
                os.mkdir(partial)
                return final, partial
            except FileExistsError:
                pass
        number += 1


def insert_recording(source: BinaryIO, target: BinaryIO, recording: dict[str, Any]) -> None:
    """Copy a trace with `"kinetoscope"` as its first key. The trace is not parsed; a bare array of events is wrapped."""
    head = source.read(CHUNK)
    start = head.lstrip()
    target.write(b'{"kinetoscope": ')
    target.write(json.dumps(recording).encode("utf-8"))
    is_array = start.startswith(b"[")
    if is_array:
        target.write(b', "traceEvents": ' + start)
    else:
        rest = start[1:].lstrip()
        target.write((b"" if rest.startswith(b"}") else b",\n") + rest)
    shutil.copyfileobj(source, target, CHUNK)
    if is_array:
        target.write(b"}")
