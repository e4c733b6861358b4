"""The calling lines that torch keeps in its event tree but does not write into the trace before 2.14 (there it is `CallFrom`)."""

from __future__ import annotations

from typing import Any

from .clock import MARKER_NAME

Caller = tuple[str, str, int, int, int]


def torch_version(text: str) -> tuple[int, int]:
    """Major and minor of a version such as `2.13.0+cu126`."""
    numbers = [int("".join(filter(str.isdigit, part)) or 0) for part in text.split("+")[0].split(".")[:2]]
    return numbers[0], numbers[1] if len(numbers) > 1 else 0


def callers(kineto_results: Any, native_id: int, version: str) -> dict[str, list[Caller]] | None:
    """`callers` of the run format for the recording thread `native_id`; None where the trace has them itself or torch has no event tree.

    The tree numbers threads in its own way; the thread of our clock markers is the recording one. Events of other threads are left out.
    """
    if torch_version(version) >= (2, 14) or not hasattr(kineto_results, "experimental_event_tree"):
        return None
    frames: list[tuple[str, str, int, int, int]] = []
    recording_tid: int | None = None
    pending = list(kineto_results.experimental_event_tree())
    first_marker = MARKER_NAME.format(0)
    while pending:
        event = pending.pop()
        pending.extend(event.children)
        if event.name == first_marker:
            recording_tid = event.start_tid
            continue
        caller = getattr(event.typed[1], "caller", None)
        if caller is not None and caller.line_number > 0:
            frames.append((event.name, caller.file_name, caller.line_number, event.start_time_ns, event.start_tid))
    if recording_tid is None:
        return None
    return {"frames": [(name, file, line, start, native_id) for name, file, line, start, tid in frames if tid == recording_tid]}
