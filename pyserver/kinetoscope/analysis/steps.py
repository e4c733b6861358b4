"""The steps of a recording: the ranges that `ProfilerStep#N` marks on the host."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from kinetoscope.linking.linked import LinkedTrace

_MARK = re.compile(r"ProfilerStep#(\d+)\Z")


class Step(Struct, frozen=True, kw_only=True):
    """One iteration, in trace time."""

    number: int
    name: str
    start_ns: int
    end_ns: int


def steps_of(linked: LinkedTrace) -> list[Step]:
    """The steps in time order; empty where none was marked."""
    ops, names = linked.trace.ops, linked.trace.names
    marks = {index: int(found[1]) for index, name in enumerate(names) if (found := _MARK.match(name))}
    steps = [
        Step(
            number=marks[int(ops.name[row])],
            name=names[int(ops.name[row])],
            start_ns=int(ops.ts_ns[row]),
            end_ns=int(linked.ops_nested.end_ns[row]),
        )
        for row in np.flatnonzero(np.isin(ops.name, list(marks))).tolist()
    ]
    return sorted(steps, key=lambda step: (step.start_ns, step.number))
