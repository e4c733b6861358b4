"""From a trace file to `Trace`: head, chunks of events, tail.

Memory is bounded by a chunk and the columns; no object per event outlives its chunk. Damage costs the events that it touches: a
chunk that does not decode goes through `salvage`, a file that breaks off gives what stood before the break, and `Trace.lost` says
what is missing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import msgspec
import numpy as np

from kinetoscope.trace import chunks
from kinetoscope.trace.blocks import BLOCK_BYTES, Blocks, Progress
from kinetoscope.trace.builder import TableBuilder
from kinetoscope.trace.chunk_columns import FRAMES, KERNELS, LAUNCHES, MEMORY, OPS, ChunkColumns, chunk_columns
from kinetoscope.trace.chunks import boundaries_from_end, last_certain_boundary, split_head
from kinetoscope.trace.columns import Lost, Trace
from kinetoscope.trace.errors import UNREADABLE, TraceError
from kinetoscope.trace.helpers import DECODER, Helpers, decode_chunk
from kinetoscope.trace.metadata import device_properties, distributed, metadata_number
from kinetoscope.trace.recording import KEY, Recording, decode_recording
from kinetoscope.trace.salvage import salvage

_TRIES = 6
_UNCUT_BLOCKS = 4
LONGEST_EVENT_BYTES = 64 << 20
"""Real ones have a few kilobytes. Without a limit, little data that decompresses to very much would fill the memory."""
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")


def read_trace(path: Path, on_progress: Progress, helpers: int = 0) -> Trace:
    """Read one rank's trace (JSON, plain or compressed with gzip or zstd), with the help of so many processes (`useful_helpers`).

    Raises `TraceError` when the file can't be opened, is no trace, or holds a recording of a newer format.
    """
    blocks = Blocks(path, on_progress)
    source = iter(blocks)
    head, rest = split_head(source)
    if not rest and not _looks_like_object(head):
        why = blocks.lost or "it does not start as JSON"
        raise TraceError(f"{path} is not a Kineto trace: {why}.", "Open a file that torch.profiler has exported.")
    if not rest and len(head) > chunks.LONGEST_HEAD_BYTES:
        message = f"{path} is not a Kineto trace: it has no traceEvents in its first {len(head):,} bytes."
        raise TraceError(message, "Open a file that torch.profiler has exported.")
    reader = _EventReader(path, len(head))
    with Helpers(helpers) if helpers else nullcontext() as pool:
        tail = reader.read(rest, source, pool)
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
        self.builder = TableBuilder()
        self.events = 0
        self.lost: Lost | None = None
        self.offset = offset

    def read(self, rest: bytes, source: Iterator[bytes], helpers: Helpers | None) -> bytes:
        """Read all events; gives the text behind the list's `]` (empty when the file ends before it)."""
        buffer = bytearray(rest)
        if helpers is not None:
            self._hand_out(buffer, source, helpers)
        wanted = BLOCK_BYTES
        for block in source:
            buffer += block
            if len(buffer) < wanted:
                continue
            before = self.offset
            end = self._take_whole_events(buffer)
            if end is not None:
                return bytes(buffer[end:]) + b"".join(source)
            # An event longer than a block is tried again only when there is twice as much.
            wanted = BLOCK_BYTES if self.offset > before else 2 * len(buffer)
        return self._take_last(bytes(buffer))

    def _hand_out(self, buffer: bytearray, source: Iterator[bytes], helpers: Helpers) -> None:
        """Let the helpers decode chunk after chunk. Stops at the first that does not decode (damage, or the end of the list), or where
        no event begins as Kineto's do, with the text of that chunk and all behind it back in the buffer for the careful way."""
        under_way: deque[tuple[bytes, Future[ChunkColumns | None]]] = deque()
        sound = True
        for block in source:
            buffer += block
            cut = last_certain_boundary(buffer) if len(buffer) >= BLOCK_BYTES else None
            if cut:
                text = bytes(buffer[:cut])
                under_way.append((text, helpers.submit(text)))
                del buffer[:cut]
            if len(under_way) >= helpers.enough:
                sound = self._collect(under_way)
            if not sound or len(buffer) > _UNCUT_BLOCKS * BLOCK_BYTES:
                break
        while sound and under_way:
            sound = self._collect(under_way)
        buffer[:0] = b"".join(text for text, _ in under_way)

    def _collect(self, under_way: deque[tuple[bytes, Future[ChunkColumns | None]]]) -> bool:
        """Take the first chunk's columns, if it is sound."""
        text, future = under_way[0]
        columns = future.result()
        if columns is None:
            return False
        under_way.popleft()
        self._add(columns)
        self.offset += len(text)
        return True

    def _take_whole_events(self, buffer: bytearray) -> int | None:
        """Consume the whole events at the start of the buffer. Gives the index behind the list's `]` if the list ends within."""
        cut = 0
        for tries, boundary in enumerate(boundaries_from_end(buffer)):
            cut = cut or boundary
            chunk = bytes(buffer[:boundary])
            try:
                self._add(decode_chunk(chunk))
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
        try:
            self._add(chunk_columns(DECODER.decode(b"[" + data)))  # with a `]` of our own, a file that is cut off would seem whole
            return b""
        except UNREADABLE as error:
            end = self._end_of_list(data, error)
            if end is not None:
                return data[end:]
        events, tail = _split_tail(data)
        self._salvage(events, at_end=not tail)
        return tail

    def _end_of_list(self, data: bytes, error: Exception) -> int | None:
        """When `error` (of decoding `[` and `data`) says that the list closed before the end, take its events; the index in `data`
        behind its `]`."""
        trailing = _TRAILING.search(str(error))
        if not trailing:
            return None
        closing = data.rfind(b"]", 0, int(trailing[1]))
        try:
            self._add(decode_chunk(data[:closing]))
        except UNREADABLE:
            return None
        return closing + 1

    def _salvage(self, data: bytes, at_end: bool) -> None:
        events, lost = salvage(data, self.offset, at_end)
        self._add(chunk_columns(events))
        if lost:
            self.lose(lost)

    def lose(self, lost: Lost) -> None:
        """Remember a loss; the first one's place and reason are kept."""
        before = self.lost
        self.lost = Lost(before.events + lost.events, before.offset, before.reason) if before else lost

    def _add(self, chunk: ChunkColumns) -> None:
        self.events += chunk.events
        self.builder.add(chunk)

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


def _assemble(reader: _EventReader, metadata: dict[str, msgspec.Raw], recording: Recording, lost: Lost | None) -> Trace:
    origin_us = reader.builder.origin_us()
    tables = reader.builder.tables(origin_us)
    base_ns = metadata_number(metadata, "baseTimeNanoseconds")
    absolute = base_ns or origin_us > 1e15  # without a base, microseconds of this size are since the epoch
    timed = [tables[name] for name in (OPS, LAUNCHES, KERNELS, FRAMES)]
    ends = [int((table.ts_ns + np.maximum(table.dur_ns, 0)).max()) for table in timed if len(table.ts_ns)]
    ends += [int(tables[MEMORY].ts_ns.max())] if len(tables[MEMORY].ts_ns) else []
    return Trace(
        origin_epoch_ns=base_ns + int(origin_us) * 1000 if absolute else 0,
        end_ns=max(ends, default=0),
        names=list(reader.builder.names),
        threads=reader.builder.threads.threads,
        **tables,
        recording=recording,
        devices=device_properties(metadata),
        distributed=distributed(metadata),
        lost=lost,
    )
