"""Several ranks whose computation and collectives are placed by hand: what overlaps, what waits for whom and why, how fast data went."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kinetoscope.analysis.communication import bus_factor, communication, kind_of
from kinetoscope.analysis.distributed import DistributedView, distributed
from support.kineto import ENTER, LINE, MAIN
from support.ranks import ALL_REDUCE, Rank, says

TEXT = "def main():\n    batch = load()\n    loss = model(batch)\n    loss.backward()\n"
LOAD, MODEL, BACKWARD = 2, 3, 4


def view(folder: Path, *ranks: Rank) -> DistributedView:
    return distributed({rank.rank: rank.linked(folder) for rank in ranks})


def test_a_step_is_computation_overlap_communication_and_the_rest(tmp_path: Path) -> None:
    """Computation 10–40, communication 30–70 of a step of 100 µs."""
    rank = Rank().step(3, 0, 100).collective("all_reduce", 5, 30, 40)
    rank.kernel("gemm", 2, 10, 30)
    found = view(tmp_path, rank)
    [step] = found.steps
    assert (step.rank, step.step, step.name, step.step_us) == (0, 3, "ProfilerStep#3", 100)
    assert (step.computation_us, step.overlap_us, step.communication_us, step.other_us) == (20, 10, 30, 40)
    [mean] = found.ranks
    assert (mean.steps, mean.overlap_percent) == (1, 25)


def test_copies_are_no_computation(tmp_path: Path) -> None:
    rank = Rank().step(3, 0, 100)
    rank.event("cuda_runtime", "cudaMemcpyAsync", 5, 1, MAIN, correlation=1)
    rank.event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 10, 30, 7, correlation=1, device=0, stream=7)
    [step] = view(tmp_path, rank).steps
    assert (step.computation_us, step.other_us) == (0, 100)


def test_the_rank_on_which_a_collective_is_shortest_came_last_and_all_else_is_waiting(tmp_path: Path) -> None:
    """The clocks of the ranks differ by 500 µs; nothing may depend on them."""
    early = Rank(0).step(1, 0, 200).collective("all_reduce", 5, 20, 100, **says("allreduce", 1000))
    late = Rank(1).step(1, 500, 700).collective("all_reduce", 505, 580, 40, **says("allreduce", 1000))
    found = view(tmp_path, early, late)
    assert [(call.rank, call.latency_us, call.transfer_us, call.wait_us) for call in found.calls] == [(0, 100, 40, 60), (1, 40, 40, 0)]
    assert [(step.transfer_us, step.synchronising_us) for step in found.steps] == [(40, 60), (40, 0)]
    assert [(one.rank, one.late, one.caused_wait_us, one.waited_us) for one in found.stragglers] == [(1, 1, 60, 0), (0, 0, 0, 60)]
    assert found.notices == []


def test_bandwidth_is_of_the_transfer_and_the_bus_carries_what_nccl_tests_say(tmp_path: Path) -> None:
    """4,000,000 bytes in 40 µs are 100 GB/s; an all-reduce of 4 ranks sends 2 · 3/4 of it."""
    ranks = [Rank(0, 4).collective("all_reduce", 5, 20, 100, **says("allreduce", 1_000_000, ranks=4))]
    ranks += [Rank(rank, 4).collective("all_reduce", 5, 80, 40, **says("allreduce", 1_000_000, ranks=4)) for rank in (1, 2, 3)]
    found = view(tmp_path, *ranks)
    assert {(call.bytes, call.algorithm_gb_per_s, call.bus_gb_per_s) for call in found.calls} == {(4_000_000, 100, 150)}
    first = found.collectives[0]
    assert (first.name, first.calls, first.total_bytes, first.mean_bytes) == ("all_reduce", 1, 4_000_000, 4_000_000)
    assert (first.total_latency_us, first.transfer_us, first.algorithm_gb_per_s, first.bus_gb_per_s) == (100, 40, 100, 150)
    assert (first.group, first.group_description, first.group_ranks, first.group_size) == ("0", "default_pg", "[0, 1, 2, 3]", 4)


@pytest.mark.parametrize(
    ("name", "sent", "received", "size", "factor"),
    [
        ("_all_gather_base", 100, 400, 1600, 0.75),
        ("_reduce_scatter_base", 400, 100, 1600, 0.75),
        ("all_to_all", 400, 400, 1600, 0.75),
        ("all_reduce", 400, 400, 1600, 1.5),
        ("broadcast", 400, 400, 1600, 1.0),
        ("send 0->1", 400, 0, 1600, 1.0),
        ("recv 0<-1", 0, 400, 1600, 1.0),
    ],
)
def test_a_message_is_as_large_as_nccl_tests_count_it(
    tmp_path: Path, name: str, sent: int, received: int, size: int, factor: float
) -> None:
    rank = Rank(0, 4).collective(name, 5, 20, 8, "ncclDevKernel_SendRecv(x)", **says("", sent, received, ranks=4))
    [call] = view(tmp_path, rank).calls
    assert call.bytes == size
    assert call.algorithm_gb_per_s == pytest.approx(size / 8000)
    assert call.bus_gb_per_s == pytest.approx(factor * size / 8000)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("nccl:_all_gather_base", "all_gather"),
        ("nccl:_reduce_scatter_base", "reduce_scatter"),
        ("_reduce_scatter_tensor_coalesced", "reduce_scatter"),
        ("allreduce", "all_reduce"),
        ("nccl:all_to_allv", "all_to_all"),
        ("nccl:send 0->1", "send"),
        ("nccl:recv 0<-1", "recv"),
        ("gloo:broadcast", "broadcast"),
        ("ncclKernel_ReduceScatter_RING_LL_Sum_half(ncclWorkElem)", "reduce_scatter"),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", "send_recv"),
        ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(x)", "all_reduce"),
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "unknown"),
    ],
)
def test_the_collective_is_known_by_names_of_ranges_records_and_kernels(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_the_bus_of_one_rank_carries_nothing_and_of_an_unknown_number_is_not_known() -> None:
    assert (bus_factor("all_reduce", 1), bus_factor("all_reduce", 0), bus_factor("barrier", 8)) == (0, None, None)


def test_what_is_not_said_on_the_kernel_is_taken_from_the_record_around_the_call(tmp_path: Path) -> None:
    rank = Rank().event("cpu_op", "record_param_comms", 4, 8, MAIN, **says("allreduce", 250, dtype="BFloat16"))
    assert isinstance(rank, Rank)
    [call] = view(tmp_path, rank.collective("all_reduce", 5, 20, 10)).calls
    assert (call.bytes, call.dtype, call.group, call.group_size) == (500, "BFloat16", "0", 2)


def test_of_older_traces_the_size_is_that_of_the_ranges_inputs_and_the_group_is_taken_to_be_all(tmp_path: Path) -> None:
    rank = Rank(0, 8)
    rank.event("user_annotation", "nccl:all_reduce", 5, 5, MAIN, **{"Input Dims": [[8, 16]], "Input type": ["long int"]})
    rank.event("cuda_runtime", "cudaLaunchKernel", 6, 2, MAIN, correlation=9)
    rank.event("kernel", ALL_REDUCE, 20, 10, 20, correlation=9, device=0, stream=20)
    found = view(tmp_path, rank)
    [call] = found.calls
    assert (call.bytes, call.group, call.group_size) == (1024, "", 8)
    assert "The trace does not say which ranks take part in some collectives: they are taken to be all 8." in found.notices


def test_a_size_that_is_not_said_is_not_made_up(tmp_path: Path) -> None:
    found = view(tmp_path, Rank().collective("all_reduce", 5, 20, 10))
    [call] = found.calls
    assert (call.bytes, call.algorithm_gb_per_s, call.bus_gb_per_s, call.latency_us) == (None, None, None, 10)
    assert any(notice.startswith("1 of 1 collective calls do not say their size") for notice in found.notices)


def test_kernels_of_a_call_are_found_without_any_external_id_and_copies_around_them_are_not_it(tmp_path: Path) -> None:
    """F14 of the reference: nothing but the launch ties them. The copy before is an operator's own."""
    rank = Rank().event("user_annotation", "nccl:_all_gather_base", 5, 30, MAIN)
    rank.op("aten::copy_", 6, 5).kernel("direct_copy_kernel", 7, 40, 10).kernel("ncclDevKernel_AllGather_RING_LL(x)", 20, 60, 25)
    assert isinstance(rank, Rank)
    found = communication(rank.linked(tmp_path))
    [call] = found.calls
    assert (call.kind, call.dur_ns) == ("all_gather", 25_000)
    assert found.kernels.tolist() == [False, True]


