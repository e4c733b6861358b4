"""The one formatter of numbers of the Python side, for the hosts."""

from __future__ import annotations

from kinetoscope.analysis.format import MINUS, change, count, counted, share, size_bytes, time_pair_us, time_us

__all__ = ["MINUS", "change", "count", "counted", "share", "size_bytes", "time_pair_us", "time_us"]
