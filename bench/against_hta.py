"""Our idle time, overlap, kernels, launches and queues beside those of HTA (Holistic Trace Analysis), on the same traces.

    python bench/against_hta.py --hta PYTHON FILE…

PYTHON is the interpreter of an environment that has HolisticTraceAnalysis 0.5.0 and pandas below 3 (with 3 it fails on many traces); it
need not be ours. Prints for each trace how many numbers are equal, how many differ for which known reason, and each that differs for none;
exits with 1 if there is one of these. HTA leaves out the last step and rounds times to whole microseconds; both are turned off.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinetoscope.analysis.communication import communication
from kinetoscope.analysis.idle_view import idle
from kinetoscope.analysis.intervals import Intervals, divide, union
from kinetoscope.analysis.kernels import kernels
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.columns import KERNEL, Bools, Ints
from kinetoscope.trace.reader import read_trace

ASK = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from hta.common.trace import Trace
from hta.trace_analysis import TraceAnalysis
Trace._filter_irrelevant_gpu_kernels = lambda self, include_last: None
hta = TraceAnalysis(trace_files={0: sys.argv[1]}, include_last_profiler_step=True)
found, failed = {}, {}

def times():
    row = hta.get_temporal_breakdown(visualize=False).iloc[0]
    for name, column in (("all", "kernel"), ("idle", "idle"), ("computing", "compute"), ("not computing", "non_compute")):
        found["time, " + name] = row[column + "_time(us)"]

def overlap():
    found["overlap, % of communication"] = hta.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"]

def kernels():
    table = hta.get_gpu_kernel_breakdown(visualize=False, num_kernels=10**9, duration_ratio=1, include_memory_kernels=True)[1]
    for row in table.to_dict("records"):
        for name, column in (("total", "sum"), ("mean", "mean"), ("min", "min"), ("max", "max")):
            found["kernel " + row["name"] + ", " + name] = row[column + " (us)"]

def gaps():
    table = hta.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
    for stream, rows in table.groupby("stream"):
        waits = rows.set_index("idle_category")["idle_time"]
        found["idle stream %s, for the host" % stream] = waits.get("host_wait", 0)
        found["idle stream %s, otherwise" % stream] = waits.sum() - waits.get("host_wait", 0)

def launches():
    table = hta.get_cuda_kernel_launch_stats(ranks=[0], visualize=False, include_memory_events=False)[0]
    found["launches, number"] = len(table)
    for name, column in (("call", "cpu_duration"), ("device", "gpu_duration"), ("delay", "launch_delay")):
        found["launches, mean " + name] = table[column].mean()

def queues():
    table = hta.get_queue_length_summary(ranks=[0])
    for (rank, stream), row in table["queue_length"].iterrows():
        found["queue of stream %s, longest" % stream] = row["max"]

for part in (times, overlap, kernels, gaps, launches, queues):
    try:
        part()
    except Exception as error:
        failed[part.__name__] = "%s: %s" % (type(error).__name__, str(error)[:80])
names, device_work = hta.t.symbol_table.get_sym_table(), ("kernel", "gpu_mem", "Kernel", "Mem")
rows = hta.t.get_trace(0)
rows = rows[rows["stream"].ne(-1)]
host_rows = sorted({names[name] for name, cat in zip(rows["name"], rows["cat"]) if not names[cat].startswith(device_work)})
numbers = {key: float(value) for key, value in found.items() if value == value}
print("FOUND " + json.dumps([numbers, host_rows, failed]))
"""


_HOST_ROWS = "host rows that name a stream (Triton's operators, cuda_sync) are device work to HTA"
_NCCL_ALONE = "only kernels named as NCCL's communicate to HTA"
_BY_STREAM = "HTA looks at each stream for itself, ours at the device"
_SEVERAL_DEVICES = "HTA puts the devices of a rank together"
_FIRST_ROW = "work without a recorded launch is launched by the first row of the trace to HTA"
_LAUNCHES = "HTA knows cudaLaunchKernel and cudaLaunchKernelExC alone"
_WAITING = "in HTA's queue is what has not begun, in ours what is not done"
_OTHER_CALLS = "HTA's queues have no launches of other calls (hipModuleLaunchKernel, graphs, …)"
_THEIR_LAUNCHES = frozenset({"cudaLaunchKernel", "cudaLaunchKernelExC"})
_THEIR_COMMUNICATION = re.compile("nccl.*Kernel")


