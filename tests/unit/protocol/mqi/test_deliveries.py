"""Messages that stream: what a client asks for, what it is sent, and when a check is answered."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import ConnectionState, NotificationCode, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi import Delivery, MessagesWanted, Notified
from mqbridge.protocol.mqi.deliveries import Deliveries
from mqbridge.protocol.structures import ASYNC, NOTIF, REQMSG
from mqbridge.protocol.structures.md import MD
from support.clients.mqi_parts import ORDER, Alone, agreed, shared

DESCRIPTOR = MD.codec(ORDER)(version=2).build()
WAITS, CHECKS, LISTENS = 0x08, 0x0E, 0x01


def streaming(**changes: int) -> tuple[Alone, Deliveries]:
    alone = Alone(agreed(**changes))
    alone.connected(1).opened(2)
    return alone, Deliveries(alone.link, alone.conversations)


def request(flags: int, handle: int = 2, **values: Any) -> Segment:
    head = {"object_handle": handle, "requested_bytes": 1000, "max_msg_length": -1, "request_flags": flags}
    return shared(SegmentType.REQUEST_MSGS, REQMSG.codec(ORDER)(**(head | values)).build(), request=3)


def notification(code: int, value: int, flags: int = 0x30) -> Segment:
    body = NOTIF.codec(ORDER)(object_handle=-1, code=code, value=value).build()
    return shared(SegmentType.NOTIFICATION, body, flags=flags)


def wanted(alone: Alone, deliveries: Deliveries, flags: int, **values: Any) -> Delivery:
    deliveries.request_msgs(request(flags, **values), 1000.0)
    (event,) = alone.link.drain()
    assert isinstance(event, MessagesWanted)
    return event.delivery


def test_a_message_streams_until_the_credit_is_used_up() -> None:
    alone, deliveries = streaming()
    delivery = wanted(alone, deliveries, WAITS, requested_bytes=500)
    deliveries.send(delivery, DESCRIPTOR, b"one", queue=b"Q")
    assert delivery.ready
    deliveries.send(delivery, DESCRIPTOR, b"two" * 100, reference="two")
    assert not delivery.ready
    first, second = alone.sent()
    heads = [ASYNC.codec(ORDER).parse(each.body) for each in (first, second)]
    assert [(head.message_index, head.global_message_index, head.total_msg_length) for head in heads] == [
        (1, 1, 3),
        (2, 2, 300),
    ]
    with pytest.raises(LocalProtocolError, match="Spent"):
        deliveries.send(delivery, DESCRIPTOR, b"three")


def test_a_check_is_answered_behind_its_message_or_when_there_is_none() -> None:
    alone, deliveries = streaming()
    delivery = wanted(alone, deliveries, CHECKS)
    deliveries.send(delivery, DESCRIPTOR, b"hello")
    message, answer = alone.sent()
    assert (message.type, answer.type) == (SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION)
    assert answer.request_id == 3
    deliveries.request_msgs(request(CHECKS), 1000.0)
    deliveries.no_message(delivery)
    deliveries.no_message(delivery)  # told once
    (answer,) = alone.sent()
    assert NOTIF.codec(ORDER).parse(answer.body).code == NotificationCode.CHECK_MSG


def test_a_long_message_is_cut_at_the_agreed_size() -> None:
    alone, deliveries = streaming(transmission_size=1000)
    deliveries.send(wanted(alone, deliveries, WAITS), DESCRIPTOR, b"x" * 3000)
    assert [segment.flags1 & 0x30 for segment in alone.sent()] == [0x10, 0, 0, 0x20]


def test_messages_of_a_handle_that_is_not_open_are_a_fault() -> None:
    _, deliveries = streaming()
    with pytest.raises(ChannelError, match="handle 4, not open") as caught:
        deliveries.request_msgs(request(WAITS, handle=4), 1000.0)
    assert caught.value.status == StatusCode.INVALID_HOBJ


def test_a_listener_is_sent_messages_while_the_connection_is_started() -> None:
    alone, deliveries = streaming()
    deliveries.request_msgs(request(LISTENS), 1000.0)
    assert alone.link.drain() == []
    deliveries.notification(notification(NotificationCode.CONN_STATE, ConnectionState.STARTED, 0x31), 1000.0)
    told, event = alone.link.drain()
    assert isinstance(told, Notified)
    assert isinstance(event, MessagesWanted)
    assert event.delivery is deliveries.find(1, 2)
    (reply,) = alone.sent()
    assert NOTIF.codec(ORDER).parse(reply.body).code == NotificationCode.CONN_STATE_REPLY


def test_only_waiting_gets_that_want_to_fail_are_told_of_quiescing() -> None:
    alone, deliveries = streaming()
    conversation = alone.conversations.by_id[1]
    delivery = wanted(alone, deliveries, WAITS)
    deliveries.quiesce(conversation)
    assert alone.sent() == []
    delivery.options = 0x2000  # MQGMO_FAIL_IF_QUIESCING
    deliveries.quiesce(conversation)
    (told,) = alone.sent()
    assert NOTIF.codec(ORDER).parse(told.body).code == NotificationCode.QM_QUIESCING


def test_nothing_is_told_of_a_closed_handle() -> None:
    alone, deliveries = streaming()
    delivery = wanted(alone, deliveries, WAITS)
    delivery.close(0)
    deliveries.notify(delivery, NotificationCode.GET_INHIBITED)
    deliveries.no_message(delivery)
    assert alone.sent() == []
