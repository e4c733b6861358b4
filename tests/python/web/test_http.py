"""The pages' host over real HTTP: who gets answers, which questions there are, and what every page is told."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kinetoscope.service import wire
from kinetoscope.web import questions
from support.runs import MODEL, foreign_trace, trace, write_project, write_run
from support.web import Viewed, pages, viewed


class Shown(NamedTuple):
    """A folder with the runs `first` and `second` (newer), viewed."""

    host: Viewed
    project: Path
    runs: Path


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("web")
    project = write_project(folder / "project")
    runs = project / ".kinetoscope"
    write_run(runs, "first", project)
    (project / "library.py").write_text(LIBRARY)
    (project / "notes.txt").write_text("secret")
    maker = trace(project)
    for name in ("library.py", "notes.txt"):
        maker.event("python_function", f"{project / name}(1): called", 20, 5)
    write_run(runs, "second", project, maker=maker, created="2026-11-30T11:00:00+00:00")
    with viewed(project, "--no-browser", static=pages(folder / "static")) as host:
        yield Shown(host, project, runs)


LIBRARY = "x = 1\n"
LIST = {"method": "kinetoscope/runs/list", "params": {}}


# The page and its files


def test_the_page_loads_nothing_but_its_own_files_and_is_not_kept(shown: Shown) -> None:
    reply = shown.host.request("GET", "/")
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))
    assert policy.pop("default-src") == "'none'"
    assert policy.pop("frame-ancestors") == policy.pop("base-uri") == policy.pop("form-action") == "'none'"
    assert set(policy.values()) == {"'self'"}
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert not any(name.startswith("access-control-") for name in reply.headers)


def test_the_files_of_the_build_are_served_with_their_types(shown: Shown) -> None:
    reply = shown.host.request("GET", "/app.js")
    assert (reply.status, reply.body) == (200, b"document.title = 'built'")
    assert reply.headers["content-type"].startswith("text/javascript")
    assert shown.host.request("GET", "/browser.css").headers["content-type"].startswith("text/css")
    assert shown.host.request("HEAD", "/app.js").body == b""


@pytest.mark.parametrize(
    "path",
    [
        "/../files.py",
        "/static/../files.py",
        "/..%2ffiles.py",
        "/%2e%2e/%2e%2e/app.js",
        "//etc/passwd",
        "/etc/passwd",
        "/notes.txt",
        "/.css",
        "/app.js/",
        "/%00.js",
        "/nothing.js",
        "/api/events/x",
    ],
)
def test_no_other_path_leads_to_a_file(shown: Shown, path: str) -> None:
    reply = shown.host.request("GET", path)
    assert reply.status in (404, 405)
    assert set(reply.body) == {"error"}


# Who may ask


def test_without_the_token_nothing_is_answered(shown: Shown) -> None:
    asked = shown.host.request("POST", "/api/ask", b'{"method": "kinetoscope/runs/list"}')
    empty = shown.host.request("POST", "/api/ask", b"{}", {"X-Kinetoscope-Token": ""})
    listening = shown.host.request("GET", "/api/events")
    assert (asked.status, empty.status, listening.status) == (401, 401, 401)
    assert "kinetoscope view" in asked.body["error"]


@pytest.mark.parametrize("token", ["wrong", "wrong-" * 8, "é"])
def test_with_another_token_nothing_is_answered(shown: Shown, token: str) -> None:
    asked = shown.host.request("POST", "/api/ask", b"{}", {"X-Kinetoscope-Token": token})
    assert asked.status == 403
    assert shown.host.request("GET", "/api/events?token=wrong").status == 403


@pytest.mark.parametrize("host", ["attacker.example", "127.0.0.1.attacker.example", "localhost.attacker.example:80", "10.0.0.1", ""])
def test_another_name_for_this_machine_is_refused_for_all(shown: Shown, host: str) -> None:
    assert shown.host.post(LIST, Host=host).status == 403
    assert shown.host.request("GET", "/", headers={"Host": host}).status == 403
    assert shown.host.request("GET", f"/api/events?token={shown.host.token}", headers={"Host": host}).status == 403


@pytest.mark.parametrize("host", ["localhost:9999", "127.0.0.1:1234", "localhost"])
def test_the_port_may_be_that_of_a_tunnel(shown: Shown, host: str) -> None:
    assert shown.host.post(LIST, Host=host, Origin=f"http://{host}").status == 200


@pytest.mark.parametrize("origin", ["http://attacker.example", "http://127.0.0.1:1", "https://127.0.0.1", "null"])
def test_a_page_of_another_origin_is_refused(shown: Shown, origin: str) -> None:
    reply = shown.host.post(LIST, Origin=origin)
    assert reply.status == 403
    assert not any(name.startswith("access-control-") for name in reply.headers)


def test_our_own_page_is_answered_and_a_foreign_one_is_not_even_with_the_token(shown: Shown) -> None:
    assert shown.host.post(LIST, Origin=shown.host.origin, Sec_Fetch_Site="same-origin").status == 200
    assert shown.host.post(LIST, Sec_Fetch_Site="cross-site").status == 403
    # A link to the page may stand anywhere, as in a terminal that is itself a web page.
    assert shown.host.request("GET", "/", headers={"Sec-Fetch-Site": "cross-site"}).status == 200


# What may be asked


def test_each_request_of_the_wire_is_allowed_or_refused_with_a_reason() -> None:
    assert not questions.ALLOWED & questions.REFUSED.keys()
    assert wire.REQUESTS.keys() == questions.ALLOWED | questions.REFUSED.keys()


def test_the_newest_run_is_active_and_all_of_the_folder_are_listed(shown: Shown) -> None:
    found = shown.host.ask("kinetoscope/runs/list")
    assert [Path(run["path"]).name for run in found["runs"]] == ["second", "first"]
    assert found["active"] == str(shown.runs / "second")


def test_an_answer_is_that_of_the_wire(shown: Shown) -> None:
    view = shown.host.ask("kinetoscope/lines/view", run=str(shown.runs / "first"))
    assert (view["metric"], view["steps"]) == ("gpu_time", 2)
    dearest = max(view["rows"], key=lambda row: row["gpu_us"])
    assert (Path(dearest["file"]).name, dearest["line"], dearest["gpu_us"]) == ("model.py", 2, 800.0)


def test_what_can_not_be_answered_has_the_words_that_an_editor_gets(shown: Shown) -> None:
    reply = shown.host.post({"method": "kinetoscope/lines/detail", "params": {"file": "none.py", "line": 1}})
    assert reply.status == 200
    assert reply.body == {"error": "none.py, line 1, has no cost in this run. Choose a line of the list."}


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"method": "kinetoscope/lines/view", "params": {"metric": "weight"}}, 400, "metric"),
        ({"method": "kinetoscope/lines/view", "params": [1]}, 400, "params"),
        ({"method": "kinetoscope/runs/list", "more": 1}, 400, "more"),
        ({}, 400, "method"),
        (b"no json", 400, "can't be read"),
        (b'{"method": "\xff"}', 400, "can't be read"),
        (b" " * 1_000_001, 413, "too long"),
        ({"method": "kinetoscope/runs/burn"}, 404, "There is no question kinetoscope/runs/burn"),
        ({"method": "kinetoscope/inline/settings", "params": {}}, 404, "There is no question"),
        ({"method": "kinetoscope/traces/find", "params": {"folder": "/"}}, 403, "any folder"),
    ],
)
def test_what_is_no_question_says_why(shown: Shown, body: Any, status: int, words: str) -> None:
    reply = shown.host.post(body)
    assert reply.status == status
    assert words in reply.body["error"]


def test_a_page_can_delete_nothing(shown: Shown) -> None:
    reply = shown.host.post({"method": "kinetoscope/runs/delete", "params": {"run": str(shown.runs / "first")}})
    assert (reply.status, "it deletes files" in reply.body["error"]) == (403, True)
    assert (shown.runs / "first" / "run.json").exists()


@pytest.mark.parametrize("method", ["kinetoscope/lines/view", "kinetoscope/runs/set_active"])
def test_runs_that_were_not_given_are_not_read(shown: Shown, tmp_path: Path, method: str) -> None:
    other = write_run(tmp_path / "runs", "other", write_project(tmp_path / "project"))
    reply = shown.host.post({"method": method, "params": {"run": str(other)}})
    assert reply.status == 404
    assert "is not among the runs that are viewed" in reply.body["error"]
    assert not (other / "cache").exists()


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/ask"), ("PUT", "/api/ask"), ("POST", "/"), ("DELETE", "/app.js"), ("OPTIONS", "/api/ask")]
)
def test_other_ways_to_ask_are_refused(shown: Shown, method: str, path: str) -> None:
    assert shown.host.request(method, path, headers={"X-Kinetoscope-Token": shown.host.token}).status == 405


def test_a_page_is_shown_sources_that_the_recording_names_and_no_other_files(shown: Shown, tmp_path: Path) -> None:
    profiled = shown.host.ask("kinetoscope/source/text", file=str(shown.project / "model.py"), line=2)
    assert (profiled["text"], profiled["reason"]) == (MODEL, None)
    library = shown.host.ask("kinetoscope/source/text", file=str(shown.project / "library.py"), line=1)
    assert library["text"] == LIBRARY
    assert "as it is now" in library["reason"]
    (tmp_path / "private.py").write_text("secret = 1\n")
    for file in (
        str(tmp_path / "private.py"),  # A source, but of no run.
        str(shown.project / "notes.txt"),  # A frame says that it is one.
        f"{shown.project}/../project/library.py",
        "/etc/passwd",
        "../../../../etc/passwd",
    ):
        other = shown.host.post({"method": "kinetoscope/source/text", "params": {"file": file, "line": 1}})
        assert "is no source file of this run" in other.body["error"]


def test_an_answer_does_not_wait_for_an_acknowledgement(shown: Shown) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", shown.host.port)
    took_s: list[float] = []
    for _ in range(20):
        begun_s = time.monotonic()
        connection.request("POST", "/api/ask", json.dumps(LIST), {"X-Kinetoscope-Token": shown.host.token})
        connection.getresponse().read()
        took_s.append(time.monotonic() - begun_s)
    connection.close()
    assert sorted(took_s)[5] < 0.03, took_s  # The system's delay is 40 ms; that of a busy machine is not in all of them.


# What pages are told


def test_every_page_is_told_of_what_another_chose(shown: Shown) -> None:
    one, other = shown.host.listen(), shown.host.listen()
    shown.host.ask("kinetoscope/runs/set_active", run=str(shown.runs / "first"))
    for page in (one, other):
        page.until(lambda event, data: (event, data.get("active")) == ("kinetoscope/runs/changed", str(shown.runs / "first")))
    shown.host.ask("kinetoscope/runs/set_active", run=str(shown.runs / "second"))


def test_the_part_that_one_page_selects_is_told_to_all(shown: Shown) -> None:
    page = shown.host.listen()
    run = str(shown.runs / "first")
    shown.host.ask("kinetoscope/part/select", run=run, part={"step": 1})
    page.until(lambda event, data: event == "kinetoscope/part/changed" and (data["run"], data["part"]["step"]) == (run, 1))
    assert shown.host.ask("kinetoscope/run/describe", run=run)["part"]["step"] == 1
    shown.host.ask("kinetoscope/part/select", run=run)


def test_a_view_is_that_of_the_command_line(shown: Shown) -> None:
    content = shown.host.ask("kinetoscope/view", run=str(shown.runs / "first"), name="kernels")["content"]
    done = subprocess.run(
        [sys.executable, "-m", "kinetoscope", "report", ".kinetoscope/first", "--view", "kernels", "--json"],
        cwd=shown.project,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert content["rows"] == json.loads(done.stdout)["rows"]


def test_two_runs_are_compared(shown: Shown) -> None:
    found = shown.host.ask("kinetoscope/compare", before=str(shown.runs / "first"), after=str(shown.runs / "second"))
    assert found["steps"]["count"]["before"] == found["steps"]["count"]["after"] == 2


def test_a_new_run_of_the_folder_is_read_told_with_its_progress_and_can_be_asked(shown: Shown) -> None:
    page = shown.host.listen()
    new = write_run(shown.runs, "third", shown.project, created="2026-11-30T12:00:00+00:00")
    page.until(lambda event, data: event == "kinetoscope/runs/changed" and data["arrived"] == str(new))
    stages = [data["stage"] for event, data in page.events if event == "kinetoscope/read/progress" and data["run"] == str(new)]
    assert list(dict.fromkeys(stages)) == ["reading", "linking", "lines", "done"]
    assert shown.host.ask("kinetoscope/lines/view")["run"]["path"] == str(new)


def test_a_trace_alone_is_viewed_and_its_folder_is_not(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    for name in ("one.json", "two.json"):
        foreign_trace().write(tmp_path / name)
    with viewed(tmp_path, "one.json", "--no-browser", static=pages(tmp_path / "static")) as host:
        found = host.ask("kinetoscope/runs/list")
        assert [(run["name"], run["kind"]) for run in found["runs"]] == [("one.json", "trace")]
        assert found["active"] == str(tmp_path / "one.json")
        assert host.post({"method": "kinetoscope/lines/view", "params": {"run": str(tmp_path / "two.json")}}).status == 404


def test_a_folder_of_traces_lists_all_and_shows_the_newest(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        foreign_trace().write(tmp_path / name)
    with viewed(tmp_path, ".", "--no-browser", static=pages(tmp_path / "static")) as host:
        found = host.ask("kinetoscope/runs/list")
        assert {run["name"] for run in found["runs"]} == {"one.json", "two.json"}
        assert found["active"] in {run["path"] for run in found["runs"]}


def test_of_several_paths_the_first_is_active(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    before, after = (write_run(tmp_path / "runs", name, project) for name in ("before", "after"))
    with viewed(tmp_path, str(before), str(after), "--no-browser", static=pages(tmp_path / "static")) as host:
        found = host.ask("kinetoscope/runs/list")
        assert found["active"] == str(before)
        assert {run["path"] for run in found["runs"]} == {str(before), str(after)}