@dataclass(frozen=True)
class Theirs:
    """`numbers` by name; `host_rows`: names of what is no device work but counts as such; `failed`: part → why."""

    numbers: dict[str, float]
    host_rows: list[str]
    failed: dict[str, str]


def theirs(python: Path, file: Path) -> Theirs:
    """HTA's. Raises `RuntimeError` where it can't read the trace."""
    env = {**os.environ, "HTA_DISABLE_NS_ROUNDING": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([python, "-c", ASK, file], capture_output=True, text=True, check=False, env=env)
    for line in done.stdout.splitlines():
        if line.startswith("FOUND "):
            return Theirs(*json.loads(line[6:]))
    raise RuntimeError(done.stderr.strip().rpartition("\n")[2][:120])


class Ours:
    """Our numbers of a trace, those of them that we would have by HTA's rule, and what explains others that differ."""

    def __init__(self, linked: LinkedTrace) -> None:
        self._linked = linked
        self._work = linked.trace.kernels
        self._view = idle(linked)
        self._streams: list[int] = np.unique(self._work.stream).tolist()
        self._calls = linked.launch_of_kernel
        self.numbers = {**self._device(), **self._overlap(communication(linked).kernels), **self._kernels(), **self._launches()}
        self.numbers |= {f"queue of stream {queue.stream}, longest": queue.max_length for queue in self._view.queues}
        names = linked.trace.names
        nccl = np.array([bool(_THEIR_COMMUNICATION.match(name)) for name in names], bool)[self._work.name]
        known = np.array([name in _THEIR_LAUNCHES for name in names], bool)
        self._known = (self._calls >= 0) & known[linked.trace.launches.name[self._calls]]
        self.by_their_rule: dict[str, tuple[float, str]] = {
            **{key: (value, _NCCL_ALONE) for key, value in self._overlap(nccl & (self._work.kind == KERNEL)).items()},
            **{key: (value, _LAUNCHES) for key, value in self._their_launches().items()},
        }

    def _when(self, rows: Bools) -> Intervals:
        work = self._work
        return union(work.ts_ns[rows], (work.ts_ns + np.maximum(work.dur_ns, 0))[rows])

    def _device(self) -> dict[str, float]:
        if len(self._view.devices) != 1:
            return {}
        [device] = self._view.devices
        found = {"time, all": device.total_us, "time, idle": device.idle_us}
        if len(self._streams) == 1:
            host = sum(device.causes[cause] for cause in ("data_loading", "synchronisation", "host", "launch_latency"))
            stream = self._streams[0]
            found |= {f"idle stream {stream}, for the host": host, f"idle stream {stream}, otherwise": device.idle_us - host}
        return found

    def _overlap(self, talks: Bools) -> dict[str, float]:
        computing, talking = self._when((self._work.kind == KERNEL) & ~talks), self._when(talks)
        found: dict[str, float] = {}
        if len(self._view.devices) == 1:
            [device] = self._view.devices
            busy_us = computing.length() / 1000
            found |= {"time, computing": busy_us, "time, not computing": device.busy_us - busy_us}
        if talking.length():
            found["overlap, % of communication"] = 100 * divide(talking, computing)[0].length() / talking.length()
        return found

    def _kernels(self) -> dict[str, float]:
        return {
            f"kernel {row.name}, {name}": us
            for row in kernels(self._linked).rows
            for name, us in (("total", row.total_us), ("mean", row.mean_us), ("min", row.min_us), ("max", row.max_us))
        }

    def _launches(self) -> dict[str, float]:
        found, some = self._view.launches, self._view.launches.launches > 0
        means = {"call": found.call.mean_us, "device": found.device.mean_us, "delay": found.delay.mean_us}
        return {"launches, number": found.launches, **({f"launches, mean {name}": us for name, us in means.items()} if some else {})}

    def _their_launches(self) -> dict[str, float]:
        """By kernel, of the calls that HTA knows."""
        calls = self._linked.trace.launches
        rows: Ints = np.flatnonzero(self._known)
        call = self._calls[rows]
        found: dict[str, float] = {"launches, number": len(rows)}
        if len(rows):
            delay = np.maximum(self._work.ts_ns[rows] - calls.ts_ns[call] - calls.dur_ns[call], 0)
            columns = {"call": calls.dur_ns[call], "device": self._work.dur_ns[rows], "delay": delay}
            found |= {f"launches, mean {name}": float(column.mean()) / 1000 for name, column in columns.items()}
        return found

    def reason(self, key: str, other: Theirs) -> str | None:
        """Why this number differs from HTA's, None where nothing known explains it."""
        part, theirs_ = key.partition(" ")[0].rstrip(","), other.numbers.get(key)
        if key in self.by_their_rule:
            value, why = self.by_their_rule[key]
            if theirs_ is not None and same(key, value, theirs_):
                return why
        if part == "launches" and theirs_ is None and other.numbers.get("launches, number") == 0:
            return _LAUNCHES
        if part == "queue":
            mine = self.numbers.get(key)
            if mine is not None and theirs_ is not None and 0 <= mine - theirs_ <= 1:
                return _WAITING
            return None if bool(self._known.all()) else _OTHER_CALLS
        if part == "idle" and len(self._streams) > 1:
            return _BY_STREAM
        if other.host_rows and (part in ("time", "idle") or any(key.startswith(f"kernel {name}, ") for name in other.host_rows)):
            return _HOST_ROWS
        if len(self._view.devices) > 1 and part in ("time", "idle"):
            return _SEVERAL_DEVICES
        return _FIRST_ROW if part == "idle" and bool((self._calls < 0).any()) else None


def same(key: str, one: float, other: float) -> bool:
    """HTA's moments are floating-point microseconds since 1970, a quarter of one apart; its shares have two digits."""
    within = {"time,": 1.0, "idle": 1.0, "overlap,": 0.0051}.get(key.partition(" ")[0], 0.001)
    return abs(one - other) <= max(within, 1e-6 * abs(one))


def differences(mine: Ours, other: Theirs) -> Iterator[tuple[str, str | None]]:
    """`(name, why)` of each number that is not the same."""
    for key in {**other.numbers, **mine.numbers}:
        one, two = mine.numbers.get(key), other.numbers.get(key)
        if one is None or two is None or not same(key, one, two):
            yield key, mine.reason(key, other)


def compare(python: Path, file: Path, at_most: int) -> int:
    """Print how one trace compares; how many numbers differ for no known reason."""
    try:
        other = theirs(python, file)
    except RuntimeError as error:
        print(f"{file.name}: HTA fails on it ({error})", flush=True)
        return 0
    mine = Ours(link(read_trace(file, lambda done, total: None), str(file)))
    off = dict(differences(mine, other))
    equal = len({**other.numbers, **mine.numbers}) - len(off)
    print(f"{file.name}: {equal} numbers equal, {len(off)} differ")
    for why, count in Counter(why for why in off.values() if why).most_common():
        print(f"    {count:4} {why}")
    for part, error in other.failed.items():
        print(f"         HTA fails in its {part} ({error})")
    unknown = [key for key, why in off.items() if why is None]
    for key in unknown[:at_most]:
        print(f"    ?    {key[:90]:90}  theirs {other.numbers.get(key, 'none')!s:>14}  ours {mine.numbers.get(key, 'none')!s:>14}")
    sys.stdout.flush()
    return len(unknown)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--hta", type=Path, required=True, metavar="PYTHON")
    parser.add_argument("--at-most", type=int, default=20, help="numbers without a reason to print for each file")
    options = parser.parse_args()
    unexplained = sum([compare(options.hta, each, options.at_most) for each in options.files])
    print(f"{unexplained} numbers differ for no known reason")
    sys.exit(1 if unexplained else 0)
