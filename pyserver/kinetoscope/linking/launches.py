"""Kernel → launch.

Rule: a kernel belongs to the runtime or driver call with its `correlation` id (CUPTI and roctracer number the calls); all kernels
of a graph replay carry the id of the graph's launch. A kernel whose launch was not recorded can be tied to its
operator at best (`external_ids`).
"""

from __future__ import annotations

import numpy as np

from kinetoscope.trace.columns import Ints, Trace


def launch_of_kernel(trace: Trace) -> Ints:
    """Index into `trace.launches` for each kernel, -1 where its launch was not recorded."""
    launches, kernels = trace.launches, trace.kernels
    valid = np.flatnonzero(launches.correlation > 0)
    if not len(valid) or not len(kernels.ts_ns):
        return np.full(len(kernels.ts_ns), -1, np.int64)
    order = valid[np.argsort(launches.correlation[valid], kind="stable")]
    ids = launches.correlation[order]
    place = np.minimum(np.searchsorted(ids, kernels.correlation), len(ids) - 1)
    return np.where((ids[place] == kernels.correlation) & (kernels.correlation > 0), order[place], -1)
