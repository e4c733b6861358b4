"""The recorder's version and the version of the run format it writes (docs/run-format.md)."""

__version__ = "0.1.0"
FORMAT = 1
