"""Where threads stood in the user's code, as events: a stretch of time for each line of each frame.

A thread's timeline says on which node of the call tree it stood over time. Between two entries it left the frames (or lines) that are not
on the new node's path and came to those that were not on the old one's. In a row, which is a depth of the path, a stretch ends before the
next begins, so the n-th arrival at a depth is left by the n-th departure from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.analysis.ranges import depths
from kinetoscope.linking.call_tree import OUTSIDE, Timeline
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints


@dataclass(frozen=True)
class Standing:
    """Stretches of all timelines of a linked trace: those of timeline `i` are from `bounds[i]` on, by row and then in time order."""

    bounds: Ints
    node: Ints
    row: Ints
    start_ns: Ints
    end_ns: Ints


def standing(linked: LinkedTrace) -> Standing:
    """All stretches that took any time. The last one of a thread lasts until the recording ends."""
    parent = np.array(linked.tree.parent, np.int64)
    depth = depths(parent)
    none = np.zeros(0, np.int64)
    parts = [_stretches(timeline, parent, depth, linked.window_ns[1]) for timeline in linked.timelines.all]
    columns = [np.concatenate([none, *column]) for column in zip(*parts, strict=True)] if parts else [none] * 4
    bounds = np.concatenate([[0], np.cumsum([len(part[0]) for part in parts])]).astype(np.int64)
    return Standing(bounds, *columns)


def _stretches(timeline: Timeline, parent: Ints, depth: Ints, end_ns: int) -> tuple[Ints, Ints, Ints, Ints]:
    """`(node, row, start, end)`"""
    time, node = timeline.ts_ns, timeline.node
    if not len(time):
        return time, time, time, time
    path = np.concatenate([[OUTSIDE], node, [OUTSIDE]])
    moment = np.append(time, max(end_ns, int(time[-1])))
    kept = _depth_in_common(path[:-1], path[1:], parent, depth)
    arrival, row = _levels(kept[:-1], depth[node])
    departure, left = _levels(kept, depth[path[:-1]])
    arrivals, departures = np.argsort(row, kind="stable"), np.argsort(left, kind="stable")
    arrival, row, end = arrival[arrivals], row[arrivals], moment[departure[departures]]
    lasted = end > time[arrival]
    arrival, row, end = arrival[lasted], row[lasted], end[lasted]
    return _above(node[arrival], depth[node[arrival]] - 1 - row, parent), row, time[arrival], end


def _depth_in_common(one: Ints, other: Ints, parent: Ints, depth: Ints) -> Ints:
    """How many nodes the paths to two nodes have in common."""
    pairs, which = np.unique(one * len(parent) + other, return_inverse=True)
    left, right = pairs // len(parent), pairs % len(parent)
    rows = np.flatnonzero(left != right)
    while len(rows):
        a, b = left[rows], right[rows]
        left[rows] = np.where(depth[a] >= depth[b], parent[a], a)
        right[rows] = np.where(depth[b] >= depth[a], parent[b], b)
        rows = rows[left[rows] != right[rows]]
    return depth[left][which]


def _levels(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """`(index, level)` for each level from `low` to `high - 1` of each index."""
    count = high - low
    index = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count
    return index, np.arange(len(index)) - first[index] + low[index]


def _above(node: Ints, steps: Ints, parent: Ints) -> Ints:
    """The node that is so many steps above each."""
    node, steps = node.copy(), steps.copy()
    rows = np.flatnonzero(steps > 0)
    while len(rows):
        node[rows] = parent[node[rows]]
        steps[rows] -= 1
        rows = rows[steps[rows] > 0]
    return node
