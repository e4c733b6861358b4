"""`kinetoscope view` in a terminal: what it prints and opens, how it ends, and what it says where there is nothing to show."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kinetoscope.cli.view import has_browser, how_to_forward
from kinetoscope.service.wire import InitOptions
from kinetoscope.web.serve import Address, serve
from support.runs import write_project, write_run
from support.web import PATIENCE_S, pages, start, until, viewed


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = write_project(tmp_path / "project")
    write_run(folder / ".kinetoscope", "run", folder)
    return folder


@pytest.fixture
def static(tmp_path: Path) -> Path:
    return pages(tmp_path / "static")


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def refused(process: subprocess.Popen[str]) -> str:
    """What it says, when it ends by itself with 1."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (1, "")
    return err


def test_it_prints_the_address_and_ends_by_ctrl_c_with_0(project: Path, static: Path) -> None:
    with viewed(project, "--no-browser", static=static) as host:
        assert host.said == [f"Kinetoscope shows its pages at {host.origin}/#token={host.token}", "Ctrl+C ends it."]
        assert host.interrupt() == (0, "")


def test_ctrl_c_ends_the_streams_of_pages_and_the_process_that_reads(project: Path, static: Path, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    worker = script(tmp_path / "worker", f"""echo '{{"stage": "reading", "done": 1, "total": 2}}'; echo $$ > {pid_file}; exec sleep 600""")
    with viewed(project, "--no-browser", static=static, executable=worker) as host:
        page = host.listen()
        until(lambda: pid_file.exists() and pid_file.read_text().strip() != "", lambda: "no reading began")
        assert host.interrupt() == (0, "")
        assert page.ended.wait(PATIENCE_S)
        until(lambda: ended(int(pid_file.read_text())), lambda: "the worker is still there")


def test_it_answers_on_the_loopback_only(project: Path, static: Path) -> None:
    # Another address of this machine, which only one who listens on all would answer.
    with viewed(project, "--no-browser", static=static) as host, pytest.raises(OSError, match=r"."):
        socket.create_connection(("127.0.0.2", host.port), timeout=5)


def test_the_browser_is_started_with_a_file_that_only_its_user_can_read_and_that_leads_in_once(
    project: Path, static: Path, tmp_path: Path
) -> None:
    opened = tmp_path / "opened"
    browser = script(tmp_path / "browser", f'echo "$1" > {opened}')
    with viewed(project, static=static, env={"BROWSER": str(browser), "DISPLAY": ":0"}) as host:
        until(lambda: opened.exists() and opened.read_text() != "", lambda: "no browser was opened")
        argument = opened.read_text().strip()
        file = Path(argument.removeprefix("file://"))
        assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
        page = file.read_text()
        [path] = set(re.findall(rf"{host.origin}(/open/[\w-]+)", page))
        assert path.removeprefix("/open/") not in argument
        assert host.token not in page
        assert host.request("HEAD", path).status == 405  # And has not used it up.
        first, second = host.request("GET", path), host.request("GET", path)
        assert (first.status, first.headers["location"]) == (303, f"/#token={host.token}")
        assert second.status == 403
        assert host.token not in str(second)
        assert not file.parent.exists()


def test_the_file_for_a_browser_that_never_came_is_removed_at_the_end(project: Path, static: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    browser = script(tmp_path / "browser", "true")
    with viewed(project, static=static, env={"BROWSER": str(browser), "DISPLAY": ":0", "TMPDIR": str(tmp_path / "temporary")}) as host:
        assert len(list((tmp_path / "temporary").glob("*/open.html"))) == 1
        assert host.interrupt() == (0, "")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_where_that_file_can_not_be_written_the_address_is_printed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("kinetoscope.web.doorway._SNAPS", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "gone"))
    said: list[Address] = []

    def ready(address: Address) -> None:
        said.append(address)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("kinetoscope.web.files.FOLDER", pages(tmp_path / "static"))
    serve(InitOptions(), 0, ready, browse=True)
    assert "#token=" in said[0].page
    assert said[0].doorway is None
    assert "No browser is opened" in caplog.text


def test_no_browser_is_opened_where_none_is_wanted(project: Path, static: Path, tmp_path: Path) -> None:
    browser = script(tmp_path / "browser", f"echo > {tmp_path / 'opened'}")
    with viewed(project, "--no-browser", static=static, env={"BROWSER": str(browser), "DISPLAY": ":0"}) as host:
        host.ask("kinetoscope/lines/view")
    assert not (tmp_path / "opened").exists()


def test_over_ssh_it_says_how_to_forward_the_port(project: Path, static: Path) -> None:
    with viewed(project, static=static, env={"SSH_CONNECTION": "198.51.100.7 50000 203.0.113.5 22", "DISPLAY": ":0"}) as host:
        [line] = [line for line in host.said if "ssh" in line]
        assert f"ssh -N -L {host.port}:127.0.0.1:{host.port} " in line
        assert "@203.0.113.5" in line


def test_only_those_who_came_by_ssh_are_told_of_it() -> None:
    assert how_to_forward({}, 1) is None
    assert how_to_forward({"SSH_CONNECTION": "odd"}, 1) is None


@pytest.mark.parametrize(
    ("environment", "platform", "opens"),
    [
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "a 1 b 2", "DISPLAY": ":0"}, "linux", False),
        ({"SSH_CONNECTION": "a 1 b 2"}, "darwin", False),
        ({"DISPLAY": ":0", "BROWSER": "/helpers/browser.sh", "VSCODE_IPC_HOOK_CLI": "/run/ipc.sock"}, "linux", False),
    ],
)
def test_a_browser_is_opened_where_it_can_be_seen(environment: dict[str, str], platform: str, opens: bool) -> None:
    assert has_browser(environment, platform) is opens


