"""Our client's machine and our server's machine talk: every call, gets of all kinds, heartbeats, ends, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.channel.events import Closed
from mqbridge.protocol.constants import (
    MQCO,
    MQGMO,
    MQMO,
    MQMODE,
    MQOO,
    MQPMO,
    MQRC,
    MQSO,
    ByteOrder,
    NotificationCode,
    StatusCode,
)
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.mqi import Connect, CredentialsGiven, MessagesWanted, Passwords, UserIdentified
from mqbridge.protocol.mqi_client import (
    Connected,
    GetParameters,
    MessageTooLong,
    ObjectName,
    QueueManagerQuiescing,
    Refused,
    SubscriptionName,
    inquired,
    opened,
    publications,
    put_descriptor,
    reason_for,
    subscribed,
)
from mqbridge.protocol.structures.md import MD
from support.clients.pair import CONNECTION_ID, client_pair, connected_pair
from support.transcripts.recorded_calls import dissected

SHAPES = [
    {},
    {"server": {"shared_conversations": 0}},
    {"server": {"order": ByteOrder.BIG}},
    {"server": {"ccsid": 500}},
    {"server": {"fap_level": 9}},
    {"server": {"fap_level": 12, "ccsid": 1208}},
    {"server": {"transmission_size": 1100}},
    {"fap_level": 4},
    {"server": {"fap_level": 8}},
    {"server": {"heartbeat_interval": 0, "max_message_length": 70_000}},
]


def descriptor(pair: Any, **values: Any) -> bytes:
    return MD.codec(pair.client.link.wire.writer.order)(version=2, **values).build()


@pytest.mark.spec("client-observed.md O-002")
@pytest.mark.spec("client-observed.md O-006")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_call_goes_there_and_back(shape: dict[str, Any]) -> None:
    pair = connected_pair(**shape)
    client, now = pair.client, pair.now
    (told,) = [event for event in pair.client_events if isinstance(event, Connected)]
    assert told.queue_manager == "QM1"
    assert told.agreed == pair.server.agreed  # type: ignore[union-attr]
    if told.agreed.fap_level >= 8:
        assert told.connection_id == CONNECTION_ID
    call = pair.done(client.calls.open(ObjectName(name="DEV.QUEUE.1"), int(MQOO.OUTPUT), now))
    assert opened(call).handle == 2
    assert opened(call).persistence == (0 if told.agreed.fap_level >= 9 else -1)
    for data in (b"", b"hello", bytes(range(256)) * 250):
        put = pair.done(client.calls.put(2, descriptor(pair), data, int(MQPMO.NO_SYNCPOINT), now))
        assert put_descriptor(put)[48:72] == len(pair.queue).to_bytes(24, "big")
        got = pair.done(client.calls.get(2, GetParameters(options=int(MQGMO.NO_SYNCPOINT)), now))
        assert not got.failed
        assert got.message is not None
        assert got.message.data == data
    one = pair.done(client.calls.put1(ObjectName(name="Q"), descriptor(pair), b"1", 0, now))
    assert put_descriptor(one)[48:72] == (1).to_bytes(24, "big")
    assert inquired(pair.done(client.calls.inquire(2, [3, 15, 2016], 48, now))) == ((7, 7), b"TEXT".ljust(48))
    for plain in (client.calls.set(2, [9], [1], b"", now),):
        assert pair.done(plain).reason == 0
    assert pair.done(client.calls.commit(now)).reason == 0
    assert pair.done(client.calls.backout(now)).reason == 0
    name = SubscriptionName(options=int(MQSO.CREATE | MQSO.MANAGED), topic="a/b", selector="x = 1")
    assert subscribed(pair.done(client.calls.subscribe(name, 0, now)))[:2] == (4, 6)
    assert publications(pair.done(client.calls.request_publications(6, 1, now))) == 3
    assert pair.done(client.calls.close_object(2, int(MQCO.NONE), now)).reason == 0
    assert pair.done(client.calls.disconnect(now)).reason == 0
    assert client.link.closed
    assert client.ended is None
    assert isinstance(pair.client_events[-1], Closed)
    pair.pump()
    assert pair.server.link.closed  # type: ignore[union-attr]
    assert pair.server_events[-1].normal


@pytest.mark.spec("client-observed.md O-081")
@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_no_message_is_2033(shape: dict[str, Any]) -> None:
    pair = connected_pair(**shape)
    pair.done(pair.client.calls.open(ObjectName(name="Q"), 1, pair.now))
    call = pair.done(pair.client.calls.get(2, GetParameters(), pair.now))
    assert (call.comp_code, call.reason, call.message) == (2, 2033, None)


@pytest.mark.spec("client-observed.md O-082")
def test_a_wait_ends_with_a_check() -> None:
    pair = waiting(wait=5)
    call = pair.client.call
    pair.after(4.9)
    assert not call.done
    pair.after(0.2)
    assert (call.done, call.reason) == (True, 2033)
    assert len([event for event in pair.server_events if isinstance(event, MessagesWanted)]) == 2


def test_a_message_ends_a_wait() -> None:
    pair = waiting(wait=None)
    call = pair.client.call
    pair.after(100_000)
    assert not call.done
    pair.queue.append((descriptor(pair), b"late"))
    pair.deliver()
    pair.pump()
    assert call.message.data == b"late"
    assert pair.client.link.next_timeout() is not None  # heartbeats go on


@pytest.mark.spec("client-observed.md O-082")
def test_a_message_on_its_way_when_the_time_is_up_is_not_lost() -> None:
    pair = waiting(wait=5)
    call = pair.client.call
    pair.queue.append((descriptor(pair), b"just in time"))
    pair.deliver()  # sent, not yet heard
    pair.client_events += pair.client.link.timeout(pair.now + 6)
    assert not call.done
    pair.pump()
    assert call.message.data == b"just in time"
    assert pair.queue == []


def waiting(*, wait: float | None, **shape: Any) -> Any:
    pair = connected_pair(**shape)
    pair.done(pair.client.calls.open(ObjectName(name="Q"), 1, pair.now))
    pair.client.calls.get(2, GetParameters(options=int(MQGMO.WAIT | MQGMO.FAIL_IF_QUIESCING), wait=wait), pair.now)
    pair.pump()
    return pair


@pytest.mark.spec("client-observed.md O-088")
def test_a_cut_message_comes_with_2080_and_stays() -> None:
    pair = connected_pair()
    pair.queue.append((descriptor(pair), b"0123456789"))
    pair.done(pair.client.calls.open(ObjectName(name="Q"), 1, pair.now))
    call = pair.done(pair.client.calls.get(2, GetParameters(max_length=4), pair.now))
    assert (call.comp_code, call.reason) == (1, 2080)
    assert call.message is not None
    assert (call.message.data, call.message.length, len(pair.queue)) == (b"0123", 10, 1)
    assert pair.done(pair.client.calls.get(2, GetParameters(), pair.now)).message.data == b"0123456789"  # type: ignore[union-attr]


@pytest.mark.spec("client-observed.md O-104")
def test_what_was_not_taken_goes_back_when_the_object_is_closed() -> None:
    pair = waiting(wait=5)
    pair.queue.append((descriptor(pair), b"crossing"))
    pair.deliver()
    pair.client.link.timeout(pair.now + 6)
    pair.pump()
    assert pair.queue == []
    call = pair.done(pair.client.calls.close_object(2, 0, pair.now))
    assert call.reason == 0
    assert pair.queue == []  # it was given to the program
    pair = waiting(wait=5)
    pair.client.link.timeout(pair.now + 6)
    pair.pump()
    pair.queue.append((descriptor(pair), b"unasked"))
    pair.client.calls.get(2, GetParameters(options=int(MQGMO.WAIT), wait=5), pair.now)
    pair.client.calls.stop_waiting(pair.now)
    pair.pump()
    assert pair.queue == []


@pytest.mark.spec("client-observed.md O-091")
@pytest.mark.parametrize(
    ("code", "reason"), [(NotificationCode.GET_INHIBITED, 2016), (NotificationCode.QM_QUIESCING, 2161)]
)
def test_a_notification_ends_a_wait(code: NotificationCode, reason: int) -> None:
    pair = waiting(wait=None)
    call = pair.client.call
    pair.server.deliveries.notify(pair.delivery, code)
    pair.pump()
    assert (call.done, call.reason) == (True, reason)


@pytest.mark.spec("client-observed.md O-044")
@pytest.mark.parametrize(
    ("status", "reason"), [(StatusCode.USER_CLOSED, 2202), (StatusCode.QM_TERMINATING, 2161)], ids=str
)
def test_the_end_is_announced(status: StatusCode, reason: int) -> None:
    pair = waiting(wait=None)
    call = pair.client.call
    pair.server_events += pair.server.link.close(MQMODE.QUIESCE, pair.now, status)
    pair.pump()
    assert (call.done, call.reason) == (True, reason)
    assert QueueManagerQuiescing(reason) in pair.client_events
    assert pair.done(pair.client.calls.disconnect(pair.now)).reason == 0


@pytest.mark.spec("client-observed.md O-044", "mqi.md 5.5")
def test_a_put_without_reply_learns_at_once_that_the_end_was_announced() -> None:
    pair = connected_pair()
    options = int(MQPMO.ASYNC_RESPONSE | MQPMO.FAIL_IF_QUIESCING)
    pair.server_events += pair.server.link.close(MQMODE.QUIESCE, pair.now, StatusCode.USER_CLOSED)
    pair.pump()
    sent = pair.client.link.wire.counters.buffers_sent
    for call in (
        pair.client.calls.put(2, descriptor(pair), b"x", options, pair.now),
        pair.client.calls.put1(ObjectName(name="Q"), descriptor(pair), b"x", options, pair.now),
    ):
        assert (call.done, call.comp_code, call.reason) == (True, 2, 2202)
    assert pair.client.link.wire.counters.buffers_sent == sent
    assert pair.client.calls.put(2, descriptor(pair), b"x", int(MQPMO.ASYNC_RESPONSE), pair.now).reason == 0
    pair.pump()
    assert pair.client.link.wire.counters.buffers_sent == sent + 1


@pytest.mark.parametrize("code", [*range(0x01, 0x21), 0xF0, 0xFF])
@pytest.mark.spec("client-observed.md O-031")
def test_a_refusal_has_its_reason(code: int) -> None:
    expected = {0x01: 2540, 0x16: 2537, 0x17: 2537, 0x18: 2397, 0x19: 2397, 0x1C: 2397, 0x20: 2543}
    expected |= dict.fromkeys((0x02, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x10, 0x12), 2539)
    assert reason_for(code, connected=False) == expected.get(code, 2059)
    assert reason_for(code, connected=True) == 2009


@pytest.mark.spec("client-observed.md O-032")
def test_a_refused_mqconn_ends_the_connection() -> None:
    pair = client_pair()
    pair.answers[Connect] = lambda call: pair.server.replies.refuse(call, MQRC.NOT_AUTHORIZED)  # type: ignore[union-attr]
    pair.pump()
    assert Refused(2035) in pair.client_events
    assert isinstance(pair.client_events[-1], Closed)
    assert pair.server_events[-1].normal  # type: ignore[union-attr]


@pytest.mark.spec("client-observed.md O-007")
@pytest.mark.spec("client-observed.md O-023")
def test_a_password_goes_at_level_12_and_only_there() -> None:
    pair = client_pair(server={"passwords": Passwords.CLEAR}, password="passw0rd", system_user="me")
    pair.pump()
    assert pair.client.connected
    assert pair.client.agreed.fap_level == 12  # type: ignore[union-attr]
    (given,) = [event for event in pair.server_events if isinstance(event, CredentialsGiven)]
    (user,) = [event for event in pair.server_events if isinstance(event, UserIdentified)]
    assert (given.user, bytes(given.password), user.user, user.password) == ("app", b"passw0rd", "me", "")
    assert "passw0rd" not in repr(pair.client.parameters)
    assert client_pair(password="x", secured=True).client.parameters.highest_level == 17
    assert client_pair().client.parameters.highest_level == 17


@pytest.mark.spec("client-observed.md O-120")
def test_silence_is_asked_about_and_ended() -> None:
    pair = connected_pair(heartbeat_interval=10, server={"heartbeat_interval": 10})
    pair.now += 11
    pair.client.link.timeout(pair.now)
    pair.client.link.wire.take()  # lost
    pair.now += 11
    pair.client_events += pair.client.link.timeout(pair.now)
    assert pair.client.link.closed
    assert pair.client.ended == 2009


@pytest.mark.spec("client-observed.md O-120")
@pytest.mark.spec("client-observed.md O-121")
@pytest.mark.parametrize("wait", [None, 1000.0])
@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_heartbeats_keep_a_connection(shape: dict[str, Any], wait: float | None) -> None:
    settings = {**shape, "server": {**shape.get("server", {}), "heartbeat_interval": 5}}
    pair = waiting(wait=wait, heartbeat_interval=5, **settings)
    if not pair.client.agreed.shared:
        return  # the small queue manager answers at once
    pair.after(500)
    assert not pair.client.link.closed
    assert not pair.server.link.closed


def test_no_reply_within_the_time_ends_the_connection() -> None:
    pair = connected_pair(reply_timeout=7, server={"heartbeat_interval": 0})
    call = pair.client.calls.commit(pair.now)
    pair.client.link.wire.take()
    pair.client_events += pair.client.link.timeout(pair.now + 6)
    assert not pair.client.link.closed
    pair.client_events += pair.client.link.timeout(pair.now + 7)
    assert (call.done, call.reason, pair.client.ended) == (True, 2009, 2009)
    assert pair.client_events[-2] is call
    assert isinstance(pair.client_events[-1], Closed)


def test_the_time_to_connect_holds_until_mqconn_is_answered() -> None:
    pair = client_pair(handshake_timeout=3, reply_timeout=60)
    pair.answers[Connect] = lambda call: None
    pair.pump()
    assert Connect in map(type, pair.server_events)
    pair.client_events += pair.client.link.timeout(pair.now + 2.9)
    assert not pair.client.link.closed
    pair.client_events += pair.client.link.timeout(pair.now + 3)
    assert pair.client.link.closed


def test_one_call_at_a_time_and_none_without_connection() -> None:
    pair = client_pair()
    with pytest.raises(LocalProtocolError, match="not connected"):
        pair.client.calls.commit(pair.now)
    pair.pump()
    pair.client.calls.commit(pair.now)
    with pytest.raises(LocalProtocolError, match="another call"):
        pair.client.calls.backout(pair.now)
    with pytest.raises(LocalProtocolError, match="another call"):
        pair.client.calls.get(2, GetParameters(), pair.now)
    pair.pump()
    with pytest.raises(MessageTooLong) as error:
        pair.client.calls.put(2, descriptor(pair), bytes(4_194_305), 0, pair.now)
    assert error.value.reason == 2010
    assert pair.done(pair.client.calls.commit(pair.now)).reason == 0


@pytest.mark.spec("client-observed.md O-084")
def test_the_selection_goes_along_when_it_changes() -> None:
    pair = connected_pair()
    pair.done(pair.client.calls.open(ObjectName(name="Q"), 1, pair.now))
    lengths = []
    for msg_id in (b"a", b"a", b"b"):
        wanted = GetParameters(match_options=int(MQMO.MATCH_MSG_ID), msg_id=msg_id.ljust(24, b"\0"))
        pair.client.calls.get(2, wanted, pair.now)
        data = b"".join(pair.client.link.wire.take())
        (request,) = [each for each in dissected(data) if each["structure"] == "REQMSG"]
        lengths.append((request["length"], request["fields"].get("SelectionIndex")))
        pair.server_events += pair.server.link.receive_data(data, pair.now)  # type: ignore[union-attr]
        pair.server.deliveries.no_message(pair.server.deliveries.find(1, 2))  # type: ignore[union-attr, arg-type]
        pair.pump()
    assert lengths == [(88, 1), (40, None), (88, 2)]
