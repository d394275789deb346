"""The link of a machine: segments to parts, deadlines, states, the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

from mqbridge.protocol.channel import Closed
from mqbridge.protocol.channel.link import Link, Routes, Timer
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import MQMODE, ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.errors import ConversionError, LocalProtocolError
from mqbridge.protocol.framing import Segment, SegmentReader, SegmentWriter
from mqbridge.protocol.structures import parse_status_data

WRITER = SegmentWriter(ByteOrder.LITTLE, 437)
TABLE = {
    State.RUNNING: {Trigger.MESSAGE: State.BATCH, Trigger.END: State.CLOSED},
    State.BATCH: {Trigger.END: State.CLOSED},
    State.CLOSED: {},
}


class Counting:
    """A part: counts heartbeats."""

    def __init__(self) -> None:
        self.beats = 0

    def heartbeat(self, segment: Segment, now: float) -> None:
        self.beats += 1


class Standing:
    """A machine with one part of its own and deadlines that a test sets."""

    def __init__(self) -> None:
        self.link: Link[Any] = Link(self, Wire(SegmentWriter(ByteOrder.LITTLE, 437)), TABLE, State.RUNNING, 1000.0)
        self.counting = Counting()
        self.link.serve(ROUTES, (self, self.counting))
        self.due: dict[float, str] = {}
        self.done: list[Any] = []
        self.doubt = False
        self.fault: Exception | None = None

    def message(self, segment: Segment, now: float) -> None:
        if self.fault is not None:
            raise self.fault
        self.link.step(Trigger.MESSAGE)
        self.link.emit(segment.type)

    def closes(self, segment: Segment, now: float) -> None:
        self.link.finish("the partner said so", "AMQ9001", normal=True, by_partner=True)

    def timers(self) -> Iterable[Timer]:
        return [(when, self._do) for when in self.due]

    def _do(self, now: float) -> None:
        self.done.append(self.due.pop(min(self.due)))

    def quiesce(self, status: StatusCode, now: float) -> None:
        self.done.append((status, now))

    def force(self, status: StatusCode) -> None:
        self.link.stop(status)

    def abandon(self, ending: Closed) -> bool:
        self.done.append(ending.reason)
        return self.doubt


ROUTES: Final[Routes] = {
    SegmentType.MESSAGE_DATA: (0, Standing.message),
    SegmentType.STATUS_DATA: (0, Standing.closes),
    SegmentType.HEARTBEAT: (1, Counting.heartbeat),
}


def sent(link: Link[Any]) -> list[Segment]:
    return list(SegmentReader().feed(b"".join(link.wire.take())))


def test_each_segment_goes_to_the_part_that_the_table_names() -> None:
    machine = Standing()
    data = WRITER.build(SegmentType.HEARTBEAT) * 2 + WRITER.build(SegmentType.MESSAGE_DATA)
    assert machine.link.receive_data(data[:40], 1001.0) == []
    assert machine.link.receive_data(data[40:], 1002.0) == [SegmentType.MESSAGE_DATA]
    assert machine.counting.beats == 2
    assert machine.link.state is State.BATCH
    counters = machine.link.wire.counters
    assert (counters.bytes_received, counters.buffers_received) == (len(data), 3)
    assert machine.link.last_heard == machine.link.silent_since == 1002.0


def test_nothing_is_taken_after_the_end() -> None:
    machine = Standing()
    data = WRITER.build(SegmentType.STATUS_DATA) + WRITER.build(SegmentType.HEARTBEAT)
    (closed,) = machine.link.receive_data(data, 1001.0)
    assert (closed.reason, closed.normal, closed.by_partner) == ("the partner said so", True, True)
    assert machine.link.closed
    assert machine.link.receive_data(data, 1002.0) == []
    assert machine.counting.beats == 0


@pytest.mark.parametrize(
    ("fault", "status", "amq"),
    [
        (ChannelError("no", StatusCode.MSG_SEQUENCE_ERROR, amq="AMQ9526", value=7), "MSG_SEQUENCE_ERROR", "AMQ9526"),
        (ConversionError("no such letter"), "CCSID_NOT_SUPPORTED", "AMQ9541"),
    ],
)
def test_a_fault_is_told_and_ends(fault: Exception, status: str, amq: str) -> None:
    machine = Standing()
    machine.fault, machine.doubt = fault, True
    (closed,) = machine.link.receive_data(WRITER.build(SegmentType.MESSAGE_DATA), 1001.0)
    assert (closed.amq, closed.status, closed.in_doubt) == (amq, StatusCode[status], True)
    (segment,) = sent(machine.link)
    body = parse_status_data(segment.body_view, segment.order)
    assert body is not None
    assert body.record.code == StatusCode[status]


def test_a_type_or_header_that_the_table_lacks_is_a_fault() -> None:
    for data in (WRITER.build(SegmentType.MQPUT), WRITER.build_shared(1, 1, SegmentType.HEARTBEAT)):
        machine = Standing()
        (closed,) = machine.link.receive_data(data, 1001.0)
        assert "on a message channel" in closed.reason


def test_errors_of_a_shared_connection_have_its_common_header() -> None:
    machine = Standing()
    machine.link.shared = True
    machine.link.send_error(StatusCode.QM_TERMINATING)
    assert [segment.struc_id for segment in sent(machine.link)] == [b"TSHC"]


def test_deadlines_are_met_in_their_order() -> None:
    machine = Standing()
    assert machine.link.next_timeout() is None
    machine.due = {1005.0: "second", 1003.0: "first", 1010.0: "third"}
    assert machine.link.next_timeout() == 1003.0
    machine.link.timeout(1002.0)
    assert machine.done == []
    machine.link.timeout(1006.0)
    assert machine.done == ["first", "second"]
    machine.link.receive_eof(1007.0)
    machine.link.timeout(1020.0)
    assert machine.done[2:] == ["the partner closed the connection"]


def test_a_pause_of_ours_is_no_silence_of_theirs() -> None:
    link = Standing().link
    link.pause()
    assert link.paused
    link.resume(1030.0)
    assert (link.paused, link.silent_since, link.last_heard) == (False, 1030.0, 1000.0)


def test_a_command_ends_at_once_or_in_order() -> None:
    machine = Standing()
    assert machine.link.close(MQMODE.QUIESCE, 1001.0, StatusCode.QM_TERMINATING) == []
    assert machine.done == [(StatusCode.QM_TERMINATING, 1001.0)]
    (closed,) = machine.link.close(MQMODE.FORCE, 1002.0)
    assert (closed.amq, closed.normal, closed.status) == ("AMQ9528", True, StatusCode.USER_CLOSED)
    assert machine.link.close(MQMODE.FORCE, 1003.0) == []


def test_steps_that_the_table_lacks() -> None:
    link = Standing().link
    with pytest.raises(LocalProtocolError):
        link.go(Trigger.CONFIRMED)
    with pytest.raises(ChannelError):
        link.step(Trigger.CONFIRMED)
    assert link.state is State.RUNNING
