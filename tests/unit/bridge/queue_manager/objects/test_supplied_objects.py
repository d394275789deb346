from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_supplied

NOW = 1_800_000_000.0


@pytest.fixture
def objects() -> Objects:
    made = Objects("EARTH", NOW)
    define_supplied(made, NOW)
    return made


@pytest.mark.spec("channels.md 14")
def test_the_three_default_records(objects: Objects) -> None:
    found = [
        (each.name, each.subtype, each.get("USERSRC"), each.texts("USERLIST") or each.get("ADDRESS"))
        for each in objects.select(Kind.CHLAUTH)
    ]
    assert found == [
        ("*", "BLOCKUSER", None, ("*MQADMIN",)),
        ("SYSTEM.*", "ADDRESSMAP", "NOACCESS", "*"),
        ("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP", "CHANNEL", "*"),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM.DEFAULT.ALIAS.QUEUE", "SYSTEM.DEFAULT.REMOTE.QUEUE",
        "SYSTEM.DEFAULT.MODEL.QUEUE", "SYSTEM.DEAD.LETTER.QUEUE", "SYSTEM.CHANNEL.INITQ", "SYSTEM.CHANNEL.SYNCQ",
        "SYSTEM.ADMIN.COMMAND.QUEUE", "SYSTEM.MQSC.REPLY.QUEUE", "SYSTEM.DEFAULT.INITIATION.QUEUE",
        "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE",
    ],
)  # fmt: skip
def test_supplied_queues(objects: Objects, name: str) -> None:
    assert objects.queue(name) is not None


def test_supplied_objects_are_made_once(objects: Objects) -> None:
    assert define_supplied(objects, NOW) == 0
    assert objects.find(Kind.TOPIC, "DEV.BASE.TOPIC")["TOPICSTR"] == "dev/"  # type: ignore[index]
    assert objects.channel("DEV.APP.SVRCONN").subtype == "SVRCONN"  # type: ignore[union-attr]


@pytest.mark.spec("channels.md 16")
def test_supplied_queues_say_what_they_are_for_and_default_objects_say_nothing(objects: Objects) -> None:
    for definition in [*objects.select(Kind.QLOCAL), *objects.select(Kind.QMODEL)]:
        inherited = definition.name.startswith(("SYSTEM.DEFAULT.LOCAL", "SYSTEM.DEFAULT.MODEL", "DEV."))
        described = definition.text("DESCR")
        assert bool(described) is not inherited, definition.name
        assert len(described) <= 64
    change = objects.define(Kind.QLOCAL, "NEW", {}, NOW)
    assert change.new is not None
    assert change.new.text("DESCR") == ""
