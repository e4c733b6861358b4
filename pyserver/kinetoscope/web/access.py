"""Who may ask. Any program and any web page on this machine can reach a loopback port; only our own page knows the token.

Three walls, each against what another lets through: the name in `Host` (a page of a foreign name that was pointed at 127.0.0.1, DNS
rebinding), `Origin` and `Sec-Fetch-Site` (a foreign page that sends requests here), and the token (everything else, other users too).
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

HEADER = "x-kinetoscope-token"
_LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?")
_TICKET_S = 60.0


class Refusal(NamedTuple):
    """An HTTP status and words for the reader."""

    status: int
    words: str


def make_token() -> str:
    """A new secret of 256 bits."""
    return secrets.token_urlsafe(32)


def rebound(headers: Mapping[str, str]) -> Refusal | None:
    """Why a request (names of headers in lower case) was not meant for this machine; None where it was.

    The port in `Host` is any: behind `ssh -L` it is that of the other machine.
    """
    if not _LOOPBACK.fullmatch(headers.get("host", "")):
        return Refusal(403, "Kinetoscope answers on 127.0.0.1 and localhost only.")
    return None


def foreign(headers: Mapping[str, str]) -> Refusal | None:
    """Why a request does not come from a page of ours; None where it does, or from no page. Links to the page itself may be anywhere."""
    own = headers.get("origin", f"http://{headers['host']}") == f"http://{headers['host']}"
    if not own or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return Refusal(403, "Kinetoscope answers its own page only.")
    return None


def unknown(token: str, given: str | None) -> Refusal | None:
    """Why the token that was given is not enough; None where it is."""
    if not given:
        return Refusal(401, "The address lacks its token: open the one that `kinetoscope view` printed.")
    if not hmac.compare_digest(given.encode(), token.encode()):
        return Refusal(403, "The token is not that of this server: open the address that `kinetoscope view` printed last.")
    return None


class Ticket:
    """Opens the page once: what a browser is led to, so that neither its history nor what it was started with holds the token."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.value = secrets.token_urlsafe(32)
        self._clock = clock
        self._ends_s = clock() + _TICKET_S
        self._used = False

    def take(self, given: str) -> bool:
        """True the first time that it is given in time."""
        fits = hmac.compare_digest(given.encode(), self.value.encode()) and not self._used and self._clock() < self._ends_s
        self._used = self._used or fits
        return fits
