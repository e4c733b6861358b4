"""Makes a large trace in Kineto's own layout: a transformer's training steps with Python stacks, operators, launches, kernels, memory
events, and a backward thread.

    python bench/big_trace.py FILE [--mb 250]

The events and their arguments are those that torch 2.4 to 2.13 write with stacks, shapes and memory on a GPU (about 330 bytes each), so
that a reader meets what it meets in real traces; the program is made up. Deterministic.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

BASE_NS = 1_790_857_026_000_000_000
PID, MAIN, ENGINE = 4242, 4242, 4300
LAYERS = 24
_STACK = (
    "train.py(120): <module>",
    "train.py(96): main",
    "train.py(61): train_step",
    "nn.Module: GPT_0",
    "torch/nn/modules/module.py(1771): _wrapped_call_impl",
    "torch/nn/modules/module.py(1780): _call_impl",
    "model.py(201): forward",
)
_IN_LAYER = (
    (
        "nn.Module: Block_{layer}",
        "model.py(140): forward",
        "nn.Module: LayerNorm_{layer}",
        "torch/nn/modules/normalization.py(217): forward",
    ),
    ("nn.Module: Attention_{layer}", "model.py(52): forward", "nn.Module: Linear_{layer}", "torch/nn/modules/linear.py(123): forward"),
    ("nn.Module: MLP_{layer}", "model.py(101): forward", "<built-in method gelu of type object at 0x7f1a2c{layer:04x}0>"),
)
_OPS = (
    "aten::layer_norm",
    "aten::linear",
    "aten::gelu",
    "aten::scaled_dot_product_attention",
    "aten::add",
    "aten::view",
    "aten::transpose",
)
_KERNELS = (
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*, float const*, float*)",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&)::lambda>(int)",
)


class _Writer:
    """Writes events as Kineto does: indented objects, one key a line or two."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.count = 0
        self.bytes = 0
        self.python_id = 0
        self.correlation = 0
        self.sequence = 0

    def event(self, body: dict[str, Any]) -> None:
        args = body.pop("args")
        head = json.dumps(body)[1:-1].replace(', "pid"', ',\n    "pid"').replace(', "ts"', ',\n    "ts"')
        inner = json.dumps(args)[1:-1].replace(', "', ', "')
        text = ("" if self.count == 0 else ",\n") + f'  {{\n    {head},\n    "args": {{\n      {inner}\n    }}\n  }}'
        self.count += 1
        self.bytes += len(text)
        self.file.write(text)

    def frame(self, name: str, ts: float, dur: float, parent: int) -> int:
        self.python_id += 1
        args: dict[str, Any] = {"Python parent id": parent, "Python id": self.python_id, "Ev Idx": self.count}
        if name.startswith("nn.Module"):
            args["Python module id"] = self.python_id % 97
        self.event({"ph": "X", "cat": "python_function", "name": name, "pid": PID, "tid": MAIN, "ts": ts, "dur": dur, "args": args})
        return self.python_id

    def op(self, name: str, tid: int, ts: float, dur: float, forward_thread: int, sequence: int) -> None:
        args = {
            "External id": self.count,
            "Record function id": 0,
            "Sequence number": sequence,
            "Fwd thread id": forward_thread,
            "Concrete Inputs": ["", "", "[1024]"],
            "Input type": ["c10::BFloat16", "c10::BFloat16", "ScalarList"],
            "Input Strides": [[1048576, 1024, 1], [1024, 1], []],
            "Input Dims": [[8, 1024, 1024], [1024, 1024], []],
            "Ev Idx": self.count,
        }
        self.event({"ph": "X", "cat": "cpu_op", "name": name, "pid": PID, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def launch(self, kernel: str, tid: int, ts: float, at: float, dur: float) -> None:
        self.correlation += 1
        number = {"External id": self.count, "cbid": 211, "correlation": self.correlation}
        common = {"pid": PID, "tid": tid, "ts": ts}
        self.event({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **common, "dur": 4.125, "args": number})
        self.event({"ph": "s", "id": self.correlation, **common, "cat": "ac2g", "name": "ac2g", "args": {}})
        args = {
            "External id": self.count,
            "queued": 0,
            "device": 0,
            "context": 1,
            "stream": 7,
            "correlation": self.correlation,
            "registers per thread": 168,
            "shared memory": 213248,
            "blocks per SM": 1.0,
            "warps per SM": 12.0,
            "grid": [132, 1, 1],
            "block": [384, 1, 1],
            "est. achieved occupancy %": 19,
        }
        self.event({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": at, "dur": dur, "args": args})

    def memory(self, tid: int, ts: float, size: int, address: int) -> None:
        args = {
            "Total Reserved": 4294967296,
            "Total Allocated": 1073741824 + size,
            "Bytes": size,
            "Addr": address,
            "Device Id": 0,
            "Device Type": 1,
            "Ev Idx": self.count,
        }
        self.event({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": PID, "tid": tid, "ts": ts, "args": args})


def _step(writer: _Writer, start: float) -> float:
    """One step from `start`, µs; gives its end."""
    at = start
    total = LAYERS * 3 * 160.0
    parent = 0
    for depth, name in enumerate(_STACK):
        parent = writer.frame(name, start + depth, total * 2 - 2 * depth, parent)
    at += 10
    device = at + 20
    made: list[tuple[int, float]] = []
    for layer in range(LAYERS):
        for part, frames in enumerate(_IN_LAYER):
            outer = parent
            for depth, name in enumerate(frames):
                outer = writer.frame(name.format(layer=layer), at + depth, 150.0 - 2 * depth, outer)
            for number in range(4):
                begin = at + 10 + 34 * number
                writer.sequence += 1
                name = _OPS[(part + number) % len(_OPS)]
                writer.frame(f"<built-in method {name[6:]} of type object at 0x7f3cbb0c{layer:03x}0>", begin - 0.5, 30.0, outer)
                writer.op(name, MAIN, begin, 29.0, 0, writer.sequence)
                writer.op(name + "_impl", MAIN, begin + 2, 25.5, 0, writer.sequence)
                writer.memory(MAIN, begin + 3, 1 << 20, 0x7F00_0000_0000 + (writer.sequence << 12))
                device = max(device, begin + 12) + 1
                writer.launch(_KERNELS[number % 3], MAIN, begin + 8, device, 21.25)
                device += 21.25
                made.append((writer.sequence, begin))
            at += 160
    for sequence, _ in reversed(made):
        writer.op("autograd::engine::evaluate_function: AddmmBackward0", ENGINE, at, 30.0, 1, sequence)
        writer.op("AddmmBackward0", ENGINE, at + 1, 28.0, 1, sequence)
        writer.memory(ENGINE, at + 3, -(1 << 20), 0x7F00_0000_0000 + (sequence << 12))
        device = max(device, at + 12) + 1
        writer.launch(_KERNELS[1], ENGINE, at + 8, device, 38.5)
        device += 38.5
        at += 32
    return start + total * 2 + 50


def make(path: Path, size_bytes: int) -> int:
    """Write a trace of about that size; gives its number of events."""
    head = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85045870592, "computeMajor": 9, "numSms": 132}],
        "with_stack": 1,
        "record_shapes": 1,
        "profile_memory": 1,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": BASE_NS,
    }
    with path.open("w") as file:
        file.write(json.dumps(head, indent=2)[:-2] + ',\n  "traceEvents": [\n')
        writer = _Writer(file)
        for begin, number in _starts():
            end = _step(writer, begin)
            mark = {"External id": 0, "Ev Idx": writer.count}
            name = f"ProfilerStep#{number}"
            writer.event(
                {
                    "ph": "X",
                    "cat": "user_annotation",
                    "name": name,
                    "pid": PID,
                    "tid": MAIN,
                    "ts": begin - 1,
                    "dur": end - begin,
                    "args": mark,
                }
            )
            if writer.bytes >= size_bytes:
                break
        file.write('\n  ],\n  "traceName": "big.pt.trace.json"\n}\n')
    return writer.count


def _starts() -> Iterator[tuple[float, int]]:
    """Where each step begins, µs, and its number."""
    number = 0
    while True:
        yield 5_161_136_000.0 + number * (LAYERS * 3 * 160.0 * 2 + 100) + 0.125, number
        number += 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--mb", type=int, default=250)
    options = parser.parse_args()
    print(f"{options.file}: {make(options.file, options.mb << 20):,} events, {options.file.stat().st_size / (1 << 20):.0f} MiB")
