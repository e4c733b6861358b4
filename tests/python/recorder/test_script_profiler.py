"""Programs that use torch's profiler themselves keep working, and what they record becomes the run; and the drop-in that writes
runs anywhere."""

import gzip
import json

import pytest

from recorder import decode
from recorder.conftest import TRAINING, read_trace

PROFILED = """
from torch.profiler import ProfilerActivity, profile, schedule
tables = []
def ready(prof):
    table = prof.key_averages().table(row_limit=-1)
    tables.append("kinetoscope" in table or "aten::addmm" not in table)
    prof.export_chrome_trace(f"own{len(tables)}.json")
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=4, warmup=1, active=2, repeat=2), on_trace_ready=ready) as prof:
    for i in range(14):
        train(1)
        prof.step()
print(tables)
"""


def test_each_cycle_of_its_schedule_becomes_a_run(record, tmp_path):
    done = record(PROFILED)
    assert (done.code, done.out) == (0, "[False, False]\n"), done.err
    assert len(done.runs) == 2
    for number, path in enumerate(done.runs, 1):
        trace = read_trace(path)
        recording = trace["kinetoscope"]
        run = recording["run"]
        assert (run["outcome"], run["steps"], run["step_source"]) == ("script", 2, "profiler")
        names = {event["name"] for event in trace["traceEvents"]}
        assert {f"ProfilerStep#{step}" for step, _, _ in recording["steps"]} <= names
        story = decode.walk(recording, decode.thread_named(recording, "MainThread"))
        assert story.count(str(done.line_of("loss.backward()"))) == 2
        # The program's own file is what torch wrote, without us.
        own = json.loads((tmp_path / f"own{number}.json").read_text())
        assert "kinetoscope" not in own
        assert len(own["traceEvents"]) == len(trace["traceEvents"])
    assert "kinetoscope.clock#23" in names


@pytest.mark.parametrize(
    "program",
    [
        "with torch.profiler.profile() as prof:\n    train(4)\nprint(prof.key_averages().total_average().count > 0)",
        "with torch.autograd.profiler.profile() as prof:\n    train(4)\nprint(prof.total_average().count > 0)",
    ],
    ids=["torch.profiler", "torch.autograd.profiler"],
)
def test_what_it_does_not_export_is_kept_too(record, program):
    done = record(program)
    assert (done.code, done.out) == (0, "True\n"), done.err
    assert (done.run["outcome"], done.run["steps"], done.run["step_source"]) == ("script", 4, "optimizer")
    assert len(done.events("Optimizer.step#SGD.step")) == 4


def test_a_profiler_that_never_records_does_not_cost_the_start(record):
    done = record(
        """
        from torch.profiler import profile, schedule
        with profile(schedule=schedule(wait=100, warmup=1, active=2)) as prof:
            for i in range(10):
                train(1)
                prof.step()
        """
    )
    assert (done.code, done.run["outcome"]) == (0, "short"), done.err


DROP_IN = """
from kinetoscope.recorder import profile
seen = []
with profile(with_stack=True, on_trace_ready=lambda prof: seen.append(prof), run_folder="dropped", run_name="mine") as prof:
    train(3)
prof.export_chrome_trace("copy.json.gz")
prof.export_chrome_trace("copy.json")
print(len(seen), len(prof.runs), len(prof.key_averages()) > 0)
"""


def test_the_drop_in_writes_a_run_and_exports_what_it_wrote(record, plain, tmp_path, python):
    (tmp_path / "script.py").write_text(TRAINING + DROP_IN)
    done = plain()
    if "No module named 'kinetoscope'" in done.stderr:
        pytest.skip("kinetoscope is not installed in this interpreter")
    assert (done.returncode, done.stdout) == (0, "1 1 True\n"), done.stderr
    trace = read_trace(tmp_path / "dropped" / "mine")
    recording = trace["kinetoscope"]
    assert recording["run"]["main"] == str(tmp_path / "script.py")
    story = decode.walk(recording, decode.thread_named(recording, "MainThread"))
    line = next(n for n, text in enumerate((tmp_path / "script.py").read_text().splitlines(), 1) if "loss.backward()" in text)
    assert story.count(str(line)) == 3
    assert json.loads((tmp_path / "copy.json").read_text()) == trace
    assert json.loads(gzip.decompress((tmp_path / "copy.json.gz").read_bytes())) == trace


def test_under_the_recorder_the_drop_in_is_one_of_the_scripts_profilers(record, plain, tmp_path):
    done = record(DROP_IN)
    if "No module named 'kinetoscope'" in done.err:
        pytest.skip("kinetoscope is not installed in this interpreter")
    assert (done.code, done.out) == (0, "1 0 True\n"), done.err
    assert done.run["outcome"] == "script"
    assert not (tmp_path / "dropped").exists()