def test_a_communication_kernel_without_its_launch_is_a_call_all_the_same(tmp_path: Path) -> None:
    rank = Rank().event("kernel", ALL_REDUCE, 20, 10, 20, correlation=77, device=0, stream=20)
    assert isinstance(rank, Rank)
    [call] = view(tmp_path, rank).calls
    assert (call.name, call.latency_us, call.frame) == ("all_reduce", 10, None)


def test_gloo_works_on_the_host_so_its_ranges_are_the_communication(tmp_path: Path) -> None:
    """Operators 10–30 and 50–70, gloo 20–60."""
    rank = Rank(backend="gloo").step(1, 0, 100)
    rank.op("aten::mm", 10, 20).op("aten::mm", 50, 20)
    rank.event("user_annotation", "gloo:all_reduce", 20, 40, 300, **{"Input Dims": [[1000]], "Input type": ["float"]})
    found = view(tmp_path, rank)
    [call] = found.calls
    assert (found.backend, call.name, call.bytes, call.latency_us) == ("gloo", "all_reduce", 4000, 40)
    [step] = found.steps
    assert step.computation_us + step.overlap_us + step.communication_us + step.other_us == step.step_us
    assert step.communication_us + step.overlap_us == 40


def test_groups_are_matched_each_for_itself(tmp_path: Path) -> None:
    """The first rank calls group 1 before group 0, the second the other way round."""
    one = Rank(0).collective("all_reduce", 5, 20, 30, **says("allreduce", 10, group="1"))
    one.collective("all_reduce", 15, 60, 10, **says("allreduce", 20))
    two = Rank(1).collective("all_reduce", 5, 20, 40, **says("allreduce", 20))
    two.collective("all_reduce", 15, 70, 10, **says("allreduce", 10, group="1"))
    found = view(tmp_path, one, two)
    assert [(call.rank, call.group, call.transfer_us) for call in found.calls] == [(0, "1", 10), (0, "0", 10), (1, "0", 10), (1, "1", 10)]


