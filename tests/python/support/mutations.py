"""Ways in which a trace file may be broken, and sound ones to break: for the fuzz test and `bench/fuzz.py`.

Each mutator takes the bytes of a sound trace and a random generator, and gives other bytes. Those that change bytes know nothing of
JSON; those that change values keep it JSON, so that what is odd gets through the reader and on to the linking.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.kineto import ENGINE, START_US, TraceMaker
from support.runs import trace as trace_of_the_project

Mutator = Callable[[bytes, random.Random], bytes]

ODD_NUMBERS = [0, -1, 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 1e-9, 1e300, -1e300, 0.5]
ODD_WORDS = ["1e999", "-1e999", "NaN", "N/A", "Infinity", "00012", "1.2.3", '""', '"\x07"', "null", "true", "[]", "{}", '"x"', "[[[[]]]]"]
ODD_VALUES: list[Any] = [*ODD_NUMBERS, None, True, "", "x", "12", "-7", "1e5", "\u0000", "é" * 300, [], {}, [1, [2]], {"a": {"b": 1}}]
KEYS = ["ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args"]
CATEGORIES = ["cpu_op", "kernel", "cuda_runtime", "python_function", "fwdbwd", "user_annotation", "gpu_memcpy", "", "no such", None]
RAW_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def cut_off(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def cut_head(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def random_bytes(data: bytes, rng: random.Random) -> bytes:
    low, high = _slice(data, rng)
    return data[:low] + rng.randbytes(high - low) + data[high:]


def zero_bytes(data: bytes, rng: random.Random) -> bytes:
    low, high = _slice(data, rng)
    return data[:low] + bytes(high - low) + data[high:]


def double_slice(data: bytes, rng: random.Random) -> bytes:
    low, high = _slice(data, rng)
    return data[:high] + data[low:high] * rng.randint(1, 4) + data[high:]


def delete_slice(data: bytes, rng: random.Random) -> bytes:
    low, high = _slice(data, rng)
    return data[:low] + data[high:]


def swap_slices(data: bytes, rng: random.Random) -> bytes:
    a, b, c, d = sorted(rng.randrange(len(data) + 1) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def delete_punctuation(data: bytes, rng: random.Random) -> bytes:
    mark = rng.choice(b'"{}[],:').to_bytes(1, "little")
    places = [match.start() for match in re.finditer(re.escape(mark), data)]
    gone = set(rng.sample(places, min(len(places), rng.randint(1, 4))))
    return bytes(byte for index, byte in enumerate(data) if index not in gone)


def odd_words_for_numbers(data: bytes, rng: random.Random) -> bytes:
    share = rng.choice((0.001, 0.01, 0.2))
    words = [*ODD_WORDS, *(str(number) for number in ODD_NUMBERS), "9" * 400]
    return RAW_NUMBER.sub(lambda match: rng.choice(words).encode() if rng.random() < share else match[0], data)


def deep_brackets(data: bytes, rng: random.Random) -> bytes:
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"[{", b"}]")])
    depth = rng.choice((5, 1000, 30_000))
    place = rng.choice([match.end() for match in re.finditer(rb"[:,\[]", data)] or [0])
    return data[:place] + opening * depth + (b"1" + closing * depth if rng.random() < 0.5 else b"") + data[place:]


def compressed_and_broken(data: bytes, rng: random.Random) -> bytes:
    return rng.choice((cut_off, flip_bits, zero_bytes, delete_slice, double_slice))(gzip.compress(data, 1), rng)


def odd_values(data: bytes, rng: random.Random) -> bytes:
    """Odd values for some fields of some events."""

    def change(events: list[Any]) -> None:
        for event in rng.sample(events, min(len(events), rng.choice((1, 5, 50)))):
            fields = event["args"] if rng.random() < 0.5 and isinstance(event.get("args"), dict) and event["args"] else event
            key = rng.choice(list(fields))
            fields[key] = rng.choice(ODD_VALUES)
            if rng.random() < 0.1:
                del fields[key]

    return _edited(data, change)


def exchanged_values(data: bytes, rng: random.Random) -> bytes:
    """One field's values dealt anew among the events: all plausible, nothing fits."""

    def change(events: list[Any]) -> None:
        inner = rng.random() < 0.5
        owners = [event.get("args") if inner else event for event in events]
        keys = sorted({key for owner in owners if isinstance(owner, dict) for key in owner} - {"args"})
        if keys:
            key = rng.choice(keys)
            having = [owner for owner in owners if isinstance(owner, dict) and key in owner]
            values = [owner[key] for owner in having]
            rng.shuffle(values)
            for owner, value in zip(having, values, strict=True):
                owner[key] = value

    return _edited(data, change)


def other_times(data: bytes, rng: random.Random) -> bytes:
    """Times and durations that overlap, repeat, run backwards, or are far away."""

    def change(events: list[Any]) -> None:
        timed = [event for event in events if isinstance(event.get("ts"), (int, float))]
        if not timed:
            return
        first = min(event["ts"] for event in timed)
        for event in timed:
            if rng.random() < 0.3:
                event["ts"] = first + rng.choice((0, 1, rng.randrange(3000), rng.random() * 100, -(10**9), 10**14))
            if rng.random() < 0.3:
                event["dur"] = rng.choice((0, -5, 0.001, rng.randrange(3000), 10**12, None))

    return _edited(data, change)


