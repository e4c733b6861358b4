"""Where traces lie: names, beginnings, and which files of a folder belong together."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from kinetoscope.runs.layouts import (
    TraceName,
    looks_like_trace,
    peers_of,
    rank_in_head,
    rank_in_name,
    rank_of,
    read_head,
    trace_name,
    traces_below,
)
from support.kineto import TraceMaker

TRACES = Path(__file__).resolve().parents[4] / "shared" / "traces"


def put(path: Path, *, rank: int | None = None, changed_s: int = 1_000, text: str = '"traceEvents": []}') -> Path:
    """A trace as small as can be; `rank` stands in its beginning."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stated = "" if rank is None else f'"distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 8}}, '
    raw = ('{"schemaVersion": 1, ' + stated + text).encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    os.utime(path, (changed_s, changed_s))
    return path


def layout(folder: Path) -> list[tuple[str, list[tuple[str, int, list[str]]]]]:
    """Each recording as `(folder, [(worker, rank, [names of its files])])`."""
    return [
        (str(found.folder.relative_to(folder)), [(each.name, each.rank, [span.path.name for span in each.spans]) for each in found.workers])
        for found in traces_below(folder).sets
    ]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("worker0.pt.trace.json", TraceName("worker0", None, True)),
        ("worker0.1623143089861.pt.trace.json", TraceName("worker0", 1623143089861, True)),
        ("worker0.1623143089861.pt.trace.json.gz", TraceName("worker0", 1623143089861, True)),
        ("node-1.example.org_4711.1623143089861.pt.trace.json.zst", TraceName("node-1.example.org_4711", 1623143089861, True)),
        ("model.trace.json.gz", TraceName("model.trace", None, False)),
        ("anything.json", TraceName("anything", None, False)),
        (".hidden.pt.trace.json", None),
        ("worker0.pt.trace.json.bz2", None),
        ("notes.txt", None),
        ("trace.jsonl", None),
        ("json", None),
    ],
)
def test_a_name_says_the_worker_and_its_time(name: str, what: TraceName | None) -> None:
    assert trace_name(name) == what


@pytest.mark.parametrize(
    ("worker", "rank"),
    [
        ("worker3", 3),
        ("rank-12", 12),
        ("host_worker1_rank_2", 2),
        ("Rank7of8", 7),
        ("a100_nccl_rank0of2", 0),
        ("host_4711", None),
        ("prank3", None),
    ],
)
def test_a_name_says_the_rank_only_by_its_word(worker: str, rank: int | None) -> None:
    assert rank_in_name(worker) == rank


@pytest.mark.parametrize(
    ("head", "is_trace"),
    [
        (b'{"traceEvents": [', True),
        (b'\xef\xbb\xbf\n {"schemaVersion": 1, "deviceProperties": [', True),
        (b'[{"name": "a", "args": {"x": 1}, "ph": "X"', True),
        (b'{"name": "kinetoscope", "version": "0.1.0"}', False),
        (b'[{"name": "a"}, {"name": "b"}]', False),
        (b"[]", False),
        (b"", False),
        (b"\x00\x01", False),
    ],
)
def test_a_plain_file_counts_only_if_it_begins_like_a_trace(head: bytes, is_trace: bool) -> None:
    assert looks_like_trace(head) == is_trace


def test_the_rank_is_read_before_the_events_and_never_from_one() -> None:
    assert rank_in_head(b'{"distributedInfo": {"backend": "nccl", "rank": 5, "pg_config": [{"rank": 1}]}, "traceEvents": [') == 5
    assert rank_in_head(b'{"traceEvents": [{"args": {"distributedInfo": {"rank": 5}}}]') is None


def test_of_a_large_file_only_the_beginning_is_read(tmp_path: Path) -> None:
    large = put(tmp_path / "a.json", text='"traceEvents": [' + '{"ph": "X"},' * 400_000)
    packed = put(tmp_path / "a.json.gz", text='"traceEvents": [' + '{"ph": "X"},' * 400_000)
    assert len(read_head(large)) == len(read_head(packed)) == 256 * 1024
    assert read_head(tmp_path / "missing.json") == b""
    (tmp_path / "broken.json.gz").write_bytes(b"\x1f\x8b no gzip")
    assert read_head(tmp_path / "broken.json.gz") == b""


def test_tensorboards_layout_is_runs_of_workers_of_spans_the_newest_first(tmp_path: Path) -> None:
    put(tmp_path / "first" / "worker0.1623143089861.pt.trace.json", changed_s=50)
    put(tmp_path / "first" / "worker0.1623143566756.pt.trace.json.gz", changed_s=40)
    put(tmp_path / "first" / "worker1.1623143089862.pt.trace.json", changed_s=50)
    put(tmp_path / "deep" / "er" / "host_4711.pt.trace.json", changed_s=60)
    put(tmp_path / ".hidden" / "worker0.pt.trace.json")
    assert layout(tmp_path) == [
        ("deep/er", [("host_4711", 0, ["host_4711.pt.trace.json"])]),
        (
            "first",
            [
                ("worker0", 0, ["worker0.1623143566756.pt.trace.json.gz", "worker0.1623143089861.pt.trace.json"]),
                ("worker1", 1, ["worker1.1623143089862.pt.trace.json"]),
            ],
        ),
    ]


def test_ranks_are_those_that_the_traces_state_then_of_the_names_then_the_order(tmp_path: Path) -> None:
    for name, rank in (("host_900", 1), ("host_1000", 0)):
        put(tmp_path / "stated" / f"{name}.pt.trace.json", rank=rank, changed_s=30)
    for name in ("worker10", "worker9"):
        put(tmp_path / "named" / f"{name}.pt.trace.json", changed_s=20)
    for name in ("host_1000", "host_900"):
        put(tmp_path / "ordered" / f"{name}.pt.trace.json", changed_s=10)
    ranks = {folder: [(name, rank) for name, rank, _ in workers] for folder, workers in layout(tmp_path)}
    assert ranks == {
        "stated": [("host_1000", 0), ("host_900", 1)],
        "named": [("worker9", 9), ("worker10", 10)],
        "ordered": [("host_900", 0), ("host_1000", 1)],
    }


def test_ranks_that_are_not_unique_are_counted_instead(tmp_path: Path) -> None:
    for host in ("a", "b"):
        put(tmp_path / f"{host}_worker0.pt.trace.json")
    assert layout(tmp_path) == [(".", [("a_worker0", 0, ["a_worker0.pt.trace.json"]), ("b_worker0", 1, ["b_worker0.pt.trace.json"])])]


def test_plain_names_belong_together_only_where_the_rank_alone_differs(tmp_path: Path) -> None:
    put(tmp_path / "step5-rank-0.json", changed_s=30)
    put(tmp_path / "step5-rank-1.json.gz", changed_s=30)
    put(tmp_path / "step9-rank-0.json", changed_s=20)
    put(tmp_path / "bert.json", changed_s=10)
    (tmp_path / "package.json").write_text('{"name": "no trace"}')
    found = [[(name, rank) for name, rank, _ in workers] for _, workers in layout(tmp_path)]
    assert found == [[("step5-rank-0", 0), ("step5-rank-1", 1)], [("step9-rank-0", 0)], [("bert", 0)]]


def test_a_file_that_is_opened_alone_has_the_ranks_that_state_its_job(tmp_path: Path) -> None:
    own = put(tmp_path / "host_900.pt.trace.json", rank=1)
    other = put(tmp_path / "host_1000.pt.trace.json", rank=0)
    put(tmp_path / "of_another_job.pt.trace.json")
    assert peers_of(own) == {0: other, 1: own}


def test_or_whose_names_differ_by_the_rank_only(tmp_path: Path) -> None:
    own = put(tmp_path / "worker0.1623.pt.trace.json")
    other = put(tmp_path / "worker1.1623.pt.trace.json")
    unrelated = put(tmp_path / "resnet.pt.trace.json")
    assert peers_of(own) == {0: own, 1: other}
    assert list(peers_of(unrelated).values()) == [unrelated]


def test_whole_runs_and_folders_of_packages_are_left_out(tmp_path: Path) -> None:
    put(tmp_path / "run" / "rank0.pt.trace.json")
    (tmp_path / "run" / "run.json").write_text("{}")
    put(tmp_path / "node_modules" / "a" / "worker0.pt.trace.json")
    assert layout(tmp_path) == []
    assert traces_below(tmp_path / "missing").sets == ()


def test_links_that_lead_back_end(tmp_path: Path) -> None:
    put(tmp_path / "a" / "worker0.pt.trace.json")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    assert len(layout(tmp_path)) == 1


def test_a_generated_trace_is_one_by_its_beginning(tmp_path: Path) -> None:
    path = TraceMaker(end_us=10).write(tmp_path / "copied-rank4.json.gz")
    assert looks_like_trace(read_head(path))
    assert rank_of(path) == 4


@pytest.mark.skipif(not TRACES.is_dir(), reason="the real traces are not beside the checkout")
def test_real_traces_are_recognised_with_their_ranks() -> None:
    plain = [path for path in TRACES.iterdir() if trace_name(path.name) is not None]
    assert [path.name for path in plain if not looks_like_trace(read_head(path))] == []
    [ranks] = traces_below(TRACES / "nvidia_v100_dlrm_8ranks").sets
    assert [(worker.name, worker.rank) for worker in ranks.workers] == [(f"worker{rank}", rank) for rank in range(8)]
    assert rank_of(TRACES / "cpu_gloo_rank34of300.pt.trace.json.gz") == 34
    samples = traces_below(TRACES / "tb_plugin_samples").sets
    assert sorted((found.folder.name, len(found.workers[0].spans)) for found in samples) == [
        ("resnet50_num_workers_0", 2),
        ("resnet50_num_workers_4", 2),
    ]
