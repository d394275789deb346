"""The conversations that share a connection."""

from __future__ import annotations

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.channel import Closed
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import SegmentType, SocketAction, StatusCode
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi import ConversationEnded, ConversationStarted, ConversationState
from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.structures import SOCKET
from support.clients.mqi_parts import ORDER, Alone, agreed, shared, single


def action(number: int, kind: int, flags: int = 0x30) -> object:
    return single(
        SegmentType.SOCKET_ACTION, SOCKET.codec(ORDER)(conversation_id=number, type=kind).build(), flags=flags
    )


def told(alone: Alone) -> list[tuple[int, int]]:
    bodies = [SOCKET.codec(ORDER).parse(segment.body) for segment in alone.sent()]
    return [(body.conversation_id, body.type) for body in bodies]


def test_as_many_start_as_were_agreed_and_further_ones_are_refused() -> None:
    alone = Alone(agreed(conversations=2))
    alone.conversations.start(1)
    for number in (3, 5):
        alone.conversations.socket_action(action(number, SocketAction.START_CONVERSATION), 1000.0)
    assert alone.link.drain() == [ConversationStarted(conversation=3)]
    assert told(alone) == [(3, SocketAction.CONVERSATION_STARTED), (5, inferred.REFUSED_CONVERSATION)]
    assert list(alone.conversations.by_id) == [1, 3]


def test_one_that_ends_while_its_program_is_connected_is_not_orderly() -> None:
    alone = Alone(agreed())
    alone.connected(1)
    alone.conversations.start(3)
    for number in (1, 3):
        alone.conversations.socket_action(action(number, SocketAction.END_CONVERSATION), 1000.0)
    assert alone.link.drain() == [
        ConversationEnded(conversation=1, orderly=False),
        ConversationEnded(conversation=3, orderly=True),
    ]
    assert not alone.link.closed


def test_the_last_one_to_end_ends_a_connection_that_is_closing() -> None:
    alone = Alone(agreed())
    alone.connected(1)
    alone.link.closing, alone.conversations.stop_status = True, StatusCode.QM_TERMINATING
    alone.conversations.socket_action(action(1, SocketAction.END_CONVERSATION), 1000.0)
    _, closed = alone.link.drain()
    assert isinstance(closed, Closed)
    assert (closed.normal, closed.amq) == (True, "AMQ9525")


@pytest.mark.parametrize(
    ("segment", "status"),
    [
        (shared(SegmentType.MQCMIT, number=9), StatusCode.CONV_ID_ERROR),
        (single(SegmentType.MQCMIT), StatusCode.PROTOCOL_ID_ERROR),
    ],
)
def test_a_segment_of_no_conversation_is_told_what_it_lacks(segment: Segment, status: StatusCode) -> None:
    alone = Alone(agreed())
    assert alone.conversations.unknown(segment).status == status
    assert Alone().conversations.unknown(segment).status == StatusCode.PROTOCOL_SEGMENT_ERROR


def test_a_step_that_the_table_lacks_is_refused() -> None:
    alone = Alone(agreed())
    alone.connected(1)
    with pytest.raises(ChannelError, match="Connected"):
        alone.conversations.stepping(shared(SegmentType.USERID_DATA), ConversationTrigger.SIGN_ON)
    assert alone.conversations.stepping(shared(SegmentType.MQCMIT), ConversationTrigger.CALL).id == 1


def test_a_tshm_is_refused_where_nothing_is_shared() -> None:
    alone = Alone(agreed(conversations=0))
    alone.conversations.check_header(single(SegmentType.HEARTBEAT))
    with pytest.raises(ChannelError, match="TSHM on a connection not shared"):
        alone.conversations.check_header(shared(SegmentType.HEARTBEAT))
    Alone().conversations.check_header(shared(SegmentType.HEARTBEAT))  # during negotiation


def test_all_end_with_the_connection() -> None:
    alone = Alone(agreed())
    first = alone.connected(1)
    alone.conversations.start(3)
    alone.conversations.end_all()
    assert [event.orderly for event in alone.link.drain()] == [False, True]
    assert (first.state, alone.conversations.by_id) == (ConversationState.ENDED, {})
