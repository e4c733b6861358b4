"""How fast the timeline answers what a screen of 2,000 pixels asks, over millions of events.

    python bench/timeline.py [--events 5000000] [--tiles 400] [--width 2000] [--work FOLDER]

It makes a trace (bench/big_trace.py), reads it, and repeats its columns in time until there are as many events as asked for. Then, in one
process, as the resident one of the server does:

- open: the tracks with their rows, from the linked trace;
- first: the first tile, of all tracks and the whole recording, with what it prepares;
- tile: tiles of all tracks at once, at random positions and zooms (log-uniform from the whole recording to a millionth of it), each with
  its JSON; then the same of one track at a time, and of the whole recording.

Times are CPU time, which is what it takes on a core of its own; of tiles wall time, which a busy machine makes longer, is given too. The
exit code is 1 where the budget of the design is not met: p95 of a tile of all tracks at most 30 ms.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from big_trace import make

from kinetoscope.analysis.timeline.answers import TileQuestion
from kinetoscope.analysis.timeline.timeline import Timeline, tile, tracks
from kinetoscope.linking.linked import link
from kinetoscope.trace.columns import Trace
from kinetoscope.trace.reader import read_trace

MIB = 1 << 20
Times = tuple[list[float], list[float]]
BUDGET_MS = 30.0
_SORTED_BY_THREAD = ("ops", "launches", "frames")
_TABLES = ("ops", "launches", "kernels", "frames", "memory", "flows", "device_ranges")
_NUMBERED = ("correlation", "sequence", "external_id", "python_id", "parent_id", "id")


def events_of(trace: Trace) -> int:
    return sum(len(getattr(trace, table).ts_ns) for table in _TABLES)


def repeated(trace: Trace, times: int) -> Trace:
    """The trace, so many times after itself: with times, and the numbers that tie events together, of its own each time."""
    tables: dict[str, Any] = {}
    for name in _TABLES:
        table = getattr(trace, name)
        count = len(table.ts_ns)
        turn = np.repeat(np.arange(times), count)
        columns = {field: np.tile(values, times) for field, values in vars(table).items()}
        columns["ts_ns"] += turn * trace.end_ns
        for field in _NUMBERED:
            if field in columns and count:
                known = columns[field] > 0
                columns[field][known] += (turn * (int(columns[field].max()) + 1))[known]
        if name in _SORTED_BY_THREAD:
            order = np.argsort(columns["thread"], kind="stable")
            columns = {field: values[order] for field, values in columns.items()}
        tables[name] = type(table)(**columns)
    return dataclasses.replace(trace, end_ns=trace.end_ns * times, **tables)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--tiles", type=int, default=400)
    parser.add_argument("--width", type=int, default=2000)
    parser.add_argument("--mb", type=int, default=32, help="size of the trace that is repeated")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kinetoscope-bench")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    path: Path = options.work / f"big-{options.mb}.pt.trace.json"
    if not path.exists():
        make(path, options.mb * MIB)
    once = read_trace(path, lambda done, total: None, 0)
    trace = repeated(once, max(-(-options.events // events_of(once)), 1))
    gc.disable()
    linked = link(trace, str(path), infer=False)
    before = _memory()

    start = time.process_time()
    timeline = Timeline(linked)
    found = tracks(timeline)
    opened = time.process_time()
    whole = TileQuestion(tracks=[track.id for track in found.tracks], start_us=found.start_us, end_us=found.end_us, width_px=options.width)
    msgspec.json.encode(tile(timeline, whole))
    first = time.process_time()
    print(f"{events_of(trace):,} events on {len(found.tracks)} tracks, {sum(track.rows for track in found.tracks)} rows")
    print(f"open {opened - start:.2f} s, first tile {(first - opened) * 1000:.0f} ms, memory {(_memory() - before) / MIB:.0f} MiB")

    chance = random.Random(5)
    together, sizes = _measured(timeline, [_somewhere(chance, whole, whole.tracks) for _ in range(options.tiles)])
    print(f"all tracks: {_spread(together)}; answer {np.median(sizes) / 1024:.0f} KiB, at most {max(sizes) / 1024:.0f} KiB")
    alone, _ = _measured(timeline, [_somewhere(chance, whole, [chance.choice(whole.tracks)]) for _ in range(options.tiles)])
    print(f"one track:  {_spread(alone)}")
    wide, _ = _measured(timeline, [whole] * max(options.tiles // 20, 1))
    print(f"everything: {_spread(wide)}")
    worst = float(np.percentile(together[0], 95))
    ok = worst <= BUDGET_MS
    print(f"{'ok    ' if ok else 'FAILED'} tile of all tracks, p95, ms {worst:7.1f}  (at most {BUDGET_MS:g})")
    return 0 if ok else 1


def _somewhere(chance: random.Random, whole: TileQuestion, tracks: list[str]) -> TileQuestion:
    length = (whole.end_us - whole.start_us) * 10 ** chance.uniform(-6, 0)
    start = chance.uniform(whole.start_us, whole.end_us - length)
    return msgspec.structs.replace(whole, tracks=tracks, start_us=start, end_us=start + length)


def _measured(timeline: Timeline, questions: list[TileQuestion]) -> tuple[Times, list[int]]:
    """`((CPU, wall milliseconds), bytes)` of each answer."""
    cpu: list[float] = []
    wall: list[float] = []
    sizes: list[int] = []
    for question in questions:
        start = time.process_time(), time.perf_counter()
        answer = msgspec.json.encode(tile(timeline, question))
        cpu.append((time.process_time() - start[0]) * 1000)
        wall.append((time.perf_counter() - start[1]) * 1000)
        sizes.append(len(answer))
    return (cpu, wall), sizes


def _spread(times: Times) -> str:
    median, most = (f"{np.percentile(times[0], part):.1f} ({np.percentile(times[1], part):.1f} wall)" for part in (50, 95))
    return f"median {median} ms, p95 {most} ms"


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sys.exit(main())
