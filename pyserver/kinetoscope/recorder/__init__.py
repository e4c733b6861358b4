"""The recorder: runs a program in the user's own interpreter and saves what every line did as a run folder.

It needs the standard library and torch only, and imports nothing else of Kinetoscope, so that the folder also works when copied alone.
torch is never imported from here before the profiled program has imported it; `profile` is therefore loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dropin import profile as profile

__all__ = ["profile"]


def __getattr__(name: str) -> Any:
    if name == "profile":
        from .dropin import profile

        return profile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
