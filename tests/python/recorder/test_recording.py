"""What is recorded when a program runs as programs do: steps, window, ranges, the line log beside them, and the folder it lands in."""

import json
import shutil

import pytest

from recorder import decode

STEP = "ProfilerStep#{}"


def within(inner, outer):
    return outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]


def test_a_training_loop_is_recorded_from_its_fourth_to_its_eighth_step(record):
    done = record("train(12)\nprint('all done')", "--after", "continue")
    assert (done.code, done.out) == (0, "all done\n"), done.err
    run, trace = done.run, done.trace
    recording = trace["kinetoscope"]
    assert next(iter(trace)) == "kinetoscope"
    assert (run["outcome"], run["steps"], run["step_source"], run["exit"], run["notices"]) == ("complete", 5, "optimizer", None, [])
    assert (run["name"], run["main"], run["argv"]) == ("script.py", str(done.script), [str(done.script)])
    assert recording["run"] == {key: value for key, value in run.items() if key != "traces"}
    assert (done.folder / ".gitignore").read_text() == "*\n"
    assert [event["event"] for event in done.status] == ["start", *["waiting"] * 3, *["recording"] * 5, "saving", "saved", "exit"]
    assert done.status[-2]["run"] == str(done.runs[0])

    # Steps: numbered from the program's start, end to end, and each holds its optimizer's whole range.
    assert [number for number, _, _ in recording["steps"]] == [3, 4, 5, 6, 7]
    assert all(before[2] == after[1] for before, after in zip(recording["steps"], recording["steps"][1:], strict=False))
    ranges = [done.events(STEP.format(number)) for number in range(3, 8)]
    assert all(len(found) == 1 and found[0]["cat"] == "user_annotation" for found in ranges)
    optimizer_ranges = done.events("Optimizer.step#SGD.step")
    assert len(optimizer_ranges) == 5
    assert all(within(inner, outer) for inner, (outer,) in zip(optimizer_ranges, ranges, strict=True))
    assert not done.events(STEP.format(8))

    # Clock: a dozen markers at each end, and the brackets agree with one offset.
    markers = recording["clock"]["markers"]
    assert [k for k, _, _ in markers] == list(range(24))
    base = trace["baseTimeNanoseconds"]
    offsets = [(base + done.events(f"kinetoscope.clock#{k}")[0]["ts"] * 1000 - before, after - before) for k, before, after in markers[2:]]
    assert max(offset for offset, _ in offsets) - min(offset for offset, _ in offsets) < 1_000_000
    start, end = recording["window"]
    assert all(start - 1_000_000 < t < end for _, t, _ in recording["steps"])

    # Lines: five whole steps, each line of the loop as often as it ran.
    (thread,) = recording["line_log"]["threads"]
    story = decode.walk(recording, thread)
    # It begins inside the optimizer's step, whose frames are known from the start.
    assert story[:3] == ["reset:0", f"><module>:{done.line_of('train(12)')}", f">train:{done.line_of('optimizer.step()')}"]
    for text in ("zero_grad()", "loss = model", "loss.backward()", "optimizer.step()"):
        assert story.count(str(done.line_of(text))) == 5, text
    assert recording["files"] == [{"path": str(done.script), "text": done.script.read_text()}]
    assert str(done.script.parent) == recording["sys_path"][0]
    assert recording["callers"] is None


def test_the_script_is_ended_cleanly_after_the_recording(record):
    done = record(
        """
        import atexit
        atexit.register(lambda: print("at exit"))
        try:
            train(1000)
            print("never")
        except Exception:
            print("never")
        finally:
            print("finally")
        """,
        "--skip", "1", "--record", "2", "--name", "my-run", "--after", "stop",
    )  # fmt: skip
    assert (done.code, done.out) == (0, "finally\nat exit\n"), done.err
    assert "ending the script" in done.err
    assert [path.name for path in done.runs] == ["my-run"]
    assert [number for number, _, _ in done.trace["kinetoscope"]["steps"]] == [1, 2]


def test_a_program_that_ends_before_the_window_is_kept_from_its_start(record):
    done = record("train(2)\nx = torch.ones(3) + 1")
    assert done.code == 0
    assert (done.run["outcome"], done.run["steps"], done.run["exit"]) == ("short", 2, 0)
    recording = done.trace["kinetoscope"]
    assert [number for number, _, _ in recording["steps"]] == [0, 1]
    assert len(done.events("Optimizer.step#SGD.step")) == 2
    story = decode.walk(recording, decode.thread_named(recording, "MainThread"))
    assert str(done.line_of("x = torch.ones(3)")) in story


