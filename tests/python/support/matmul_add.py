"""A generated trace, not a recorded one: what examples/matmul_add.py would leave on a GPU of 50 TFLOP/s and 2 TB/s, by its `--size`.

Each operator costs the host 12 µs, of which its launch takes 4; the device takes 2 µs or what arithmetic and bandwidth say. Steps follow
each other as the host gives them out, and the host waits for the device at the end of each (it reads the loss).
"""

from __future__ import annotations

from support.kineto import TraceMaker

_OPERATORS = (
    # name, floating point operations a cube of the size, bytes a square, kernel
    ("aten::mm", 2.0, 0.0, "ampere_sgemm_128x128_nn"),
    ("aten::add", 0.0, 12.0, "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"),
    ("aten::mean", 0.0, 4.0, "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>"),
    ("aten::mul", 0.0, 8.0, "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float>>"),
    ("aten::mm", 2.0, 0.0, "ampere_sgemm_128x128_tn"),
    ("aten::sum", 0.0, 4.0, "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::sum_functor<float>>>"),
    ("aten::add_", 0.0, 12.0, "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"),
)
_SMS = 108


def matmul_add(size: int, steps: int = 4) -> TraceMaker:
    """The trace of `x @ w + b` with its gradients, matrices of `size` by `size`."""
    maker = TraceMaker(devices=[{"id": 0, "name": "generated GPU", "totalGlobalMem": 80 << 30, "computeMajor": 8, "computeMinor": 0}])
    host = device = 0.0
    for step in range(steps):
        begin = host
        for name, cubed, squared, kernel in _OPERATORS:
            took = max(2.0, cubed * size**3 / 50e6, squared * size**2 / 2e6)
            maker.op(name, host, 11.0)
            maker.event("cuda_runtime", "cudaLaunchKernel", host + 5, 4.0, correlation=(number := len(maker.events)))
            device = max(device, host + 9)
            blocks = max(1, (size // 128) ** 2)
            args = {"correlation": number, "device": 0, "stream": 7, "grid": [blocks, 1, 1], "block": [256, 1, 1]}
            told = {"blocks per SM": blocks / _SMS, "est. achieved occupancy %": min(50, int(100 * blocks / _SMS))}
            maker.event("kernel", kernel, device, took, 7, **args, **told)
            device += took
            host += 12.0
        maker.event("cuda_runtime", "cudaStreamSynchronize", host, max(device - host, 0.0) + 3, correlation=len(maker.events))
        host = max(device, host) + 4
        maker.event("user_annotation", f"ProfilerStep#{step}", begin, host - begin)
        host += 1
    return maker
