"""The files of the pages: a flat folder that the build fills. Only names that it lists are served, so no path leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "static"

_NEEDED = ("app.js", "app.css", "browser.js", "browser.css")
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".ttf": "font/ttf",
    ".png": "image/png",
}

PAGE = b"""<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Kinetoscope</title>
  <link rel="icon" href="/icon.png">
  <link rel="stylesheet" href="/browser.css">
  <link rel="stylesheet" href="/app.css">
</head>
<body>
  <main id="root"></main>
  <noscript>Kinetoscope's pages need JavaScript.</noscript>
  <script type="module" src="/browser.js"></script>
  <script type="module" src="/app.js"></script>
</body>
</html>
"""


def built(folder: Path) -> bool:
    """Whether the build has put the pages there."""
    return all((folder / name).is_file() for name in _NEEDED)


def load(folder: Path, path: str) -> tuple[str, bytes] | None:
    """`(content type, body)` of a file by the path of its address; None where there is none."""
    if path == "/":
        return "text/html; charset=utf-8", PAGE
    name = path.removeprefix("/")
    content_type = _TYPES.get(os.path.splitext(name)[1])
    if content_type is None or name not in os.listdir(folder):
        return None
    return content_type, (folder / name).read_bytes()