def test_the_window_may_begin_with_the_program(record):
    done = record("train(10)", "--skip", "0", "--record", "2")
    assert (done.run["outcome"], done.run["steps"]) == ("complete", 2)
    assert [number for number, _, _ in done.trace["kinetoscope"]["steps"]] == [0, 1]


def test_without_an_optimizer_calls_of_the_outermost_module_are_the_steps(record):
    done = record(
        """
        import torch
        warm = torch.nn.ReLU()
        warm(torch.ones(1))
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.ReLU())
        for i in range(12):
            with torch.no_grad():
                model(torch.ones(2, 4))
        """,
        preamble=False,
    )
    assert (done.run["outcome"], done.run["steps"], done.run["step_source"]) == ("complete", 5, "module")
    for number in range(1, 5):
        (step,) = done.events(STEP.format(done.trace["kinetoscope"]["steps"][number][0]))
        assert sum(within(op, step) for op in done.events("aten::linear")) == 1


def test_one_of_two_optimizers_marks_the_steps(record):
    done = record(
        """
        critic = torch.nn.Linear(4, 1)
        other = torch.optim.Adam(critic.parameters())
        for i in range(20):
            for _ in range(2):
                other.zero_grad()
                critic(model(torch.ones(2, 4))).sum().backward()
                other.step()
            train(1)
        """
    )
    assert (done.run["steps"], done.run["step_source"]) == (5, "optimizer")
    # The first that steps is the anchor, though it steps twice an iteration: each step has one of its calls.
    assert len(done.events("Optimizer.step#Adam.step")) == 5


def test_another_optimizer_takes_over_when_the_first_steps_no_more(record):
    done = record(
        """
        pretrained = torch.optim.Adam(model.parameters())
        pretrained.step()
        train(30)
        """
    )
    assert (done.run["steps"], done.run["outcome"]) == (5, "complete")
    assert len(done.events("Optimizer.step#SGD.step")) == 5


def test_optimizers_of_every_make_mark_one_step_a_call(record):
    done = record(
        """
        class Mine(torch.optim.SGD):
            def step(self, closure=None):
                return super().step(closure)
        optimizer = Mine(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for i in range(10):
            train(1)
            schedule.step()
        """
    )
    assert [number for number, _, _ in done.trace["kinetoscope"]["steps"]] == [3, 4, 5, 6, 7]
    assert len(done.events("Optimizer.step#Mine.step")) >= 5


def test_training_in_a_thread_is_recorded_there(record):
    done = record(
        """
        import threading
        thread = threading.Thread(target=train, args=(20,), name="trainer")
        thread.start()
        thread.join()
        """
    )
    assert (done.code, done.run["outcome"], done.run["steps"]) == (0, "complete", 5), done.err
    recording = done.trace["kinetoscope"]
    trainer = decode.thread_named(recording, "trainer")
    assert str(done.line_of("loss.backward()")) in decode.walk(recording, trainer)
    assert {event["tid"] for event in done.events("aten::addmm") + done.events("aten::linear")} == {trainer["tid"]}


def test_a_training_thread_that_ends_inside_the_window_is_kept(record):
    done = record(
        """
        import threading
        thread = threading.Thread(target=train, args=(6,), name="trainer")
        thread.start()
        thread.join()
        """
    )
    assert (done.code, done.run["outcome"]) == (0, "short"), done.err
    assert done.run["steps"] >= 1


def test_generators_and_coroutines_in_a_step(record):
    done = record(
        """
        import asyncio
        async def batch(i):
            await asyncio.sleep(0)
            return torch.ones(2, 4) * i
        def batches(n):
            for i in range(n):
                yield asyncio.run(batch(i))
        for x in batches(12):
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
        """
    )
    recording = done.trace["kinetoscope"]
    story = decode.walk(recording, decode.thread_named(recording, "MainThread"))
    assert (done.run["outcome"], done.run["steps"]) == ("complete", 5)
    assert story.count(str(done.line_of("return torch.ones(2, 4)"))) == 5


