"""SC-29: bridge queue get and browse."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.everyplace.calls import (
    Browse,
    BrowseAndLock,
    Browsed,
    ConfirmGet,
    Delete,
    Done,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
    Unlock,
)
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import World
from support.everyplace_bridge import Gateway

ORDERS: Final = Address("ORDERS", "SATURN")
UID: Final = MessageUid("EARTH", 1)


@pytest.fixture
def earth() -> Gateway:
    """EARTH with a bridge queue; five messages are on the queue of MQ, two with the same CorrelId."""
    earth = Gateway.add(World(), "EARTH")
    earth.mq_queue("ORDERS")
    earth.bridge_to_here()
    earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
    for number in range(1, 6):
        correl_id = b"pair" if number in (2, 4) else b"c%d" % number
        earth.node.put("ORDERS", b"body %d" % number, msg_id=b"m%d" % number, correl_id=correl_id, format=f"F{number}")
    return earth


def wanted(**values: bytes | str) -> Fields:
    fields = Fields()
    for name, value in values.items():
        fields.put(name, value, FieldType.BYTE_ARRAY if isinstance(value, bytes) else FieldType.ASCII)
    return fields


def data_of(outcome: Outcome) -> list[bytes]:
    assert isinstance(outcome, Browsed | Got), outcome
    messages = outcome.messages if isinstance(outcome, Browsed) else (outcome.message,)
    return [bytes(each[DATA]) for each in messages]


@pytest.mark.spec("SC-29", "E-405", "E-411", "E-162")
def test_browse_matches_by_ids_in_mq_and_by_other_fields_after_the_transformation(earth: Gateway) -> None:
    assert data_of(earth.ask(Browse(ORDERS, Fields()))) == [b"body %d" % each for each in range(1, 6)]
    assert data_of(earth.ask(Browse(ORDERS, wanted(Msg_CorrelID=b"pair")))) == [b"body 2", b"body 4"]
    assert data_of(earth.ask(Browse(ORDERS, wanted(MQ_Format="F3")))) == [b"body 3"]
    assert data_of(earth.ask(Browse(ORDERS, wanted(Msg_CorrelID=b"pair", MQ_Format="F4")))) == [b"body 4"]
    assert data_of(earth.ask(Browse(ORDERS, wanted(Msg_CorrelID=b"none")))) == []
    assert len(earth.node.bodies("ORDERS")) == 5


@pytest.mark.spec("SC-29", "E-408", "E-411", "E-412", "E-161")
def test_a_get_removes_the_first_match_alone(earth: Gateway) -> None:
    assert data_of(earth.ask(Get(ORDERS, wanted(Msg_MsgID=b"m3")))) == [b"body 3"]
    assert data_of(earth.ask(Get(ORDERS, wanted(Msg_CorrelID=b"pair")))) == [b"body 2"]
    assert data_of(earth.ask(Get(ORDERS, wanted(MQ_Format="F5")))) == [b"body 5"]
    assert data_of(earth.ask(Get(ORDERS, Fields()))) == [b"body 1"]
    assert earth.node.bodies("ORDERS") == [b"body 4"]
    missing = earth.ask(Get(ORDERS, wanted(Msg_MsgID=b"m3")))
    assert isinstance(missing, Refused)
    assert missing.code is Code.Q_NO_MATCHING_MSG


@pytest.mark.spec("SC-29", "E-163", "E-164", "E-165", "E-408", "E-409", "E-416")
@pytest.mark.parametrize(
    "call",
    [
        Get(ORDERS, Fields(), confirm=7),
        Browse(ORDERS, Fields(), uids_only=True),
        BrowseAndLock(ORDERS, Fields()),
        Unlock(ORDERS, UID, 1),
        Delete(ORDERS, UID),
        ConfirmGet(ORDERS, UID),
    ],
)
def test_what_messages_of_mq_cannot_give_is_not_supported_and_changes_nothing(earth: Gateway, call: Any) -> None:
    outcome = earth.ask(call)
    assert isinstance(outcome, Refused)
    assert outcome.code is Code.NOT_SUPPORTED
    assert len(earth.node.bodies("ORDERS")) == 5


@pytest.mark.spec("SC-29", "E-410")
def test_a_remote_definition_of_mq_is_put_to_but_not_read(earth: Gateway) -> None:
    earth.node.define(Kind.QLOCAL, "MARS.XMITQ", USAGE="XMITQ")
    earth.node.define(Kind.QREMOTE, "FAR", RNAME="FAR", RQMNAME="MARS", XMITQ="MARS.XMITQ")
    earth.define(QueueKind.MQ_BRIDGE, "FAR", "SATURN")
    far = Address("FAR", "SATURN")
    for call in (Get(far, Fields()), Browse(far, Fields())):
        outcome = earth.ask(call)
        assert isinstance(outcome, Refused)
        assert outcome.code is Code.BRIDGE_MQ_REFUSED
        assert "2042" in outcome.text or "2045" in outcome.text
    assert earth.ask(Put(far, Message())) == Done()
    assert len(earth.node.bodies("MARS.XMITQ")) == 1


@pytest.mark.spec("E-101", "E-102", "E-115", "E-120", "E-126", "E-395", "E-406")
def test_a_bridge_queue_names_its_way_and_its_queue_of_mq(earth: Gateway) -> None:
    """Another queue manager than the proxy's is reached through it; a queue may be called otherwise there."""
    earth.mq_queue("MARS", USAGE="XMITQ")
    earth.define(
        QueueKind.MQ_BRIDGE,
        "BILLS",
        "MARS",
        BRIDGE_NAME="BRIDGE",
        MQ_QUEUE_MANAGER="SATURN",
        CLIENT_CONNECTION="GATE.CHANNEL",
        REMOTE_QUEUE="INVOICES",
        TRANSFORMER="",
    )
    assert earth.put("BILLS@MARS", "one") == Done()
    (waiting,) = earth.node.messages("MARS")
    assert b"INVOICES" in waiting.data
    earth.define(QueueKind.MQ_BRIDGE, "LOST", "MARS", MQ_QUEUE_MANAGER="VENUS")
    outcome = earth.put("LOST@MARS", "one")
    assert isinstance(outcome, Refused)
    assert outcome.code is Code.BRIDGE_NOT_RUNNING
