"""From a trace file to `Trace`: head, chunks of events, tail.

Memory is bounded by a chunk and the columns; no object per event outlives its chunk. Damage costs the events that it touches: a
chunk that does not decode goes through `salvage`, a file that breaks off gives what stood before the break, and `Trace.lost` says
what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kinetoscope.trace import chunks
from kinetoscope.trace.builder import ColumnBuilder
from kinetoscope.trace.chunks import BLOCK_BYTES, Blocks, Progress, boundaries_from_end, split_head
from kinetoscope.trace.columns import Lost, Trace
from kinetoscope.trace.errors import UNREADABLE, TraceError
from kinetoscope.trace.events import Event
from kinetoscope.trace.recording import KEY, Recording, decode_recording
from kinetoscope.trace.salvage import salvage

_TRIES = 6
LONGEST_EVENT_BYTES = 64 << 20
"""Real ones have a few kilobytes. Without a limit, little data that decompresses to very much would fill the memory."""
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
_DECODER = msgspec.json.Decoder(list[Event])


def read_trace(path: Path, on_progress: Progress) -> Trace:
    """Read one rank's trace (`.json`, `.json.gz`).

    Raises `TraceError` when the file can't be opened, is no trace, or holds a recording of a newer format.
    """
    blocks = Blocks(path, on_progress)
    source = iter(blocks)
    head, rest = split_head(source)
    if not rest and not _looks_like_object(head):
        raise TraceError(f"{path} is not a Kineto trace: it does not start as JSON.", "Open a file that torch.profiler has exported.")
    if not rest and len(head) > chunks.LONGEST_HEAD_BYTES:
        message = f"{path} is not a Kineto trace: it has no traceEvents in its first {len(head):,} bytes."
        raise TraceError(message, "Open a file that torch.profiler has exported.")
    reader = _EventReader(path, len(head))
    tail = reader.read(rest, source)
    metadata = _metadata(head, tail)
    if not rest and not reader.events and "traceEvents" not in metadata and KEY not in metadata:
        detail = f" ({blocks.lost})" if blocks.lost else ""
        raise TraceError(f"{path} is not a Kineto trace: it has no traceEvents{detail}.", "Open a file that torch.profiler has exported.")
    recording = decode_recording(metadata[KEY], str(path)) if KEY in metadata else Recording()
    untimed = reader.builder.keep_timed()
    if untimed:
        reader.lose(Lost(untimed, -1, "it has no possible time"))
    return _assemble(reader, metadata, recording, reader.lost or _cut_off(blocks, reader))


class _EventReader:
    """Feeds chunks of events to the builder, and remembers what was lost."""

    def __init__(self, path: Path, offset: int) -> None:
        self.path = path
        self.builder = ColumnBuilder()
        self.events = 0
        self.lost: Lost | None = None
        self.offset = offset

    def read(self, rest: bytes, source: Iterator[bytes]) -> bytes:
        """Read all events; gives the text behind the list's `]` (empty when the file ends before it)."""
        buffer = bytearray(rest)
        for block in source:
            buffer += block
            if len(buffer) < BLOCK_BYTES:
                continue
            end = self._take_whole_events(buffer)
            if end is not None:
                return bytes(buffer[end:]) + b"".join(source)
        return self._take_last(bytes(buffer))

    def _take_whole_events(self, buffer: bytearray) -> int | None:
        """Consume the whole events at the start of the buffer. Gives the index behind the list's `]` if the list ends within."""
        cut = 0
        for tries, boundary in enumerate(boundaries_from_end(buffer)):
            cut = cut or boundary
            chunk = b"[" + bytes(buffer[:boundary]) + b"]"
            try:
                self._add(_DECODER.decode(chunk))
            except UNREADABLE as error:
                end = self._end_of_list(chunk, error)
                if end is not None:
                    return end
                if tries + 1 >= _TRIES:
                    break
                continue
            self._drop(buffer, boundary)
            return None
        if cut:
            self._salvage(bytes(buffer[:cut]), at_end=False)
            self._drop(buffer, cut)
        elif len(buffer) > LONGEST_EVENT_BYTES:
            message = f"{self.path} is not a Kineto trace: no event ends in the {len(buffer):,} bytes from byte {self.offset:,} on."
            raise TraceError(message, "Open a file that torch.profiler has exported.")
        return None

    def _take_last(self, data: bytes) -> bytes:
        chunk = b"[" + data
        try:
            self._add(_DECODER.decode(chunk))
            return b""
        except UNREADABLE as error:
            end = self._end_of_list(chunk, error)
            if end is not None:
                return data[end:]
        events, tail = _split_tail(data)
        self._salvage(events, at_end=not tail)
        return tail

    def _end_of_list(self, chunk: bytes, error: Exception) -> int | None:
        """When `error` says that the list closed before the chunk's end, take its events; the index (without our `[`) behind its `]`."""
        trailing = _TRAILING.search(str(error))
        if not trailing:
            return None
        closing = chunk.rfind(b"]", 0, int(trailing[1]) + 1)
        try:
            self._add(_DECODER.decode(chunk[: closing + 1]))
        except UNREADABLE:
            return None
        return closing

    def _salvage(self, data: bytes, at_end: bool) -> None:
        events, lost = salvage(data, self.offset, at_end)
        self._add(events)
        if lost:
            self.lose(lost)

    def lose(self, lost: Lost) -> None:
        """Remember a loss; the first one's place and reason are kept."""
        before = self.lost
        self.lost = Lost(before.events + lost.events, before.offset, before.reason) if before else lost

    def _add(self, events: list[Event]) -> None:
        self.events += len(events)
        self.builder.add(events)

    def _drop(self, buffer: bytearray, end: int) -> None:
        while end < len(buffer) and buffer[end] in b" \r\n\t,":
            end += 1
        del buffer[:end]
        self.offset += end


