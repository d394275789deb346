"""Gets: by REQUEST_MSGS where messages stream, by MQGET where they do not."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQGMO, MQRC, NotificationCode, RequestFlags, SegmentType
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi_client import Call, GetParameters, QueueManagerQuiescing
from mqbridge.protocol.mqi_client.gets import Gets
from mqbridge.protocol.structures import ASYNC, NOTIF, REQMSG, async_name
from mqbridge.protocol.structures.gmo import make_gmo
from mqbridge.protocol.structures.md import MD
from support.clients.mqi_parts import ORDER, ClientAlone, agreed, api, shared, single

DESCRIPTOR = MD.codec(ORDER)(version=2).build()
WAIT = int(MQGMO.WAIT)


def getting(**changes: int) -> tuple[ClientAlone, Gets]:
    alone = ClientAlone(agreed(**changes))
    return alone, Gets(alone.link, alone.conversation, alone.exchange)


def message(data: bytes, index: int = 1, reason: int = 0, handle: int = 2) -> Segment:
    name = async_name(b"Q")
    head = ASYNC.codec(ORDER)(
        object_handle=handle, message_index=index, global_message_index=index, segment_length=len(data),
        total_msg_length=len(data), actual_msg_length=len(data), resolved_q_name_length=1, reason_code=reason,
    )  # fmt: skip
    return shared(SegmentType.ASYNC_MESSAGE, head.build(), name, DESCRIPTOR, data)


def told(code: int, handle: int = 2) -> Segment:
    return shared(SegmentType.NOTIFICATION, NOTIF.codec(ORDER)(object_handle=handle, code=code, value=0).build())


def asked(alone: ClientAlone) -> list[Any]:
    return [REQMSG.codec(ORDER).parse(segment.body) for segment in alone.sent()]


def test_a_get_without_a_wait_is_a_check_which_its_answer_ends() -> None:
    alone, gets = getting()
    call = gets.get(2, GetParameters(), 1000.0)
    (request,) = asked(alone)
    assert request.request_flags & RequestFlags.CHECK
    gets.async_message(message(b"hello"), 1001.0)
    assert not call.done
    gets.notification(told(NotificationCode.CHECK_MSG), 1001.0)
    assert alone.link.drain() == [call]
    assert call.message is not None
    assert (call.message.data, call.message.queue) == (b"hello", b"Q")


def test_there_may_be_no_message() -> None:
    _, gets = getting()
    call = gets.get(2, GetParameters(), 1000.0)
    gets.notification(told(NotificationCode.CHECK_MSG), 1001.0)
    assert (call.failed, call.reason) == (True, MQRC.NO_MSG_AVAILABLE)


def test_a_get_that_waits_has_the_clock_and_checks_when_its_time_is_up() -> None:
    alone, gets = getting()
    call = gets.get(2, GetParameters(options=WAIT, wait=5.0), 1000.0)
    assert (gets.deadline, alone.exchange.patient) == (1005.0, True)
    gets.wait_expired(1005.0)
    first, second = asked(alone)
    assert not first.request_flags & RequestFlags.CHECK
    assert second.request_flags & RequestFlags.CHECK
    assert (gets.deadline, alone.exchange.deadline, alone.exchange.patient) == (None, 1065.0, False)
    gets.notification(told(NotificationCode.CHECK_MSG), 1006.0)
    assert call.reason == MQRC.NO_MSG_AVAILABLE


@pytest.mark.parametrize("inhibited", [True, False])
def test_a_wait_ends_when_the_program_or_the_queue_says_so(inhibited: bool) -> None:
    alone, gets = getting()
    call = gets.get(2, GetParameters(options=WAIT, wait=None), 1000.0)
    asked(alone)
    if inhibited:
        gets.notification(told(NotificationCode.GET_INHIBITED), 1001.0)
    else:
        gets.stop_waiting(1001.0)
    assert len(asked(alone)) == 1  # a check, since a message may be on its way
    gets.notification(told(NotificationCode.CHECK_MSG), 1002.0)
    assert call.reason == (MQRC.GET_INHIBITED if inhibited else MQRC.NO_MSG_AVAILABLE)


def test_quiescing_ends_the_gets_that_want_to_fail_then() -> None:
    alone, gets = getting()
    call = gets.get(2, GetParameters(options=WAIT | MQGMO.FAIL_IF_QUIESCING, wait=None), 1000.0)
    gets.quiesce(MQRC.Q_MGR_QUIESCING, 1001.0)
    assert alone.link.drain() == [QueueManagerQuiescing(MQRC.Q_MGR_QUIESCING)]
    assert alone.conversation.quiescing == MQRC.Q_MGR_QUIESCING
    gets.notification(told(NotificationCode.CHECK_MSG), 1002.0)
    assert call.reason == MQRC.Q_MGR_QUIESCING


def test_what_nobody_asked_for_is_kept_for_the_next_get_and_the_close_says_what_was_taken() -> None:
    alone, gets = getting()
    gets.get(2, GetParameters(), 1000.0)
    for index in (1, 2):
        gets.async_message(message(b"%d" % index, index), 1000.0)
    gets.notification(told(NotificationCode.CHECK_MSG), 1000.0)
    (first,) = alone.link.drain()
    assert gets.close(2) == 1
    assert isinstance(first, Call)
    assert first.message is not None
    gets.closed(2)
    with pytest.raises(ChannelError, match="handle 2, not open"):
        gets.async_message(message(b"late", 3), 1001.0)


def test_where_nothing_is_shared_a_get_is_a_call() -> None:
    alone, gets = getting(conversations=0)
    call = gets.get(2, GetParameters(options=WAIT, wait=5.0), 1000.0)
    (sent,) = alone.sent()
    assert (sent.type, alone.exchange.deadline, alone.exchange.patient) == (SegmentType.MQGET, 1065.0, True)
    options = make_gmo(ORDER, 4).build()
    body = api(2) + DESCRIPTOR + options + (5).to_bytes(4, ORDER.endian) + b"hello"
    done = alone.exchange.take(single(SegmentType.MQGET_REPLY, body))
    assert done is call
    gets.answered(call)
    assert call.message is not None
    assert call.message.data == b"hello"
    with pytest.raises(ChannelError, match="not shared"):
        gets.async_message(message(b"x"), 1000.0)
