"""Our overview, operators and kernels beside those of torch-tb-profiler, on the same traces.

    python bench/against_plugin.py --plugin PYTHON FILE…

PYTHON is the interpreter of an environment that has torch-tb-profiler 0.4.3; it need not be ours. Prints each number that differs by
more than a rounded microsecond, and how many are equal. The plugin is wrong on most of today's traces (docs/metrics.md says where and
why), so differences are to be read, not to be counted as failures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from kinetoscope.analysis.kernels import kernels
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.overview import overview
from kinetoscope.analysis.roles import ROLES
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace

ASK = """
import json, sys
from torch_tb_profiler.profiler.data import RunProfileData
data = RunProfileData.parse("worker", None, sys.argv[1], sys.argv[2])
roles = json.loads(sys.argv[3])
found = {}
for name, costs in zip(data.steps_names, data.steps_costs):
    found |= {f"step {name}, {role}": us for role, us in zip([*roles, "all"], costs.costs)}
for op in data.op_list_groupby_name:
    found |= {f"{op.name}, calls": op.calls, f"{op.name}, host self": op.self_host_duration, f"{op.name}, host total": op.host_duration}
    found |= {f"{op.name}, device self": op.self_device_duration, f"{op.name}, device total": op.device_duration}
metrics = data.gpu_metrics_parser
for gpu in metrics.gpu_ids:
    found[f"GPU {gpu}, utilisation"] = 100 * metrics.gpu_utilization[gpu]
    found[f"GPU {gpu}, SM efficiency"] = 100 * (metrics.avg_approximated_sm_efficiency_per_device[gpu] or 0)
    found[f"GPU {gpu}, occupancy"] = metrics.avg_occupancy_per_device[gpu] or 0
if data.kernel_stat is not None:
    for kernel in json.loads(data.kernel_stat.reset_index().to_json(orient="records")):
        found |= {f"{kernel['name']}, calls": kernel["count"], f"{kernel['name']}, total": kernel["sum"]}
print("FOUND " + json.dumps({key: float(value) for key, value in found.items()}))
"""


def theirs(python: Path, file: Path) -> dict[str, float]:
    """Name of each number → the plugin's. Raises `RuntimeError` where it fails on the trace."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-c", ASK, file, folder, json.dumps(ROLES)], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith("FOUND "):
            return json.loads(line[6:])
    raise RuntimeError(done.stderr.strip().rpartition("\n")[2])


def ours(file: Path) -> dict[str, float]:
    """The same of ours."""
    linked = link(read_trace(file, lambda done, total: None), str(file))
    view = overview(linked)
    found: dict[str, Any] = {}
    for step in view.steps.each:
        us = {part.name: part.us for part in step.categories}
        found |= {f"step {step.number}, {role}": us.get(role, 0) for role in ROLES} | {f"step {step.number}, all": step.us}
    for op in operators(linked).rows:
        found |= {
            f"{op.name}, calls": op.calls,
            f"{op.name}, device self": op.device_self_us,
            f"{op.name}, device total": op.device_total_us,
        }
        found |= {f"{op.name}, host self": op.host_self_us, f"{op.name}, host total": op.host_total_us}
    for device in view.devices:
        found[f"GPU {device.id}, utilisation"] = device.utilization
        found[f"GPU {device.id}, SM efficiency"] = device.sm_efficiency or 0
        found[f"GPU {device.id}, occupancy"] = device.occupancy or 0
    for kernel in kernels(linked).rows:
        if kernel.kind == "kernel":
            found |= {f"{kernel.name}, calls": kernel.calls, f"{kernel.name}, total": kernel.total_us}
    return found


def compare(python: Path, file: Path, at_most: int) -> None:
    """Print what differs in one trace."""
    mine = ours(file)
    try:
        other = theirs(python, file)
    except RuntimeError as error:
        print(f"{file.name}: torch-tb-profiler fails on it ({error})")
        return
    off = [key for key in {**other, **mine} if abs(other.get(key, -1) - mine.get(key, -1)) > (0.01 if key.startswith("GPU") else 1.0)]
    print(f"{file.name}: {len({**other, **mine}) - len(off)} numbers equal, {len(off)} differ")
    for key in off[:at_most]:
        print(f"    {key[:90]:90}  theirs {other.get(key, 'none')!s:>14}  ours {mine.get(key, 'none')!s:>14}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--plugin", type=Path, required=True, metavar="PYTHON")
    parser.add_argument("--at-most", type=int, default=20, help="differences to print for each file")
    options = parser.parse_args()
    for each in options.files:
        compare(options.plugin, each, options.at_most)
