"""What puts and gets of clients mean, by their bytes: context, truncation, backout, visibility, expiry, selection."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC
from support.wire.host import Client, WireHost

BOTH = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE)
SYNC_PUT, SYNC_GET = int(MQPMO.SYNCPOINT), int(MQGMO.SYNCPOINT)
FIRST, NEXT, AGAIN = int(MQGMO.BROWSE_FIRST), int(MQGMO.BROWSE_NEXT), int(MQGMO.BROWSE_MSG_UNDER_CURSOR)
CUT = int(MQGMO.ACCEPT_TRUNCATED_MSG)


@pytest.fixture(params=[0, 10], ids=["alone", "sharing"])
def client(request: pytest.FixtureRequest) -> Client:
    host = WireHost(request.param)
    host.local("Q")
    return Client(host)


def opened(client: Client, options: int = BOTH, queue: str = "Q") -> int:
    return client.does(client.calls.open(queue, int(options)))


def data(client: Client, handle: int, options: int = 0, **more: Any) -> bytes | None:
    taken = client.does(client.calls.take(handle, options, **more))
    return None if taken is None else taken.data


# Truncation


@pytest.mark.spec("mqi.md 13", "mqi.md 21.12", "mq-wire.md 6.7", "client-observed.md O-087", "client-observed.md O-088")
@pytest.mark.parametrize("browses", [False, True])
@pytest.mark.parametrize("accepted", [False, True])
@pytest.mark.parametrize("length", [0, 3])
def test_truncation(client: Client, browses: bool, accepted: bool, length: int) -> None:
    client.host.put("Q", b"a long one")
    client.host.put("Q", b"next")
    handle = opened(client)
    options = (NEXT if browses else 0) | (CUT if accepted else 0)
    taken = client.does(client.calls.get(handle, options, length=length))
    reason = MQRC.TRUNCATED_MSG_ACCEPTED if accepted else MQRC.TRUNCATED_MSG_FAILED
    assert (taken.data, taken.length, taken.reason) == (b"a long one"[:length], 10, reason)
    assert any(taken.token)
    assert client.host.depth("Q") == (1 if accepted and not browses else 2)
    if browses:
        moved = client.reason(client.calls.get(handle, AGAIN)) == 0
        assert moved is accepted
    else:
        assert data(client, handle) == (b"next" if accepted else b"a long one")


@pytest.mark.spec("client-observed.md O-059", "client-observed.md O-100")
@pytest.mark.parametrize("length", [32_000, 32_300, 32_400, 32_748, 65_536, 1_000_000])
def test_messages_of_many_segments(client: Client, length: int) -> None:
    handle = opened(client)
    whole = bytes(range(256)) * (length // 256) + b"!" * (length % 256)
    for options in (0, SYNC_PUT):
        client.does(client.calls.put(handle, whole, options, persistence=1))
    client.does(client.calls.commit())
    assert data(client, handle, FIRST) == whole
    assert data(client, handle, SYNC_GET) == whole
    client.does(client.calls.backout())
    assert [data(client, handle), data(client, handle), data(client, handle)] == [whole, whole, None]


# Units of work


@pytest.mark.spec("mqi.md 1", "mq-wire.md 8.5")
def test_a_client_ends_in_order(client: Client) -> None:
    """MQCLOSE, MQDISC, and a last word; what was not committed is."""
    handle = opened(client)
    client.does(client.calls.put(handle, b"kept", SYNC_PUT))
    client.does(client.calls.close(handle))
    assert client.does(client.calls.disconnect()) == 0
    assert client.host.contents("Q") == [b"kept"]
    client.line.say(client.calls.goodbye())
    client.line.hang_up()
    assert not list(client.host.queue_manager.connections)
    assert not client.host.gateway.connections


@pytest.mark.spec("mqi.md 21.13", "mqi.md 4.4", "client-observed.md O-095")
@pytest.mark.parametrize("persistence", [0, 1])
def test_what_is_backed_out_is_back_in_its_place_and_counted(client: Client, persistence: int) -> None:
    for number in range(3):
        client.host.put("Q", b"%d" % number, persistence=persistence)
    handle = opened(client)
    assert [data(client, handle, SYNC_GET) for _ in range(2)] == [b"0", b"1"]
    assert client.host.contents("Q") == [b"2"]
    assert client.host.depth("Q") == 1
    client.does(client.calls.backout())
    assert client.host.contents("Q") == [b"0", b"1", b"2"]
    assert client.host.depth("Q") == 3
    counts = [client.does(client.calls.get(handle, NEXT)).md.backout_count for _ in range(3)]
    assert counts == [1, 1, 0]


@pytest.mark.spec("mqi.md 4.2", "mqi.md 21.14")
def test_what_is_not_committed_is_seen_by_nobody(client: Client) -> None:
    handle, other = opened(client), Client(client.host)
    client.does(client.calls.put(handle, b"new", SYNC_PUT))
    others = opened(other)
    assert data(client, handle) is None
    assert data(client, handle, FIRST) is None
    assert data(other, others) is None
    assert client.host.depth("Q") == 1
    client.does(client.calls.commit())
    assert data(other, others, FIRST) == b"new"


@pytest.mark.spec("mqi.md 19 row 2", "mqi.md 9")
def test_without_syncpoint_options_nothing_is_backed_out(client: Client) -> None:
    handle = opened(client)
    client.does(client.calls.put(handle, b"one"))
    client.does(client.calls.put(handle, b"two", persistence=1))
    assert data(client, handle) == b"one"
    client.does(client.calls.backout())
    assert client.host.contents("Q") == [b"two"]


@pytest.mark.spec("mqi.md 9")
@pytest.mark.parametrize(
    ("options", "persistence", "back"),
    [
        (MQGMO.SYNCPOINT, 0, True),
        (MQGMO.SYNCPOINT, 1, True),
        (MQGMO.SYNCPOINT_IF_PERSISTENT, 0, False),
        (MQGMO.SYNCPOINT_IF_PERSISTENT, 1, True),
        (MQGMO.NO_SYNCPOINT, 0, False),
        (MQGMO.NO_SYNCPOINT, 1, False),
        (MQGMO.NONE, 0, False),
        (MQGMO.NONE, 1, False),
    ],
)
@pytest.mark.parametrize("ends", ["backs out", "vanishes", "disconnects"])
def test_which_gets_are_part_of_a_unit_of_work(
    client: Client, options: MQGMO, persistence: int, back: bool, ends: str
) -> None:
    client.host.put("Q", b"one", persistence=persistence)
    assert data(client, opened(client), int(options)) == b"one"
    if ends == "backs out":
        client.does(client.calls.backout())
    elif ends == "vanishes":
        client.line.hang_up()
    else:
        back = False
        client.does(client.calls.disconnect())
    assert client.host.contents("Q") == ([b"one"] if back else [])


# Expiry


@pytest.mark.spec("mqi.md 4.4", "mqi.md 21.15")
def test_a_message_expires_under_the_cursor(client: Client) -> None:
    handle = opened(client)
    client.does(client.calls.put(handle, b"short", expiry=20))
    client.does(client.calls.put(handle, b"long", expiry=100))
    client.host.now += 1
    taken = client.does(client.calls.get(handle, FIRST))
    assert (taken.data, taken.md.expiry) == (b"short", 10)
    client.host.now += 2
    assert client.reason(client.calls.get(handle, AGAIN)) == MQRC.NO_MSG_UNDER_CURSOR
    taken = client.does(client.calls.get(handle, NEXT))
    assert (taken.data, taken.md.expiry) == (b"long", 70)


# Context

IDENTITY = {"user_identifier": "them", "accounting_token": b"\x07" * 32, "appl_identity_data": "theirs"}
ORIGIN = {"put_appl_type": 6, "put_appl_name": "elsewhere", "put_date": "20030615", "put_time": "12000000",
          "appl_origin_data": "far"}  # fmt: skip
SAVES = MQOO.INPUT_SHARED | MQOO.SAVE_ALL_CONTEXT


@pytest.mark.spec("mqi.md 5.4", "mqi.md 21.17")
@pytest.mark.parametrize(
    ("options", "needs", "identity", "origin"),
    [
        (MQPMO.NONE, MQOO.OUTPUT, "own", "own"),
        (MQPMO.DEFAULT_CONTEXT, MQOO.OUTPUT, "own", "own"),
        (MQPMO.NO_CONTEXT, MQOO.OUTPUT, "none", "none"),
        (MQPMO.PASS_IDENTITY_CONTEXT, MQOO.OUTPUT | MQOO.PASS_IDENTITY_CONTEXT, "theirs", "own"),
        (MQPMO.PASS_IDENTITY_CONTEXT, MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT, "theirs", "own"),
        (MQPMO.PASS_ALL_CONTEXT, MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT, "theirs", "theirs"),
        (MQPMO.SET_IDENTITY_CONTEXT, MQOO.OUTPUT | MQOO.SET_IDENTITY_CONTEXT, "theirs", "own"),
        (MQPMO.SET_ALL_CONTEXT, MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT, "theirs", "theirs"),
    ],
)
def test_the_context_of_a_message(client: Client, options: MQPMO, needs: MQOO, identity: str, origin: str) -> None:
    allow_contexts(client.host)
    client.host.local("FROM")
    theirs = opened(client, int(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT), "FROM")
    client.does(client.calls.put(theirs, b"first", int(MQPMO.SET_ALL_CONTEXT), **IDENTITY, **ORIGIN))
    source = opened(client, int(SAVES), "FROM")
    assert data(client, source) == b"first"
    handle = opened(client, int(needs))
    client.does(client.calls.put(handle, b"mine", int(options), context=source, **IDENTITY, **ORIGIN))
    (message,) = [client.does(client.calls.get(opened(client)))]
    found = {name: getattr(message.md, name).strip(b" \0") for name in ("user_identifier", "appl_identity_data")}
    told = {"own": (b"app", b""), "none": (b"", b""), "theirs": (b"them", b"theirs")}
    assert tuple(found.values()) == told[identity]
    name, kind = message.md.put_appl_name.strip(b" \0"), message.md.put_appl_type
    assert (name, kind) == {"own": (b"wire program", 28), "none": (b"", 0), "theirs": (b"elsewhere", 6)}[origin]
    assert (message.md.put_date == b"20030615") is (origin == "theirs")


@pytest.mark.spec("mqi.md 5.4", "mqi.md 21.17")
@pytest.mark.parametrize(
    ("options", "opened_for", "saves", "reason"),
    [
        (MQPMO.PASS_ALL_CONTEXT, MQOO.OUTPUT, True, MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQPMO.PASS_ALL_CONTEXT, MQOO.OUTPUT | MQOO.PASS_IDENTITY_CONTEXT, True, MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQPMO.PASS_IDENTITY_CONTEXT, MQOO.OUTPUT, True, MQRC.NOT_OPEN_FOR_PASS_IDENT),
        (MQPMO.SET_ALL_CONTEXT, MQOO.OUTPUT | MQOO.SET_IDENTITY_CONTEXT, True, MQRC.NOT_OPEN_FOR_SET_ALL),
        (MQPMO.SET_IDENTITY_CONTEXT, MQOO.OUTPUT, True, MQRC.NOT_OPEN_FOR_SET_IDENT),
        (MQPMO.PASS_ALL_CONTEXT, MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT, False, MQRC.CONTEXT_HANDLE_ERROR),
        (MQPMO.PASS_ALL_CONTEXT, MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT, True, MQRC.CONTEXT_NOT_AVAILABLE),
    ],
)
def test_contexts_that_are_refused(client: Client, options: MQPMO, opened_for: MQOO, saves: bool, reason: int) -> None:
    """No message was got on the source, so that it has no context."""
    allow_contexts(client.host)
    source = opened(client, int(SAVES if saves else MQOO.INPUT_SHARED))
    handle = opened(client, int(opened_for))
    with pytest.raises(MQError) as caught:
        client.does(client.calls.put(handle, b"mine", int(options), context=source))
    assert caught.value.reason == reason
    assert client.host.depth("Q") == 0


# Selection

RED = "colour = 'red'"


@pytest.mark.spec("mqi.md 10.3", "mqi.md 18.2", "mqi.md 21.19", "client-observed.md O-097")
@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("Root.MQMD.Priority > 3", [b"5", b"7"]),
        ("JMSPriority BETWEEN 3 AND 5", [b"3", b"5"]),
        ("JMSType IN ('order', 'bill') OR JMSPriority < 4", [b"3"]),
        ("Root.MQMD.Priority = '3'", []),
        ("colour IS NULL AND NOT Root.MQMD.Priority = 7", [b"3", b"5"]),
        ("colour = 'red' OR Root.MQMD.Priority = 7", [b"7"]),
        ("NOT colour = 'red'", []),
    ],
)
def test_selectors_of_handles(client: Client, selector: str, found: list[bytes]) -> None:
    client.host.alter(Kind.QLOCAL, "Q", MSGDLVSQ="FIFO")
    for priority in (3, 5, 7):
        client.host.put("Q", b"%d" % priority, priority=priority)
    strings = {"selection_string": selector.encode()}
    handle = client.does(client.calls.open("Q", BOTH, version=4, strings=strings))
    assert [data(client, handle, NEXT) for _ in range(len(found) + 1)] == [*found, None]
    assert [data(client, handle) for _ in range(len(found) + 1)] == [*found, None]
    assert client.host.depth("Q") == 3 - len(found)


def select_reason(client: Client, strings: dict[str, bytes], options: int = BOTH) -> int:
    return client.reason(client.calls.open("Q", int(options), version=4, strings=strings))


@pytest.mark.spec("mqi.md 18.2", "mqi.md 21.19")
def test_selectors_that_are_refused(client: Client) -> None:
    for wrong in ("colour =", "colour = = 'red'", "1colour = 'red'", "(colour = 'red'", 'colour = "red"'):
        assert select_reason(client, {"selection_string": wrong.encode()}) == MQRC.SELECTION_NOT_AVAILABLE, wrong
    reason = select_reason(client, {"selection_string": RED.encode()}, int(MQOO.OUTPUT))
    assert reason == MQRC.SELECTOR_INVALID_FOR_TYPE


def allow_contexts(host: WireHost) -> None:
    """Lets the user of the channel set and pass every context."""
    rights = "PASSALL, PASSID, SETALL, SETID"
    host.types(f"SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD({rights})")
    host.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(SETALL, SETID)")