def test_the_port_can_be_chosen_and_one_that_is_taken_says_so(project: Path, static: Path) -> None:
    with viewed(project, "--no-browser", static=static) as first:
        err = refused(start(project, "--no-browser", "--port", str(first.port), static=static))
        assert f"Port {first.port} can't be used: " in err
        assert "--port" in err
        port = first.port
        assert first.interrupt()[0] == 0
    with viewed(project, "--no-browser", "--port", str(port), static=static) as second:
        assert second.port == port


def test_where_there_is_nothing_it_says_so_as_the_other_commands_do(tmp_path: Path, static: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "There is neither a run nor a trace in" in refused(start(tmp_path, "empty", static=static))
    report = subprocess.run(
        [sys.executable, "-m", "kinetoscope", "report", "gone"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert refused(start(tmp_path, "gone", static=static)) == report.stderr


def test_a_run_that_can_not_be_read_says_why(project: Path, static: Path) -> None:
    (project / ".kinetoscope" / "run" / "run.json").write_text("{")
    assert "run.json" in refused(start(project, str(project / ".kinetoscope" / "run"), static=static))


def test_a_trace_that_can_not_be_read_says_why_in_the_page_and_the_terminal(tmp_path: Path, static: Path) -> None:
    (tmp_path / "odd.json").write_text("no trace")
    with viewed(tmp_path, "odd.json", "--no-browser", static=static) as host:
        view = host.ask("kinetoscope/lines/view")
        assert "odd.json" in view["reason"]
        code, err = host.interrupt()
        assert code == 0
        assert "odd.json" in err


def test_a_checkout_without_its_pages_says_how_to_build_them(project: Path, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    err = refused(start(project, static=tmp_path / "nothing"))
    assert "The pages are not built." in err
    assert "npm run build" in err


def test_a_slow_visitor_does_not_hold_up_the_end(project: Path, static: Path) -> None:
    with viewed(project, "--no-browser", static=static) as host:
        connection = http.client.HTTPConnection("127.0.0.1", host.port)
        connection.putrequest("POST", "/api/ask")
        connection.putheader("X-Kinetoscope-Token", host.token)
        connection.putheader("Content-Length", "100")
        connection.endheaders()
        host.ask("kinetoscope/runs/list")
        assert host.interrupt() == (0, "")
        connection.close()
