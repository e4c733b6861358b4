"""Idle time by cause and by line, launch queues and launch statistics, on devices whose work is placed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.idle_view import Idle, idle
from kinetoscope.analysis.launch_statistics import FULL_QUEUE
from kinetoscope.analysis.lines import report_of
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENTER, LINE, MAIN, TraceMaker

TEXT = "def main():\n    for x in loader:\n        y = model(x)\n        print(y.item())\n"
LOAD, MODEL, ITEM = 2, 3, 4


def linked(maker: TraceMaker, folder: Path) -> LinkedTrace:
    path = maker.write(folder / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


def causes(found: Idle, device: int = 0) -> dict[str, float]:
    """Those that there are."""
    return {cause: us for cause, us in found.devices[device].causes.items() if us}


class Loop(TraceMaker):
    """`main` loads until 100 µs, runs the model until 200, then waits in `.item()`."""

    def __init__(self) -> None:
        super().__init__(end_us=400.0)
        main = self.code(self.source("/project/train.py", TEXT), "main", 1)
        self.log().add(1, ENTER, main, 1).add(2, LINE, main, LOAD).add(100, LINE, main, MODEL).add(200, LINE, main, ITEM)

    def waiting(self, at: float, dur: float) -> Loop:
        self.event("cuda_runtime", "cudaStreamSynchronize", at, dur, MAIN, correlation=99)
        return self


def test_until_the_call_that_launches_the_next_work_a_gap_is_the_hosts_then_it_is_the_launchs(tmp_path: Path) -> None:
    maker = TraceMaker().kernel("a", 10, 20, 30).kernel("b", 70, 76, 10)
    found = idle(linked(maker, tmp_path))
    assert causes(found) == {"host": 20, "launch_latency": 6}
    device = found.devices[0]
    assert (device.device, device.total_us, device.busy_us, device.idle_us) == ("cuda:0", 66, 40, 26)
    assert (device.gaps, device.longest_gap_us) == (1, 26)


def test_work_that_was_enqueued_waits_for_its_stream_or_for_another(tmp_path: Path) -> None:
    same = TraceMaker().kernel("a", 1, 10, 20).kernel("b", 3, 32, 10)
    assert causes(idle(linked(same, tmp_path))) == {"between_kernels": 2}
    other = TraceMaker().kernel("a", 1, 10, 20).kernel("b", 3, 35, 10, stream=20)
    assert causes(idle(linked(other, tmp_path))) == {"dependency": 5}


def test_streams_that_work_at_the_same_time_leave_no_gap(tmp_path: Path) -> None:
    maker = TraceMaker().kernel("a", 1, 10, 50).kernel("b", 3, 20, 10, stream=20).kernel("c", 5, 60, 10, stream=20)
    device = idle(linked(maker, tmp_path)).devices[0]
    assert (device.busy_us, device.idle_us, device.gaps) == (60, 0, 0)


def test_time_in_the_data_loader_is_told_from_the_rest_of_the_hosts_part(tmp_path: Path) -> None:
    maker = Loop()
    maker.event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 50, 40, MAIN)
    maker.kernel("a", 10, 20, 20).kernel("b", 120, 122, 10)
    found = idle(linked(maker, tmp_path))
    assert causes(found) == {"host": 10 + 30, "data_loading": 40, "launch_latency": 2}
    rows = {row.frame.line: row for row in found.lines if row.frame}
    assert (rows[LOAD].data_loading_us, rows[LOAD].host_us, rows[LOAD].idle_us) == (40, 20, 60)
    assert (rows[MODEL].data_loading_us, rows[MODEL].host_us) == (0, 20)


def test_a_wait_is_the_reason_for_as_much_idle_time_as_it_lasted_and_no_more(tmp_path: Path) -> None:
    """The host waits from 210 to 252 for a kernel that ends at 250, and launches the next one 18 or 98 µs after the wait."""
    soon = Loop().waiting(210, 42)
    soon.kernel("a", 205, 220, 30).kernel("b", 270, 273, 10)
    assert causes(idle(linked(soon, tmp_path))) == {"synchronisation": 20, "launch_latency": 3}
    late = Loop().waiting(210, 42)
    late.kernel("a", 205, 220, 30).kernel("b", 350, 353, 10)
    found = idle(linked(late, tmp_path))
    assert causes(found) == {"synchronisation": 42, "host": 58, "launch_latency": 3}
    assert [(row.frame.line, row.synchronisation_us, row.host_us) for row in found.lines if row.frame] == [(ITEM, 42, 58)]


def test_a_wait_that_had_ended_before_the_gap_began_is_not_its_reason(tmp_path: Path) -> None:
    maker = Loop().waiting(100, 50)
    maker.kernel("a", 205, 220, 30).kernel("b", 270, 273, 10)
    assert causes(idle(linked(maker, tmp_path))) == {"host": 20, "launch_latency": 3}


def test_without_the_launch_the_cause_is_not_known(tmp_path: Path) -> None:
    maker = TraceMaker().kernel("a", 10, 20, 30)
    maker.event("kernel", "b", 70, 10, 7, correlation=77, device=0, stream=7)
    assert causes(idle(linked(maker, tmp_path))) == {"unknown": 20}


def test_idle_time_of_a_line_is_that_of_the_lines_view(tmp_path: Path) -> None:
    maker = Loop()
    maker.kernel("a", 10, 20, 20).kernel("b", 120, 122, 10).kernel("c", 230, 240, 5)
    trace = linked(maker, tmp_path)
    ours = {row.frame.line: row.idle_us for row in idle(trace).lines if row.frame}
    assert ours == {row.line: row.gpu_idle_us for row in report_of(trace).rows if row.gpu_idle_us} == {LOAD: 60, MODEL: 20 + 68, ITEM: 30}


def test_a_window_clips_gaps_and_has_gaps_at_its_ends(tmp_path: Path) -> None:
    maker = TraceMaker().kernel("a", 10, 20, 30).kernel("b", 70, 80, 10)
    trace = linked(maker, tmp_path)
    origin = int(trace.trace.kernels.ts_ns[0]) - 20_000

    def within(start: int, end: int) -> Idle:
        return idle(trace, (origin + start * 1000, origin + end * 1000))

    assert causes(within(60, 75)) == {"host": 10, "launch_latency": 5}
    whole = within(0, 100)
    assert causes(whole) == {"host": 10 + 20, "launch_latency": 10 + 10, "unknown": 10}
    assert (whole.devices[0].total_us, whole.devices[0].busy_us) == (100, 40)


def test_devices_are_idle_each_for_itself(tmp_path: Path) -> None:
    maker = TraceMaker().kernel("a", 10, 20, 30).kernel("b", 11, 20, 60, device=1).kernel("c", 58, 60, 20)
    assert [device.idle_us for device in idle(linked(maker, tmp_path)).devices] == [10, 0]


def test_the_queue_counts_what_was_launched_and_is_not_done(tmp_path: Path) -> None:
    """Calls at 10, 20, 30; done at 40, 60, 110: lengths 1, 2, 3, 2, 1 for 10, 10, 10, 20, 50 µs."""
    maker = TraceMaker().kernel("a", 10, 25, 15).kernel("b", 20, 40, 20).kernel("c", 30, 60, 50)
    [queue] = idle(linked(maker, tmp_path)).queues
    assert (queue.device, queue.stream, queue.max_length, queue.empty_us, queue.full_us) == ("cuda:0", 7, 3, 0, 0)
    assert queue.end_us - queue.start_us == 100
    assert queue.mean_length == pytest.approx((10 + 20 + 30 + 40 + 50) / 100)
    assert sum(queue.mean) / len(queue.mean) == pytest.approx(queue.mean_length)
    assert max(queue.most) == 3
    assert (queue.most[0], queue.most[-1]) == (1, 1)


def test_a_full_queue_is_said_with_its_time(tmp_path: Path) -> None:
    maker = TraceMaker(end_us=4000.0)
    for number in range(FULL_QUEUE):
        maker.kernel("k", number, 2000 + number, 1)
    [queue] = idle(linked(maker, tmp_path)).queues
    assert (queue.max_length, queue.full_us) == (FULL_QUEUE, 2001 - (FULL_QUEUE - 1))


def test_launches_that_take_longer_than_their_work_are_counted(tmp_path: Path) -> None:
    """Each call takes 1 µs."""
    maker = TraceMaker().kernel("tiny", 10, 12, 0.5).kernel("tiny", 20, 24, 0.5).kernel("big", 30, 231, 400)
    found = idle(linked(maker, tmp_path)).launches
    assert (found.launches, found.short, found.long_calls, found.long_delays) == (3, 2, 0, 1)
    assert (found.call.mean_us, found.device.max_us, found.delay.median_us, found.delay.max_us) == (1, 400, 3, 200)
    assert [(row.name, row.launches, row.short, row.delay_mean_us) for row in found.kernels] == [("tiny", 2, 2, 2), ("big", 1, 0, 200)]


def test_a_graph_is_one_launch_with_the_time_of_all_its_kernels(tmp_path: Path) -> None:
    maker = TraceMaker().event("cuda_runtime", "cudaGraphLaunch", 10, 8, MAIN, correlation=5)
    for at in (20, 30, 40):
        maker.event("kernel", "node", at, 4, 7, correlation=5, device=0, stream=7)
    found = idle(linked(maker, tmp_path)).launches
    assert (found.launches, found.short, found.device.max_us, found.delay.max_us) == (1, 0, 12, 2)


def test_a_trace_without_device_work_says_so(tmp_path: Path) -> None:
    found = idle(linked(TraceMaker().op("aten::mm", 1, 5), tmp_path))
    assert (found.devices, found.lines, found.queues, found.launches.launches) == ([], [], [], 0)
    assert found.notices == ["The trace has no device work, so no device was idle or busy."]
