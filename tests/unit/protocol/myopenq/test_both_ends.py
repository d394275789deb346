"""Both ends of a connection, against each other and against partners that do it wrong."""

from __future__ import annotations

import pytest

from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.myopenq import (
    SUCCESS,
    Answer,
    Answered,
    Asked,
    BareRequest,
    Command,
    Ended,
    Get,
    Initiator,
    Misread,
    MoqError,
    Put,
    Responder,
    Unanswered,
    build_packet,
    read_request,
    write_request,
)
from mqbridge.protocol.myopenq.transitions import CALLED, CALLING, Called, Calling, Cause

PUT = build_packet(*write_request(Put("A", b"x"), False), 1)


def responder(*, framed: bool = True) -> Responder:
    return Responder(framed=framed, now=0.0, packet_time=30.0)


@pytest.mark.spec("M-002", "M-006", "M-036")
def test_a_plain_connection_has_one_packet_and_one_answer() -> None:
    server, client = responder(framed=False), Initiator(framed=False)
    client.ask(PUT, 0.0)
    server.receive_data(client.take(), 0.0)
    asked = server.next_event()
    assert isinstance(asked, Asked)
    assert read_request(asked.packet, framed=False) == Put("A", b"x")
    server.answer(SUCCESS, 0.0)
    assert server.state is Called.ENDED
    assert client.receive_data(server.take()) == []
    assert client.receive_data(b"") == [Answered(SUCCESS)]
    assert client.state is Calling.ENDED


@pytest.mark.spec("M-005", "M-019", "M-036")
def test_a_framed_connection_stays_open() -> None:
    server, client = responder(), Initiator(framed=True)
    for number in range(3):
        client.ask(build_packet(*write_request(Get("A", number), True), number), 0.0)
        server.receive_data(client.take(), 0.0)
        asked = server.next_event()
        assert isinstance(asked, Asked)
        assert asked.packet.stamp == number
        assert server.next_event() is None
        server.answer(Answer(0, b"%d" % number), 0.0)
        assert client.receive_data(server.take()) == [Answered(Answer(0, b"%d" % number))]
    server.receive_data(b"", 0.0)
    assert server.next_event() == Ended(cut=False)


@pytest.mark.spec("M-019")
def test_packets_ahead_wait_for_the_answer_before_them() -> None:
    server = responder()
    server.receive_data(PUT + PUT + PUT[:10], 0.0)
    for _ in range(2):
        assert isinstance(server.next_event(), Asked)
        assert not server.wants_data
        assert server.next_event() is None
        server.answer(SUCCESS, 5.0)
    assert server.next_event() is None
    assert server.state is Called.READING
    assert server.next_timeout == 35.0
    server.receive_data(b"", 6.0)
    assert server.next_event() == Ended(cut=True)


@pytest.mark.spec("M-030")
@pytest.mark.parametrize("framed", [False, True])
def test_what_cannot_be_read_is_answered_and_ends_the_connection(framed: bool) -> None:
    server = responder(framed=framed)
    server.receive_data(b"x" * 52, 0.0)
    misread = server.next_event()
    assert isinstance(misread, Misread)
    server.receive_data(b"more", 0.0)
    server.answer(Answer.refusal(misread.error), 0.0)
    assert server.take().startswith(b"MOQ-2003")
    assert server.state is Called.ENDED
    assert server.next_event() is None


@pytest.mark.parametrize("framed", [False, True])
def test_a_slow_caller_is_refused(framed: bool) -> None:
    server = responder(framed=framed)
    server.receive_data(PUT[:-1], 10.0)
    assert server.next_event() is None
    due = server.next_timeout
    assert due == (40.0 if framed else 30.0)
    server.timeout(due - 1)
    assert server.next_event() is None
    server.timeout(due)
    misread = server.next_event()
    assert isinstance(misread, Misread)
    assert "within 30 seconds" in str(misread.error)


def test_a_silent_framed_caller_may_stay() -> None:
    assert responder().next_timeout is None
    assert responder(framed=False).next_timeout == 30.0


def test_a_caller_that_goes_while_its_packet_is_worked_on_is_seen() -> None:
    server = responder()
    server.receive_data(PUT, 0.0)
    assert isinstance(server.next_event(), Asked)
    server.receive_data(b"", 0.0)
    assert server.next_event() == Ended(cut=False)
    with pytest.raises(LocalProtocolError):
        server.answer(SUCCESS, 0.0)


def test_answers_to_nothing_are_our_own_fault() -> None:
    with pytest.raises(LocalProtocolError):
        responder().answer(SUCCESS, 0.0)
    client = Initiator(framed=True)
    client.ask(PUT, 0.0)
    with pytest.raises(LocalProtocolError):
        client.ask(PUT, 0.0)


@pytest.mark.spec("M-102")
@pytest.mark.parametrize(
    ("framed", "data", "reason"),
    [
        (True, b"", "the connection has ended"),
        (False, b"", "the connection has ended"),
        (True, b"nonsense".ljust(15), "the answer's status is 'nonsense'"),
        (False, b"x" * 100_000, "the answer has more than 99999 bytes"),
    ],
)
def test_a_connection_that_fails_leaves_the_packet_unanswered(framed: bool, data: bytes, reason: str) -> None:
    client = Initiator(framed=framed)
    client.ask(PUT, 0.0)
    assert client.receive_data(data) == [Unanswered(reason)]
    assert client.state is Calling.ENDED
    assert client.receive_data(b"") == []


def test_an_answer_must_come_in_time() -> None:
    client = Initiator(framed=True)
    client.ask(PUT, 100.0, within=5.0)
    assert client.next_timeout == 105.0
    assert client.timeout(104.9) == []
    assert client.timeout(105.0) == [Unanswered("no answer in time")]


def test_an_answer_to_nothing_ends_the_connection() -> None:
    client = Initiator(framed=True)
    assert client.receive_data(SUCCESS.framed()) == [Unanswered("an answer to nothing came")]


def test_a_connection_may_end_while_nothing_is_asked() -> None:
    assert Initiator(framed=True).receive_data(b"") == [Unanswered("the connection has ended")]


def test_an_answer_without_length_is_a_wrong_use_of_framed_mode() -> None:
    server = responder(framed=False)
    server.receive_data(build_packet(Command.SHUTDOWN, b"", 1), 0.0)
    asked = server.next_event()
    assert isinstance(asked, Asked)
    assert read_request(asked.packet, framed=False) == BareRequest(Command.SHUTDOWN)
    server.answer(Answer.refusal(MoqError(4001)), 0.0)
    assert server.take() == b"MOQ-4001 no permission"


def test_every_state_can_end() -> None:
    for table in (CALLED, CALLING):
        for row in table.values():
            assert Cause.END in row
