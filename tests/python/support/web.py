"""A browser for tests: starts the real `kinetoscope view` as a process, and speaks real HTTP with it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE_S = 30.0

_NO_BROWSERS = ("SSH_CONNECTION", "VSCODE_IPC_HOOK_CLI", "BROWSER", "DISPLAY", "WAYLAND_DISPLAY")

# The pages are the build's; what is tested here is who gets them. `executable` stands for the interpreter that readings are started with.
_PROGRAM = """
import sys
from pathlib import Path
from kinetoscope.web import files
files.FOLDER = Path(sys.argv[1])
sys.executable = sys.argv[2]
from kinetoscope.cli import main
sys.exit(main(sys.argv[3:]))
"""


class Reply(NamedTuple):
    """What came back; `body` is decoded where it is JSON."""

    status: int
    headers: dict[str, str]
    body: Any


class Stream:
    """The events of one page, gathered as they come; `ended` is set when the server closed the stream."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.events: list[tuple[str, Any]] = []
        self.connected = threading.Event()
        self.ended = threading.Event()
        self._response = response
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._response:
            self.connected.set()
            if line.startswith(b"data: "):
                message = json.loads(line.removeprefix(b"data: "))
                self.events.append((message["event"], message["data"]))
        self.ended.set()

    def until(self, holds: Callable[[str, Any], bool]) -> None:
        """Wait for an event."""
        until(lambda: any(holds(event, data) for event, data in self.events), lambda: f"only {self.events} were told")


def until(holds: Callable[[], bool], otherwise: Callable[[], str]) -> None:
    """Wait until something is so."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, otherwise()
        time.sleep(0.02)


class Viewed:
    """A running `kinetoscope view`. `said` is what it printed until pages could be loaded."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            self.said.append(line.rstrip("\n"))
            if "Ctrl+C" in line:
                break
        address = next((line.rpartition(" ")[2] for line in self.said if "#token=" in line), None)
        assert address is not None, f"no address was printed: {self.said}, {process.stderr.read() if process.stderr else ''}"
        self.origin, _, self.token = address.partition("/#token=")
        self.port = int(self.origin.rpartition(":")[2])

    def request(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        """One HTTP request, exactly as given (paths are not tidied up)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        got = {name.lower(): value for name, value in response.getheaders()}
        is_json = got.get("content-type") == "application/json" and method != "HEAD"
        return Reply(response.status, got, json.loads(content) if is_json else content)

    def post(self, body: Any, **headers: str) -> Reply:
        """POST /api/ask with the token; `headers` are added (`_` stands for `-`)."""
        given = {"X-Kinetoscope-Token": self.token, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.request("POST", "/api/ask", body if isinstance(body, bytes) else json.dumps(body).encode(), given)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a question that has one."""
        reply = self.post({"method": method, "params": params})
        assert reply.status == 200, reply
        assert "result" in reply.body, reply
        return reply.body["result"]

    def listen(self) -> Stream:
        """The event stream, connected."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("GET", f"/api/events?token={self.token}")
        response = connection.getresponse()
        assert response.status == 200, response.read()
        assert response.getheader("content-type") == "text/event-stream"
        stream = Stream(response)
        assert stream.connected.wait(PATIENCE_S)
        return stream

    def interrupt(self) -> tuple[int, str]:
        """Ctrl+C: `(exit code, what it wrote on standard error)`."""
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, err


def pages(folder: Path) -> Path:
    """A folder with the files that the build makes."""
    folder.mkdir()
    (folder / "app.js").write_text("document.title = 'built'")
    (folder / "app.css").write_text("body { margin: 0 }")
    (folder / "browser.js").write_text("document.body.className = 'vscode-dark'")
    (folder / "browser.css").write_text(":root { --vscode-foreground: black }")
    (folder / "notes.txt").write_text("no page")
    return folder


def start(cwd: Path, *words: str, static: Path, env: dict[str, str] | None = None, executable: Path | None = None) -> subprocess.Popen[str]:
    """`kinetoscope view WORDS` as a process; `static` has the pages' files, `env` is added to a plain environment."""
    environment = {name: value for name, value in os.environ.items() if name not in _NO_BROWSERS}
    command = [sys.executable, "-I", "-c", _PROGRAM, str(static), str(executable or sys.executable), "view", *words]
    return subprocess.Popen(
        command, cwd=cwd, env=environment | (env or {}), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


@contextmanager
def viewed(cwd: Path, *words: str, static: Path, env: dict[str, str] | None = None, executable: Path | None = None) -> Iterator[Viewed]:
    """`kinetoscope view WORDS`, ready."""
    process = start(cwd, *words, static=static, env=env, executable=executable)
    try:
        yield Viewed(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
