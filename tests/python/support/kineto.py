"""Makes Kineto traces whose truth is known: events are placed by hand on a clock that counts microseconds.

A recording's line log is written on a recorder clock that is `CLOCK_SHIFT_NS` ahead, tied by markers as the real recorder does.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BASE_NS = 1_790_857_026_000_000_000
START_US = 5_161_136_028_000.0
CLOCK_SHIFT_NS = 77_000_000_123
MAIN, ENGINE = 100, 200
"""Native ids of the main thread and the autograd engine's own."""

LINE, ENTER, LEAVE, RESET, DARK = 1, 2, 3, 4, 5


@dataclass
class LogOf:
    """Writes one thread's line log; `at` is microseconds of trace time since the start."""

    events: list[tuple[int, int]] = field(default_factory=list)

    def add(self, at: float, kind: int, code: int = 0, line: int = 0) -> LogOf:
        t_ns = round(at * 1000) + CLOCK_SHIFT_NS
        self.events.append((t_ns, code << 36 | line << 4 | kind))
        return self

    def packed(self, tid: int) -> dict[str, Any]:
        raw = b"".join(struct.pack("<qq", *event) for event in self.events)
        return {"tid": tid, "name": "", "count": len(self.events), "data": base64.b64encode(zlib.compress(raw)).decode()}


@dataclass
class TraceMaker:
    """Collects events and writes the file. Times and durations are microseconds since the start of the trace."""

    events: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    codes: list[dict[str, Any]] = field(default_factory=list)
    logs: dict[int, LogOf] = field(default_factory=dict)
    end_us: float = 1000.0
    steps: list[tuple[int, int, int]] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)
    recorder: str = "/opt/recorder"
    devices: list[dict[str, Any]] = field(default_factory=list)
    """`deviceProperties`, as Kineto writes them."""
    _correlation: int = 0

    def event(self, cat: str, name: str, at: float, dur: float | None, tid: int | str = MAIN, **args: Any) -> TraceMaker:
        event: dict[str, Any] = {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": START_US + at, "args": args}
        if dur is not None:
            event["dur"] = dur
        self.events.append(event)
        return self

    def op(self, name: str, at: float, dur: float | None, tid: int = MAIN, seq: int | None = None, fwd: int = 0) -> TraceMaker:
        numbers = {} if seq is None else {"Sequence number": seq, "Fwd thread id": fwd}
        return self.event("cpu_op", name, at, dur, tid, **numbers)

    def backward(self, name: str, at: float, dur: float, tid: int = MAIN, seq: int | None = None) -> TraceMaker:
        """A backward op with the engine's wrapper around it."""
        self.op(f"autograd::engine::evaluate_function: {name}", at, dur, tid, seq, fwd=1)
        return self.op(name, at + 0.1, dur - 0.2, tid, seq, fwd=1)

    def kernel(self, name: str, launched_at: float, at: float, dur: float, tid: int = MAIN, device: int = 0, stream: int = 7) -> TraceMaker:
        """A launch of 1 µs and its kernel."""
        self._correlation += 1
        self.event("cuda_runtime", "cudaLaunchKernel", launched_at, 1.0, tid, correlation=self._correlation)
        return self.event("kernel", name, at, dur, stream, correlation=self._correlation, device=device, stream=stream)

    def memory(
        self, at: float, size: int, address: int, tid: int = MAIN, device_type: int = 0, device_id: int = -1, **totals: int
    ) -> TraceMaker:
        """`totals`: `allocated` and `reserved`, where the trace is to say them."""
        args = {"Bytes": size, "Addr": address, "Device Type": device_type, "Device Id": device_id}
        args |= {f"Total {name.capitalize()}": size for name, size in totals.items()}
        self.events.append(
            {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": tid, "ts": START_US + at, "args": args}
        )
        return self

    def frame(self, name: str, at: float, dur: float | None, tid: int = MAIN, **args: Any) -> TraceMaker:
        return self.event("python_function", name, at, dur, tid, **args)

    def module(self, name: str, number: int, at: float, dur: float, tid: int = MAIN) -> TraceMaker:
        """A call of the instance `name_number`."""
        return self.frame(f"nn.Module: {name}_{number}", at, dur, tid, **{"Python module id": number})

    def source(self, path: str, text: str) -> int:
        self.files.append({"path": path, "text": text})
        return len(self.files) - 1

    def code(self, file: int, name: str, line: int, coarse: bool = False) -> int:
        self.codes.append({"file": file, "name": name, "line": line, "coarse": coarse})
        return len(self.codes) - 1

    def log(self, tid: int = MAIN) -> LogOf:
        return self.logs.setdefault(tid, LogOf())

    def document(self) -> dict[str, Any]:
        """The whole trace as an object; the recording is there if anything was logged."""
        head: dict[str, Any] = {}
        events = list(self.events)
        if self.logs or self.files:
            markers = []
            for k, at in enumerate((0.0, 0.5, self.end_us - 1, self.end_us - 0.5)):
                events.append(
                    {"ph": "X", "cat": "cpu_op", "name": f"kinetoscope.clock#{k}", "pid": 1, "tid": MAIN, "ts": START_US + at, "dur": 0.1}
                )
                exact = round(at * 1000) + CLOCK_SHIFT_NS
                markers.append([k, exact - 200, exact + 200])
            head["kinetoscope"] = {
                "format": 1,
                "run": {"format": 1, "written_by": "0.1.0", "cwd": "/project", **self.run},
                "sys_path": ["/project"],
                "recorder": self.recorder,
                "clock": {"markers": markers},
                "window": [CLOCK_SHIFT_NS, round(self.end_us * 1000) + CLOCK_SHIFT_NS],
                "steps": [list(step) for step in self.steps],
                "files": self.files,
                "codes": self.codes,
                "line_log": {"means": "monitoring", "reason": "", "threads": [log.packed(tid) for tid, log in self.logs.items()]},
                "callers": None,
            }
        return {
            **head,
            "schemaVersion": 1,
            "deviceProperties": self.devices,
            "baseTimeNanoseconds": BASE_NS,
            "traceEvents": events,
            "traceName": "x",
        }

    def write(self, path: Path, indent: int | None = 2) -> Path:
        """Write it; compressed where the name ends with `.gz` or `.zst`."""
        text = json.dumps(self.document(), indent=indent).encode()
        compress = {".gz": gzip.compress, ".zst": zstd.compress}.get(path.suffix, bytes)
        path.write_bytes(compress(text))
        return path
