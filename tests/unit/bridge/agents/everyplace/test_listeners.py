"""Listeners: what arrives on a transmission queue, and their end while a batch is being committed."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.everyplace.mq.incoming import Arrived
from mqbridge.bridge.agents.everyplace.mq.undelivered import reason_of
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import World
from support.everyplace_bridge import Gateway


@pytest.mark.spec("E-418")
def test_a_message_says_where_it_goes_in_its_transmission_header() -> None:
    earth = Gateway.add(World(), "EARTH")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    earth.node.define(Kind.QREMOTE, "MOON", RQMNAME="MOON", XMITQ="EARTH.XMITQ")
    earth.node.put("REPLIES", b"one", "MOON", msg_id=b"id", format="MQSTR")
    (transmitted,) = earth.node.messages("EARTH.XMITQ")
    found = Arrived(transmitted)
    assert found.error is None
    assert found.address == Address("REPLIES", "MOON")
    assert found.message.data == b"one"
    assert found.message.md.format.rstrip() == "MQSTR"


@pytest.mark.spec("E-418", "E-421")
def test_what_has_no_transmission_header_or_no_name_of_everyplace_is_undeliverable() -> None:
    assert Arrived(Message.build(b"no header at all")).error is not None
    earth = Gateway.add(World(), "EARTH")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    earth.node.define(Kind.QREMOTE, "ODD", RNAME="A/B", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    earth.node.put("ODD", b"one")
    (transmitted,) = earth.node.messages("EARTH.XMITQ")
    found = Arrived(transmitted)
    assert found.error is not None
    assert found.error.code is Code.SYNTAX
    assert found.message.data == b"one"


@pytest.mark.spec("E-423")
def test_refusals_have_reason_codes_of_mq() -> None:
    assert reason_of(EveryplaceError(Code.Q_UNKNOWN, "")) == 2085
    assert reason_of(EveryplaceError(Code.Q_FULL, "")) == 2053
    assert reason_of(EveryplaceError(Code.TOO_LONG, "")) == 2030
    assert reason_of(EveryplaceError(Code.RULE, "")) == 2195


@pytest.mark.spec("E-398", "E-401")
def test_a_bridge_that_stops_is_quiet_when_its_last_batch_is_on_disk() -> None:
    earth = Gateway.add(World(), "EARTH")
    earth.local("LOG")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    earth.node.define(Kind.QREMOTE, "EARTH", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    path = earth.listen(earth.bridge_to_here(), "EARTH.XMITQ")
    earth.bridge.objects.stop(path)
    earth.node.put("LOG", b"one", "EARTH")
    earth.bridge.objects.start(path)
    assert not earth.bridge.quiet
    earth.bridge.stop(MQMODE.QUIESCE, earth.now)
    assert not earth.bridge.quiet
    earth.write()
    assert earth.bridge.quiet
    assert len(earth.browse("LOG")) == 1
    assert earth.node.messages("EARTH.XMITQ") == []
