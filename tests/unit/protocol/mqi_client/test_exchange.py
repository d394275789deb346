"""One call and its reply."""

from __future__ import annotations

from math import inf

import pytest

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQRC, SegmentType
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.structures import API
from support.clients.mqi_parts import ORDER, ClientAlone, agreed, api, shared, single


@pytest.mark.parametrize(("conversations", "header", "filling"), [(1, "TSHM", 3), (0, "TSH", 0)])
def test_a_call_says_how_long_its_reply_may_be(conversations: int, header: str, filling: int) -> None:
    alone = ClientAlone(agreed(conversations=conversations))
    call = alone.exchange.begin(SegmentType.MQSET, 2, b"body!", now=1005.0, more=100)
    (sent,) = alone.sent()
    assert (sent.header.name, sent.body_length) == (header, API.size + 5 + filling)
    assert API.codec(ORDER).parse(sent.body).reply_length == sent.header.size + API.size + 5 + 100
    assert (alone.exchange.call, alone.exchange.deadline) == (call, 1065.0)
    with pytest.raises(LocalProtocolError, match="another call waits"):
        alone.exchange.begin(SegmentType.MQCMIT, 0, now=1006.0)


def test_a_long_call_takes_several_segments() -> None:
    alone = ClientAlone(agreed(transmission_size=1000))
    alone.exchange.begin(SegmentType.MQPUT, 2, b"x" * 2000, now=1000.0)
    assert [segment.flags1 & 0x30 for segment in alone.sent()] == [0x10, 0, 0x20]


def test_a_reply_in_parts_is_put_together() -> None:
    alone = ClientAlone(agreed())
    call = alone.exchange.begin(SegmentType.MQOPEN, 0, now=1000.0)
    reply = api(5, comp_code=1, reason=MQRC.MULTIPLE_REASONS) + b"x" * 100
    assert alone.exchange.take(shared(SegmentType.MQOPEN_REPLY, reply[:50], flags=0x10)) is None
    assert alone.exchange.take(shared(SegmentType.MQOPEN_REPLY, reply[50:], flags=0x20)) is call
    assert (call.comp_code, call.reason, call.handle, bytes(call.structures)) == (1, 2136, 5, b"x" * 100)


@pytest.mark.parametrize(
    ("segment", "what"),
    [
        (single(SegmentType.MQBACK_REPLY, api()), "was not asked for"),
        (single(SegmentType.MQCMIT_REPLY, api(), flags=0x20), "without its first segment"),
        (single(SegmentType.MQCMIT_REPLY, api(comp_code=7)), "CompCode is 7"),
        (single(SegmentType.MQCMIT_REPLY, b"short"), "API"),
    ],
)
def test_a_reply_that_cannot_be_is_a_fault(segment: object, what: str) -> None:
    alone = ClientAlone(agreed(conversations=0))
    alone.exchange.begin(SegmentType.MQCMIT, 0, now=1000.0)
    with pytest.raises(ChannelError, match=what):
        alone.exchange.take(segment)  # type: ignore[arg-type]


def test_the_next_call_is_free_when_one_is_done() -> None:
    alone = ClientAlone(agreed())
    call = alone.exchange.begin(SegmentType.MQGET, 2, now=1000.0)
    alone.exchange.allow_wait(5.0)
    assert (alone.exchange.patient, alone.exchange.deadline) == (True, 1065.0)
    alone.exchange.allow_wait(None)
    assert alone.exchange.deadline == inf
    alone.exchange.finish(call)
    assert (call.done, alone.exchange.patient, alone.link.drain()) == (True, False, [call])
    alone.exchange.check_free()


def test_the_call_that_waits_fails_with_the_connection() -> None:
    alone = ClientAlone(agreed())
    call = alone.exchange.begin(SegmentType.MQCMIT, 0, now=1000.0)
    alone.exchange.abandon(MQRC.CONNECTION_BROKEN)
    assert (call.failed, call.reason, alone.link.drain()) == (True, MQRC.CONNECTION_BROKEN, [call])
