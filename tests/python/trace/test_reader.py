"""What the reader makes of traces: sound ones whole, broken ones as far as they are whole, others refused with a reason."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from kinetoscope.trace import blocks, chunks, reader
from kinetoscope.trace.columns import KERNEL, MEMCPY, Distributed, Trace
from kinetoscope.trace.errors import TraceError
from support.kineto import BASE_NS, START_US, TraceMaker


def read(path: Path) -> Trace:
    return reader.read_trace(path, lambda done, total: None)


def names_of(trace: Trace) -> list[str]:
    return [trace.names[number] for number in trace.ops.name]


def thousand_ops() -> TraceMaker:
    maker = TraceMaker()
    for index in range(1000):
        maker.op(f"aten::op{index}", index, 0.5)
    return maker


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks from a small file."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4096)
    monkeypatch.setattr(reader, "BLOCK_BYTES", 4096)


def test_times_are_nanoseconds_since_the_origin_and_the_origin_is_known(tmp_path: Path) -> None:
    trace = read(TraceMaker().op("aten::mm", 1.125, 2.5).op("aten::mm", 4.001, None).write(tmp_path / "t.json"))
    assert trace.ops.ts_ns.tolist() == [125, 3001]
    assert trace.ops.dur_ns.tolist() == [2500, -1]
    assert trace.origin_epoch_ns == BASE_NS + int(START_US + 1) * 1000


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("name", "indent"), [("t.json", 2), ("t.json.gz", 2), ("t.json.zst", None), ("t.json", None)])
def test_no_event_is_lost_or_doubled_where_chunks_are_cut(tmp_path: Path, name: str, indent: int | None) -> None:
    trace = read(thousand_ops().write(tmp_path / name, indent))
    assert sorted(names_of(trace)) == sorted(f"aten::op{index}" for index in range(1000))
    assert trace.lost is None


@pytest.mark.usefixtures("small_blocks")
def test_what_looks_like_an_end_of_event_inside_a_name_or_an_argument_is_none(tmp_path: Path) -> None:
    maker = TraceMaker()
    for index in range(300):
        maker.event("cpu_op", f'}}, {{"ph": "X"}} ], {index}', index, 1.0, nested=[{"a": 1}, {"b": [{"c": 2}, {"d": 3}]}])
    trace = read(maker.write(tmp_path / "t.json"))
    assert len(trace.ops.name) == 300
    assert trace.lost is None


def test_metadata_may_stand_before_or_behind_the_events(tmp_path: Path) -> None:
    document = TraceMaker().op("aten::mm", 0, 1).document()
    events = document.pop("traceEvents")
    device = {"deviceProperties": [{"id": 0, "name": "A GPU"}, {"id": 1, "name": "Another"}]}
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"traceEvents": events, **document, **device}))
    assert [device.name for device in read(path).devices] == ["A GPU", "Another"]
    path.write_text(json.dumps({**document, **device, "traceEvents": events}))
    assert [device.name for device in read(path).devices] == ["A GPU", "Another"]


def test_a_bare_list_of_events_with_times_as_text_is_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": "x", "tid": "y", "ts": "10.5", "dur": 1}]))
    trace = read(path)
    assert trace.ops.ts_ns.tolist() == [500]
    assert trace.threads == [("x", "y")]


@pytest.mark.parametrize("kind", [".gz", ".zst"])
def test_a_compressed_file_whose_bytes_are_damaged_gives_what_stood_before(tmp_path: Path, kind: str) -> None:
    maker = TraceMaker()
    for index in range(5000):  # zstd's blocks of 128 KiB are lost as a whole
        maker.op(f"aten::op{index}", index, 0.5)
    path = maker.write(tmp_path / f"t.json{kind}", None)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    path.write_bytes(data)
    trace = read(path)
    assert trace.lost is not None
    assert trace.lost.reason.startswith(("the compressed data breaks off", "the file ends", "an event is not valid"))
    found = names_of(trace)
    # Near the damage gzip may give text that was never written: its checksum stands at the end of the file.
    assert found[:1000] == [f"aten::op{index}" for index in range(1000)]
    assert len(found) < 5000


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("find", [b"nothing of it", b'"name": "aten::op500"'])
def test_helpers_read_what_one_process_reads(tmp_path: Path, indent: int | None, find: bytes) -> None:
    path = thousand_ops().write(tmp_path / "t.json", indent)
    path.write_bytes(path.read_bytes().replace(find, b'"name" "aten::op500"'))
    alone, helped = read(path), reader.read_trace(path, lambda done, total: None, helpers=2)
    assert len(alone.ops.name) >= 999
    assert names_of(helped) == names_of(alone)
    assert helped.ops.ts_ns.tolist() == alone.ops.ts_ns.tolist()
    assert helped.lost == alone.lost


@pytest.mark.usefixtures("small_blocks")
def test_helpers_are_not_misled_by_what_looks_like_an_event_inside_an_argument(tmp_path: Path) -> None:
    maker = TraceMaker()
    for index in range(300):
        maker.event("cpu_op", f'}}, {{"ph": "X"}} ], {index}', index, 1.0, nested=[{"ph": "X"}, {"ph": [{"ph": 2}, {"ph": 3}]}])
    trace = reader.read_trace(maker.write(tmp_path / "t.json"), lambda done, total: None, helpers=2)
    assert len(trace.ops.name) == 300
    assert trace.lost is None


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_that_breaks_off_gives_what_stood_before_and_says_where(tmp_path: Path, compressed: bool) -> None:
    text = json.dumps(thousand_ops().document(), indent=2).encode()
    path = tmp_path / "t.json"
    if compressed:
        whole = gzip.compress(text)
        path.write_bytes(whole[: len(whole) * 2 // 3])
    else:
        path.write_bytes(text[: text.index(b"aten::op700")])
    trace = read(path)
    found = names_of(trace)
    assert found == [f"aten::op{index}" for index in range(len(found))]
    assert 300 < len(found) <= 700
    assert trace.lost is not None
    assert trace.lost.offset > 0
    if not compressed:
        assert len(found) == 700
        assert trace.lost.reason == "the file ends in the middle of an event"


def test_damage_inside_costs_the_damaged_event_only(tmp_path: Path) -> None:
    text = json.dumps(thousand_ops().document(), indent=2)
    path = tmp_path / "t.json"
    path.write_text(text.replace('"name": "aten::op500"', '"name" "aten::op500"'))
    trace = read(path)
    assert len(names_of(trace)) == 999
    assert trace.lost is not None
    assert (trace.lost.events, trace.lost.reason) == (1, "an event is not valid JSON")


@pytest.mark.parametrize(
    ("find", "replacement"),
    [
        (b"aten::op500", b"aten::\x01op500"),
        (b"aten::op500", b"aten::op\xff500"),
        (b'"dur": 0.5,', b'"dur": NaN,'),
        (b'"dur": 0.5,', b'"dur": N/A,'),
        (b'"args": {}', b'"args": []'),
    ],
)
def test_odd_but_readable_events_are_mended(tmp_path: Path, find: bytes, replacement: bytes) -> None:
    text = json.dumps(thousand_ops().document(), indent=2).encode()
    if b'"dur": 0.5,' not in text:
        text = text.replace(b'"dur": 0.5', b'"dur": 0.5, "x": 1')
    assert find in text
    path = tmp_path / "t.json"
    path.write_bytes(text.replace(find, replacement, 1))
    trace = read(path)
    assert len(trace.ops.name) == 1000
    assert trace.lost is None


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b'{"a": [1, 2]}', b"\x1f\x8b\x08\x00broken"])
def test_what_is_no_trace_is_refused_with_its_name_and_a_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=r"other\.json is not a Kineto trace") as caught:
        read(path)
    assert caught.value.remedy


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"gone\.json can't be read"):
        read(tmp_path / "gone.json")


def test_a_recording_of_a_newer_format_is_refused_naming_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"kinetoscope": {"format": 2, "run": {"written_by": "9.9"}, "new": 1}, "traceEvents": []}))
    with pytest.raises(TraceError, match=r"format 2, written by Kinetoscope 9\.9") as caught:
        read(path)
    assert caught.value.remedy == "Update Kinetoscope."


def test_an_address_above_the_signed_range_stays_distinct(tmp_path: Path) -> None:
    maker = TraceMaker().memory(0, 8, 2**63 + 1).memory(1, 8, 2**63 + 2)
    assert len(np.unique(read(maker.write(tmp_path / "t.json")).memory.address)) == 2


def test_progress_counts_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = thousand_ops().write(tmp_path / "t.json.gz")
    seen: list[tuple[int, int]] = []
    reader.read_trace(path, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


def test_the_external_id_of_device_work_is_read_in_both_spellings(tmp_path: Path) -> None:
    maker = TraceMaker()
    maker.event("kernel", "new", 0, 1, 7, **{"External id": 5})
    maker.event("Kernel", "old", 1, 1, 7, **{"external id": 6})
    maker.event("gpu_memcpy", "none", 2, 1, 7)
    assert read(maker.write(tmp_path / "t.json")).kernels.external_id.tolist() == [5, 6, -1]


def test_a_thread_that_is_named_by_text_and_by_number_is_one(tmp_path: Path) -> None:
    maker = TraceMaker().event("Operator", "aten::mm", 0, 10, "100").memory(5, 64, 1, tid=100)
    trace = read(maker.write(tmp_path / "t.json"))
    assert trace.threads == [(1, 100)]
    assert trace.memory.thread.tolist() == trace.ops.thread.tolist()


def test_events_without_a_possible_time_are_lost_and_shift_nothing(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 1, 2)
    for time in (None, 1e300, -1e300, "soon"):
        maker.op("aten::odd", 5, 1)
        maker.events[-1]["ts"] = time
    del maker.events[-1]["ts"]
    trace = read(maker.write(tmp_path / "t.json"))
    assert names_of(trace) == ["aten::mm"]
    assert (trace.ops.ts_ns.tolist(), trace.end_ns) == ([0], 2000)
    assert trace.lost is not None
    assert (trace.lost.events, trace.lost.offset, trace.lost.reason) == (4, -1, "it has no possible time")


@pytest.mark.parametrize("duration", [-5, 1e300, 10**400, "long", None])
def test_an_impossible_duration_is_a_missing_one(tmp_path: Path, duration: object) -> None:
    maker = TraceMaker().op("aten::mm", 1, 2)
    maker.events[-1]["dur"] = duration
    assert read(maker.write(tmp_path / "t.json")).ops.dur_ns.tolist() == [-1]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_brackets_nested_too_deep_cost_the_event_that_holds_them(tmp_path: Path, opening: str) -> None:
    maker = TraceMaker().op("aten::mm", 1, 2).op("aten::deep", 4, 2).op("aten::relu", 7, 2)
    path = maker.write(tmp_path / "t.json", indent=None)
    deep = opening * 50_000 + "1" + ("]" if opening == "[" else "}") * 50_000
    path.write_text(path.read_text().replace('"aten::deep",', f'"aten::deep", "odd": {deep},'))
    trace = read(path)
    assert names_of(trace) == ["aten::mm", "aten::relu"]
    assert trace.lost is not None
    assert trace.lost.events == 1


def test_code_of_a_file_that_the_recording_does_not_have_is_damage(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 1, 2)
    maker.code(maker.source("/project/a.py", ""), "f", 1)
    maker.codes[0]["file"] = 7
    with pytest.raises(TraceError, match="damaged"):
        read(maker.write(tmp_path / "t.json"))


def test_what_kernels_operators_and_collectives_say_of_themselves_is_kept(tmp_path: Path) -> None:
    maker = TraceMaker()
    maker.event("cpu_op", "aten::mm", 0, 9, **{"Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"]})
    comm = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 7, "Group size": 2, "Process Group Ranks": "[0, 1]"}
    maker.event("cpu_op", "record_param_comms", 10, 5, **comm)
    shape = {"grid": [132, 1, 1], "block": [384, 1, 1], "registers per thread": 168, "blocks per SM": 1.5, "shared memory": 4096}
    maker.event("kernel", "gemm", 3, 5, 7, device=0, stream=7, correlation=1, **shape)
    maker.event("kernel", "ncclDevKernel_AllReduce", 12, 5, 9, device=0, stream=9, correlation=2, **comm)
    maker.event("gpu_memcpy", "Memcpy HtoD", 20, 5, 7, device=0, stream=7, correlation=3, bytes=64)
    maker.event("gpu_user_annotation", "step", 3, 22, 7)
    trace = read(maker.write(tmp_path / "t.json"))

    def text(number: int) -> object:
        return json.loads(trace.names[number]) if number >= 0 else None

    assert [text(number) for number in trace.ops.input_dims] == [[[8, 16], [16, 4]], None]
    assert text(trace.kernels.grid[0]) == [132, 1, 1]
    assert (trace.kernels.registers[0], trace.kernels.shared_memory[0], trace.kernels.blocks_per_sm[0]) == (168, 4096, 1.5)
    assert np.isnan(trace.kernels.occupancy[0])
    assert trace.kernels.kind.tolist() == [KERNEL, KERNEL, MEMCPY]
    assert trace.kernels.bytes.tolist() == [-1, -1, 64]
    assert sorted(trace.collectives.on_device.tolist()) == [False, True]
    assert {trace.names[number] for number in trace.collectives.collective} == {"allreduce"}
    assert trace.collectives.in_elements.tolist() == [7, 7]
    assert trace.device_ranges.dur_ns.tolist() == [22000]


def test_what_a_mended_event_says_of_itself_is_kept_as_it_stands(tmp_path: Path) -> None:
    """An event that is read the lenient way, since a control character stands in its name: lists, texts, and what has another type."""
    says = {"Collective name": "allreduce", "dtype": 7, "Process Group Ranks": "[0, 1]", "Input Dims": [[8, 16], []]}
    path = TraceMaker().event("cpu_op", "record@params", 1, 5, **says).write(tmp_path / "rank0.json")
    path.write_bytes(path.read_bytes().replace(b"record@params", b"record\x07params"))
    trace = read(path)
    assert trace.lost is None
    assert trace.names[trace.ops.input_dims[0]] == "[[8,16],[]]"
    collectives = trace.collectives
    assert trace.names[collectives.collective[0]] == "allreduce"
    assert trace.names[collectives.group_ranks[0]] == '"[0, 1]"'
    assert collectives.dtype.tolist() == [-1]


def test_devices_and_rank_are_read_from_beside_the_events(tmp_path: Path) -> None:
    gpu = {"id": 0, "name": "A GPU", "totalGlobalMem": 85_045_870_592, "computeMajor": 9, "computeMinor": 0, "numSms": 132}
    document = {**TraceMaker().document(), "deviceProperties": [gpu, 7], "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}}
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    trace = read(path)
    assert [(device.name, device.memory_bytes, device.multiprocessors) for device in trace.devices] == [("A GPU", 85_045_870_592, 132)]
    assert trace.distributed == Distributed("nccl", 3, 8)


@pytest.mark.usefixtures("small_blocks")
def test_what_decompresses_to_an_endless_event_or_head_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "LONGEST_EVENT_BYTES", 100_000)
    monkeypatch.setattr(chunks, "LONGEST_HEAD_BYTES", 100_000)
    path = tmp_path / "t.json.gz"
    endless = {'{"traceEvents": [{"name": "': "no event ends", '{"name": "': "has no traceEvents", " ": "does not start as JSON"}
    for start, reason in endless.items():
        path.write_bytes(gzip.compress(start.encode() + (b" " if start == " " else b"a") * 1_000_000))
        read_bytes: list[int] = []
        with pytest.raises(TraceError, match=reason):
            reader.read_trace(path, lambda done, total: read_bytes.append(done))
        assert len(read_bytes) < 40  # of 250 blocks


def test_ascends_device_work_has_no_category_and_is_tied_to_its_operator_by_arrows(tmp_path: Path) -> None:
    place, work = {"pid": 1, "tid": 2}, {"pid": 800, "tid": 3}
    arrow = {"cat": "async_npu", "name": "torch_to_npu", "id": 1704161511422904204}
    path = tmp_path / "trace_view.json"
    path.write_text(
        json.dumps(
            [
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", **place, "ts": "1704161511422855.116", "dur": 30.5, "args": {}},
                {"ph": "s", **arrow, **place, "ts": "1704161511422855.116"},
                {"ph": "f", **arrow, **work, "ts": "1704161511422904.204"},
                {"ph": "X", "name": "aclnnMm", **work, "ts": "1704161511422904.204", "dur": 1.35, "args": {"Task Type": "AI_CORE"}},
            ]
        )
    )
    trace = read(path)
    assert trace.kernels.dur_ns.tolist() == [1350]
    assert trace.kernels.correlation.tolist() == trace.launches.correlation.tolist() == [1704161511422904204]
    assert trace.launches.ts_ns.tolist() == trace.ops.ts_ns.tolist()
