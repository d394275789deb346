"""How a connection begins at the client."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQRC, ControlFlags1, SegmentType
from mqbridge.protocol.framing import Segment, SegmentReader
from mqbridge.protocol.mqi_client import Call, Connected, Refused
from mqbridge.protocol.mqi_client.opening import ClientOpening
from mqbridge.protocol.structures import CONN
from support.clients.mqi_parts import ORDER, ClientAlone, api, shared
from support.clients.playbook import initial_data


def opening(**parameters: Any) -> tuple[ClientAlone, ClientOpening]:
    alone = ClientAlone(**parameters)
    return alone, ClientOpening(alone.link, alone.conversation, alone.exchange, alone.parameters)


def answer(flags: int = 0, **changes: Any) -> Segment:
    data = bytearray(initial_data(channel_name="C", q_mgr_identifier="QM1_2024", **changes))
    data[10] = flags
    (segment,) = SegmentReader().feed(bytes(data))
    return segment


def types(alone: ClientAlone) -> list[int]:
    return [segment.type for segment in alone.sent()]


def test_an_answer_without_error_ends_negotiation_and_mqconn_follows() -> None:
    alone, part = opening()
    part.state_values()
    assert types(alone) == [SegmentType.INITIAL_DATA]
    part.initial_data(answer(conv_per_socket=1), 1001.0)
    assert types(alone) == [SegmentType.USERID_DATA, SegmentType.MQCONN]
    assert (alone.link.state, alone.conversation.ids) == (State.RUNNING, (1, 0))
    assert alone.conversation.agreed is not None


def test_an_answer_with_error_is_repeated_so_often_and_no_more() -> None:
    alone, part = opening()
    for _ in range(inferred.MAX_NEGOTIATION_ROUNDS - 1):
        part.initial_data(answer(int(ControlFlags1.ERROR)), 1001.0)
        assert types(alone) == [SegmentType.INITIAL_DATA]
    with pytest.raises(ChannelError, match="no agreement"):
        part.initial_data(answer(int(ControlFlags1.ERROR)), 1001.0)


def test_mqconn_waits_until_the_password_has_come() -> None:
    alone, part = opening(user="app", password="secret")
    part.initial_data(answer(fap_level=12, size=208), 1001.0)
    assert types(alone) == [SegmentType.USERID_DATA, SegmentType.CONAUTH_INFO]
    part.status_data(shared(SegmentType.STATUS_DATA, flags=0x40), 1002.0)
    assert types(alone) == [SegmentType.MQCONN]


@pytest.mark.parametrize("reason", [0, MQRC.NOT_AUTHORIZED])
def test_the_reply_to_mqconn_is_told(reason: int) -> None:
    alone, part = opening()
    part.initial_data(answer(), 1001.0)
    conn = CONN.codec(ORDER)(q_mgr_name=b"QM1".ljust(48), appl_name=bytes(28)).build()
    call = alone.exchange.take(shared(SegmentType.MQCONN_REPLY, api(comp_code=2 if reason else 0, reason=reason), conn))
    assert isinstance(call, Call)
    part.connected(call)
    told = alone.link.drain()
    if reason:
        assert told[0] == Refused(reason)
        assert alone.link.closed
    else:
        (event,) = told
        assert isinstance(event, Connected)
        assert (event.queue_manager, event.queue_manager_id) == ("QM1", "QM1_2024")
        assert alone.conversation.connected
