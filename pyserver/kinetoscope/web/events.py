"""What the service tells, for every page that listens: Server-Sent Events, each `{"event": METHOD, "data": STRUCT}` of a notification of
the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec

from kinetoscope.service import wire

_MOST_WAITING = 1000
_BEAT_S = 15.0
_BEAT = b": still here\n\n"
"""A comment now and then: a connection that carries nothing is cut by what forwards it, and only by writing does one learn that it is."""

_END = b""


class Events:
    """Implements the service's `Listener`."""

    def __init__(self) -> None:
        self._listening: set[asyncio.Queue[bytes]] = set()

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        """Tell of runs."""
        self._tell("kinetoscope/runs/changed", wire.RunArrived(active=active, arrived=arrived))

    def lines_changed(self) -> None:
        """Tell that all numbers changed."""
        self._tell("kinetoscope/lines/changed", wire.LinesChanged(uri=None))

    def part_changed(self, run: str, part: wire.Part) -> None:
        """Tell that another part of a run is selected."""
        self._tell("kinetoscope/part/changed", wire.PartChanged(run=run, part=part))

    def reading(self, progress: wire.ReadProgress) -> None:
        """Tell how far a reading is."""
        self._tell("kinetoscope/read/progress", progress)

    def _tell(self, event: str, data: msgspec.Struct) -> None:
        body = b"data: " + msgspec.json.encode({"event": event, "data": data}) + b"\n\n"
        for queue in list(self._listening):
            if queue.qsize() < _MOST_WAITING:
                queue.put_nowait(body)
            else:  # A page that takes nothing: it is cut off, connects again when it lives, and asks anew.
                self._listening.discard(queue)
                queue.put_nowait(_END)

    async def stream(self) -> AsyncGenerator[bytes]:
        """What is told from now on, as an event stream; ends with `close`."""
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._listening.add(queue)
        try:
            yield _BEAT  # The page learns that it is connected.
            while True:
                try:
                    body = await asyncio.wait_for(queue.get(), _BEAT_S)
                except asyncio.TimeoutError:
                    body = _BEAT
                if body == _END:
                    return
                yield body
        finally:
            self._listening.discard(queue)

    def close(self) -> None:
        """End all streams."""
        for queue in self._listening:
            queue.put_nowait(_END)