def test_ranks_that_did_not_record_the_same_are_not_matched(tmp_path: Path) -> None:
    one = Rank(0).step(1, 0, 200).collective("all_reduce", 5, 20, 30, **says("allreduce", 10))
    two = Rank(1).step(1, 0, 200).collective("broadcast", 5, 20, 40, **says("broadcast", 10))
    found = view(tmp_path, one, two)
    assert {call.transfer_us for call in found.calls} == {None}
    assert {(step.transfer_us, step.synchronising_us) for step in found.steps} == {(None, None)}
    assert found.stragglers == []
    assert found.notices[0].startswith("The ranks did not record the same collectives of one process group")


SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"


def message(rank: Rank, name: str, peer: int, at: float, start: float, dur: float, elements: int = 1000, group: str = "0") -> Rank:
    """`isend` or `irecv` of NCCL as torch 2.6 writes it: the peer, a rank of the world, stands on the kernel."""
    ways = {"send": ("Dst Rank", elements, 0), "recv": ("Src Rank", 0, elements)}
    told, sent, received = ways[name]
    return rank.collective(name, at, start, dur, SEND_RECV, **says(name, sent, received, group=group), **{told: peer})


def test_a_message_is_paired_by_its_two_ranks_and_takes_as_long_as_on_the_side_that_did_not_wait(tmp_path: Path) -> None:
    """The sender waits for 60 µs with the first message, the receiver for 30 with the second; clocks differ by 500 µs."""
    sender = message(Rank(0).step(1, 0, 200), "send", 1, 5, 20, 100)
    receiver = message(Rank(1).step(1, 500, 700), "recv", 0, 505, 580, 40)
    found = view(tmp_path, message(sender, "send", 1, 130, 150, 20), message(receiver, "recv", 0, 630, 640, 50))
    assert [(call.rank, call.name, call.peer, call.latency_us, call.transfer_us, call.wait_us) for call in found.calls] == [
        (0, "send", 1, 100, 40, 60),
        (0, "send", 1, 20, 20, 0),
        (1, "recv", 0, 40, 40, 0),
        (1, "recv", 0, 50, 20, 30),
    ]
    assert [call.algorithm_gb_per_s for call in found.calls] == [0.1, 0.2, 0.1, 0.2]  # 4,000 bytes in 40 and 20 µs
    assert [(step.transfer_us, step.synchronising_us) for step in found.steps] == [(60, 60), (60, 30)]
    assert found.stragglers == []  # a pipeline's stages wait for each other by design
    assert found.notices == []


def test_both_ways_and_several_partners_are_paired_each_in_their_own_order(tmp_path: Path) -> None:
    """Rank 1 receives from 2 before it receives from 0, and from 0 in two groups."""
    zero = message(message(Rank(0, 3), "send", 1, 5, 10, 11), "send", 1, 30, 40, 12, group="1")
    zero = message(zero, "recv", 1, 60, 70, 13)
    one = message(message(Rank(1, 3), "recv", 2, 5, 10, 50), "recv", 0, 70, 80, 51, group="1")
    one = message(message(one, "send", 0, 140, 150, 52), "recv", 0, 210, 220, 53)
    two = message(Rank(2, 3), "send", 1, 5, 10, 14)
    found = view(tmp_path, zero, one, two)
    assert {(call.rank, call.name, call.peer, call.group): call.transfer_us for call in found.calls} == {
        (0, "send", 1, "0"): 11,
        (0, "send", 1, "1"): 12,
        (0, "recv", 1, "0"): 13,
        (1, "recv", 2, "0"): 14,
        (1, "recv", 0, "1"): 12,
        (1, "send", 0, "0"): 13,
        (1, "recv", 0, "0"): 11,
        (2, "send", 1, "0"): 14,
    }


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (lambda: message(message(Rank(1), "recv", 0, 5, 20, 9), "recv", 0, 50, 60, 9), "the two ranks did not record the same"),
        (lambda: message(Rank(1), "recv", 0, 5, 20, 9, elements=999), "the two ranks did not record the same"),
        (lambda: message(Rank(2), "recv", 0, 5, 20, 9), "the trace of the other rank is not at hand"),
    ],
    ids=["another number", "another size", "another rank"],
)
def test_messages_that_do_not_pair_up_are_not_paired_and_it_is_said_why(tmp_path: Path, other: Callable[[], Rank], why: str) -> None:
    found = view(tmp_path, message(Rank(0), "send", 1, 5, 20, 9), other())
    assert {(call.transfer_us, call.wait_us) for call in found.calls} == {(None, None)}
    assert any(notice.endswith(f"messages between two ranks have no transfer time: {why}.") for notice in found.notices)


def test_a_batch_of_messages_has_no_partner_since_its_kernel_does_not_say_one(tmp_path: Path) -> None:
    """`batch_isend_irecv`: one kernel, launched when the batch ends, outside of what its messages say of themselves."""
    found = view(tmp_path, *(Rank(number).collective("coalesced", 5, 20, 9, SEND_RECV) for number in (0, 1)))
    assert [(call.name, call.peer, call.bytes, call.transfer_us, call.algorithm_gb_per_s) for call in found.calls] == [
        ("send_recv", None, None, None, None)
    ] * 2
    assert "does not say which rank they went to or came from" in found.notices[0]


def test_the_ranges_of_gloos_messages_give_no_bandwidth(tmp_path: Path) -> None:
    """As torch 2.13 writes it: 4 MB are sent in `c10d::send`, and the range begins at its end and lasts until `wait()`."""
    inputs: dict[str, Any] = {"Input Dims": [[1000, 1000]], "Input type": ["float"]}
    ranks = [Rank(number, backend="gloo") for number in (0, 1)]
    ranks[0].op("c10d::send", 5, 1000).event("user_annotation", "gloo:send", 1000, 7, **inputs)
    ranks[1].op("c10d::recv_", 5, 20).event("user_annotation", "gloo:recv", 20, 1100, **inputs)
    found = view(tmp_path, *ranks)
    assert [(call.name, call.bytes, call.latency_us) for call in found.calls] == [("send", 4_000_000, 7), ("recv", 4_000_000, 1100)]
    assert {(call.transfer_us, call.algorithm_gb_per_s, call.bus_gb_per_s) for call in found.calls} == {(None, None, None)}
    assert {(row.total_bytes, row.algorithm_gb_per_s) for row in found.collectives} == {(4_000_000, None)}
    assert "do not say how long the data took" in found.notices[0]


def lines(rank: Rank) -> Rank:
    """Line 2 until 100 µs, line 3 until 300, line 4 then."""
    main = rank.code(rank.source("/project/train.py", TEXT), "main", 1)
    rank.log().add(1, ENTER, main, 1).add(50, LINE, main, LOAD).add(100, LINE, main, MODEL).add(300, LINE, main, BACKWARD)
    return rank


