"""The learner finds how the messages of a connection follow each other."""

from __future__ import annotations

import math
from random import Random

import pytest

from mqbridge.captures.learning import INITIATOR, RESPONDER, Heartbeat, Piece, Session, Stream, learn
from support.learning.made_protocols import counted, streams_of

LOGON, LOGGED, ASK, ANSWER, BEAT = (bytes([each]) for each in b"\1\2\3\4\7")


def stream(dice: Random, number: int) -> Stream:
    """A log-on, questions and answers, and a heartbeat of the responder after ten seconds of silence."""
    pieces = []
    time = 1000.0 * number

    def send(side: int, wait: float, kind: bytes, most: int) -> None:
        nonlocal time
        time += wait
        pieces.append(Piece(side, time, counted(kind + dice.randbytes(dice.randrange(most)), ">H")))

    send(INITIATOR, 0, LOGON, 9)
    send(RESPONDER, 0.1, LOGGED, 3)
    for _ in range(12):
        if dice.random() < 0.4:
            for _ in range(dice.randrange(1, 3)):
                send(RESPONDER, 10 + dice.random() / 10, BEAT, 1)
        send(INITIATOR, 3 * dice.random(), ASK, 30)
        send(RESPONDER, 0.05 + 0.2 * dice.random(), ANSWER, 30)
    return Stream(number, tuple(pieces))


@pytest.fixture(scope="module")
def session() -> Session:
    dice = Random(4)
    found = learn([stream(dice, number) for number in range(20)]).session
    assert found is not None
    return found


@pytest.mark.spec("M-172")
def test_the_initiator_begins_with_a_log_on(session: Session) -> None:
    assert (session.begins, session.begun, session.connections) == (INITIATOR, 20, 20)
    assert session.opening == ((INITIATOR, LOGON), (RESPONDER, LOGGED))


@pytest.mark.spec("M-172")
def test_a_request_has_its_answer_and_the_longest_time_to_it(session: Session) -> None:
    found = session.answer((INITIATOR, ASK))
    assert found is not None
    assert found.answer == (RESPONDER, ANSWER)
    assert found.answered == found.tried == 240
    assert 0.05 <= found.typical <= found.within <= 0.25
    beat = session.answer((RESPONDER, BEAT))
    assert beat is None or beat.answered < 200


@pytest.mark.spec("M-172")
def test_what_comes_by_the_clock_is_a_heartbeat(session: Session) -> None:
    (beat,) = session.heartbeats
    assert beat.kind == (RESPONDER, BEAT)
    assert beat.silence
    assert beat.period == pytest.approx(10, rel=0.02)


def test_the_order_of_kinds_has_its_ends(session: Session) -> None:
    steps = {(each.before, each.after): each.times for each in session.steps}
    assert steps[None, (INITIATOR, LOGON)] == 20
    assert steps[(RESPONDER, ANSWER), None] == 20
    assert steps[(INITIATOR, ASK), (RESPONDER, ANSWER)] == 240


def test_a_heartbeat_in_time_with_its_kind() -> None:
    def make(dice: Random, number: int) -> Stream:
        pieces = [Piece(INITIATOR, 30.0 * beat, counted(BEAT, ">H")) for beat in range(10)]
        pieces += [
            Piece(INITIATOR, 300 * dice.random(), counted(ASK + dice.randbytes(dice.randrange(5, 40)), ">H"))
            for _ in range(40)
        ]
        return Stream(number, tuple(sorted(pieces, key=lambda piece: piece.time)))

    dice = Random(1)
    session = learn([make(dice, number) for number in range(10)]).session
    assert session is not None
    assert session.heartbeats == (Heartbeat((INITIATOR, BEAT), 30.0, False, 90, 90),)
    assert not session.exchanges


def test_without_times_there_are_no_limits_and_no_heartbeats() -> None:
    streams = [
        each._replace(pieces=tuple(piece._replace(time=math.nan) for piece in each.pieces))
        for each in streams_of(lambda dice, *_: counted(dice.randbytes(dice.randrange(1, 300)), ">H"), together=0)
    ]
    session = learn(streams).session
    assert session is not None
    assert not session.heartbeats
    assert all(math.isnan(each.within) for each in session.exchanges)
