"""The conversation of a client connection."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import SegmentType, SocketAction
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.structures import SOCKET
from support.clients.mqi_parts import ORDER, ClientAlone, agreed, shared, single


def test_calls_are_possible_between_mqconn_and_mqdisc() -> None:
    alone = ClientAlone()
    conversation = alone.conversation
    assert conversation.connecting
    conversation.go(ConversationTrigger.CONNECT)
    assert conversation.connecting
    with pytest.raises(LocalProtocolError, match="Connecting"):
        conversation.check_connected()
    conversation.go(ConversationTrigger.CONNECTED)
    conversation.check_connected()
    with pytest.raises(LocalProtocolError, match="MQCONN"):
        conversation.go(ConversationTrigger.CONNECT)
    alone.link.finish("over", "AMQ9001", normal=True)
    assert not conversation.connected


def test_only_segments_of_our_conversation_are_taken() -> None:
    ours = ClientAlone(agreed()).conversation
    ours.check_header(shared(SegmentType.MQCMIT_REPLY))
    with pytest.raises(ChannelError, match="no conversation 3"):
        ours.check_header(shared(SegmentType.MQCMIT_REPLY, number=3))
    alone = ClientAlone(agreed(conversations=0)).conversation
    alone.check_header(single(SegmentType.MQCMIT_REPLY))
    with pytest.raises(ChannelError, match="not shared"):
        alone.check_header(shared(SegmentType.MQCMIT_REPLY))


def test_a_shared_conversation_leaves_by_socket_action_and_another_by_status_data() -> None:
    alone = ClientAlone(agreed())
    alone.conversation.leave()
    (sent,) = alone.sent()
    assert (sent.type, sent.header.name, sent.flags1) == (SegmentType.SOCKET_ACTION, "TSHC", 0x38)
    assert SOCKET.codec(ORDER).parse(sent.body).type == SocketAction.END_CONVERSATION
    assert alone.link.closed
    alone = ClientAlone(agreed(conversations=0))
    alone.conversation.leave()
    (sent,) = alone.sent()
    assert (sent.type, sent.header.name, sent.body_length) == (SegmentType.STATUS_DATA, "TSH", 0)