def other_categories(data: bytes, rng: random.Random) -> bytes:
    def change(events: list[Any]) -> None:
        for event in events:
            if rng.random() < 0.2:
                event[rng.choice(("cat", "cat", "ph", "name"))] = rng.choice([*CATEGORIES, "X", "i", "s", "f", "[memory]"])

    return _edited(data, change)


def odd_recording(data: bytes, rng: random.Random) -> bytes:
    """Odd values in the recording that travels inside the trace, or in its metadata."""
    document = json.loads(data)
    if not isinstance(document, dict):
        return data
    place: Any = document.get("kinetoscope") or document
    for _ in range(rng.randint(1, 6)):
        inner = place[rng.choice(list(place))] if isinstance(place, dict) and place else None
        inner = rng.choice(inner) if isinstance(inner, list) and inner else inner
        if not isinstance(inner, dict) or not inner or rng.random() < 0.3:
            break
        place = inner
    if isinstance(place, dict) and place:
        key = rng.choice([name for name in place if name != "traceEvents"] or list(place))
        place[key] = rng.choice([*ODD_VALUES, [place[key]], [place[key], place[key]]])
    return json.dumps(document).encode()


MUTATORS: dict[str, Mutator] = {
    mutator.__name__: mutator
    for mutator in (
        cut_off,
        cut_head,
        flip_bits,
        random_bytes,
        zero_bytes,
        double_slice,
        delete_slice,
        swap_slices,
        delete_punctuation,
        odd_words_for_numbers,
        deep_brackets,
        compressed_and_broken,
        odd_values,
        exchanged_values,
        other_times,
        other_categories,
        odd_recording,
    )
}


def made_traces() -> dict[str, bytes]:
    """Small sound traces of our own: a recording with its line log, a foreign one with stacks and backward, one of 2021."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        return {
            "recording": _text(trace_of_the_project(project)),
            "foreign": json.dumps(_foreign().document()).encode(),
            "2021": json.dumps([*_of_2021().document()["traceEvents"]]).encode(),
        }


def real_traces(folder: Path, at_most: int) -> dict[str, bytes]:
    """The uncompressed real traces below `folder` of at most so many bytes."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*.json*")):
        if path.stat().st_size <= at_most and path.name.endswith((".json", ".json.gz")):
            data = path.read_bytes()
            text = gzip.decompress(data) if path.suffix == ".gz" else data
            if len(text) <= at_most:
                found[str(path.relative_to(folder))] = text
    return found


def _slice(data: bytes, rng: random.Random) -> tuple[int, int]:
    low = rng.randrange(len(data) + 1)
    return low, min(len(data), low + rng.choice((1, 10, 200, 5000)))


def _edited(data: bytes, change: Callable[[list[Any]], None]) -> bytes:
    document = json.loads(data, strict=False)
    listed = document if isinstance(document, list) else document.get("traceEvents")
    if isinstance(listed, list):
        change([event for event in listed if isinstance(event, dict) and event])
    return json.dumps(document).encode()


def _text(maker: TraceMaker) -> bytes:
    return json.dumps(maker.document(), indent=2).encode()


def _foreign() -> TraceMaker:
    maker = TraceMaker()
    for index, (name, start, length) in enumerate(
        (("train.py(1): <module>", 0, 900), ("train.py(6): main", 10, 800), ("m.py(2): f", 20, 100))
    ):
        maker.event("python_function", name, start, length, CallFrom="train.py:9", **{"Python id": index, "Python parent id": index - 1})
    maker.event("user_annotation", "ProfilerStep#3", 5, 890, **{"External id": 90})
    for index in range(6):
        at = 25 + 10 * index
        maker.op("aten::mm", at, 8, seq=index).memory(at + 1, 512, 4096 + index, device_type=1, device_id=0)
        maker.kernel("gemm", at + 2, 200 + 20 * index, 15)
        maker.events[-1]["args"]["External id"] = index
        maker.backward("MmBackward0", 400 + 20 * index, 15, ENGINE, seq=5 - index).kernel(
            "gemm", 405 + 20 * index, 500 + 20 * index, 9, tid=ENGINE
        )
        for phase, at_us, tid in (("s", at, 100), ("f", 400 + 20 * index, ENGINE)):
            maker.events.append({"ph": phase, "cat": "fwdbwd", "name": "fwdbwd", "id": index, "pid": 1, "tid": tid, "ts": START_US + at_us})
    maker.event("kernel", "lost launch", 700, 30, 7, correlation=999, device=0, stream=7, **{"External id": 3})
    return maker


def _of_2021() -> TraceMaker:
    maker = TraceMaker()
    for index in range(5):
        stack = "train.py(9): step;train.py(20): <module>"
        maker.event("Operator", "aten::mm", 10 * index, 8, "100", **{"External id": index + 1, "Call stack": stack})
        maker.event("Runtime", "cudaLaunchKernel", 10 * index + 2, 1, "100", correlation=index + 1, **{"external id": index + 1})
        maker.event(
            "Kernel", "gemm", 100 + 10 * index, 5, "stream 7", correlation=index + 1, device=0, stream=7, **{"external id": index + 1}
        )
        maker.memory(10 * index + 1, 64, 0)
    return maker
