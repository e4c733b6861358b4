"""However a program ends, its exit code is its own, what was recorded is kept, and the run says how it came about."""

import signal
import subprocess
import sys

import pytest

from recorder import decode
from recorder.pythons import plain_python


@pytest.mark.parametrize(
    ("ending", "code", "outcome"),
    [
        ("import sys; sys.exit(7)", 7, "short"),
        ("import os; print('flushed', flush=True); os._exit(5)", 5, "short"),
        ("raise KeyError('lost')", 1, "interrupted"),
    ],
    ids=["sys.exit", "os._exit", "exception"],
)
def test_a_program_that_ends_in_a_recorded_step(record, plain, ending, code, outcome):
    done = record(f"train(5)\n{ending}")
    assert done.code == code
    assert (done.run["outcome"], done.run["steps"], done.run["exit"]) == (outcome, 2, code)
    assert done.status[-1]["event"] in ("exit", "saved")
    without = plain()
    assert (without.returncode, without.stdout) == (code, done.out)
    assert done.err.startswith(without.stderr)


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl+C", "SIGTERM"])
def test_a_signal_during_the_recording(record, number, exit_code):
    done = record(
        "import time\nfor i in range(10**6):\n    train(1)\n    time.sleep(0.01)",
        "--record",
        "1000000",
        signal_at=('"recording", "step": 2', number),
    )
    assert done.code == -number
    assert (done.run["outcome"], done.run["exit"]) == ("interrupted", exit_code)
    assert done.run["steps"] >= 1
    assert ("KeyboardInterrupt" in done.err) == (number == signal.SIGINT)
    recording = done.trace["kinetoscope"]
    assert decode.walk(recording, decode.thread_named(recording, "MainThread"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "SIGTERM"])
def test_a_signal_while_the_recording_is_saved_waits_until_it_is(record, number):
    """The recording is whole, and the program ends as the signal would have it."""
    done = record(
        "import time\nfor i in range(10**6):\n    train(1)\n    time.sleep(0.01)",
        "--after", "continue",
        signal_at=('"saving"', number),
    )  # fmt: skip
    assert done.code == -number
    assert (done.run["outcome"], done.run["steps"]) == ("complete", 5)
    assert ("KeyboardInterrupt" in done.err) == (number == signal.SIGINT)
    assert "kinetoscope" in done.trace


def test_ctrl_c_that_the_program_handles_does_not_end_the_recording(record):
    done = record(
        """
        import signal, os
        for i in range(12):
            try:
                train(1)
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                pass
        """,
        "--after", "continue",
    )  # fmt: skip
    assert (done.code, done.run["outcome"], done.run["steps"]) == (0, "complete", 5), done.err


def test_work_after_the_main_module_belongs_to_the_recording(record):
    """Threads that outlive it, and what is registered for the exit."""
    done = record(
        """
        import atexit, threading, time
        def late():
            time.sleep(0.2)
            done = 1
        threading.Thread(target=late, name="late").start()
        atexit.register(print, "last words")
        """
    )
    assert (done.code, done.out, done.run["outcome"]) == (0, "last words\n", "short")
    recording = done.trace["kinetoscope"]
    assert str(done.line_of("done = 1")) in decode.walk(recording, decode.thread_named(recording, "late"))


def test_children_are_neither_recorded_nor_disturbed(record, plain):
    done = record(
        """
        import multiprocessing, os, signal, sys, threading
        from torch.utils.data import DataLoader, TensorDataset

        def child(n):
            torch.ones(2) + n
            monitored = sys.monitoring.get_tool(4) if hasattr(sys, "monitoring") else None
            return n * n, sys.gettrace(), signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, os._exit.__name__, monitored

        class Point:
            pass

        if __name__ == "__main__":
            for means in ("fork", "spawn"):
                with multiprocessing.get_context(means).Pool(1) as pool:
                    print(pool.map(child, [3]), pool.apply(type, (Point(),)).__name__)
            data = DataLoader(TensorDataset(torch.ones(40, 4)), batch_size=4, num_workers=2)
            total = 0
            for (x,) in data:
                total += x.sum().item()
                train(1)
            print(total)
        """,
        "--after", "continue",
    )  # fmt: skip
    without = plain()
    assert (done.code, done.out) == (0, without.stdout), done.err
    assert "160.0" in done.out
    assert len(done.runs) == 1
    assert (done.run["outcome"], done.run["steps"]) == ("complete", 5)