def _split_tail(data: bytes) -> tuple[bytes, bytes]:
    """Damaged data as `(events, text behind the list's bracket)`: the last bracket behind which the rest of an object reads. No
    tail where the file is cut off."""
    for match in reversed(list(re.finditer(rb"\}\s*\]", data))):
        tail = data[match.end() :]
        if tail.strip() in (b"", b"}") or _object(b"{" + tail.lstrip(b" \r\n\t,")) is not None:
            return data[: match.start() + 1], tail or b"}"
    return data, b""


def _looks_like_object(head: bytes) -> bool:
    return head.lstrip()[:1] in (b"{", b"[")


def _object(text: bytes) -> dict[str, msgspec.Raw] | None:
    try:
        return msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except UNREADABLE:
        return None


def _metadata(head: bytes, tail: bytes) -> dict[str, msgspec.Raw]:
    """The top-level keys around the events, undecoded."""
    text = head.rstrip(b" \r\n\t,")
    fields = _object(text) or _object(text + b"}") or {}
    return {**fields, **(_object(b"{" + tail.lstrip(b" \r\n\t,")) or {})}


def _cut_off(blocks: Blocks, reader: _EventReader) -> Lost | None:
    return Lost(0, reader.offset, blocks.lost) if blocks.lost else None


def _number(metadata: dict[str, msgspec.Raw], key: str) -> int:
    try:
        return int(msgspec.json.decode(metadata[key]))
    except (KeyError, TypeError, ValueError, OverflowError, *UNREADABLE):
        return 0


def _device_names(metadata: dict[str, msgspec.Raw]) -> list[str]:
    try:
        devices: Any = msgspec.json.decode(metadata["deviceProperties"])
    except (KeyError, *UNREADABLE):
        return []
    return [str(device.get("name", "")) for device in devices if isinstance(device, dict)] if isinstance(devices, list) else []


def _assemble(reader: _EventReader, metadata: dict[str, msgspec.Raw], recording: Recording, lost: Lost | None) -> Trace:
    origin_us = reader.builder.origin_us()
    ops, launches, kernels, frames, memory, flows = reader.builder.tables(origin_us)
    base_ns = _number(metadata, "baseTimeNanoseconds")
    absolute = base_ns or origin_us > 1e15  # without a base, microseconds of this size are since the epoch
    ends = [int((t.ts_ns + np.maximum(t.dur_ns, 0)).max()) for t in (ops, launches, kernels, frames) if len(t.ts_ns)]
    ends += [int(memory.ts_ns.max())] if len(memory.ts_ns) else []
    return Trace(
        origin_epoch_ns=base_ns + int(origin_us) * 1000 if absolute else 0,
        end_ns=max(ends, default=0),
        names=list(reader.builder.names.numbers),
        threads=reader.builder.threads.threads,
        ops=ops,
        launches=launches,
        kernels=kernels,
        frames=frames,
        memory=memory,
        flows=flows,
        recording=recording,
        device_names=_device_names(metadata),
        lost=lost,
    )
