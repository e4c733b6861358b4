"""`kinetoscope lsp`: becomes the language server."""

from __future__ import annotations

import os
import subprocess
import sys

from kinetoscope.service.programs import language_server_command


def lsp() -> int:
    """Replace this process by the server, so that signals and pipes are the server's; Windows can't, and waits."""
    command = language_server_command()
    if sys.platform != "win32":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode
