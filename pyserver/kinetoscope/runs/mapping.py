"""Where each profiled line is in the text as it is now.

Lines are compared whole, but for blanks at their end. The common start and end are trimmed; what lies between is cut at lines that occur
once in both texts (patience diff), and the small pieces left go through difflib. Then changed lines are paired by the words they share. The
result is never a guess shown as a fact: `fresh` and `shifted` lines have the same text, everything paired by likeness is `stale`, and the
rest is gone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from kinetoscope.trace.text import split_lines

Freshness = Literal["fresh", "shifted", "stale"]

_MATCH_WORK = 200_000
"""Bound of the pairs of equal lines that difflib may look at in one piece: about 20 ms."""
_PAIR_CELLS = 1_600
"""Bound of the lines x lines of a changed block that are compared word by word."""
_ALIKE = 0.5
"""Share of words that a changed line must have in common with the profiled one."""

_WORD = re.compile(r"\w+|[^\w\s]")


class Mapped(NamedTuple):
    """Where a profiled line is now, counted from 1."""

    line: int
    freshness: Freshness


class LineMap:
    """The lines of one profiled text in one current text.

    `places[i]` is the index of profiled line i in the current text, -1 where it is gone; `stale` holds the i of those that were changed.
    """

    def __init__(self, places: list[int], stale: set[int]) -> None:
        self._places = places
        self._stale = stale
        self._profiled: dict[int, int] | None = None

    def now(self, profiled_line: int) -> Mapped | None:
        """The present place of a profiled line (from 1); None where it is gone or never was."""
        index = profiled_line - 1
        if not 0 <= index < len(self._places) or self._places[index] < 0:
            return None
        there = self._places[index]
        return Mapped(there + 1, "stale" if index in self._stale else "fresh" if there == index else "shifted")

    def then(self, current_line: int) -> int | None:
        """The profiled line that is at `current_line` now."""
        if self._profiled is None:
            self._profiled = {there: index + 1 for index, there in enumerate(self._places)}
        return self._profiled.get(current_line - 1)

    def changed_in(self, first: int, last: int) -> int:
        """How many of the profiled lines `first..last` are stale or gone."""
        return sum(1 for index in range(first - 1, min(last, len(self._places))) if self._places[index] < 0 or index in self._stale)

    def __len__(self) -> int:
        return len(self._places)


def comparable(text: str) -> list[str]:
    """The lines of a text as they are compared: without blanks at their ends."""
    return [line.rstrip() for line in split_lines(text)]


def map_lines(profiled: str, current: str) -> LineMap:
    """Map every line of the profiled text onto the current one."""
    return map_comparable(comparable(profiled), comparable(current))


def map_comparable(old: list[str], new: list[str]) -> LineMap:
    """`map_lines` of texts of which the lines are at hand (`comparable`)."""
    places = [-1] * len(old)
    blocks: list[tuple[int, int, int, int]] = []
    _match(old, new, 0, len(old), 0, len(new), places, blocks)
    pairs = _changed_pairs(old, new, blocks)
    for here, there in pairs:
        places[here] = there
    return LineMap(places, {here for here, _ in pairs})


def _match(
    old: list[str], new: list[str], a: int, b: int, c: int, d: int, places: list[int], blocks: list[tuple[int, int, int, int]]
) -> None:
    """Match `old[a:b]` with `new[c:d]`: equal lines go to `places`, what is left between them to `blocks`."""
    while a < b and c < d and old[a] == new[c]:
        places[a] = c
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
        places[b] = d
    if a == b or c == d:
        return
    anchors = _anchors(old, new, a, b, c, d)
    if anchors:
        for here, there in [*anchors, (b, d)]:
            if a < here and c < there:
                _match(old, new, a, here, c, there, places, blocks)
            if here < b:
                places[here] = there
            a, c = here + 1, there + 1
        return
    if (b - a) * (d - c) > _MATCH_WORK:
        counts_old, counts_new = Counter(old[a:b]), Counter(new[c:d])
        if sum(count * counts_new[line] for line, count in counts_old.items()) > _MATCH_WORK:
            return  # Rewritten and repetitive: nothing in it can be told for sure.
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old[a:b], new[c:d], autojunk=False).get_opcodes():
        if tag == "equal":
            for offset in range(i2 - i1):
                places[a + i1 + offset] = c + j1 + offset
        elif tag == "replace":
            blocks.append((a + i1, a + i2, c + j1, c + j2))


def _anchors(old: list[str], new: list[str], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """Pairs of lines that occur once on either side and keep their order: the longest such chain."""
    counts_old, counts_new = Counter(old[a:b]), Counter(new[c:d])
    place_new = {new[j]: j for j in range(c, d) if counts_new[new[j]] == 1}
    pairs = [(i, place_new[old[i]]) for i in range(a, b) if old[i] and counts_old[old[i]] == 1 and old[i] in place_new]
    tails: list[int] = []
    tail_pairs: list[int] = []
    previous: list[int] = []
    for index, (_, there) in enumerate(pairs):
        length = bisect_left(tails, there)
        previous.append(tail_pairs[length - 1] if length else -1)
        if length == len(tails):
            tails.append(there)
            tail_pairs.append(index)
        else:
            tails[length] = there
            tail_pairs[length] = index
    chain: list[tuple[int, int]] = []
    index = tail_pairs[-1] if tail_pairs else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _changed_pairs(old: list[str], new: list[str], blocks: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Pair the lines of replaced blocks, in order, so that the words they share are most."""
    pairs: list[tuple[int, int]] = []
    for a, b, c, d in blocks:
        here = [i for i in range(a, b) if _is_code(old[i])]
        there = [j for j in range(c, d) if _is_code(new[j])]
        if len(here) == len(there) == 1:
            pairs.append((here[0], there[0]))
        elif here and there and len(here) * len(there) <= _PAIR_CELLS:
            pairs += [(here[i], there[j]) for i, j in _align([old[i] for i in here], [new[j] for j in there])]
    return pairs


def _is_code(line: str) -> bool:
    # A number never goes to an empty line or a comment: there is nothing there that costs.
    text = line.lstrip()
    return bool(text) and not text.startswith("#")


def _likeness(a: Counter[str], b: Counter[str]) -> float:
    return 2 * (a & b).total() / (a.total() + b.total())


def _align(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs in order with the greatest total likeness, each at least `_ALIKE`."""
    words_old = [Counter(_WORD.findall(line)) for line in old]
    words_new = [Counter(_WORD.findall(line)) for line in new]
    alike = [[_likeness(a, b) for b in words_new] for a in words_old]
    rows, columns = len(old), len(new)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= _ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if alike[i][j] >= _ALIKE and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
