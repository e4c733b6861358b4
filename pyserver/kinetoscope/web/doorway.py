"""The file that a browser is started with. What a program is started with, every user of the machine can read; this file only its owner
can, so the way to the pages stands in it and not in the browser's arguments."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="refresh" content="0; url={link}">
  <meta name="referrer" content="no-referrer">
  <title>Kinetoscope</title>
</head>
<body><p><a href="{link}">To Kinetoscope's pages</a></p></body>
</html>
"""
_SNAPS = Path("/snap")


class Doorway:
    """A page that leads to `link` at once. Raises `OSError` where it can't be written."""

    def __init__(self, link: str) -> None:
        # Browsers that are snaps (Ubuntu's is one) see neither /tmp nor hidden folders, but others of the home.
        base = Path.home() if sys.platform == "linux" and _SNAPS.is_dir() else None
        self._folder = tempfile.mkdtemp(prefix="kinetoscope-", dir=base)  # With mode 0700.
        self.path = Path(self._folder, "open.html")
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(_PAGE.format(link=link))
        except OSError:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove it, where it is still there."""
        shutil.rmtree(self._folder, ignore_errors=True)
