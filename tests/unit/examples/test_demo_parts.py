"""The demo's judgement can be trusted: its table sees what is lost, doubled or out of order."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from pathlib import Path

import pytest

from mqbridge.captures import CapturedSegment, read_segments
from support.captures.vectors import thesis
from support.project.demo_parts import (
    LARGEST,
    SMALLEST,
    Capture,
    Cut,
    Line,
    Traffic,
    answer_to,
    both_ways,
    follow,
    plan,
)


def row(sent: int, arrived: list[int]) -> tuple[int, ...]:
    return follow("", sent, arrived, len(arrived)).figures[:5]


@pytest.mark.parametrize(
    ("arrived", "figures"),
    [
        ([1, 2, 3], (3, 3, 0, 0, 0)),
        ([1, 3], (3, 2, 0, 1, 0)),
        ([1, 2, 2, 3], (3, 4, 1, 0, 0)),
        ([1, 3, 2], (3, 3, 0, 0, 1)),
        ([3, 1, 1], (3, 3, 1, 1, 1)),
        ([], (3, 0, 0, 3, 0)),
    ],
)
def test_a_row_tells_what_went_wrong(arrived: list[int], figures: tuple[int, ...]) -> None:
    assert row(3, arrived) == figures
    assert follow("", 3, arrived, len(arrived)).exact == (arrived == [1, 2, 3])


def test_both_ways_are_judged_apart() -> None:
    there, back = both_ways(3, 3, [(1, 1, True), (2, 2, True), (3, 3, True)])
    assert there.exact
    assert back.exact
    there, back = both_ways(3, 4, [(1, 1, True), (2, 2, True), (3, 2, True), (4, 3, True)])
    assert there.figures[:5] == (3, 4, 1, 0, 0)  # SATURN got message 2 twice
    assert back.exact
    there, back = both_ways(3, 3, [(1, 1, True), (3, 3, True)])
    assert there.figures[:4] == (3, 3, 0, 0)
    assert back.figures[:4] == (3, 2, 0, 1)  # answer 2 was lost on the way back
    there, back = both_ways(3, 3, [(2, 1, True), (1, 2, True), (3, 3, True)])
    assert there.figures[4] == 1
    assert back.figures[4] == 1


def test_the_traffic_has_the_sizes_that_are_promised() -> None:
    traffic = Traffic(10_000, 500 << 20)
    assert min(traffic.sizes) >= SMALLEST
    assert (1 << 20) < max(traffic.sizes) <= LARGEST
    assert 490 << 20 < sum(traffic.sizes) <= 500 << 20
    assert sum(size > 10_000 for size in traffic.sizes) > 2000
    assert traffic.sizes == Traffic(10_000, 500 << 20).sizes
    for number in (1, 77, 10_000):
        text = traffic.text(number)
        assert len(text) == traffic.sizes[number - 1]
        assert traffic.read_answer(answer_to(text, 5)) == (5, number, True)
        assert traffic.read_answer(answer_to(text + "x", 5)) == (5, number, False)
        assert traffic.read_answer(text) == (0, 0, False)


def test_faults_are_spread_over_the_way() -> None:
    faults = plan(2, 5)
    assert [fault.share for fault in faults] == sorted(fault.share for fault in faults)
    assert sum(fault.cut is None for fault in faults) == 2
    assert {fault.cut for fault in faults} == {None, *Cut}
    assert all(0.1 < fault.share < 0.9 for fault in faults)


class Far:
    """A receiver at the far end of a line, which says what it is told to."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]

    def answer(self, count: int, data: bytes) -> threading.Thread:
        """Takes so many bytes of the next connection and answers; stays until the other end goes."""

        def run() -> None:
            connection, _ = self.listener.accept()
            with connection:
                try:
                    got = 0
                    while got < count and (piece := connection.recv(65536)):
                        got += len(piece)
                    connection.sendall(data)
                    while connection.recv(65536):
                        pass
                except ConnectionError:
                    pass

        thread = threading.Thread(target=run)
        thread.start()
        return thread


SENT = thesis(1), thesis(3), thesis(4)[:12] + thesis(3)[12:20] + thesis(4)[20:]
ANSWERS = thesis(2) + SENT[2][:10] + b"\0" + SENT[2][11:]


@pytest.mark.parametrize("where", [None, *Cut])
def test_a_line_cuts_where_it_is_told_to_and_keeps_what_passed(where: Cut | None, tmp_path: Path) -> None:
    far, file, cuts = Far(), (tmp_path / "line.pcap").open("wb"), queue.SimpleQueue[tuple[str, Cut]]()
    everything = (tmp_path / "everything.pcap").open("wb")
    line = Line("C", lambda: far.port, Capture(file, 100, everything), lambda *cut: cuts.put(cut))
    try:
        if where is not None:
            line.cut(where)
        with socket.create_connection(("127.0.0.1", line.port), 60) as near:
            thread = far.answer(sum(map(len, SENT)), ANSWERS)
            near.sendall(b"".join(SENT))
            if where is None:
                got = b""
                while len(got) < len(ANSWERS):
                    got += near.recv(65536)
                assert got == ANSWERS
                near.shutdown(socket.SHUT_WR)
                assert near.recv(1) == b""
            else:
                with contextlib.suppress(ConnectionError):
                    assert near.recv(1) == b""
        thread.join(60)
        assert len(line.batches) == (where in (None, Cut.ANSWER))
        if where is not None:
            assert cuts.get(timeout=60) == ("C", where)
        assert cuts.empty()
    finally:
        line.close()
        far.listener.close()
        file.close()
        everything.close()
    for name in ("line.pcap", "everything.pcap"):
        segments = [item for item in read_segments(tmp_path / name) if isinstance(item, CapturedSegment)]
        assert len(segments) == {None: 5, Cut.ANSWER: 3, Cut.QUESTION: 0, Cut.ANYWHERE: 1}[where]
