"""`kinetoscope view`: the pages in a browser, until Ctrl+C."""

from __future__ import annotations

import getpass
import os
import sys
import threading
import webbrowser
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from kinetoscope.service.viewing import to_view
from kinetoscope.web.serve import Address, serve


def view(options: Namespace) -> int:
    """Serve until Ctrl+C, which is how it ends: 0."""
    named = to_view([Path(path) for path in options.paths])
    serve(named, options.port, _ready, browse=not options.no_browser and has_browser(os.environ, sys.platform))
    return 0


def _ready(address: Address) -> None:
    print(f"Kinetoscope shows its pages at {address.page}")
    forwarding = how_to_forward(os.environ, address.port)
    if forwarding is not None:
        print(f"From your own machine: {forwarding}   and open the same address there.")
    print("Ctrl+C ends it.", flush=True)
    if address.doorway is not None:
        # A browser in the terminal would hold us up until it ends.
        threading.Thread(target=webbrowser.open, args=[address.doorway.as_uri()], daemon=True).start()


def how_to_forward(environment: Mapping[str, str], port: int) -> str | None:
    """The command that brings the port to the machine that the user came from by SSH; None where they did not."""
    # SSH_CONNECTION: the client's address and port, then ours as the client has it.
    words = environment.get("SSH_CONNECTION", "").split()
    if len(words) != 4:
        return None
    return f"ssh -N -L {port}:127.0.0.1:{port} {getpass.getuser()}@{words[2]}"


def has_browser(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a browser that is started here can be seen and reads files of this machine. Over SSH and on a Linux without a display it
    can't be seen; that of a terminal of an editor's server (VS Code sets VSCODE_IPC_HOOK_CLI there) opens on the editor's machine, where
    our file is not. The address that was printed is a link in such a terminal."""
    if "SSH_CONNECTION" in environment or "VSCODE_IPC_HOOK_CLI" in environment:
        return False
    return not platform.startswith("linux") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
