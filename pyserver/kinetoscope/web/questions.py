"""What pages may ask, and how the answers look: `{"result": …}`, or `{"error": words}`."""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from kinetoscope.service.errors import RunError
from kinetoscope.service.session import Session
from kinetoscope.web.access import Refusal

logger = logging.getLogger(__name__)

ALLOWED = frozenset(
    {
        "kinetoscope/runs/list",
        "kinetoscope/runs/set_active",
        "kinetoscope/runs/cancel_reading",
        "kinetoscope/run/describe",
        "kinetoscope/part/select",
        "kinetoscope/view",
        "kinetoscope/compare",
        "kinetoscope/search",
        "kinetoscope/timeline/tracks",
        "kinetoscope/timeline/tile",
        "kinetoscope/timeline/details",
        "kinetoscope/timeline/find",
        "kinetoscope/timeline/locate",
        "kinetoscope/timeline/sums",
        "kinetoscope/lines/view",
        "kinetoscope/lines/detail",
        "kinetoscope/source/text",
    }
)
"""Requests that read, or choose what is shown."""

REFUSED = {
    "kinetoscope/runs/delete": "it deletes files",
    "kinetoscope/runs/set_baseline": "it is for the numbers in an editor",
    "kinetoscope/traces/find": "it looks into any folder",
    "kinetoscope/lines/at": "it is for documents of an editor",
    "kinetoscope/lines/heat": "it is for documents of an editor",
    "kinetoscope/lines/hot_spots": "it is for an editor's list",
    "kinetoscope/source/place": "it is for an editor, which opens files",
    "kinetoscope/source/files": "it is for an editor, which opens files",
}
"""The other requests of the wire, each with the reason."""

_RUNS = ("run", "before", "after")
"""Parameters that name a run."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /api/ask."""

    method: str
    params: dict[str, Any] | None = None


def read(body: bytes) -> Question | Refusal:
    """The question of a request's body, or why there is none that a page may ask."""
    try:
        question = msgspec.json.decode(body, type=Question)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return Refusal(400, f"The question can't be read: {error}.")
    if question.method in REFUSED:
        return Refusal(403, f"A page may not ask {question.method}: {REFUSED[question.method]}.")
    if question.method not in ALLOWED:
        return Refusal(404, f"There is no question {question.method}.")
    return question


class Asked:
    """Puts the questions of pages to a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._viewed: set[str] = set()

    async def answer(self, question: Question) -> bytes | Refusal:
        """The answer's body. A question that can't be answered is refused with the words that an editor would get (status 200: it was a
        question, and those are the answer)."""
        other = self._other_run(question)
        if other is not None:
            return Refusal(404, f"{other} is not among the runs that are viewed.")
        try:
            result = await self._session.answer(question.method, question.params)
        except msgspec.ValidationError as error:
            return Refusal(400, str(error))
        except RunError as error:
            return Refusal(200, str(error))
        except Exception as error:  # One question that goes wrong must not end the server.
            logger.exception("%s failed", question.method)
            return Refusal(500, f"{question.method} failed: {error!r}. This is an error of Kinetoscope: please report it with the log.")
        return msgspec.json.encode({"result": result})

    def _other_run(self, question: Question) -> str | None:
        """A run that the question names and `kinetoscope view` was not given: pages name runs by paths, and may not have others read."""
        named = {path for name in _RUNS if isinstance(path := (question.params or {}).get(name), str)}
        if not named <= self._viewed:
            self._viewed = {run.path for run in self._session.runs.list().runs}
        return min(named - self._viewed, default=None)