def test_nothing_to_record(record, plain):
    """A program without torch runs as it would, and ends with a code of ours where its own is 0."""
    done = record("print('hello')", preamble=False)
    assert (done.code, done.out, done.runs) == (4, "hello\n", [])
    assert "without importing torch" in done.err
    assert done.status[-2]["event"] == "error"
    assert done.status[-2]["remedy"]
    failing = record("raise SystemExit(9)", preamble=False)
    assert (failing.code, failing.runs) == (9, [])


def test_what_cannot_start_says_why(record, tmp_path, python):
    without_torch = plain_python("3.13")
    if without_torch and subprocess.run([without_torch, "-c", "import torch"], capture_output=True).returncode:
        done = record("print('ran')", preamble=False, interpreter=without_torch)
        assert (done.code, done.out) == (3, "")
        assert f"no torch in {without_torch}" in done.err
        assert "-m pip install torch" in done.status[1]["remedy"]
    (tmp_path / "file").write_text("")
    done = record("print('ran')", "--out", str(tmp_path / "file" / "runs"), preamble=False)
    assert (done.code, done.out) == (3, "")
    assert "is not a folder" in done.err
    from recorder.pythons import RECORDER

    missing = subprocess.run([python, str(RECORDER), "nowhere.py"], capture_output=True, text=True, cwd=tmp_path)
    assert missing.returncode == 3
    assert f"no script nowhere.py in {tmp_path}" in missing.stderr
    wrong = subprocess.run([python, str(RECORDER), "--skip", "-1", "nowhere.py"], capture_output=True, text=True, cwd=tmp_path)
    assert wrong.returncode == 2


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8"])
def test_old_pythons_get_a_message_not_a_syntax_error(version, tmp_path):
    from recorder.pythons import RECORDER

    old = plain_python(version)
    if old is None:
        pytest.skip(f"there is no Python {version} on this machine")
    done = subprocess.run([old, str(RECORDER), "script.py"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 3
    assert f"{old} is Python {version}" in done.stderr
    assert "3.9 or later" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_full_disk_costs_the_run_but_not_what_was_there(record, tmp_path):
    import resource

    (tmp_path / "runs" / "earlier").mkdir(parents=True)
    done = record(
        "train(12)",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert done.code == 4, done.err
    assert "could not be saved" in done.err
    assert [path.name for path in (tmp_path / "runs").iterdir() if path.name != ".gitignore"] == ["earlier"]
    assert done.status[-1] == {"event": "exit", "code": 4}


def test_a_debugger_keeps_its_trace_function(record):
    """It comes while the start is being recorded; where lines are logged by the same means, its thread's lines are unknown from then on."""
    done = record(
        """
        import sys
        def debugger(*_):
            return None
        sys.settrace(debugger)
        train(12)
        print(sys.gettrace() is debugger)
        """,
        "--after", "continue",
    )  # fmt: skip
    assert done.code == 0
    assert done.out == "True\n"
    if done.trace["kinetoscope"]["line_log"]["means"] == "settrace":
        assert [notice["kind"] for notice in done.run["notices"]] == ["line-log-off"]


def test_a_long_start_is_recorded_to_a_limit(record, starter):
    """The limit is lowered: nobody wants to wait a minute here."""
    impatient = (starter("session", "START_LIMIT_S = 0.3"),)
    slow = "import time\ntrain(1)\ntime.sleep(0.8)\ntrain({})"
    done = record(slow.format(1), started_by=impatient)
    assert (done.run["outcome"], done.run["steps"], [notice["kind"] for notice in done.run["notices"]]) == ("short", 1, ["start-limit"])
    again = record(slow.format(12), "--name", "window", started_by=impatient)
    assert again.code == 0
    assert [path.name for path in again.runs][-1] == "window"
