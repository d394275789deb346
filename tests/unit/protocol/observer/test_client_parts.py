"""The parts of the observer of client connections, each by itself."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import MQGMO, MQRC, ByteOrder, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.mqi.states import ConversationState, ConversationTrigger, DeliveryState
from mqbridge.protocol.observer import Ending, MessageOutcome, MessageRoute, ObservedMessage, Overview, Place
from mqbridge.protocol.observer.client import ClientObserver
from mqbridge.protocol.observer.client.messages import DeliveredMessage
from mqbridge.protocol.observer.client.tracking import (
    MAX_WAITING,
    ConversationTrack,
    ObservedHandle,
    ObservedStream,
    Waiting,
)
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import REQMSG, SOCKET
from support.clients.playbook import initial_data
from support.rules.client_watch import ClientWatch

HERE, LATER = Place(100.0, 7, 0), Place(900.0, 8, 50)
CLIENT, SERVER = Direction.INITIATOR, Direction.RESPONDER
WATCH = ClientWatch()


@pytest.fixture
def parts() -> ClientObserver:
    made = ClientObserver(Overview(whole=True))
    made.log.place = HERE
    return made


def told(parts: ClientObserver) -> list[str]:
    return [type(one).__name__ for one in parts.log.take()]


def fates(parts: ClientObserver) -> list[MessageOutcome]:
    return [one.fate for one in parts.log.take() if hasattr(one, "fate")]


def segment(data: bytes) -> Segment:
    (one,) = SegmentReader(1 << 24).feed(data)
    return one


def message() -> ObservedMessage:
    return ObservedMessage(MessageRoute.PUT, CLIENT, b"", ByteOrder.BIG, 819, b"abc", 3, True, HERE, HERE)


def call(kind: int = SegmentType.MQPUT, **values: Any) -> Waiting:
    made = Waiting(kind, str(SegmentType(kind)), 0, 2, HERE, 100, 0)
    for key, value in values.items():
        setattr(made, key, value)
    return made


def track(parts: ClientObserver, number: int = 1) -> ConversationTrack:
    made = parts.conversations.tracks[number] = ConversationTrack(number, unsure=False)
    return made


def test_a_log_hands_each_observation_out_once(parts: ClientObserver) -> None:
    parts.conversations.out_of_state(1, "MQPUT", "Started", ())
    assert told(parts) == ["ClientSegmentOutOfState"]
    assert told(parts) == []


@pytest.mark.parametrize(("conversations", "fap", "shared"), [(10, 13, True), (0, 13, False), (10, 8, False)])
def test_negotiation(parts: ClientObserver, conversations: int, fap: int, shared: bool) -> None:
    negotiation, values = parts.negotiation, {"conv_per_socket": conversations, "fap_level": fap}
    assert not negotiation.receive(segment(initial_data(WATCH.writer, **values)))
    assert (negotiation.agreed, negotiation.heartbeat_interval, negotiation.passwords_protected) == (None, 0, None)
    parts.log.direction = SERVER
    disagreeing = bytearray(initial_data(WATCH.writer, **values))
    disagreeing[10] |= 0x02
    assert not negotiation.receive(segment(bytes(disagreeing)))
    assert negotiation.state is State.NEGOTIATING
    agreeing = bytes([*disagreeing[:10], 0, *disagreeing[11:]])
    assert negotiation.receive(segment(agreeing))
    assert (negotiation.shared, negotiation.state, negotiation.heartbeat_interval > 0) == (shared, State.RUNNING, True)
    assert told(parts) == ["ClientProposed"] * 3 + ["ClientAgreed"]


def test_conversations(parts: ClientObserver) -> None:
    conversations = parts.conversations
    found = conversations.find(segment(WATCH.segment(SegmentType.MQCMIT)))
    assert found is not None
    assert (found.id, told(parts)) == (1, ["ConversationStartSeen"])
    conversations.step(found, ConversationTrigger.CALL, "MQCMIT")
    assert (found.state, told(parts)) == (ConversationState.CONNECTED, ["ClientSegmentOutOfState"])
    assert conversations.remove(1) is found
    parts.log.direction = SERVER
    assert conversations.find(segment(WATCH.segment(SegmentType.MQCMIT))) is None, "late replies belong to nothing"


def test_who_is_connected_decides_whether_a_refusal_ends_anything(parts: ClientObserver) -> None:
    parts.conversations.refuse(2035)
    assert (parts.overview.outcome, parts.overview.reason) == ("refused", 2035)
    parts.conversations.accept()
    parts.conversations.refuse(2035)
    assert (parts.overview.outcome, parts.overview.reason) == ("open", 0)


def test_message_outcomes(parts: ClientObserver) -> None:
    outcomes, one = parts.outcomes, track(parts)
    outcomes.answer_put(one, call(message=message()), 0, 0)
    outcomes.answer_put(one, call(message=message()), 2, int(MQRC.Q_FULL))
    assert fates(parts) == [MessageOutcome.CONFIRMED, MessageOutcome.REFUSED]
    outcomes.answer_put(one, call(message=message(), in_unit=True), 0, 0)
    assert (len(one.unit.messages), len(outcomes.unsettled)) == (1, 1)
    outcomes.answer_unit(one, call(SegmentType.MQCMIT), 0, 0)
    assert (fates(parts), outcomes.unsettled) == ([MessageOutcome.CONFIRMED], set())
    assert (outcomes.messages, outcomes.units, outcomes.single) == (3, 1, 1)


def test_branches_are_settled_by_their_own_calls(parts: ClientObserver) -> None:
    outcomes, one, key = parts.outcomes, track(parts), (1, b"g", b"b")
    outcomes.answer_branch(one, call(SegmentType.XA_START, key=key), 0)
    outcomes.answer_put(one, call(message=message(), in_unit=True), 0, 0)
    outcomes.answer_branch(one, call(SegmentType.XA_END, key=key), 0)
    assert one.branch is None
    outcomes.answer_branch(one, call(SegmentType.XA_ROLLBACK, key=key), 0)
    assert (fates(parts), outcomes.branches) == ([MessageOutcome.BACKED_OUT], {})


def test_of_too_many_open_calls_the_oldest_is_given_up(parts: ClientObserver) -> None:
    one = track(parts)
    for number in range(MAX_WAITING + 1):
        parts.open_calls.add(one, call(request=number))
    assert (one.waiting[0].request, len(one.waiting), told(parts)) == (1, MAX_WAITING, ["CallUnanswered"])


def test_the_end_of_a_conversation_tells_what_waited(parts: ClientObserver) -> None:
    one = track(parts)
    one.state = ConversationState.CONNECTED
    parts.open_calls.add(one, call(SegmentType.MQGET, wait=-1))
    parts.open_calls.end_conversation(one, Ending.RESET)
    assert told(parts) == ["GetOutlived", "CallUnanswered", "ConversationEndSeen"]


def test_sign_on(parts: ClientObserver) -> None:
    watch = ClientWatch().negotiated().user("bob", "secret").credentials("bob", "secret", answer=None)
    sign_on, one = watch.part.sign_on, watch.part.conversations.tracks[1]
    assert (sign_on.password_given, watch.overview.user, len(one.waiting)) == (True, "bob", 1)
    watch.part.log.direction = SERVER
    sign_on.status(segment(WATCH.segment(SegmentType.STATUS_DATA, flags=0x42)))
    assert (watch.overview.outcome, len(one.waiting), told(watch.part)) == ("refused", 0, ["CredentialsAnswered"])
    parts.sign_on.status(segment(WATCH.segment(SegmentType.STATUS_DATA, flags=0x08)))
    assert parts.conversations.closing


def test_socket_actions(parts: ClientObserver) -> None:
    def action(kind: int) -> Segment:
        body = SOCKET.codec(ByteOrder.LITTLE)(conversation_id=5, type=kind).build()
        return segment(WATCH.writer.build_common(SegmentType.SOCKET_ACTION, body, flags1=0x30))

    parts.socket_actions.receive(action(1))
    assert parts.socket_actions.asked == {5: HERE}
    parts.log.direction = SERVER
    parts.socket_actions.receive(action(8))
    assert (list(parts.conversations.tracks), told(parts)) == ([5], ["ConversationStartSeen"])
    parts.log.direction = CLIENT
    parts.socket_actions.receive(action(2))
    assert (list(parts.conversations.tracks), told(parts)) == ([], ["ConversationEndSeen"])


def test_heartbeats(parts: ClientObserver) -> None:
    asks, answers = (segment(WATCH.writer.build(SegmentType.HEARTBEAT, flags1=flags)) for flags in (0x31, 0x30))
    parts.heartbeats.agree(300)
    assert (parts.heartbeats.last, parts.heartbeats.patience) == (100.0, 600)
    parts.heartbeats.receive(asks)
    parts.log.direction = SERVER
    parts.heartbeats.receive(answers)
    parts.heartbeats.receive(asks)
    parts.log.place = LATER
    parts.heartbeats.end(Ending.CLOSED)
    assert (parts.heartbeats.count, told(parts)) == (3, ["ClientHeartbeatAnswered", "ClientHeartbeatUnanswered"])


def test_silence_is_told_where_a_heartbeat_was_due(parts: ClientObserver) -> None:
    parts.heartbeats.silent(900.0)
    assert told(parts) == [], "nobody is connected"
    parts.negotiation.state, parts.negotiation.shared = State.RUNNING, True
    parts.conversations.accept()
    parts.heartbeats.silent(900.0)
    assert told(parts) == ["SilenceSeen"]


@pytest.mark.parametrize(
    ("options", "fate"),
    [(MQGMO.BROWSE_NEXT, MessageOutcome.CONFIRMED), (0, MessageOutcome.CONFIRMED), (MQGMO.SYNCPOINT, None)],
)
def test_received_messages(parts: ClientObserver, options: int, fate: MessageOutcome | None) -> None:
    got = DeliveredMessage(b"", ByteOrder.BIG, 819, (b"abc", b""), 3, 3, HERE, 0)
    assert parts.received.receive(track(parts), 2, ("Q1", ""), int(options), got) is None
    assert fates(parts) == ([] if fate is None else [fate])


def test_gets_that_find_nothing_are_counted_by_queue(parts: ClientObserver) -> None:
    for queue, reason, wait in (("A", MQRC.NO_MSG_AVAILABLE, 0), ("B", 0, 0), ("A", MQRC.NO_MSG_AVAILABLE, 500)):
        parts.received.count(queue, int(reason), wait)
    assert (parts.received.gets, parts.received.empty, parts.received.polled) == (3, {"A": 1}, "A")


def test_message_streams(parts: ClientObserver) -> None:
    one = track(parts)
    one.open(2, ObservedHandle("Q1", "", HERE))
    body = REQMSG.codec(ByteOrder.LITTLE)(object_handle=2, request_flags=0x10, requested_bytes=1).build()
    parts.streams.request(segment(WATCH.segment(SegmentType.REQUEST_MSGS, body)))
    assert one.streams[2].state is DeliveryState.STREAMING
    for index in (1, 2):
        one.streams[2].pending.append((index, index, message()))
    parts.streams.close(one, 2, 1)
    assert (fates(parts), one.streams) == ([MessageOutcome.CONFIRMED, MessageOutcome.BACKED_OUT], {})


def test_a_request_waits_and_its_reply_takes_it(parts: ClientObserver) -> None:
    one, body = track(parts), memoryview(WATCH.api(length=500) + bytes(120))
    one.state = ConversationState.CONNECTED
    kind = int(SegmentType.MQCMIT)
    parts.requests.take(one, None, kind, body, 9, ByteOrder.LITTLE, 819, HERE, 164)
    assert [(waits.name, waits.request, waits.room) for waits in one.waiting] == [("MQCMIT", 9, 500)]
    parts.replies.take(one, None, kind + 0x10, body, 8, ByteOrder.LITTLE, 819, LATER, 164)
    assert (told(parts), len(one.waiting)) == (["ReplyUnexpected"], 1)
    parts.replies.take(one, None, kind + 0x10, body, 9, ByteOrder.LITTLE, 819, LATER, 164)
    assert (told(parts), len(one.waiting), parts.conversations.calls) == (["CallAnswered"], 0, 1)


def test_calls_are_put_together_from_their_segments(parts: ClientObserver) -> None:
    one = track(parts)
    one.state = ConversationState.CONNECTED
    kind = SegmentType.MQCMIT
    parts.calls.receive(segment(WATCH.segment(kind, WATCH.api(), flags=0x10)), kind)
    parts.calls.receive(segment(WATCH.segment(kind, bytes(50), flags=0x00)), kind)
    assert (one.partials[True].length, list(one.waiting)) == (66, [])
    parts.calls.receive(segment(WATCH.segment(kind, bytes(50), flags=0x20)), kind)
    assert (one.partials, [waits.name for waits in one.waiting]) == ({}, ["MQCMIT"])
    assert (parts.calls.split, parts.calls.split_segments) == (1, 3)
    parts.calls.receive(segment(WATCH.segment(kind, bytes(50), flags=0x20)), kind)
    assert told(parts) == ["CallCut"]


def test_lost_bytes_settle_everything_as_unknown(parts: ClientObserver) -> None:
    one = track(parts)
    one.streams[2] = ObservedStream()
    one.waiting.append(call(message=message()))
    parts.lose(CLIENT, 100, LATER)
    assert (parts.overview.uncertain, one.unsure, len(one.waiting), one.streams) == (True, True, 0, {})
    assert fates(parts) == [MessageOutcome.UNKNOWN]
