"""The line log is exact: for programs whose every line is known, the story of each thread is the one that the source tells.

A story is written as in `decode.walk`: `>name:line` enters a frame, a number is a line that begins, `<` leaves. `decode.walk`
also checks that time never runs backwards and that every event fits the stack.
"""

import json
import subprocess
from pathlib import Path

import pytest

from recorder import decode
from recorder.pythons import RECORDER, VERSIONS, plain_python

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))

STORIES = {
    "comprehension": {
        "3.9": ">main:1 2 ><listcomp>:2 2 2 2 < 3 4 3 ><dictcomp>:3 3 4 3 3 < 5 <",
        "3.12": ">main:1 2 4 3 4 3 5 <",
        "3.13": ">main:1 2 4 3 4 3 4 3 5 <",
    },
    "coroutines": {
        "3.9": ">main:15 16 17 >outer:11 12 >inner:6 7 >__await__:2 3 < < < 18 19 >outer:12 >inner:7 >__await__:3 < 8 < < 20 21 <",
    },
    "decorators": {
        "3.9": ">main:7 8 9 >twice:1 2 4 < 11 >wrapper:2 3 >one:8 10 < < <",
        "3.11": ">main:7 8 9 8 >twice:1 2 4 < 9 11 >wrapper:2 3 >one:8 10 < < <",
    },
    "exceptions": {
        "3.9": ">main:9 10 11 >through:5 6 >bad:1 2 < < 12 13 15 16 >__enter__:21 22 < 17 17 >__exit__:24 25 < <",
        "3.10": ">main:9 10 11 >through:5 6 >bad:1 2 < < 12 13 15 16 >__enter__:21 22 < 17 16 >__exit__:24 25 < <",
    },
    "generators": {
        "3.9": ">main:12 13 >count:1 2 3 < 14 13 >count:3 2 3 < 14 13 >count:3 2 4 < 15 >chain:7 8 >count:1 2 3 < < "
        ">chain:8 >count:3 2 4 < 9 < >chain:9 < 16 17 >count:1 2 3 < 18 >count:3 < <",
        # From 3.13 on a generator that stands at a plain yield is closed without being run.
        "3.13": ">main:12 13 >count:1 2 3 < 14 13 >count:3 2 3 < 14 13 >count:3 2 4 < 15 >chain:7 8 >count:1 2 3 < < "
        ">chain:8 >count:3 2 4 < 9 < >chain:9 < 16 17 >count:1 2 3 < 18 <",
    },
    "lambdas": {"3.9": ">main:1 2 3 ><lambda>:3 3 < ><lambda>:3 3 < ><lambda>:2 2 < <"},
    "library": {"3.9": ">main:8 9 >key:4 5 < >key:4 5 < 10 >compare:13 14 < <"},
    "loops": {"3.9": ">main:1 2 2 2 3 4 5 4 5 4 <", "3.12": ">main:1 2 3 4 5 4 5 4 <"},
    "multiline": {"3.9": ">main:5 6 7 8 9 8 >add:1 2 < 6 >add:1 2 < 11 <"},
    "open_generator": {"3.9": ">main:15 16 >numbers:3 4 5 < <"},
    "operators": {"3.9": ">main:1 2 3 >__rmatmul__:8 9 < 4 <"},
    "recursion": {"3.9": ">main:7 8 >down:1 2 3 >down:1 2 3 >down:1 2 4 < 4 < 4 < <"},
    "running_threads": {"3.9": ">main:22 23 24 25 <"},
    "statements": {"3.9": ">main:4 5 >g:1 1 < >g:1 1 < 6 <"},
    "threads": {"3.9": ">main:9 10 11 12 <"},
    "throw": {"3.9": ">main:8 9 10 >g:1 2 3 < 11 >g:3 4 5 < 12 13 >g:5 < 14 15 <"},
}
"""By program, what the main thread does from the given Python version on."""

OTHER_THREADS = {
    "threads": ("worker", "reset:0 >work:4 5 6 <"),
    # It was running before the log began: its open frame is written first, with the line it stands on.
    "running_threads": ("worker", "reset:0 >work:8 9 >step:13 14 < 10 <"),
}


def expected(program, version):
    def key(text):
        return tuple(int(part) for part in text.split("."))

    versions = [since for since in STORIES[program] if key(since) <= key(version)]
    return STORIES[program][max(versions, key=key)]


@pytest.fixture(scope="module", params=VERSIONS)
def logged(request):
    """`(version, recordings by program)` of one interpreter."""
    version = request.param
    python = plain_python(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    command = [python, str(HERE / "line_log_driver.py"), str(RECORDER), *(str(path) for path in PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return version, {Path(path).stem: recording for path, recording in json.loads(done.stdout).items()}


@pytest.mark.parametrize("program", sorted(STORIES))
def test_main_thread_tells_the_source(logged, program):
    version, recordings = logged
    recording = recordings[program]
    story = decode.walk(recording, decode.thread_named(recording, "MainThread"))
    assert story == ["reset:0", *expected(program, version).split()]


@pytest.mark.parametrize("program", sorted(OTHER_THREADS))
def test_other_threads_tell_theirs(logged, program):
    _, recordings = logged
    name, story = OTHER_THREADS[program]
    assert decode.walk(recordings[program], decode.thread_named(recordings[program], name)) == story.split()


def test_means_is_the_one_of_the_version(logged):
    version, recordings = logged
    means = "monitoring" if version in ("3.12", "3.13") else "settrace"
    assert {recording["line_log"]["means"] for recording in recordings.values()} == {means}


def test_every_file_comes_with_its_text(logged):
    _, recordings = logged
    for program, recording in recordings.items():
        path = HERE / "programs" / f"{program}.py"
        assert [file["path"] for file in recording["files"]] == [str(path)]
        assert recording["files"][0]["text"] == path.read_text()


@pytest.mark.parametrize(("program", "function"), [("hot_loop", "hot"), ("hot_recursion", "fib")])
def test_hot_code_becomes_coarse_and_the_log_stays_small(logged, program, function):
    _version, recordings = logged
    recording = recordings[program]
    assert [code["name"] for code in recording["codes"] if code["coarse"]] == [function]
    assert function in recording["notices"]["coarse"]
    thread = decode.thread_named(recording, "MainThread")
    assert thread["count"] < 4_000_000
    story = decode.walk(recording, thread)
    # What comes after the hot code is exact again, and all frames are balanced.
    assert story[-4:] == [">calm:8", "9", "<", "<"]


def test_frames_known_on_both_sides_of_a_silence_are_told(logged):
    """Where tracing was ended (or calls no longer logged) inside `main`, the stack written anew says that `main` is the very same frame."""
    version, recordings = logged
    recording = recordings["hot_recursion"]
    story = decode.walk(recording, decode.thread_named(recording, "MainThread"))
    at = max(index for index, word in enumerate(story) if word.startswith("reset"))
    assert story[at] == "reset:1"
    assert story[at + 1].startswith(">main:")
    assert ("dark" in story) == (version in ("3.9", "3.10", "3.11"))
