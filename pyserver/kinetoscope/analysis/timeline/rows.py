"""In which row of its track an event is drawn, so that no two of a row overlap.

On a thread events lie in one another: the row is how many are around an event. On a stream overlapping work is no nesting: each piece goes
to the first row that is free.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.trace.columns import Ints


def packed_rows(start_ns: Ints, end_ns: Ints) -> Ints:
    """The first row that is free at each start; starts must ascend."""
    row = np.zeros(len(start_ns), np.int64)
    if not len(start_ns):
        return row
    reach = np.maximum.accumulate(end_ns)
    alone = np.append(True, start_ns[1:] >= reach[:-1])
    edges = np.append(np.flatnonzero(alone), len(start_ns))
    crowded = np.diff(edges) > 1
    for low, high in zip(edges[:-1][crowded].tolist(), edges[1:][crowded].tolist(), strict=True):
        ends: list[int] = []
        for index, start, end in zip(range(low, high), start_ns[low:high].tolist(), end_ns[low:high].tolist(), strict=True):
            free = next((number for number, until in enumerate(ends) if until <= start), len(ends))
            if free == len(ends):
                ends.append(end)
            ends[free] = end
            row[index] = free
    return row
