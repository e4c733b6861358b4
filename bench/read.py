"""How fast a trace becomes line costs, beside the bare decoder and the peers.

    python bench/read.py [--mb 250] [--file TRACE] [--peers] [--rounds 3] [--work FOLDER]

Without --file it makes its own trace (bench/big_trace.py). Each measurement is a process of its own, so that its peak memory is its own:

- decode: msgspec decodes the whole text, already in memory, into the same typed structs that the reader uses;
- first: the file is read, linked and summed up by line, with no helper and with two;
- again: the digest of a run that was read before, and its columns mapped, to first numbers;
- peers (--peers): torch-tb-profiler and HTA, each installed into an environment of its own below --work, from the file to their first
  numbers (the overview's data; the temporal breakdown).

Rounds are interleaved and the fastest of each is taken; the verdicts are ratios within the run. The exit code is 1 where a budget of the
design is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from big_trace import make

_COMMON = """
import gc, json, resource, sys, time
from pathlib import Path
path = Path(sys.argv[1])
def peak():
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    helpers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the largest
    return mine * 1024, helpers * 1024
def done(**times):
    mine, helper = peak()
    print(json.dumps({**times, "peak": mine, "helper": helper}))
"""
_DECODE = """
import msgspec
from kinetoscope.trace.blocks import Blocks
from kinetoscope.trace.events import Event
class Whole(msgspec.Struct, gc=False):
    traceEvents: list[Event]
text = b"".join(Blocks(path, lambda done, total: None))
decoder = msgspec.json.Decoder(Whole)
gc.disable()
start = time.perf_counter()
events = len(decoder.decode(text).traceEvents)
done(seconds=time.perf_counter() - start, events=events, bytes=len(text))
"""
_FIRST = """
from kinetoscope.analysis.lines import report_of
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
gc.disable()
start = time.perf_counter()
trace = read_trace(path, lambda done, total: None, int(sys.argv[2]))
read = time.perf_counter()
linked = link(trace, str(path))
link_ = time.perf_counter()
rows = len(report_of(linked).rows)
end = time.perf_counter()
done(seconds=end - start, read=read - start, link=link_ - read, lines=end - link_, rows=rows)
"""
_AGAIN = """
import asyncio
from kinetoscope.service import reading
from kinetoscope.service.digest import cache_of, columns_version, target
from kinetoscope.trace import stored
of = target(path)
asyncio.run(reading.read(of, lambda stage, done, total: None))
start = time.perf_counter()
rows = len(asyncio.run(reading.read(of, lambda stage, done, total: None)).report.rows)
digest = time.perf_counter()
trace = cache_of(of, "columns", columns_version()).load(stored.load)
done(seconds=digest - start, columns=time.perf_counter() - digest, rows=rows, ops=len(trace.ops.ts_ns))
"""
_PLUGIN = """
from torch_tb_profiler.profiler.data import RunProfileData
from torch_tb_profiler.run import RunProfile
start = time.perf_counter()
data = RunProfileData.parse("worker0", None, str(path), str(path.parent / "plugin-cache"))
data.process()
data.analyze()
done(seconds=time.perf_counter() - start)
"""
_HTA = """
import logging
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
start = time.perf_counter()
analysis = TraceAnalysis(trace_files={0: str(path)}, trace_dir=str(path.parent))
analysis.get_temporal_breakdown(visualize=False)
done(seconds=time.perf_counter() - start)
"""
PEERS = {
    "torch-tb-profiler": (["torch-tb-profiler==0.4.3", "tensorboard", "setuptools<81"], _PLUGIN),
    "HTA": (["HolisticTraceAnalysis==0.5.0"], _HTA),
}
MIB = 1 << 20


def measure(python: str, code: str, trace: Path, *arguments: str) -> dict[str, float]:
    """Run a measurement in a process of its own."""
    env = {**os.environ, "XDG_CACHE_HOME": str(trace.parent / "cache")}
    command = [python, "-c", _COMMON + code, str(trace), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    if result.returncode != 0:
        raise SystemExit(f"a measurement failed:\n{result.stderr[-3000:]}")
    return json.loads(result.stdout.splitlines()[-1])


def environment(folder: Path, packages: list[str]) -> str:
    """An environment with the packages; gives its interpreter."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        print(f"installing {' '.join(packages)} …", flush=True)
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
    return str(python)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=250)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "kinetoscope-bench")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    trace: Path = options.file or options.work / f"big-{options.mb}.pt.trace.json"
    if not trace.exists():
        print(f"making {trace} …", flush=True)
        make(trace, options.mb * MIB)

    ways: dict[str, tuple[str, str, tuple[str, ...]]] = {
        "decode": (sys.executable, _DECODE, ()),
        "first": (sys.executable, _FIRST, ("0",)),
        "first, two helpers": (sys.executable, _FIRST, ("2",)),
        "again": (sys.executable, _AGAIN, ()),
    }
    best: dict[str, dict[str, float]] = {}
    for number in range(options.rounds):
        for name, (python, code, arguments) in ways.items():
            result = measure(python, code, trace, *arguments)
            print(f"round {number + 1}  {name:20} {result['seconds']:8.2f} s", flush=True)
            if name not in best or result["seconds"] < best[name]["seconds"]:
                best[name] = result
    if options.peers:
        for name, (packages, code) in PEERS.items():
            best[name] = measure(environment(options.work / name, packages), code, trace)
            print(f"peer     {name:20} {best[name]['seconds']:8.2f} s", flush=True)
    return report(best)


def report(best: dict[str, dict[str, float]]) -> int:
    """Print the figures and the verdicts; 1 where a budget is not met."""
    decode, first, helped, again = best["decode"], best["first"], best["first, two helpers"], best["again"]
    size = decode["bytes"]
    print(f"\n{size / MIB:.0f} MiB of text, {decode['events']:,.0f} events")
    for name, result in (("no helper", first), ("two helpers", helped)):
        parts = ", ".join(f"{part} {result[part]:.2f}" for part in ("read", "link", "lines"))
        peaks = f"peak {result['peak'] / MIB:.0f} MiB, a helper {result['helper'] / MIB:.0f} MiB"
        print(f"first, {name:12} {result['seconds']:6.2f} s ({parts}); {peaks}")
    print(f"again: digest {again['seconds'] * 1000:.0f} ms, columns {again['columns'] * 1000:.0f} ms")
    small = size <= 500 * MIB
    memory = max(first["peak"], helped["peak"] + 2 * helped["helper"])
    verdicts = [
        ("first ÷ decode, one process", first["seconds"] / decode["seconds"], 3.0, "at most"),
        ("first ÷ decode, two helpers", helped["seconds"] / decode["seconds"], 2.0, "at most"),
        ("peak memory ÷ text" if small else "peak memory, GiB", memory / (size if small else 1 << 30), 2.0 if small else 1.0, "at most"),
        ("again, digest and columns, s", again["seconds"] + again["columns"], 0.3, "at most"),
    ]
    for name, least in (("torch-tb-profiler", 10.0), ("HTA", 5.0)):
        if name in best:
            verdicts.append((f"{name} ÷ first, one process", best[name]["seconds"] / first["seconds"], least, "at least"))
    failed = 0
    for name, value, limit, how in verdicts:
        ok = value <= limit if how == "at most" else value >= limit
        failed += not ok
        print(f"{'ok    ' if ok else 'FAILED'} {name:32} {value:7.2f}  ({how} {limit:g})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
