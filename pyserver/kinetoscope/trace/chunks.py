"""Cut the text of a trace into head, chunks of whole events, and tail, without parsing it.

A place where one event ends and the next begins looks like `},` `{`. The same bytes may stand inside an argument or a string, so
a place is only a candidate: the chunk before it is right exactly if it decodes as a list of events, since a cut inside an event
leaves a bracket or a quote open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_HEAD_BYTES = 1 << 30
"""A recording's line log stands in the head. What is longer is no trace, and may be little data that decompresses to very much."""
BOUNDARY = re.compile(rb"\}\s*,\s*(?=\{)")
_EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*\[')
_CERTAIN = re.compile(rb'\}\s*,\s*(?=\{\s*"ph"\s*:)')
_WINDOWS = (1 << 12, 1 << 16)


def split_head(blocks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Read up to the list of events: `(head, rest)`, where head is the JSON text before the key `traceEvents` and rest the bytes
    after its `[`.

    A file that is a bare list of events has an empty head. Where there is no list at all, rest is empty. In a JSON string the
    key's closing quote would be escaped, so text inside strings is never taken for it.
    """
    buffer = bytearray()
    searched = 0
    for block in blocks:
        buffer += block
        start = buffer.lstrip()[:1] if searched == 0 else b"{"
        if start not in (b"{", b"[") or len(buffer) > LONGEST_HEAD_BYTES:
            break
        if start == b"[":
            return b"", bytes(buffer[buffer.index(b"[") + 1 :])
        found = _EVENTS_KEY.search(buffer, max(0, searched - 64))
        if found:
            return bytes(buffer[: found.start()]), bytes(buffer[found.end() :])
        searched = len(buffer)
    return bytes(buffer), b""


def boundaries_from_end(data: bytes | bytearray) -> Iterator[int]:
    """Candidate places to cut, last first: the index just behind the `}` of an event."""
    end = len(data)
    window, wide = _WINDOWS
    while end > 0:
        start = max(0, end - window)
        places = [match.start() + 1 for match in BOUNDARY.finditer(data, start, min(len(data), end + 256)) if match.start() < end]
        yield from reversed(places)
        end, window = start, wide


def last_certain_boundary(data: bytes | bytearray) -> int | None:
    """The start of the last event in `data` whose first key is `ph`, as Kineto writes events; None where none is near the end.

    Between the events of a list only: inside a string the quotes of `"ph"` would be escaped, and no argument is known to hold
    objects that begin so. A cut there needs no decoding to be trusted, so that chunks can be handed out before they are decoded.
    """
    for window in _WINDOWS:
        places = [match.end() for match in _CERTAIN.finditer(data, max(0, len(data) - window))]
        if places:
            return places[-1]
    return None
