"""A get of a persistent message outside syncpoint is answered when the removal of the message is on disk."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mqbridge.bridge.store.interface import Operation, RemoveMessage, StoreError, StoreFull
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC, SegmentType
from support.wire.host import Client, WireHost

pytestmark = pytest.mark.spec("mqi.md 9", "mqi.md 16.1")

OUTSIDE, SYNCPOINT = int(MQGMO.NO_SYNCPOINT), int(MQGMO.SYNCPOINT)
EITHER = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
BOTH = pytest.mark.parametrize("shared", [0, 10])


def reader(shared: int, persistence: int = 1) -> tuple[WireHost, Client, int]:
    """A client that has opened a queue with one message."""
    host = WireHost(shared)
    host.local("Q")
    host.put("Q", b"data", persistence=persistence)
    client = Client(host)
    return host, client, client.does(client.calls.open("Q", int(MQOO.INPUT_SHARED)))


def watched(host: WireHost, client: Client) -> list[int]:
    """For each removal that the store is given: how many segments the client has been sent by then."""
    commit, seen = host.store.commit, []

    def watch(units: Sequence[Sequence[Operation]]) -> list[StoreError | None]:
        seen.extend(len(client.line.came) for unit in units for each in unit if isinstance(each, RemoveMessage))
        return commit(units)

    host.store.commit = watch  # type: ignore[method-assign]
    return seen


@BOTH
def test_a_persistent_message_goes_out_when_its_removal_is_on_disk(shared: int) -> None:
    host, client, handle = reader(shared)
    removals = watched(host, client)
    assert client.does(client.calls.get(handle, OUTSIDE)).data == b"data"
    assert removals == [0]
    assert host.contents("Q") == []


@BOTH
@pytest.mark.parametrize(("options", "persistence"), [(OUTSIDE, 0), (EITHER, 0), (EITHER, 1), (SYNCPOINT, 1)])
def test_other_gets_wait_for_nothing(shared: int, options: int, persistence: int) -> None:
    host, client, handle = reader(shared, persistence)
    removals = watched(host, client)
    host.store.failure = StoreFull("no room")
    assert client.does(client.calls.get(handle, options)).data == b"data"
    assert removals == []


@BOTH
def test_a_message_that_the_store_keeps_is_not_got(shared: int) -> None:
    host, client, handle = reader(shared)
    host.store.failure = StoreFull("no room")
    assert client.reason(client.calls.get(handle, OUTSIDE)) == MQRC.Q_SPACE_NOT_AVAILABLE
    assert host.contents("Q") == [b"data"]
    host.store.failure = None
    taken = client.does(client.calls.get(handle, OUTSIDE))
    assert taken.data == b"data"
    assert taken.md.backout_count == 0


@BOTH
def test_a_client_that_is_gone_before_the_answer_has_taken_the_message(shared: int) -> None:
    host, client, handle = reader(shared)
    host.hold = True
    client.line.start(client.calls.get(handle, OUTSIDE))
    client.line.hang_up()
    host.hold = False
    host.pump()
    assert host.contents("Q") == []


def test_a_client_that_asks_again_before_the_answer_gets_one_message() -> None:
    host, client, handle = reader(10)
    host.put("Q", b"next", persistence=1)
    host.hold = True
    for _ in range(2):
        client.line.say(next(client.calls.get(handle, OUTSIDE)))
    host.hold = False
    host.pump()
    kinds = [segment.type for segment in client.line.came]
    assert kinds == [SegmentType.NOTIFICATION, SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION]
    assert host.contents("Q") == [b"next"]


def test_nothing_is_sent_for_a_handle_that_was_closed_before_the_answer() -> None:
    host, client, handle = reader(10)
    host.hold = True
    client.line.say(next(client.calls.get(handle, OUTSIDE)))
    client.line.say(next(client.calls.close(handle)))
    host.hold = False
    host.pump()
    assert SegmentType.ASYNC_MESSAGE not in [segment.type for segment in client.line.came]
    client.line.came.clear()
    assert client.does(client.calls.open("Q", int(MQOO.INPUT_SHARED))) > 0
