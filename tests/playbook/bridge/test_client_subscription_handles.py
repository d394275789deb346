"""Handles of a client's MQSUB: without room for them nothing is subscribed; without a program none is open."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQRC, MQSO, SegmentType
from mqbridge.protocol.structures.sd import make_sd
from support.clients.program import CHANNEL, ClientProgram, connects, with_clients
from support.gateway.stage import Station

pytestmark = pytest.mark.spec("mqi.md 17")

MANAGED = int(MQSO.CREATE | MQSO.MANAGED)
DURABLE = int(MQSO.DURABLE)


def mqsub(client: ClientProgram, options: int, name: str = "") -> bytes:
    strings = {"object_string": b"news", "sub_name": name.encode()}
    sd = make_sd(client.writer.order, options=options, sub_expiry=-1, strings=strings)
    return client.call(SegmentType.MQSUB, bytes(8), sd.build())


def subscriptions(mars: Station) -> list[str]:
    return [row["SUB"] for row in mars.rows("DISPLAY SUB(*) WHERE(TOPICSTR EQ 'news')")]


def managed_queues(mars: Station) -> list[tuple[str, str]]:
    """Names of those that programs have open or that hold subscriptions, and how many inputs each has."""
    rows = mars.rows("DISPLAY QLOCAL(SYSTEM.MANAGED.*) IPPROCS")
    return [(row["QUEUE"], row["IPPROCS"]) for row in rows]


@pytest.mark.parametrize("name", ["", "KEPT"], ids=["non-durable", "durable"])
def test_without_room_for_both_handles_nothing_is_subscribed(name: str) -> None:
    stage, mars = with_clients("ALTER QMGR MAXHANDS(1)")
    client = connects(stage)
    answer = client.asks(mqsub(client, MANAGED | (DURABLE if name else 0), name))
    assert answer.outcome == (2, MQRC.HANDLE_NOT_AVAILABLE)
    assert (subscriptions(mars), managed_queues(mars)) == ([], [])
    assert client.commits() == (0, 0), "the program goes on"


def test_a_program_that_is_gone_before_its_subscription_is_stored_has_nothing_open() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    assert client.sends(mqsub(client, MANAGED | DURABLE, "KEPT"), seconds=0) == []
    stage.wait_until(lambda: subscriptions(mars), 0.05)
    assert client.hears() == [], "it is not stored yet"
    mars.enters(f"STOP CHANNEL({CHANNEL}) MODE(FORCE)")
    stage.wait(0.05)
    assert client.gone
    assert subscriptions(mars) == ["KEPT"]
    ((_, inputs),) = managed_queues(mars)
    assert inputs == "0"


def test_maxhands_altered_while_a_subscription_is_stored() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    assert client.sends(mqsub(client, MANAGED | DURABLE, "KEPT"), seconds=0) == []
    stage.wait_until(lambda: subscriptions(mars), 0.05)
    mars.enters("ALTER QMGR MAXHANDS(1)")
    stage.wait(0.05)
    (answer,) = client.hears()
    assert answer.outcome == (2, MQRC.HANDLE_NOT_AVAILABLE)
    ((_, inputs),) = managed_queues(mars)
    assert inputs == "0"
    assert client.commits() == (0, 0), "the program goes on"
