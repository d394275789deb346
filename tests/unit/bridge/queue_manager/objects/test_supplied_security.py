"""What clients of a new queue manager may do: everything that programs do, and no administration."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_supplied
from mqbridge.bridge.queue_manager.security_records import security_of
from mqbridge.bridge.security import (
    Caller,
    OpenedObject,
    Security,
    check_command,
    check_connect,
    check_open,
    check_topic,
)
from mqbridge.protocol.constants import MQOO

WORK = MQOO.OUTPUT | MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.INQUIRE
ROOT = "SYSTEM.BASE.TOPIC"


@pytest.fixture(scope="module")
def objects() -> Objects:
    objects = Objects("EARTH", 0.0)
    define_supplied(objects, 0.0)
    return objects


@pytest.fixture(scope="module")
def security(objects: Objects) -> Security:
    return security_of(objects)


def test_clients_of_the_developer_channel_are_the_user_app(objects: Objects, security: Security) -> None:
    channel = objects.channel("DEV.APP.SVRCONN")
    assert channel is not None
    for user in ("joe", "mqm", "app", ""):
        entry = security.connect_client(channel, Caller(channel.name, "127.0.0.1", True, user), None, "test", 0.0)
        assert (entry.reason, entry.user, entry.log) == (0, "app", [])


def test_a_second_supply_changes_nothing(objects: Objects) -> None:
    before = list(objects)
    assert define_supplied(objects, 1.0) == 0
    assert list(objects) == before


def test_the_connection_check_is_that_of_the_developer_object(objects: Objects) -> None:
    assert objects.manager["CONNAUTH"] == "DEV.AUTHINFO"
    assert objects.find(Kind.AUTHINFO, "DEV.AUTHINFO") is not None


@pytest.mark.parametrize(
    ("name", "options", "allowed"),
    [
        ("DEV.QUEUE.1", WORK, True),
        ("ANYTHING.ELSE", WORK | MQOO.PASS_ALL_CONTEXT, True),
        ("AMQ.5F3A", WORK, True),
        ("DEV.QUEUE.1", MQOO.SET, False),
        ("DEV.QUEUE.1", MQOO.OUTPUT | MQOO.SET_IDENTITY_CONTEXT, False),
        ("DEV.QUEUE.1", MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT, False),
        ("DEV.QUEUE.1", MQOO.OUTPUT | MQOO.ALTERNATE_USER_AUTHORITY, False),
        ("SYSTEM.DEFAULT.MODEL.QUEUE", WORK, True),
        ("SYSTEM.JMS.TEMPQ.MODEL", WORK, True),
        ("SYSTEM.DEAD.LETTER.QUEUE", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT | MQOO.INQUIRE, True),
        ("SYSTEM.DEAD.LETTER.QUEUE", MQOO.INPUT_SHARED, False),
        ("SYSTEM.ADMIN.COMMAND.QUEUE", MQOO.OUTPUT, True),
        ("SYSTEM.ADMIN.COMMAND.QUEUE", MQOO.BROWSE, False),
        ("SYSTEM.CHANNEL.INITQ", MQOO.OUTPUT, False),
        ("SYSTEM.DEFAULT.LOCAL.QUEUE", MQOO.INQUIRE, False),
        ("SYSTEM..X", MQOO.OUTPUT, False),
        ("SYSTEM", MQOO.OUTPUT, False),
    ],
)
def test_queues(security: Security, name: str, options: int, allowed: bool) -> None:
    assert (check_open(security.authorities, "app", OpenedObject(name), options, "mqm") is None) is allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (["DEV.BASE.TOPIC", ROOT], True),
        ([ROOT], True),
        (["SYSTEM.ADMIN.TOPIC", ROOT], False),
        (["SYSTEM.BROKER.ADMIN.STREAM", ROOT], False),
    ],
)
def test_topics(security: Security, path: list[str], allowed: bool) -> None:
    for authority in ("PUB", "SUB"):
        assert (check_topic(security.authorities, "app", path, authority) is None) is allowed


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        (("DISPLAY", "QMGR", ""), True),
        (("DISPLAY", "QLOCAL", "DEV.QUEUE.1"), True),
        (("DISPLAY", "QLOCAL", "SYSTEM.CHANNEL.INITQ"), False),
        (("DISPLAY", "CHANNEL", "A"), False),
        (("DEFINE", "QLOCAL", "A"), False),
        (("ALTER", "QLOCAL", "DEV.QUEUE.1"), False),
        (("DELETE", "QLOCAL", "DEV.QUEUE.1"), False),
        (("CLEAR", "QLOCAL", "DEV.QUEUE.1"), False),
        (("START", "CHANNEL", "A"), False),
        (("ALTER", "QMGR", ""), False),
        (("SET", "AUTHREC", ""), False),
        (("SET", "CHLAUTH", "A"), False),
    ],
)
def test_commands(security: Security, command: tuple[str, str, str], allowed: bool) -> None:
    assert (check_command(security.authorities, "app", *command) is None) is allowed


@pytest.mark.parametrize("user", ["joe", "", "nobody"])
def test_nobody_else_has_anything(security: Security, user: str) -> None:
    assert check_connect(security.authorities, user) is not None
    assert check_open(security.authorities, user, OpenedObject("DEV.QUEUE.1"), MQOO.BROWSE) is not None