def test_stacks_bring_calling_lines(record):
    done = record("train(12)", "--stacks")
    recording = done.trace["kinetoscope"]
    if recording["callers"] is None:
        pytest.skip("this torch writes CallFrom itself")
    frames = recording["callers"]["frames"]
    functions = {event["name"] for event in done.trace["traceEvents"] if event.get("cat") == "python_function"}
    calls = [frame for frame in frames if frame[1].endswith("script.py") and frame[2] == done.line_of("loss.backward()")]
    assert len(calls) >= 5
    assert all(name in functions for name, *_ in calls)
    base = done.trace["baseTimeNanoseconds"]
    starts = {base + round(event["ts"] * 1000) for event in done.trace["traceEvents"] if event.get("cat") == "python_function"}
    assert sum(any(start + d in starts for d in (-1, 0, 1)) for _, _, _, start, _ in calls) == len(calls)
    assert {tid for *_, tid in frames} == {recording["line_log"]["threads"][0]["tid"]}


def test_what_is_left_out_by_option_is_left_out(record):
    done = record("train(12)", "--no-shapes", "--no-memory", "--no-line-log")
    assert not [event for event in done.trace["traceEvents"] if event.get("name") == "[memory]" or "Input Dims" in event.get("args", {})]
    log = done.trace["kinetoscope"]["line_log"]
    assert (log["means"], log["threads"], log["reason"]) == ("none", [], "switched off")


def test_library_code_is_included_and_user_code_excluded_on_request(record, tmp_path):
    (tmp_path / "helper.py").write_text("def add(a, b):\n    return a + b\n")
    library = tmp_path / "site-packages"
    library.mkdir()
    for name in ("wanted", "unwanted"):
        (library / f"{name}.py").write_text("def add(a, b):\n    return a + b\n")
    done = record(
        """
        import sys, helper
        sys.path.insert(0, "site-packages")
        import wanted, unwanted
        for i in range(12):
            helper.add(1, 2), wanted.add(1, 2), unwanted.add(1, 2)
            train(1)
        """,
        "--exclude", "*helper.py", "--include", "site-packages/wanted.py",
    )  # fmt: skip
    assert {file["path"] for file in done.trace["kinetoscope"]["files"]} == {str(done.script), str(library / "wanted.py")}


def test_the_folder_alone_is_enough(record, tmp_path):
    from recorder.pythons import RECORDER

    shutil.copytree(RECORDER, tmp_path / "copied" / "recorder", ignore=shutil.ignore_patterns("__pycache__"))
    done = record("train(12)", started_by=(str(tmp_path / "copied" / "recorder"),))
    assert done.run["outcome"] == "complete"
    recording = json.dumps(done.trace["kinetoscope"]["files"])
    assert "copied" not in recording


def test_a_name_that_is_taken_gets_a_number_and_nothing_is_overwritten(record, tmp_path):
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "kept").write_text("kept")
    done = record("train(12)", "--name", "mine")
    assert [path.name for path in done.runs] == ["mine", "mine-2"]
    assert (tmp_path / "runs" / "mine" / "kept").read_text() == "kept"


def test_the_script_may_go_elsewhere(record, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    done = record("import os\nos.chdir('elsewhere')\ntrain(12)", "--out", "relative")
    assert done.code == 0
    (run,) = [path for path in (tmp_path / "relative").iterdir() if path.name != ".gitignore"]
    assert json.loads((run / "run.json").read_text())["cwd"] == str(tmp_path)


def test_the_script_is_ended_also_where_it_trains_in_a_thread(record):
    done = record(
        """
        import threading, time
        threading.Thread(target=train, args=(100,)).start()
        for _ in range(600):
            time.sleep(0.1)
        print("never")
        """,
        "--after", "stop",
    )  # fmt: skip
    assert (done.code, done.out, done.run["outcome"]) == (0, "", "complete"), done.err


def test_where_there_is_a_gpu_nothing_is_started_before_the_program_works(record, starter):
    """Kineto's start asks the driver for its devices; until the program uses one, or trains without, that must not be done."""
    done = record(
        """
        import torch
        print(torch.autograd._profiler_enabled())
        early = torch.zeros(3) + 1
        model = torch.nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        print(torch.autograd._profiler_enabled())
        late = torch.zeros(3) - 1
        """,
        preamble=False,
        started_by=(starter("session", "may_have_gpu = lambda torch: True"),),
    )
    assert (done.code, done.out) == (0, "False\nTrue\n"), done.err
    recording = done.trace["kinetoscope"]
    lines = decode.walk(recording, decode.thread_named(recording, "MainThread"))
    assert str(done.line_of("late =")) in lines
    assert str(done.line_of("early =")) not in lines
