"""Ranges inside ranges as trees, against the plain rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kinetoscope.analysis.ranges import cut, depths, least_above, path_tree, preorder, with_below
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import Ints


def ints(*values: int) -> Ints:
    return np.array(values, np.int64)


def parents_at_random(seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.choice([-1, rng.randrange(max(node, 1)), node - 1]) if node else -1 for node in range(rng.randrange(1, 60))]


@pytest.mark.parametrize("seed", range(50))
def test_depths_sums_and_least_values_are_those_of_walking_the_tree(seed: int) -> None:
    parent = parents_at_random(seed)
    values = [random.Random(seed).randrange(100) + node for node in range(len(parent))]
    depth, below, least = [0] * len(parent), list(values), list(values)
    for node, above in enumerate(parent):
        depth[node] = depth[above] + 1 if above >= 0 else 0
        least[node] = min(values[node], least[above]) if above >= 0 else values[node]
    for node in range(len(parent) - 1, -1, -1):
        if parent[node] >= 0:
            below[parent[node]] += below[node]
    assert depths(ints(*parent)).tolist() == depth
    assert with_below(ints(*parent), ints(*values)).tolist() == below
    assert least_above(ints(*parent), ints(*values)).tolist() == least


@pytest.mark.parametrize("seed", range(50))
def test_ranges_are_one_node_if_and_only_if_their_labels_on_the_way_down_are_the_same(seed: int) -> None:
    parent = parents_at_random(seed)
    label = [random.Random(seed * 100 + node).randrange(3) for node in range(len(parent))]
    paths: list[tuple[int, ...]] = []
    for node, above in enumerate(parent):
        paths.append((*(paths[above] if above >= 0 else ()), label[node]))
    tree = path_tree(ints(*parent), ints(*label))
    of_node: dict[int, tuple[int, ...]] = dict(zip(tree.node.tolist(), paths, strict=True))
    assert len(set(paths)) == len(of_node) == len(tree.parent)
    assert [of_node[node] for node in tree.node.tolist()] == paths
    for node, path in of_node.items():
        assert int(tree.label[node]) == path[-1]
        above = int(tree.parent[node])
        assert above < node
        assert (of_node[above] if above >= 0 else ()) == path[:-1]


def test_nodes_stand_below_their_parents_dearest_first() -> None:
    order, depth = preorder(ints(-1, -1, 0, 0, 1), ints(5, 9, 1, 4, 9))
    assert (order, depth) == ([1, 4, 0, 3, 2], [0, 0, 1, 1, 1])


def test_own_times_add_up_where_rounding_lets_ends_cross() -> None:
    #                        outer 0–10     inner 4–11  within 5–12
    nested = nest(ints(0, 0, 0), ints(0, 4, 5), ints(10, 7, 7), 100)
    own, total = cut(ints(0, 1, 2), nested).self_and_total_ns(None)
    assert (own.tolist(), total.tolist()) == ([4, 1, 5], [10, 6, 5])


def test_what_begins_after_the_end_of_what_it_crosses_has_no_negative_time() -> None:
    nested = nest(ints(0, 0, 0), ints(0, 5, 15), ints(10, 15, 3), 100)
    own, total = cut(ints(0, 1, 2), nested).self_and_total_ns(None)
    assert (own.tolist(), total.tolist()) == ([5, 5, 0], [10, 5, 0])


def test_times_are_clipped_to_the_window() -> None:
    nested = nest(ints(0, 0), ints(0, 4), ints(10, 2), 100)
    own, total = cut(ints(0, 1), nested).self_and_total_ns((5, 8))
    assert (own.tolist(), total.tolist()) == ([2, 1], [3, 1])
