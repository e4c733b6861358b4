"""`record` runs a script under the recorder as a user would, in a process of its own, and reads what came of it."""

import gzip
import json
import subprocess
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recorder.pythons import RECORDER, torch_pythons

TRAINING = """
import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train(steps):
    for i in range(steps):
        optimizer.zero_grad()
        loss = model(torch.ones(2, 4)).sum()
        loss.backward()
        optimizer.step()
"""


@dataclass
class Recorded:
    """What one recorded process left behind."""

    code: int
    out: str
    err: str
    folder: Path
    script: Path
    status: list = field(default_factory=list)

    @property
    def runs(self):
        return sorted(path for path in self.folder.iterdir() if path.name != ".gitignore") if self.folder.exists() else []

    @property
    def run(self):
        """The manifest of the only run."""
        (run,) = self.runs
        return json.loads((run / "run.json").read_text())

    @property
    def trace(self):
        (run,) = self.runs
        return read_trace(run)

    def line_of(self, text):
        """Number of the script's first line that contains `text`."""
        return next(number for number, line in enumerate(self.script.read_text().splitlines(), 1) if text in line)

    def events(self, name):
        return sorted((e for e in self.trace["traceEvents"] if e.get("name") == name and e["ph"] == "X"), key=lambda e: e["ts"])


def read_trace(run):
    (entry,) = json.loads((run / "run.json").read_text())["traces"]
    return json.loads(gzip.decompress((run / entry["file"]).read_bytes()))


@pytest.fixture(scope="session", params=torch_pythons(), ids=lambda path: Path(path).parent.parent.name)
def python(request):
    """Each interpreter that has torch."""
    return request.param


@pytest.fixture
def record(tmp_path, python):
    """Run `text` (after the training preamble, if wanted) with options before and arguments after it."""

    def run(text, *options, arguments=(), preamble=True, signal_at=None, started_by=(str(RECORDER),), interpreter=None, **keywords):
        script = tmp_path / "script.py"
        script.write_text((TRAINING if preamble else "") + textwrap.dedent(text))
        folder, status = tmp_path / "runs", tmp_path / "status.jsonl"
        command = [interpreter or python, *started_by, "--out", str(folder), "--status", str(status), *options, str(script), *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True, cwd=tmp_path, **keywords
        )
        if signal_at is not None:
            event, number = signal_at
            wait_for(status, event, process)
            process.send_signal(number)
        try:
            out, err = process.communicate("", timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        events = [json.loads(line) for line in status.read_text().splitlines()] if status.exists() else []
        return Recorded(process.returncode, out, err, folder, script, events)

    return run


def wait_for(status, event, process):
    """Until the status file holds `event`, a piece of a line."""
    while process.poll() is None:
        if status.exists() and event in status.read_text():
            return
        time.sleep(0.02)
    raise AssertionError(f"the process ended before it was {event}: {process.stderr.read()}")


@pytest.fixture
def starter(tmp_path):
    """A script that starts the recorder with one name in one of its modules set otherwise: `starter("session", "START_LIMIT_S = 1")`."""

    def make(module, assignment):
        name, _, value = assignment.partition(" = ")
        path = tmp_path / "starter.py"
        path.write_text(
            f"""
import importlib.util, sys
name, folder = "_kinetoscope_recorder", {str(RECORDER)!r}
spec = importlib.util.spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])
package = sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
importlib.import_module(name + ".{module}").{name} = {value}
del sys.path[0]
sys.exit(importlib.import_module(name + ".command").main(sys.argv[1:], False))
"""
        )
        return str(path)

    return make


@pytest.fixture
def plain(tmp_path, python):
    """Run the script that `record` ran last, without us."""

    def run(*arguments, **keywords):
        command = [python, str(tmp_path / "script.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, input="", **keywords)

    return run
