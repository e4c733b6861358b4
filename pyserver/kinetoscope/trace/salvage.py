"""The slow, careful way through a chunk that does not decode as a whole: event by event, keeping what is sound.

Raw control characters and bad UTF-8 inside names, bare `NaN` and `N/A`, and fields of unexpected types are mended; what is left
is counted as lost.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from kinetoscope.trace.chunks import BOUNDARY
from kinetoscope.trace.columns import Lost
from kinetoscope.trace.errors import UNREADABLE
from kinetoscope.trace.events import Event, EventArgs

_CONTROL = re.compile(rb"[\x00-\x1f]")
_BARE = re.compile(rb"(?<=[:\[,])(\s*)(-?NaN|-?Infinity|N/A|-?inf|nan)(?=\s*[,}\]])")
_JOIN_AT_MOST = 8
_LENIENT = msgspec.json.Decoder()
_STRICT = msgspec.json.Decoder(Event)
_ARGS = msgspec.structs.fields(EventArgs)
_ARG_NAMES = {info.name: info.encode_name for info in _ARGS}
_TEXTS = frozenset(info.name for info in _ARGS if info.type == (str | None))
_RAWS = frozenset(info.name for info in _ARGS if info.type is msgspec.Raw)
_NUMERIC = (int, float, str)


def salvage(data: bytes, offset: int, at_end: bool) -> tuple[list[Event], Lost | None]:
    """The sound events of `data` (a run of events without the list's brackets), and what was lost.

    `offset` is where `data` stands in the uncompressed text. `at_end` says that the text ends with `data`: a broken last event is then
    a file cut off.
    """
    events: list[Event] = []
    lost_count, lost_offset, lost_reason = 0, 0, ""
    edges = [match.start() + 1 for match in BOUNDARY.finditer(data)] + [len(data)]
    start = index = 0
    while index < len(edges):
        for last in range(index, min(index + _JOIN_AT_MOST, len(edges))):
            piece = data[start : edges[last]].strip(b" \r\n\t,")
            if not piece or piece.startswith(b"]"):
                return events, Lost(lost_count, lost_offset, lost_reason) if lost_count else None
            event = _decode(piece)
            if event is not None:
                events.append(event)
                index = last
                break
        else:
            if not lost_count:
                lost_offset = offset + start + len(data[start:]) - len(data[start:].lstrip(b" \r\n\t,"))
                cut = at_end and index == len(edges) - 1
                lost_reason = "the file ends in the middle of an event" if cut else "an event is not valid JSON"
            lost_count += 1
        start = edges[index]
        index += 1
    return events, Lost(lost_count, lost_offset, lost_reason) if lost_count else None


def _decode(piece: bytes) -> Event | None:
    try:
        return _STRICT.decode(piece)
    except UNREADABLE:
        pass
    text = _CONTROL.sub(b" ", piece).decode("utf-8", "replace").encode()
    try:
        loose = _LENIENT.decode(_BARE.sub(rb"\1null", text))
    except UNREADABLE:
        return None
    return _coerce(loose) if isinstance(loose, dict) else None


def _coerce(loose: dict[str, Any]) -> Event:
    """An event whose fields of unexpected types are left out."""
    args = loose.get("args")
    known: dict[str, Any] = {}
    if isinstance(args, dict):
        for name, key in _ARG_NAMES.items():
            value: Any = args.get(key)
            if name in _RAWS:
                if value is not None:
                    known[name] = msgspec.Raw(msgspec.json.encode(value))
            elif isinstance(value, str if name in _TEXTS else _NUMERIC):
                known[name] = value
    fields: dict[str, Any] = {}
    for name in ("pid", "tid", "ts", "dur", "id"):
        if isinstance(loose.get(name), _NUMERIC):
            fields[name] = loose[name]
    for name in ("ph", "cat", "name"):
        if isinstance(loose.get(name), str):
            fields[name] = loose[name]
    return Event(**fields, args=EventArgs(**known))
