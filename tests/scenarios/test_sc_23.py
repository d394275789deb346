"""SC-23: administration of a device that is away."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.requests import Reply, read_reply, write_request
from mqbridge.bridge.everyplace.creation import StandardQueue
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.properties import Alterable, Property
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Audit, StartListener
from mqbridge.protocol.everyplace.calls import Done
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message
from support.everyplace_hosts import request

HOUR = 3600.0
ADMIN, REPLIES = StandardQueue.ADMINISTRATION.value, StandardQueue.ADMINISTRATION_REPLY.value


def away() -> tuple[World, Station, Station]:
    """MOON is away; EARTH keeps what is for it, and MOON can answer."""
    world = World()
    earth, moon = world.queue_manager("EARTH"), world.queue_manager("MOON")
    moon.away = True
    earth.local(REPLIES)
    earth.store_and_forward("SAF", ["MOON"])
    moon.define(QueueKind.ADMINISTRATION, ADMIN)
    moon.connection("EARTH")
    moon.home_server("EARTH")
    moon.remote(REPLIES, "EARTH")
    return world, earth, moon


def ask(earth: Station, action: Action, resource: str, name: str = "", **values: Any) -> None:
    message = write_request(request("MOON", action, resource, name, **values), Address(REPLIES, "EARTH"))
    assert earth.put(f"{ADMIN}@MOON", message) == Done()


def replies(earth: Station) -> list[Reply]:
    return [read_reply(each) for each in earth.browse(REPLIES)]


@pytest.mark.spec(
    "SC-23", "E-082", "E-083", "E-093", "E-094", "E-134", "E-261", "E-270", "E-271", "E-272", "E-273", "E-274",
    "E-275", "E-277", "E-278", "E-279", "E-280", "E-281", "E-282", "E-283", "E-285", "E-286", "E-287", "E-288", "E-352",
)  # fmt: skip
def test_requests_wait_and_are_obeyed_in_order_when_the_device_is_back() -> None:
    world, earth, moon = away()
    moon.local("OLD")
    dying = text_message("dying")
    dying.expire_at(int((world.now + 30) * 1000))
    assert moon.put("OLD", dying) == Done()
    assert moon.put("OLD", "living") == Done()
    ask(earth, Action.CREATE, "local", "ALARMS", qmqs=100)
    ask(earth, Action.UPDATE, "local", "ALARMS", qmqs=50, qd="alarms", qp=10, qe=60_000)
    ask(earth, Action.INQUIRE, "local", "ALARMS", qmqs=None, qe=None)
    ask(earth, Action.DELETE, "local", "OLD")
    ask(earth, Action.INQUIRE, "local", "OLD", qcs=None)
    ask(earth, Action.CREATE, "listener", "TCP", lep=":8081")
    ask(earth, Action.START, "listener", "TCP")
    world.run(60)
    assert len(earth.stored("SAF")) == 7
    assert replies(earth) == []
    moon.away = False
    moon.network.trigger(moon.now)
    world.run(HOUR)
    found = replies(earth)
    assert [str(each.request) for each in found] == [
        "create local ALARMS",
        "update local ALARMS",
        "inquire local ALARMS",
        "delete local OLD",
        "inquire local OLD",
        "create listener TCP",
        "start listener TCP",
    ], "in order of arrival"
    success, mixed, values, refused, size, created, started = found
    done = ReturnCode.SUCCESS
    assert [each.code for each in (success, values, size, created, started)] == [done] * 5
    assert mixed.code is ReturnCode.MIXED
    assert list(mixed.errors) == ["qp"]
    assert [values.request.parameters[each] for each in ("qmqs", "qe")] == [50, 60_000]
    assert refused.code is ReturnCode.FAILED
    assert refused.reason.startswith("Code=203")
    assert size.request.parameters["qcs"] == 1
    assert moon.texts("OLD") == ["living"]
    assert [each.definition.name for each in moon.effects if isinstance(each, StartListener)] == ["TCP"]
    audits = [each for each in moon.effects if isinstance(each, Audit)]
    assert [(each.peer, each.origin, each.request) for each in audits] == [
        ("EARTH", "EARTH", str(each.request)) for each in found
    ]
    assert len(moon.stored(ADMIN)) == len(earth.stored("SAF")) == 0


@pytest.mark.spec("SC-23", "E-134", "E-461")
@pytest.mark.parametrize("killed", range(8))
def test_a_request_is_obeyed_once_whenever_the_device_is_killed(killed: int) -> None:
    """The device is killed after each number of its commits; each reply comes once, and the queue is there."""
    world, earth, moon = away()
    for number in range(3):
        ask(earth, Action.CREATE, "local", f"Q{number}")
    moon.away = False
    moon.network.trigger(moon.now)
    for _ in range(killed):
        world.step()
    moon.kill()
    moon.network.trigger(moon.now)
    world.run(HOUR)
    found = replies(earth)
    assert [str(each.request) for each in found] == [f"create local Q{number}" for number in range(3)]
    assert {each.code for each in found} == {ReturnCode.SUCCESS}
    assert all(moon.put(f"Q{number}", "there") == Done() for number in range(3))


OWNERS = {QueueKind.LOCAL: "EARTH", QueueKind.ADMINISTRATION: "EARTH", QueueKind.STORE_AND_FORWARD: "EARTH"}
BY_TYPE: dict[type, Any] = {int: 60, bool: True, str: "text"}
SAMPLES: dict[Property, Any] = {
    rows.MODE: rows.ASYNCHRONOUS,
    rows.PRIORITY: 7,
    rows.MAX_MSG_SIZE: 1000,
    rows.ALIASES: ("OTHER",),
    rows.ENTRIES: ("VENUS",),
    rows.TARGET_REGISTRY: 1,
    rows.REMOTE_QUEUE: "REAL",
    rows.MQ_QUEUE_MANAGER: "SATURN",
    rows.AUTHENTICATOR: "",
    rows.CRYPTOR: "",
    rows.COMPRESSOR: "",
    rows.FILE_DESCRIPTOR: "MsgLog:",
    rows.RULE: "",
    rows.TRANSFORMER: "",
}


@pytest.mark.spec(
    "SC-23", "E-096", "E-097", "E-098", "E-099", "E-100", "E-101", "E-102", "E-103", "E-104", "E-105", "E-106", "E-107",
    "E-108", "E-109", "E-110", "E-111", "E-112", "E-113", "E-114", "E-115", "E-116", "E-117", "E-118", "E-119", "E-120",
    "E-121", "E-122", "E-123", "E-124", "E-126",
)  # fmt: skip
@pytest.mark.parametrize("kind", QueueKind)
def test_inquire_all_gives_each_property_under_its_field_and_type(kind: QueueKind) -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    earth.local(REPLIES)
    if kind is not QueueKind.ADMINISTRATION:
        earth.define(QueueKind.ADMINISTRATION, ADMIN)
    name = ADMIN if kind is QueueKind.ADMINISTRATION else "SOME"
    definition = QueueDefinition(kind, Address(name, OWNERS.get(kind, "MARS")))
    wanted = [row for row in rows.PROPERTIES if kind in row.queues]
    for row in wanted:
        if row.alterable in (Alterable.ALWAYS, Alterable.EMPTY):
            definition.set(row, SAMPLES[row] if row in SAMPLES else BY_TYPE[type(row.default)])
    earth.expect_done(lambda then: earth.manager.define_queue(definition, then))
    message = write_request(request("EARTH", Action.INQUIRE_ALL, kind.value, name), Address(REPLIES, "EARTH"))
    assert earth.put(ADMIN, message) == Done()
    world.run()
    (reply,) = replies(earth)
    assert reply.code is ReturnCode.SUCCESS
    found = reply.request.parameters
    assert {row.field for row in wanted} == set(found)
    for row in wanted:
        if found[row.field]:
            assert found.type_of(row.field) is row.type
        if row.alterable in (Alterable.ALWAYS, Alterable.EMPTY):
            assert found[row.field] == (definition.value(row) or found[row.field])