def test_the_line_whose_kernels_took_longer_than_on_other_ranks_made_the_rank_late(tmp_path: Path) -> None:
    ranks: list[Rank] = []
    for number, gemm in ((0, 100), (1, 250), (2, 100)):
        rank = lines(Rank(number, 3)).collective("all_reduce", 20, 30, 20, **says("allreduce", 10, ranks=3))
        rank.op("aten::mm", 110, 20).kernel("gemm", 112, 120, gemm)
        ranks.append(
            rank.collective(
                "all_reduce", 350, 500 if gemm == 250 else 400, 420 - (400 if gemm == 250 else 300), **says("allreduce", 10, ranks=3)
            )
        )
    late = view(tmp_path, *ranks).stragglers[0]
    assert (late.rank, late.late, late.caused_wait_us) == (1, 1, 200)
    [reason] = late.reasons
    assert reason.frame
    assert (reason.on, reason.frame.file, reason.frame.line, reason.collectives, reason.excess_us) == (
        *("device", "/project/train.py", MODEL, 1, 100),
    )


def test_the_line_on_which_the_host_took_longer_made_the_rank_late(tmp_path: Path) -> None:
    """Between the collectives the late rank stands 300 µs on line 2, the others 50."""
    ranks: list[Rank] = []
    for number, longer in ((0, 0), (1, 250), (2, 0)):
        rank = Rank(number, 3)
        main = rank.code(rank.source("/project/train.py", TEXT), "main", 1)
        rank.log().add(1, ENTER, main, 1).add(50, LINE, main, LOAD).add(100 + longer, LINE, main, MODEL)
        rank.collective("all_reduce", 20, 30, 20, **says("allreduce", 10, ranks=3))
        rank.op("aten::mm", 110 + longer, 20).kernel("gemm", 112 + longer, 120 + longer, 20)
        ranks.append(rank.collective("all_reduce", 200 + longer, 210 + longer, 260 - longer, **says("allreduce", 10, ranks=3)))
    late = view(tmp_path, *ranks).stragglers[0]
    assert (late.rank, late.caused_wait_us) == (1, 500)
    [reason] = late.reasons
    assert reason.frame
    assert (reason.on, reason.frame.line, reason.excess_us) == ("host", LOAD, 250)


def test_without_lines_the_operator_is_named(tmp_path: Path) -> None:
    ranks: list[Rank] = []
    for number, gemm in ((0, 20), (1, 220)):
        rank = Rank(number).collective("all_reduce", 20, 30, 20, **says("allreduce", 10))
        rank.op("aten::mm", 110, 20).kernel("gemm", 112, 120, gemm)
        ranks.append(rank.collective("all_reduce", 150, 160 + gemm, 240 - gemm, **says("allreduce", 10)))
    late = view(tmp_path, *ranks).stragglers[0]
    assert [(reason.on, reason.operator, reason.frame, reason.excess_us) for reason in late.reasons] == [("device", "aten::mm", None, 200)]


def test_each_rank_has_a_window_of_its_own(tmp_path: Path) -> None:
    ranks = [
        Rank(number).step(1, 0, 200).collective("all_reduce", 5, 20, 60, **says("allreduce", 10))
        for number in (0, 1)
    ]  # fmt: skip
    linked = {rank.rank: rank.collective("all_reduce", 105, 120, 30, **says("allreduce", 10)).linked(tmp_path) for rank in ranks}
    begin = {rank: int(one.trace.kernels.ts_ns[1]) - 10_000 for rank, one in linked.items()}
    found = distributed(linked, {rank: (at, at + 100_000) for rank, at in begin.items()})
    assert [(call.rank, call.latency_us) for call in found.calls] == [(0, 30), (1, 30)]
    assert {(step.step_us, step.communication_us, step.transfer_us) for step in found.steps} == {(90, 30, 30)}


def test_devices_are_named_with_what_the_trace_says_of_them(tmp_path: Path) -> None:
    rank = Rank(1)
    rank.kernel("gemm", 1, 10, 20, device=1)
    [device] = view(tmp_path, rank).devices
    assert (device.rank, device.device, device.name, device.memory_bytes, device.compute_capability) == (1, "cuda:1", "H100", 80_000, "9.0")


def test_one_rank_cannot_know_what_others_did(tmp_path: Path) -> None:
    found = view(tmp_path, Rank().collective("all_reduce", 5, 20, 10, **says("allreduce", 1000)))
    [call] = found.calls
    assert (call.transfer_us, call.wait_us, call.algorithm_gb_per_s) == (None, None, 0.4)
    assert found.notices[0].startswith("Only one rank is at hand")
    assert view(tmp_path, Rank().step(1, 0, 10)).notices == ["No communication between ranks was recorded."]


def test_no_rank_is_an_error() -> None:
    with pytest.raises(ValueError, match="no rank"):
        distributed({})
