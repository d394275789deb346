"""A consumer that counts on messages goes on by itself when gets are allowed again; a program that gets asks anew."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import (
    MQGMO,
    MQIA,
    MQOO,
    MQRC,
    ConnectionState,
    NotificationCode,
    RequestFlags,
    SegmentType,
)
from mqbridge.protocol.inferred import GETS_ALLOWED_VALUE
from support.clients.playbook import Answer
from support.clients.program import ClientProgram, GotMessage, connects, with_clients
from support.gateway.stage import Stage, Station

pytestmark = pytest.mark.spec("mqi.md 16.3", "client-observed.md O-091", "client-observed.md O-092")

INHIBITED = (NotificationCode.GET_INHIBITED, MQRC.GET_INHIBITED)
ALLOWED = (NotificationCode.GET_ALLOWED, GETS_ALLOWED_VALUE)
LISTENS = RequestFlags.LISTENER | RequestFlags.SELECTION


def state(client: ClientProgram, value: ConnectionState) -> bytes:
    return client.notification(NotificationCode.CONN_STATE, value)


def listens(client: ClientProgram, queue: str = "TARGET", options: int = 0) -> int:
    handle = client.opens(queue, int(MQOO.INPUT_SHARED))
    asked = client.request_msgs(handle, LISTENS, get_msg_options=int(MQGMO.NO_SYNCPOINT) | options)
    client.sends(state(client, ConnectionState.STARTED), asked)
    return handle


def types(mars: Station, client: ClientProgram, command: str) -> list[Answer]:
    """What a client hears of a command."""
    mars.types(command)
    return client.sends()


def told(answers: list[Answer], handle: int) -> list[object]:
    """Notifications as code and value, messages as data."""
    found: list[object] = []
    for answer in answers:
        if answer.type == SegmentType.NOTIFICATION:
            about, code, value = answer.notification
            assert about == handle
            found.append((code, value))
        elif answer.type == SegmentType.ASYNC_MESSAGE:
            assert answer.stream.object_handle == handle
            found.append(GotMessage.of_stream(answer).data)
    return found


def listening(script: str = "", queue: str = "TARGET") -> tuple[Stage, Station, ClientProgram, int]:
    stage, mars = with_clients(script)
    client = connects(stage)
    return stage, mars, client, listens(client, queue)


def test_messages_come_behind_the_news() -> None:
    _, mars, client, handle = listening()
    for turn in (b"one", b"two"):
        heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(DISABLED)")
        assert told(heard, handle) == [INHIBITED]
        mars.put("TARGET", turn)
        assert client.sends(seconds=1) == []
        heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(ENABLED)")
        assert told(heard, handle) == [ALLOWED, turn]
        # IBM's classes for JMS ask so for the next one while they have not yet handed the message over.
        client.sends(client.request_msgs(handle, 0, get_msg_options=int(MQGMO.NO_SYNCPOINT), received=364 + 3))


def test_what_comes_later_comes_too() -> None:
    stage, mars, client, handle = listening()
    mars.types("ALTER QLOCAL(TARGET) GET(DISABLED)")
    heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(ENABLED)")
    assert told(heard, handle) == [INHIBITED, ALLOWED]
    mars.put("TARGET", b"later")
    stage.wait(0.05)
    assert told(client.hears(), handle) == [b"later"]


def test_a_queue_that_is_opened_while_gets_are_inhibited() -> None:
    stage, mars = with_clients("DEFINE QLOCAL(SHUT) GET(DISABLED)")
    mars.put("SHUT", b"inside")
    client = connects(stage)
    handle = client.opens("SHUT", int(MQOO.INPUT_SHARED))
    asked = client.request_msgs(handle, LISTENS, get_msg_options=int(MQGMO.NO_SYNCPOINT))
    assert told(client.sends(state(client, ConnectionState.STARTED), asked), handle) == [INHIBITED]
    heard = types(mars, client, "ALTER QLOCAL(SHUT) GET(ENABLED)")
    assert told(heard, handle) == [ALLOWED, b"inside"]


def test_an_alias_inhibits_and_allows() -> None:
    _, mars, client, handle = listening("DEFINE QALIAS(OTHER) TARGET(TARGET)", "OTHER")
    heard = types(mars, client, "ALTER QALIAS(OTHER) GET(DISABLED)")
    assert told(heard, handle) == [INHIBITED]
    mars.types("ALTER QLOCAL(TARGET) GET(DISABLED)")
    mars.put("TARGET", b"through both")
    mars.types("ALTER QALIAS(OTHER) GET(ENABLED)")
    assert client.sends(seconds=1) == []
    heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(ENABLED)")
    assert told(heard, handle) == [ALLOWED, b"through both"]


def test_a_program_allows_gets_by_a_call() -> None:
    allowed = "SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,SET)"
    stage, _, client, handle = listening(allowed)
    other = connects(stage)
    setting = other.opens("TARGET", int(MQOO.SET))
    for value, expected in ((1, INHIBITED), (0, ALLOWED)):
        words = [1, 1, 0, int(MQIA.INHIBIT_GET), value]
        body = b"".join(map(other.word, words))
        assert other.asks(other.call(SegmentType.MQSET, body, handle=setting)).outcome == (0, 0)
        assert told(client.sends(), handle) == [expected]


def test_who_is_stopped_hears_of_it_and_gets_nothing_before_the_start() -> None:
    _, mars, client, handle = listening()
    types(mars, client, "ALTER QLOCAL(TARGET) GET(DISABLED)")
    mars.put("TARGET", b"kept")
    client.sends(state(client, ConnectionState.STOPPED))
    heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(ENABLED)")
    assert told(heard, handle) == [ALLOWED]
    assert told(client.sends(state(client, ConnectionState.STARTED)), handle) == [b"kept"]


def test_who_starts_again_meanwhile_is_not_told_twice() -> None:
    _, mars, client, handle = listening()
    heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(DISABLED)")
    assert told(heard, handle) == [INHIBITED]
    stop, start = state(client, ConnectionState.STOPPED), state(client, ConnectionState.STARTED)
    assert client.sends(stop, start) == []
    heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(ENABLED)")
    assert told(heard, handle) == [ALLOWED]


def test_a_get_that_ended_is_not_told() -> None:
    """Its program was told 2016 and asks for the next message itself."""
    stage, mars = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", int(MQOO.INPUT_SHARED))
    flags, options = RequestFlags.WAITING | RequestFlags.SELECTION, int(MQGMO.WAIT | MQGMO.NO_SYNCPOINT)
    client.sends(client.request_msgs(handle, flags, get_msg_options=options, wait_interval=-1))
    heard = types(mars, client, "ALTER QLOCAL(TARGET) GET(DISABLED)")
    assert told(heard, handle) == [INHIBITED]
    mars.types("ALTER QLOCAL(TARGET) GET(ENABLED)")
    mars.put("TARGET", b"for somebody")
    assert client.sends(seconds=1) == []
    asked = client.request_msgs(handle, RequestFlags.WAITING, get_msg_options=options, wait_interval=-1)
    assert told(client.sends(asked), handle) == [b"for somebody"]


def test_nobody_is_told_of_a_handle_that_is_closed() -> None:
    _, mars, client, handle = listening()
    types(mars, client, "ALTER QLOCAL(TARGET) GET(DISABLED)")
    assert client.asks(client.mqclose(handle)).outcome == (0, 0)
    mars.types("ALTER QLOCAL(TARGET) GET(ENABLED)")
    assert client.sends(seconds=1) == []


def test_who_waits_for_gets_hears_that_the_queue_manager_quiesces() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    handle = listens(client, options=int(MQGMO.FAIL_IF_QUIESCING))
    types(mars, client, "ALTER QLOCAL(TARGET) GET(DISABLED)")
    mars.call(mars.manager.quiesce)
    stage.wait(0.05)
    assert told(client.hears(), handle) == [(NotificationCode.QM_QUIESCING, MQRC.Q_MGR_QUIESCING)]
