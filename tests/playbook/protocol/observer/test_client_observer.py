"""What the observer of a client connection makes of sessions that go well, go wrong, or are known in part only."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.mqi.states import ConversationState
from mqbridge.protocol.observer import ConnectionKind, Ending, MessageOutcome, MessageSeen, MessageSettled
from mqbridge.protocol.observer.client import (
    CallAnswered,
    CallUnanswered,
    ClientAgreed,
    ClientEnded,
    ConversationEndSeen,
    ConversationStartSeen,
    CredentialsSeen,
    ObjectClosed,
    ObjectOpened,
    ReplyUnexpected,
)
from mqbridge.protocol.structures import MD
from support.rules.client_watch import MSG_ID, ClientWatch

MQCMIT, MQBACK, MQINQ, MQPUT = SegmentType.MQCMIT, SegmentType.MQBACK, SegmentType.MQINQ, SegmentType.MQPUT
START, END, PREPARE, COMMIT, ROLLBACK = (
    SegmentType.XA_START, SegmentType.XA_END, SegmentType.XA_PREPARE, SegmentType.XA_COMMIT, SegmentType.XA_ROLLBACK,
)  # fmt: skip


def fates(watch: ClientWatch) -> list[MessageOutcome]:
    """Of the messages in the order in which they were seen."""
    found = {id(one.message): one.fate for one in watch.seen(MessageSettled)}
    return [found[id(one.message)] for one in watch.seen(MessageSeen)]


def opened(**values: Any) -> ClientWatch:
    return ClientWatch(**values).started().opens("Q1")


@pytest.mark.spec("mq-wire.md 8.1")
@pytest.mark.parametrize("shared", [0, 10])
@pytest.mark.parametrize("order", [ByteOrder.LITTLE, ByteOrder.BIG])
def test_a_whole_session(shared: int, order: ByteOrder) -> None:
    watch = opened(shared=shared, order=order).puts(b"abc").closes().leaves()
    assert watch.observer.kind is ConnectionKind.CLIENT_CONNECTION
    overview = watch.overview
    assert (overview.channel, overview.queue_manager, overview.user) == ("DEV.APP.SVRCONN", "QM1", "app")
    assert (overview.outcome, overview.reason, overview.uncertain) == ("ended", 0, False)
    assert watch.part.negotiation.shared is (shared > 0)
    (agreed,) = watch.seen(ClientAgreed)
    assert (agreed.agreed.fap_level, agreed.agreed.conversations) == (17, shared)
    assert [one.conversation for one in watch.seen(ConversationStartSeen)] == [watch.conversation]
    assert [one.name for one in watch.seen(CallAnswered)] == ["MQCONN", "MQOPEN", "MQPUT", "MQCLOSE", "MQDISC"]
    put = watch.seen(CallAnswered)[2]
    assert (put.handle, put.object_name, put.comp_code, put.reason) == (2, "Q1", 0, 0)
    assert put.answered.time > put.asked.time
    (message,) = [one.message for one in watch.seen(MessageSeen)]
    assert (message.data, message.queue, message.handle) == (b"abc", "Q1", 2)
    assert message.descriptor[48:72] == MSG_ID
    assert fates(watch) == [MessageOutcome.CONFIRMED]
    (closed,) = watch.seen(ObjectClosed)
    assert (closed.handle, closed.calls) == (2, 1)
    (ended,) = watch.seen(ClientEnded)
    assert (ended.orderly, ended.left, ended.calls, ended.connects, ended.opens) == (True, 0, 5, 1, 1)
    assert [one.orderly for one in watch.seen(ConversationEndSeen)] == [True]


@pytest.mark.spec("mqi.md 16")
@pytest.mark.parametrize(
    ("then", "fate"),
    [
        (lambda watch: watch.does(MQCMIT).leaves(), MessageOutcome.CONFIRMED),
        (lambda watch: watch.does(MQBACK).leaves(), MessageOutcome.BACKED_OUT),
        (lambda watch: watch.does(MQCMIT, reason=2003).leaves(), MessageOutcome.BACKED_OUT),
        (lambda watch: watch.does(MQCMIT, reason=2124).leaves(), MessageOutcome.IN_DOUBT),
        (lambda watch: watch.leaves(), MessageOutcome.CONFIRMED),
        (lambda watch: watch.end(), MessageOutcome.BACKED_OUT),
        (lambda watch: watch.end(Ending.RESET), MessageOutcome.BACKED_OUT),
        (lambda watch: watch.end(Ending.OPEN), MessageOutcome.UNKNOWN),
        (lambda watch: watch.asks(MQCMIT).end(), MessageOutcome.IN_DOUBT),
        (lambda watch: watch.loses(Direction.RESPONDER, 100), MessageOutcome.UNKNOWN),
    ],
)
def test_what_becomes_of_a_put_under_syncpoint(then: Any, fate: MessageOutcome) -> None:
    watch = opened().puts(options=2)
    then(watch)
    watch.end()
    assert fates(watch) == [fate]


@pytest.mark.parametrize("options", [2, 4])
def test_a_refused_put_is_settled_at_once(options: int) -> None:
    watch = opened().puts(options=options, reason=2053)
    assert fates(watch) == [MessageOutcome.REFUSED]
    assert watch.seen(MessageSettled)[0].reason == 2053


def test_a_put_that_nobody_answered() -> None:
    outside = opened()
    outside.asks(MQPUT, outside.put_body(b"x"), handle=2).end()
    inside = opened()
    inside.asks(MQPUT, inside.put_body(b"x", 2), handle=2).end()
    assert fates(outside) == [MessageOutcome.IN_DOUBT]
    assert fates(inside) == [MessageOutcome.BACKED_OUT]


@pytest.mark.spec("client-observed.md O-110")
@pytest.mark.parametrize(
    ("then", "fate"),
    [
        (lambda watch: watch.xa(PREPARE).xa(COMMIT), MessageOutcome.CONFIRMED),
        (lambda watch: watch.xa(COMMIT, 0x40000000), MessageOutcome.CONFIRMED),
        (lambda watch: watch.xa(PREPARE, result=3), MessageOutcome.CONFIRMED),
        (lambda watch: watch.xa(ROLLBACK), MessageOutcome.BACKED_OUT),
        (lambda watch: watch.xa(COMMIT, result=100), MessageOutcome.BACKED_OUT),
        (lambda watch: watch.xa(COMMIT, result=-4), MessageOutcome.UNKNOWN),
        (lambda watch: watch.xa(PREPARE), MessageOutcome.IN_DOUBT),
        (lambda watch: watch, MessageOutcome.BACKED_OUT),
        (lambda watch: watch.xa(COMMIT, name=b"other"), MessageOutcome.BACKED_OUT),
    ],
)
def test_what_becomes_of_a_message_in_a_branch(then: Any, fate: MessageOutcome) -> None:
    watch = opened().xa(START).puts(options=2).xa(END, 0x04000000)
    then(watch)
    watch.end()
    assert fates(watch) == [fate]


def test_a_commit_of_the_connection_leaves_branches_alone() -> None:
    watch = opened().xa(START).puts(options=2).xa(END, 0x04000000).puts(options=2).does(MQCMIT)
    assert [one.fate for one in watch.seen(MessageSettled)] == [MessageOutcome.CONFIRMED]
    watch.xa(ROLLBACK)
    assert fates(watch) == [MessageOutcome.BACKED_OUT, MessageOutcome.CONFIRMED]


@pytest.mark.spec("client-observed.md O-055")
def test_messages_that_stream_are_settled_when_the_client_says_to_have_them() -> None:
    watch = opened().requests().delivers(index=1).notifies()
    assert not watch.seen(MessageSettled)
    watch.requests(index=1).delivers(index=2).notifies()
    assert [one.fate for one in watch.seen(MessageSettled)] == [MessageOutcome.CONFIRMED]
    watch.closes(last_index=1)
    assert fates(watch) == [MessageOutcome.CONFIRMED, MessageOutcome.BACKED_OUT]


def test_a_get_under_syncpoint_is_settled_by_its_commit() -> None:
    for watch in (opened(shared=0).gets(options=2), opened().requests(options=2).delivers().notifies()):
        assert not watch.seen(MessageSettled)
        watch.does(MQBACK)
        assert fates(watch) == [MessageOutcome.BACKED_OUT]


@pytest.mark.spec("client-observed.md O-040")
def test_a_second_conversation_on_the_socket() -> None:
    watch = opened().socket_action(1, 3).socket_action(8, 3, server=True)
    watch.conversation = 3
    watch.connects().opens("Q2", handle=2).puts()
    watch.conversation = 1
    watch.puts()
    assert [one.object_name for one in watch.seen(CallAnswered) if one.name == "MQPUT"] == ["Q2", "Q1"]
    assert [one.conversation for one in watch.seen(ConversationStartSeen)] == [1, 3]
    watch.conversation = 3
    watch.asks(SegmentType.MQDISC).replies(SegmentType.MQDISC).socket_action(2, 3)
    assert [(one.conversation, one.orderly) for one in watch.seen(ConversationEndSeen)] == [(3, True)]
    watch.conversation = 1
    watch.leaves()
    assert watch.overview.outcome == "ended"


def test_a_refusal_of_a_further_program_does_not_make_the_connection_a_refused_one() -> None:
    watch = opened().socket_action(1, 3).socket_action(8, 3, server=True)
    watch.conversation = 3
    watch.connects(2035).socket_action(2, 3)
    watch.conversation = 1
    watch.leaves()
    assert (watch.overview.outcome, watch.overview.reason) == ("ended", 0)


@pytest.mark.parametrize(
    ("play", "outcome", "reason"),
    [
        (lambda: ClientWatch().negotiated().status(1), "refused", 1),
        (lambda: ClientWatch().negotiated().user().credentials(answer=2), "refused", 0),
        (lambda: ClientWatch().negotiated().user().connects(2035), "refused", 2035),
        (lambda: ClientWatch().started(), "cut", 0),
        (lambda: ClientWatch().started().status(5), "cut", 5),
        (lambda: ClientWatch(whole=False).does(MQCMIT).status(5), "cut", 5),
        (lambda: ClientWatch().negotiated(), "cut", 0),
    ],
)
def test_how_a_connection_came_out(play: Any, outcome: str, reason: int) -> None:
    watch = play()
    watch.end()
    assert (watch.overview.outcome, watch.overview.reason) == (outcome, reason)


def test_a_capture_that_stops_leaves_everything_open() -> None:
    watch = opened().asks(MQCMIT)
    watch.end(Ending.OPEN)
    assert watch.overview.outcome == "open"
    assert [one.name for one in watch.seen(CallUnanswered)] == ["MQCMIT"]
    assert watch.seen(ClientEnded)[0].left == 1


# Knowing only a part


def test_a_capture_from_the_middle_knows_calls_but_no_names() -> None:
    watch = ClientWatch(whole=False).replies(MQCMIT).does(MQINQ, handle=4).puts(handle=6)
    assert not watch.seen(ReplyUnexpected)
    assert [(one.name, one.handle, one.object_name) for one in watch.seen(CallAnswered)] == [
        ("MQINQ", 4, ""),
        ("MQPUT", 6, ""),
    ]
    watch.leaves()
    assert watch.overview.uncertain
    assert not watch.rules("error", "warning")


def test_what_is_sure_again_after_a_loss_is_told_again() -> None:
    watch = opened().asks(MQCMIT)
    watch.loses(Direction.RESPONDER, 52)
    watch.does(MQINQ, handle=2).replies(MQCMIT)
    assert [one.name for one in watch.seen(ReplyUnexpected)] == ["MQCMIT"]  # after a call and its reply
    assert not watch.seen(CallUnanswered)


@pytest.mark.parametrize("direction", list(Direction))
def test_a_loss_inside_a_long_put_is_no_fault(direction: Direction) -> None:
    watch = opened()
    body = watch.put_body(bytes(100))
    watch.asks(MQPUT, body[:540], handle=2, flags=0x10)
    watch.loses(direction, 100)
    watch.caller(watch.segment(MQPUT, body[540:], flags=0x20))
    watch.replies(MQPUT, handle=2).puts()
    watch.end(Ending.OPEN)
    assert not watch.rules("error", "warning")
    assert len(watch.seen(MessageSeen)) == len(watch.seen(MessageSettled))


def test_a_handle_that_was_given_again_is_a_new_object() -> None:
    watch = opened().closes().opens("Q2", handle=2).puts()
    assert [one.object_name for one in watch.seen(ObjectOpened)] == ["Q1", "Q2"]
    assert watch.seen(MessageSeen)[0].message.queue == "Q2"
    assert not watch.rules("warning")


@pytest.mark.spec("client-observed.md O-024")
def test_who_a_client_says_to_be() -> None:
    watch = ClientWatch().negotiated().user("app", "secret").credentials("bob")
    said = [(one.kind, one.user, one.password, one.protected, one.repeated) for one in watch.seen(CredentialsSeen)]
    assert said == [("USERID_DATA", "app", True, False, False), ("CONAUTH_INFO", "bob", True, False, False)]
    assert watch.overview.user == "bob"
    watch.credentials("bob")
    assert watch.seen(CredentialsSeen)[-1].repeated


def test_a_message_longer_than_is_kept_has_its_digest() -> None:
    watch = opened()
    data = bytes(range(256)) * 8000
    body = watch.put_body(data)
    watch.asks(MQPUT, body[:30_000], handle=2, flags=0x10)
    for place in range(30_000, len(body), 30_000):
        last = place + 30_000 >= len(body)
        watch.caller(watch.segment(MQPUT, body[place : place + 30_000], flags=0x20 if last else 0))
    watch.replies(MQPUT, body[: len(body) - len(data)], handle=2)
    (message,) = [one.message for one in watch.seen(MessageSeen)]
    assert (message.length, message.whole, len(message.data)) == (len(data), True, 1 << 20)
    assert len(message.digest) == 32


def test_a_reply_in_another_byte_order_completes_the_descriptor_all_the_same() -> None:
    watch = opened()
    watch.asks(MQPUT, watch.put_body(b"data"), handle=2)
    watch.order, watch.writer = ByteOrder.BIG, SegmentWriter(ByteOrder.BIG, 500)
    watch.replies(MQPUT, watch.descriptor(msg_id=MSG_ID), handle=2)
    (message,) = [one.message for one in watch.seen(MessageSeen)]
    assert (message.order, message.ccsid, message.data) == (ByteOrder.BIG, 500, b"data")
    assert MD.codec(ByteOrder.BIG).parse(message.descriptor).msg_id == MSG_ID


def test_the_state_of_a_conversation_follows_the_table() -> None:
    watch = ClientWatch().negotiated().user()
    track = watch.part.conversations.tracks[1]
    assert track.state is ConversationState.STARTED
    watch.asks(SegmentType.MQCONN, bytes(120))
    assert track.state is ConversationState.CONNECTING
    watch.replies(SegmentType.MQCONN, bytes(120))
    assert track.state is ConversationState.CONNECTED
    watch.leaves()
    assert track.state is ConversationState.ENDED


def test_what_was_on_its_way_when_a_conversation_ended_is_no_fault() -> None:
    watch = opened().socket_action(1, 3).socket_action(8, 3, server=True)
    watch.conversation = 3
    watch.connects().opens("Q2", handle=2).requests(check=False, wait=5000).socket_action(2, 3)
    watch.delivers().replies(MQCMIT)
    assert not watch.rules("error")
    watch.does(MQCMIT)
    assert "C-504" in watch.rules()  # a call is none of that


def test_a_second_mqconn_that_is_refused_changes_nothing() -> None:
    watch = opened().connects(2002)
    assert watch.rules("error") == ["C-504"]
    watch.puts().leaves()
    assert watch.rules("error") == ["C-504"]
    assert (watch.overview.outcome, watch.overview.reason) == ("ended", 0)
