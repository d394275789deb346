"""Groups and segments by the bytes of clients: the tables of puts and gets, inconsistent calls, whole messages."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC
from support.queue_manager.group_messages import GROUP, LAST, SEGMENT, gid, item, items
from support.queue_manager.group_tables import IN_LOGICAL_ORDER, IN_PHYSICAL_ORDER, SEARCHED, THERE
from support.wire.host import Client, WireHost

BOTH = int(MQOO.BROWSE | MQOO.INPUT_SHARED)
LOGICAL, NEXT, WHOLE = int(MQGMO.LOGICAL_ORDER), int(MQGMO.BROWSE_NEXT), int(MQGMO.COMPLETE_MSG)
PUT_LOGICAL = int(MQPMO.LOGICAL_ORDER)
SYNC = int(MQGMO.SYNCPOINT)
NONE = bytes(24)
GIVEN: dict[str, Any] = {"group_id": gid("given"), "msg_seq_number": 7, "offset": 9}


@pytest.fixture(params=[0, 10], ids=["alone", "sharing"])
def client(request: pytest.FixtureRequest) -> Client:
    host = WireHost(request.param)
    host.local("Q")
    return Client(host)


def data(client: Client, handle: int, options: int, **more: Any) -> str | None:
    taken = client.does(client.calls.take(handle, options, **more))
    return None if taken is None else taken.data.decode()


def place_of(md: Any) -> tuple[bytes, int, int]:
    return md.group_id, md.msg_seq_number, md.offset


@pytest.mark.spec("mqi.md 6.2", "mqi.md 21.4")
def test_where_messages_stand_that_are_put_in_logical_order(client: Client) -> None:
    for before, flags, (expected, number, offset) in IN_LOGICAL_ORDER:
        handle = client.does(client.calls.open("Q", int(MQOO.OUTPUT)))

        def put(each: int, handle: int = handle, **fields: Any) -> Any:
            call = client.calls.put(handle, b"four", PUT_LOGICAL, msg_flags=each, **fields)
            return client.does(call)[1]

        earlier = [put(each).group_id for each in before]
        md = put(flags, **GIVEN)
        kinds = {NONE: "none", earlier[-1] if earlier else b"": "previous"}
        found = kinds.get(md.group_id, "new"), md.msg_seq_number, md.offset
        assert found == (expected, number, offset), (before, flags)
        assert md.group_id != gid("given")


@pytest.mark.spec("mqi.md 6.2", "mqi.md 21.4")
def test_where_messages_stand_that_are_put_in_physical_order(client: Client) -> None:
    handle = client.does(client.calls.open("Q", int(MQOO.OUTPUT)))
    for flags, (expected, number, offset) in IN_PHYSICAL_ORDER:
        for group_id in (gid("given"), NONE):
            fields = {**GIVEN, "group_id": group_id}
            md = client.does(client.calls.put(handle, b"four", msg_flags=flags, **fields))[1]
            assert place_of(md)[1:] == (number, offset), flags
            if expected == "none":
                assert md.group_id == NONE
            else:
                assert (md.group_id == group_id) is (group_id != NONE)
                assert md.group_id != NONE


@pytest.mark.spec("mqi.md 6.3")
def test_puts_that_break_a_group_off(client: Client) -> None:
    handle = client.does(client.calls.open("Q", int(MQOO.OUTPUT)))

    def put(flags: int, options: int = PUT_LOGICAL, **fields: Any) -> int:
        return client.reason(client.calls.put(handle, b"four", options, msg_flags=flags, **fields))

    assert put(GROUP) == 0
    assert put(0) == MQRC.INCOMPLETE_GROUP
    assert put(GROUP, PUT_LOGICAL | int(MQPMO.SYNCPOINT)) == MQRC.INCONSISTENT_UOW
    assert put(GROUP, persistence=1) == MQRC.INCONSISTENT_PERSISTENCE
    assert put(GROUP | SEGMENT) == 0
    assert put(GROUP) == MQRC.INCOMPLETE_MSG
    assert client.does(client.calls.put(handle, b"four", 0))[0] == MQRC.INCOMPLETE_MSG
    assert put(GROUP | SEGMENT) == 0
    assert client.does(client.calls.close(handle)) == MQRC.INCOMPLETE_MSG


@pytest.mark.spec("mqi.md 12.3", "mqi.md 21.2")
@pytest.mark.parametrize("options", [LOGICAL, LOGICAL | NEXT])
def test_what_is_searched_in_logical_order(client: Client, options: int) -> None:
    host = client.host
    for number, (before, ids, expected) in enumerate(SEARCHED):
        queue = host.local(f"Q{number}")
        for each in THERE:
            item(host, each, queue=queue, correl_id=gid(each[0]))
        handle = client.does(client.calls.open(queue, BOTH))
        for each in before.split():
            first = {"match": 4, "group_id": gid(each[0])} if each.endswith("/0") else {}
            assert data(client, handle, options, **first) == each
        given = {**ids, "match": int(ids["match"])} if ids else {}
        assert data(client, handle, options, **given) == expected, (before, ids)


@pytest.mark.spec("mqi.md 12.4", "mqi.md 21.3")
def test_inconsistent_gets(client: Client) -> None:
    """The six cells: this call with, without logical order, a close; after a get with, or without it."""
    items(client.host, "a1 a2 a3. b1/0 b1/4; b2.")
    handle = client.does(client.calls.open("Q", BOTH))
    assert data(client, handle, LOGICAL) == "a1"
    assert client.reason(client.calls.get(handle, LOGICAL | SYNC)) == MQRC.INCONSISTENT_UOW
    assert client.does(client.calls.get(handle)).reason == MQRC.INCOMPLETE_GROUP
    assert client.reason(client.calls.get(handle, LOGICAL | SYNC)) == MQRC.INCONSISTENT_UOW
    assert client.does(client.calls.get(handle)).reason == 0
    assert data(client, handle, LOGICAL) == "b1/0"
    assert client.reason(client.calls.get(handle, LOGICAL | WHOLE)) == MQRC.INCOMPLETE_MSG
    assert client.does(client.calls.close(handle)) == MQRC.INCOMPLETE_MSG
    handle = client.does(client.calls.open("Q", BOTH))
    assert data(client, handle, 0) == "b1/4;"
    assert client.does(client.calls.close(handle)) == 0


@pytest.mark.spec("mqi.md 12.4 row 4", "mqi.md 12.5", "mqi.md 21.9")
def test_whole_messages_and_what_their_status_says(client: Client) -> None:
    items(client.host, "X A/0 a1 A/3; a2.")
    handle = client.does(client.calls.open("Q", BOTH))
    found = [client.does(client.calls.get(handle, NEXT | WHOLE)) for _ in range(4)]
    assert [each.data for each in found] == [b"X", b"A/0A/3;", b"a1", b"a2."]
    if not client.host.shared:  # only MQGET has a field for it
        assert [each.statuses for each in found] == ["  ", " L", "G ", "L "]
    assert [each.md.msg_flags & LAST for each in found] == [0, 0, 0, LAST]


@pytest.mark.spec("mqi.md 12.6", "mqi.md 21.10")
@pytest.mark.parametrize("logical", [0, LOGICAL])
def test_only_groups_that_are_all_there(client: Client, logical: int) -> None:
    items(client.host, "a1 b1 b3.")
    handle = client.does(client.calls.open("Q", BOTH))
    options = int(MQGMO.ALL_MSGS_AVAILABLE) | logical
    assert data(client, handle, options) is None
    items(client.host, "b2")
    assert data(client, handle, options) == "b1"
    assert data(client, handle, options) == ("b2" if logical else None)
