"""Where the greatest of some values is, for any stretches of them at once.

The values are halved again and again: each level has, for two neighbours of the level below, the index of the greater one. A stretch is
then made of a few blocks of each level, so that a question costs the logarithm of its length.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinetoscope.trace.columns import Ints

Numbers: TypeAlias = NDArray[Any]


class Longest:
    """An index of values that do not change; it takes 4 bytes a value besides them."""

    def __init__(self, values: Numbers) -> None:
        self._values = values
        self._levels: list[NDArray[np.uint32]] = []
        below: NDArray[np.uint32] = np.arange(len(values), dtype=np.uint32)
        while len(below) > 1:
            left, right = below[:-1:2], below[1::2]
            level = np.where(values[right] > values[left], right, left)
            if len(below) % 2:
                level = np.append(level, below[-1])
            self._levels.append(level)
            below = level

    def within(self, first: Ints, end: Ints) -> Ints:
        """The index of the greatest value of each stretch `[first, end)`, of equal ones the first. No stretch may be empty."""
        found = first.copy()
        low, high = first.copy(), end.copy()
        rows = np.flatnonzero(end - first > 1)
        for number in range(len(self._levels) + 1):
            rows = rows[low[rows] < high[rows]]
            if not len(rows):
                break
            odd = rows[low[rows] % 2 == 1]
            self._take(found, odd, number, low[odd])
            low[odd] += 1
            odd = rows[high[rows] % 2 == 1]
            high[odd] -= 1
            self._take(found, odd, number, high[odd])
            low[rows] //= 2
            high[rows] //= 2
        return found

    def _take(self, found: Ints, rows: Ints, level: int, block: Ints) -> None:
        index = (self._levels[level - 1][block] if level else block).astype(np.int64)
        old = found[rows]
        better = (self._values[index] > self._values[old]) | ((self._values[index] == self._values[old]) & (index < old))
        found[rows] = np.where(better, index, old)
