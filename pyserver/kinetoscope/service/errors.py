"""What the hosts need to know of errors: every problem that a user can do something about is a `RunError`."""

from kinetoscope.runs.manifest import RunError

__all__ = ["RunError"]
