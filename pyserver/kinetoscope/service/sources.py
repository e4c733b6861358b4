"""What the hosts need to know of files and texts."""

from kinetoscope.runs.folder import DEFAULT_FOLDER
from kinetoscope.runs.manifest import MANIFEST
from kinetoscope.runs.sources import canonical
from kinetoscope.trace.text import split_lines

RUN_PATTERN = f"**/{DEFAULT_FOLDER}/*/{MANIFEST}"
"""Glob of the files by whose coming and going an editor can tell of runs."""

__all__ = ["RUN_PATTERN", "canonical", "split_lines"]
