"""A program whose trace has no lines, but whose source leaves only one line possible for each operator."""

from __future__ import annotations

from support.kineto import TraceMaker

TEXT = """def step(x):
    h = x @ w
    for _ in range(2):
        h = h.relu() + 1
    return h.sum()


double = lambda v: v * 2
"""


def called_twice() -> TraceMaker:
    """`step` from 10 to 60 µs and `double` from 70 to 80, called by a library."""
    trace = TraceMaker(end_us=100.0)
    trace.event("python_function", "torch/utils/run.py(5): loop", 0, 95)
    trace.event("python_function", "<built-in function len>", 1, 1)
    trace.event("python_function", "train.py(1): step", 10, 50)
    trace.op("aten::matmul", 12, 4, seq=1).op("aten::mm", 13, 2).kernel("gemm", 14, 20, 9)
    for at in (20, 30):
        trace.event("python_function", "<built-in method relu of Tensor object at 0x7f>", at, 3).op("aten::relu", at + 1, 1)
        trace.op("aten::add", at + 5, 2).kernel("add", at + 6, at + 7, 1)
    trace.event("user_annotation", "my range", 40, 15)
    trace.event("python_function", "<built-in method sum of Tensor object at 0x7f>", 45, 5).op("aten::sum", 46, 3)
    trace.event("python_function", "train.py(8): <lambda>", 70, 10).op("aten::mul", 72, 2)
    return trace
