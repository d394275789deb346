"""What clients ask for when they connect (mqi.md 1, client-observed.md O-010, O-011)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQCNO, MQRC, SegmentType
from mqbridge.protocol.structures import API, CONN
from mqbridge.protocol.structures.fcno import FCNO_4, parse_fcno
from support.clients.playbook import Answer
from support.clients.program import ClientProgram, comes, with_clients

pytestmark = pytest.mark.spec("mqi.md 1")


def connects(client: ClientProgram, options: int = 0, bits: int = 7, *, conversation: int = 1, **fcno: Any) -> Answer:
    order = client.writer.order
    body = CONN.codec(order)(
        q_mgr_name=b"MARS".ljust(48), appl_name=b"checks".ljust(28), options=bits, x_options=options
    )
    further = FCNO_4.codec(order)(version=4, **fcno)
    return client.asks(client.call(SegmentType.MQCONN, body.build(), further.build(), conversation=conversation))


def tag_in(answer: Answer) -> bytes:
    found = parse_fcno(answer.body, API.size + CONN.size, answer.order)
    return bytes(found.record.ret_conn_tag)


@pytest.fixture
def client() -> ClientProgram:
    stage, _ = with_clients()
    return comes(stage)


@pytest.mark.parametrize(
    "options",
    [
        MQCNO.HANDLE_SHARE_NONE | MQCNO.HANDLE_SHARE_BLOCK,
        MQCNO.HANDLE_SHARE_BLOCK | MQCNO.HANDLE_SHARE_NO_BLOCK,
        MQCNO.FASTPATH_BINDING | MQCNO.ISOLATED_BINDING,
        MQCNO.LOCAL_BINDING | MQCNO.CLIENT_BINDING,
        MQCNO.NO_CONV_SHARING | MQCNO.ALL_CONVS_SHARE,
        MQCNO.RECONNECT | MQCNO.RECONNECT_DISABLED,
        MQCNO.RECONNECT | MQCNO.RECONNECT_Q_MGR,
        MQCNO.ACCOUNTING_MQI_ENABLED | MQCNO.ACCOUNTING_MQI_DISABLED,
        MQCNO.SERIALIZE_CONN_TAG_Q_MGR,
        MQCNO.RESTRICT_CONN_TAG_QSG,
    ],
    ids=str,
)
def test_options_that_exclude_each_other_or_are_of_another_platform_are_2046(
    client: ClientProgram, options: int
) -> None:
    assert connects(client, int(options)).outcome == (2, MQRC.OPTIONS_ERROR)


@pytest.mark.parametrize(
    "options",
    [
        MQCNO.HANDLE_SHARE_NO_BLOCK,
        MQCNO.SHARED_BINDING,
        MQCNO.CLIENT_BINDING,
        MQCNO.ALL_CONVS_SHARE | MQCNO.GENERATE_CONN_TAG,
        MQCNO.RECONNECT_Q_MGR | MQCNO.HANDLE_SHARE_BLOCK,
    ],
    ids=str,
)
def test_others_are_taken(client: ClientProgram, options: int) -> None:
    assert connects(client, int(options)).outcome == (0, 0)


def test_the_tag_of_a_connection_is_that_of_all_its_conversations(client: ClientProgram) -> None:
    tag = tag_in(connects(client, int(MQCNO.GENERATE_CONN_TAG)))
    assert tag.startswith(b"MQCT")
    client.sends(client.socket_action(3, 1))
    again = connects(client, int(MQCNO.GENERATE_CONN_TAG), 0x0F, conversation=3, conn_tag=tag, ret_conn_tag=tag)
    assert (again.outcome, tag_in(again)) == ((0, 0), tag)
    client.sends(client.socket_action(5, 1))
    other = connects(client, int(MQCNO.GENERATE_CONN_TAG), 7, conversation=5, conn_tag=tag)
    assert tag_in(other) not in (tag, bytes(128)), "left-over bytes are no tag (O-010)"


@pytest.mark.faulty_traffic
def test_a_second_connect_on_a_conversation_is_2002(client: ClientProgram) -> None:
    assert connects(client).outcome == (0, 0)
    assert connects(client).outcome == (2, MQRC.ALREADY_CONNECTED)
    assert client.opens("TARGET", 0x2010) > 0
