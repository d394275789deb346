"""SC-08: an undeliverable message from MQ."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.bridge_objects import RUNNING, STOPPED
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgePath
from mqbridge.bridge.everyplace.definitions.bridge_properties import BridgeKind
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQMT, MQRO
from mqbridge.protocol.everyplace.mq_style import DATA
from support.everyplace import World
from support.everyplace_bridge import Gateway


def scene(**listener: Any) -> tuple[World, Gateway, BridgePath]:
    world = World()
    earth = Gateway.add(world, "EARTH")
    earth.local("LOG")
    earth.mq_queue("DEAD")
    earth.node.alter_manager(DEADQ="DEAD")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    earth.node.define(Kind.QREMOTE, "EARTH", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    path = earth.listen(earth.bridge_to_here(), "EARTH.XMITQ", **listener)
    return world, earth, path


def arrived(earth: Gateway) -> list[bytes]:
    return [bytes(each[DATA]) for each in earth.browse("LOG")]


@pytest.mark.spec("SC-08", "E-396", "E-421", "E-422", "E-522")
def test_by_default_the_listener_stops_after_some_tries_and_loses_nothing() -> None:
    world, earth, path = scene()
    earth.node.put("LOG", b"before", "EARTH")
    earth.node.put("NOQ", b"lost", "EARTH")
    earth.node.put("LOG", b"behind", "EARTH")
    world.run(4)
    assert arrived(earth) == [b"before"]
    assert earth.bridge.objects.inquire(path)[rows.RUN_STATE] == RUNNING
    world.run(60)
    state = earth.bridge.objects.inquire(path)
    assert state[rows.RUN_STATE] == STOPPED
    assert "NOQ@EARTH" in state[rows.WHY]
    assert any("NOQ@EARTH" in each for each in earth.alarms)
    assert len(earth.node.messages("EARTH.XMITQ")) == 2
    assert earth.bridge.objects.runs(path[:-1])
    earth.local("NOQ")
    earth.bridge.objects.start(path)
    world.run(5)
    assert arrived(earth) == [b"before", b"behind"]
    assert [bytes(each[DATA]) for each in earth.browse("NOQ")] == [b"lost"]
    assert path[-1] == earth.bridge.objects.find(path).name
    assert earth.bridge.objects.find(path).kind is BridgeKind.LISTENER


@pytest.mark.spec("SC-08", "E-421", "E-522")
def test_a_rule_that_waits_tries_again_until_the_queue_is_there() -> None:
    world, earth, path = scene(UNDELIVERED_RULE="undelivered:seconds=2,tries=0")
    earth.node.put("NOQ", b"early", "EARTH")
    world.run(1)
    earth.local("NOQ")
    assert earth.browse("NOQ") == []
    world.run(0.5)
    assert earth.browse("NOQ") == []
    world.run(2)
    assert [bytes(each[DATA]) for each in earth.browse("NOQ")] == [b"early"]
    assert earth.bridge.objects.runs(path)


@pytest.mark.spec("SC-08", "E-423", "E-523")
def test_report_options_decide_between_the_dead_letter_queue_and_nothing() -> None:
    world, earth, path = scene(UNDELIVERED_RULE="report-options")
    earth.node.put("LOG", b"before", "EARTH")
    earth.node.put("NOQ", b"kept", "EARTH", report=int(MQRO.NONE))
    earth.node.put("NOQ", b"gone", "EARTH", report=int(MQRO.DISCARD_MSG))
    earth.node.put("LOG", b"behind", "EARTH")
    world.run(5)
    (dead,) = earth.node.messages("DEAD")
    assert dead.md.format.rstrip() == "MQDEAD"
    assert dead.data[:4] == b"DLH "
    assert int.from_bytes(dead.data[8:12], "little") == 2085
    assert dead.data[12:60].rstrip() == b"NOQ"
    assert dead.data[60:108].rstrip() == b"EARTH"
    assert dead.data.endswith(b"kept")
    assert arrived(earth) == [b"before", b"behind"]
    assert earth.node.messages("EARTH.XMITQ") == []
    assert earth.bridge.objects.runs(path)


@pytest.mark.spec("SC-08", "E-394", "E-423")
def test_a_listener_may_have_a_dead_letter_queue_of_its_own() -> None:
    world, earth, _ = scene(UNDELIVERED_RULE="report-options", DEAD_LETTER_QUEUE="OWN.DEAD")
    earth.mq_queue("OWN.DEAD")
    earth.node.put("NOQ", b"kept", "EARTH")
    world.run(5)
    assert len(earth.node.messages("OWN.DEAD")) == 1
    assert earth.node.messages("DEAD") == []


@pytest.mark.spec("SC-08", "E-421", "E-423")
def test_the_sender_gets_the_exception_report_that_it_asks_for() -> None:
    """With the authority of who has put the message: nobody reaches a queue by way of a report."""
    world, earth, _ = scene(UNDELIVERED_RULE="report-options")
    earth.mq_queue("REPLIES")
    earth.mq_queue("SECRETS")
    earth.node.script("SET AUTHREC PROFILE(REPLIES) OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(PUT)")
    wanted: dict[str, Any] = {"report": int(MQRO.EXCEPTION_WITH_DATA), "user": "alice", "msg_id": b"a" * 24}
    earth.node.put("NOQ", b"one", "EARTH", reply_to_q="REPLIES", **wanted)
    earth.node.put("NOQ", b"two", "EARTH", reply_to_q="SECRETS", **wanted)
    world.run(5)
    (report,) = earth.node.messages("REPLIES")
    assert (report.md.msg_type, report.md.feedback) == (MQMT.REPORT, 2085)
    assert (report.md.correl_id, report.data) == (b"a" * 24, b"one")
    assert earth.node.messages("SECRETS") == []
    assert len(earth.node.messages("DEAD")) == 3, "two messages, and the report that may not go where it should"
