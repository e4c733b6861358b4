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

from kinetoscope.runs.text import split_lines

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
    """The lines of one profiled text in one current text. `changed` is how many profiled lines are stale or gone."""

    def __init__(self, places: list[Mapped | None]) -> None:
        self._places = places
        self.changed = sum(1 for place in places if place is None or place.freshness == "stale")
        self._profiled: dict[int, int] = {place.line: index + 1 for index, place in enumerate(places) if place is not None}

    def now(self, profiled_line: int) -> Mapped | None:
        """The present place of a profiled line (from 1); None where it is gone or never was."""
        return self._places[profiled_line - 1] if 0 < profiled_line <= len(self._places) else None

    def then(self, current_line: int) -> int | None:
        """The profiled line that is at `current_line` now."""
        return self._profiled.get(current_line)

    def changed_in(self, first: int, last: int) -> int:
        """How many of the profiled lines `first..last` are stale or gone."""
        return sum(1 for place in self._places[first - 1 : last] if place is None or place.freshness == "stale")

    def __len__(self) -> int:
        return len(self._places)


def map_lines(profiled: str, current: str) -> LineMap:
    """Map every line of the profiled text onto the current one."""
    return map_line_lists(split_lines(profiled), split_lines(current))


def map_line_lists(profiled: list[str], current: list[str]) -> LineMap:
    """`map_lines` of texts that were split before."""
    old = [line.rstrip() for line in profiled]
    new = [line.rstrip() for line in current]
    equal: list[int] = [-1] * len(old)
    blocks: list[tuple[int, int, int, int]] = []
    _match(old, new, 0, len(old), 0, len(new), equal, blocks)
    places: list[Mapped | None] = [
        None if there < 0 else Mapped(there + 1, "fresh" if there == here else "shifted") for here, there in enumerate(equal)
    ]
    for here, there in _changed_pairs(old, new, blocks):
        places[here] = Mapped(there + 1, "stale")
    return LineMap(places)


def _match(
    old: list[str], new: list[str], a: int, b: int, c: int, d: int, equal: list[int], blocks: list[tuple[int, int, int, int]]
) -> None:
    """Match `old[a:b]` with `new[c:d]`: equal lines go to `equal`, what is left between them to `blocks`."""
    while a < b and c < d and old[a] == new[c]:
        equal[a] = c
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
        equal[b] = d
    if a == b or c == d:
        return
    anchors = _anchors(old, new, a, b, c, d)
    if anchors:
        for here, there in [*anchors, (b, d)]:
            _match(old, new, a, here, c, there, equal, blocks)
            if here < b:
                equal[here] = there
            a, c = here + 1, there + 1
        return
    counts_old, counts_new = Counter(old[a:b]), Counter(new[c:d])
    if sum(count * counts_new[line] for line, count in counts_old.items()) > _MATCH_WORK:
        return  # Rewritten and repetitive: nothing in it can be told for sure.
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old[a:b], new[c:d], autojunk=False).get_opcodes():
        if tag == "equal":
            for offset in range(i2 - i1):
                equal[a + i1 + offset] = c + j1 + offset
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
