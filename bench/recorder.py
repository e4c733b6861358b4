"""What the recorder costs, as ratios within one run of this script.

* Step time with the line log ÷ the same profiler without it, on examples/train_mlp.py and examples/gpt.py. The two take turns
every few steps of the same training, so that a machine that changes its pace does so for both. Budget: 1.05 on Python 3.12 and
later, 1.15 before.
* A pure-Python loop of 10 million lines inside a step, recorded ÷ not. Budget: 2, and a log below its cap.

`--quick` takes fewer turns. Exits with 1 where a budget is exceeded. Python 3.9 or later with torch; nothing of Kinetoscope needs
to be installed.
"""

import argparse
import contextlib
import importlib.util
import statistics
import sys
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
RECORDER = ROOT / "pyserver" / "kinetoscope" / "recorder"
STEPS_A_TURN = 7
"""The first of a turn is not counted: what begins with it (caches, first sight of code) is paid once a recording."""


on_gpu = torch.cuda.is_available()
clock = time.perf_counter if on_gpu else time.process_time
"""On a GPU the step's wall time counts. Elsewhere processor time, with one thread of torch, so that a busy machine does not decide."""


class EnoughError(Exception):
    """Ends a training that has been measured."""


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


load("bench_recorder", RECORDER / "__init__.py")
boundaries = importlib.import_module("bench_recorder.boundaries")
kineto = importlib.import_module("bench_recorder.kineto")
linelog = importlib.import_module("bench_recorder.linelog")
options = importlib.import_module("bench_recorder.options")


class Turns:
    """Called at every step of a training; profiles it, with the line log in every other turn."""

    def __init__(self, turns):
        self.left = turns
        self.with_log = False
        self.fastest = []
        self.times = []
        self.events = 0
        self.step = 0
        self.profiler = None
        self.log = None

    def boundary(self, _source):
        now = clock()
        if self.step > 1:
            self.times.append(now - self.began)
        self.step += 1
        if self.step > STEPS_A_TURN or self.profiler is None:
            self.change()
        self.began = clock()

    def change(self):
        if self.profiler is not None:
            self.end_turn()
            self.with_log = not self.with_log
            self.left -= 1
            if not self.left:
                raise EnoughError
        self.profiler = kineto.Kineto(options.Options())
        self.profiler.prepare()
        if self.with_log:
            self.log = linelog.begin(linelog.UserCode())
        self.profiler.start()
        self.step = 0

    def end_turn(self):
        self.fastest.append(min(self.times))
        self.times.clear()
        self.profiler.stop()
        if self.log is not None:
            self.log.stop()
            self.events = sum(len(log.buffer) // 2 for log in self.log.logs) // (STEPS_A_TURN + 1)
            self.log = None


def step_ratio(name, train, turns):
    global measured
    measured = Turns(turns)
    with contextlib.suppress(EnoughError), contextlib.redirect_stdout(None):
        train()
    turns_of = measured.fastest
    # The fastest step of each turn with the log is compared with those of the two turns beside it, so that a change of pace cancels out.
    ratios = [2 * turns_of[at] / (turns_of[at - 1] + turns_of[at + 1]) for at in range(1, len(turns_of) - 1, 2)]
    without, ratio = statistics.median(turns_of[::2]), statistics.median(ratios)
    print(
        f"{name}: step {1e3 * without:.2f} ms with the profiler; with the line log too {ratio:.3f} times that "
        f"(quartiles {' to '.join(f'{part:.3f}' for part in statistics.quantiles(ratios)[::2])}); {measured.events} events a step",
        flush=True,
    )
    return ratio


measured = Turns(0)


def hot(lines):
    total = 0
    for number in range(lines // 2):
        total += number
    return total


def hot_ratio(lines):
    def run():
        began = clock()
        hot(lines)
        return clock() - began

    plain, recorded, count = [], [], 0
    for _ in range(3):
        plain.append(run())
        log = linelog.begin(linelog.UserCode())
        recorded.append(run())
        log.stop()
        count = max(count, sum(len(each.buffer) // 2 for each in log.logs))
    ratio = min(recorded) / min(plain)
    print(f"hot loop of {lines:,} lines: {min(plain):.2f} s, recorded {min(recorded):.2f} s; ratio {ratio:.2f}", flush=True)
    print(f"  {count:,} events logged", flush=True)
    return ratio, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    turns = 9 if parser.parse_args().quick else 41
    steps = (STEPS_A_TURN + 2) * (turns + 2)
    print(f"Python {sys.version.split()[0]}, torch {torch.__version__}", flush=True)
    if not on_gpu:
        torch.set_num_threads(1)
    boundaries.StepFinder(torch, lambda source: measured.boundary(source)).install()
    mlp = load("bench_train_mlp", ROOT / "examples" / "train_mlp.py")
    gpt = load("bench_gpt", ROOT / "examples" / "gpt.py")
    ratios = {
        "train_mlp.py": step_ratio("train_mlp.py", lambda: mlp.train(steps, 256, 512), turns),
        "gpt.py": step_ratio("gpt.py", lambda: gpt.train(steps, 4, 64, 128), turns),
    }
    loop, events = hot_ratio(10_000_000)
    budget = 1.05 if sys.version_info >= (3, 12) else 1.15
    missed = [name for name, ratio in ratios.items() if ratio > budget]
    if loop > 2 or events > 16_000_000:
        missed.append("hot loop")
    print("within budget" if not missed else f"OVER BUDGET: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
