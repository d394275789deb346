"""Silence, heartbeats and the end of a client's connection (client-observed.md 2, 3 and 7)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.channel import Closed
from mqbridge.protocol.constants import (
    MQCHS,
    MQCHSSTATE,
    MQGMO,
    MQMODE,
    MQRC,
    ByteOrder,
    NotificationCode,
    SegmentType,
    StatusCode,
)
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.mqi import ConversationEnded, Get, ServerConnection
from mqbridge.protocol.structures.gmo import make_gmo
from mqbridge.protocol.structures.md import MD
from support.clients.playbook import (
    CONNECTION_ID,
    ClientPlay,
    answering,
    asked,
    connected,
    initial_data,
    parameters,
    started,
)


def getting(**changes: Any) -> tuple[ClientPlay, Get]:
    """A connection that is not shared, with a get that waits."""
    play = connected(shared_conversations=0, **changes)
    body = (
        MD.codec(ByteOrder.LITTLE)(version=2).build()
        + make_gmo(ByteOrder.LITTLE, 2, wait_interval=-1).build()
        + play.word(4096)
    )
    (call,) = play.says(play.call(SegmentType.MQGET, body, handle=2))
    assert isinstance(call, Get)
    return play, call


@pytest.mark.spec("client-observed.md O-120", "client-observed.md O-121")
def test_a_heartbeat_is_answered_where_it_is_asked_for() -> None:
    play = connected()
    play.says(play.heartbeat())
    answer = play.we_answer(SegmentType.HEARTBEAT)
    assert (answer.struc_id, answer.flags, answer.length) == (b"TSHC", 0, 28)
    play.says(play.heartbeat(flags=0x30))
    assert play.we_sent() == []


@pytest.mark.spec("client-observed.md O-121", "mq-wire.md 8.6")
def test_a_silent_client_is_asked_and_given_up() -> None:
    play = connected(heartbeat_interval=10)
    assert play.after(9.9) == []
    assert play.we_sent() == []
    play.after(0.1)
    question = play.we_answer(SegmentType.HEARTBEAT)
    assert (question.struc_id, question.flags) == (b"TSHC", 0x01)
    assert play.machine.substate == MQCHSSTATE.HEARTBEATING
    play.says(play.heartbeat(flags=0x30))
    play.after(10)
    play.we_answer(SegmentType.HEARTBEAT)
    play.after(10)
    ended, closed = play.events
    assert ended == ConversationEnded(conversation=1, orderly=False)
    assert isinstance(closed, Closed)
    assert closed.retryable
    play.we_end(None, "AMQ9259")


@pytest.mark.spec("client-observed.md O-121")
def test_any_segment_counts_as_an_answer() -> None:
    play = connected(heartbeat_interval=10)
    play.after(10)
    play.says(play.mqopen())
    assert play.after(9.9) == []
    assert not play.machine.link.closed


@pytest.mark.spec("client-observed.md O-123")
def test_no_heartbeats_when_none_were_agreed() -> None:
    play = connected(heartbeat_interval=0)
    assert play.after(1_000_000) == []
    assert play.we_sent() == []


@pytest.mark.spec("client-observed.md O-122")
def test_a_client_that_is_not_shared_is_asked_while_a_get_waits() -> None:
    play = connected(shared_conversations=0, heartbeat_interval=5)
    assert play.after(10_000) == []
    assert play.we_sent() == []
    play, call = getting(heartbeat_interval=5)
    for _ in range(3):
        play.after(5)
        question = play.we_answer(SegmentType.HEARTBEAT)
        assert (question.struc_id, question.flags, question.length) == (b"TSH ", 0x01, 28)
        play.says(play.heartbeat(flags=0x30))
    play.machine.replies.refuse(call, 2033)
    play.we_sent()
    assert play.after(10_000) == []
    assert play.we_sent() == []


@pytest.mark.spec("client-observed.md O-122")
def test_a_client_that_vanishes_in_a_get() -> None:
    play, call = getting(heartbeat_interval=5)
    play.after(100)
    assert play.events[0] == ConversationEnded(conversation=0, orderly=False)
    play.we_end(None, "AMQ9259")
    play.machine.replies.refuse(call, 2033)
    assert play.we_sent() == []


def test_a_slow_reader_is_not_taken_for_dead() -> None:
    play = connected(heartbeat_interval=5)
    play.opened(2)
    delivery = play.wants(flags=0x1E, max_msg_length=-1)
    play.machine.deliveries.send(delivery, MD.codec(ByteOrder.LITTLE)(version=2).build(), b"x" * 1_000_000)
    for _ in range(10):
        play.after(9)
        assert not play.machine.link.closed
        assert play.machine.link.wire.take(1)  # the client takes a little
    play.after(100)
    assert play.machine.link.closed


def test_time_does_not_count_while_we_do_not_read() -> None:
    play = connected(heartbeat_interval=5)
    play.machine.link.pause()
    assert play.after(1000) == []
    play.machine.link.resume(play.now)
    play.after(5)
    play.we_answer(SegmentType.HEARTBEAT)


def test_a_client_has_little_time_to_connect() -> None:
    play = started(handshake_timeout=10.0, heartbeat_interval=300)
    play.after(10)
    play.we_end(None, "AMQ9259")
    play = answering(initial_data(heartbeat_interval=1), parameters(handshake_timeout=10.0))
    play.after(10)
    play.we_end(None, "AMQ9259")


def test_a_slow_answer_to_mqconn_is_not_the_clients_fault() -> None:
    play = started(handshake_timeout=10.0)
    (call,) = play.says(play.mqconn())
    play.after(20)
    assert not play.machine.link.closed
    play.machine.replies.connect(call, connection_id=CONNECTION_ID)
    play.we_sent()
    play.after(20)
    assert not play.machine.link.closed


def test_a_socket_without_conversation_is_closed_after_a_while() -> None:
    play = connected(handshake_timeout=10.0)
    play.says(play.socket_action(1, 2))
    play.after(10)
    assert play.we_end(None, "AMQ9001").normal


@pytest.mark.spec("channels.md 3")
def test_disconnect_interval_of_a_connection_that_is_not_shared() -> None:
    play, call = getting(disconnect_interval=60, heartbeat_interval=0)
    play.after(1000)
    assert not play.machine.link.closed
    play.machine.replies.refuse(call, 2033)
    play.we_sent()
    play.after(1000)
    assert [one.flags for one in play.we_sent()] == [0x08]
    assert play.machine.link.closed


@pytest.mark.spec("client-observed.md O-033")
def test_a_lost_connection() -> None:
    play = connected()
    play.another(3)
    first, second, closed = play.hangs_up()
    assert first == ConversationEnded(conversation=1, orderly=False)
    assert second == ConversationEnded(conversation=3, orderly=False)
    assert isinstance(closed, Closed)
    assert closed.by_partner
    assert play.machine.conversations == ()


@pytest.mark.spec("client-observed.md O-034")
@pytest.mark.parametrize("status", [StatusCode.USER_CLOSED, StatusCode.QM_TERMINATING])
@pytest.mark.parametrize("shared", [0, 10])
def test_a_stop_by_force(shared: int, status: StatusCode) -> None:
    play = connected(shared_conversations=shared)
    play.stop(MQMODE.FORCE, status)
    answer = play.we_answer(SegmentType.STATUS_DATA)
    assert (answer.struc_id, answer.flags, answer.code) == (b"TSHC" if shared else b"TSH ", 0x0A, status)
    closed = play.events[-1]
    assert isinstance(closed, Closed)
    assert (closed.normal, closed.amq) == (True, "AMQ9528" if status == StatusCode.USER_CLOSED else "AMQ9525")


@pytest.mark.spec("client-observed.md O-044")
@pytest.mark.parametrize(("status", "kind"), [(StatusCode.USER_CLOSED, 3), (StatusCode.QM_TERMINATING, 7)])
def test_a_quiesce_is_told_to_each_conversation(status: StatusCode, kind: int) -> None:
    play = connected()
    play.another(3)
    assert play.stop(MQMODE.QUIESCE, status) == []
    told = play.we_sent()
    assert [(one.struc_id, one.type, one.flags) for one in told] == [(b"TSHC", SegmentType.SOCKET_ACTION, 0)] * 2
    assert [(one.socket.conversation_id, one.socket.type) for one in told] == [(1, kind), (3, kind)]
    assert play.machine.closing
    assert play.machine.status == MQCHS.STOPPING
    assert play.stop(MQMODE.QUIESCE, status) == []
    assert play.we_sent() == []
    play.says(play.socket_action(5, 1))
    assert play.we_answer(SegmentType.SOCKET_ACTION).socket.type == 8  # the agent refuses its MQCONN
    play.says(play.socket_action(5, 2))
    play.says(play.socket_action(3, 2))
    assert not play.machine.link.closed
    play.says(play.socket_action(1, 2))
    assert play.we_end(None, "AMQ9525" if kind == 7 else "AMQ9528").normal


@pytest.mark.spec("client-observed.md O-091", "mqi.md 13")
@pytest.mark.parametrize(
    ("options", "flags", "told"),
    [(MQGMO.FAIL_IF_QUIESCING, 0x18, True), (0, 0x18, False), (MQGMO.FAIL_IF_QUIESCING, 0x11, False)],
)
def test_a_waiting_get_learns_that_the_queue_manager_ends(options: int, flags: int, told: bool) -> None:
    play = connected()
    play.opened(2)
    play.says(play.request_msgs(flags=flags, get_msg_options=int(options)))
    play.stop(MQMODE.QUIESCE, StatusCode.QM_TERMINATING)
    notified = [one.notification for one in play.we_sent() if one.type == SegmentType.NOTIFICATION]
    assert notified == ([(2, NotificationCode.QM_QUIESCING, MQRC.Q_MGR_QUIESCING)] if told else [])


def test_a_quiesce_of_a_connection_that_is_not_shared_is_left_to_the_replies() -> None:
    play, call = getting()
    assert play.stop() == []
    assert play.we_sent() == []
    play.machine.replies.refuse(call, 2202)
    assert play.we_answer(SegmentType.MQGET_REPLY).outcome == (2, 2202)
    play.says(play.status(0x38))
    assert play.machine.link.closed


def test_a_quiesce_before_anybody_connected_ends_at_once() -> None:
    machine, _ = ServerConnection.answering(asked(initial_data(heartbeat_interval=1)), parameters(), 1000.0)
    play = ClientPlay(machine)
    play.we_sent()
    play.stop()
    assert play.we_answer(SegmentType.STATUS_DATA).code == StatusCode.USER_CLOSED
    assert machine.link.closed


def test_a_socket_action_whose_meaning_is_not_known_is_passed_over() -> None:
    play = connected()
    assert play.says(play.socket_action(0, 4)) == []
    assert not play.machine.link.closed


def test_counters() -> None:
    play = connected()
    (call,) = play.says(play.mqopen())
    play.machine.replies.open(call, 2)
    data = b"".join(play.machine.link.wire.take())
    assert list(SegmentReader().feed(data))
    assert play.machine.link.wire.counters.buffers_received == play.machine.link.wire.counters.buffers_sent == 3
    assert play.machine.status == MQCHS.RUNNING
