"""The end that is called, step by step: what it takes in each state, what it answers, and what it refuses."""

from __future__ import annotations

import pytest

from mqbridge.protocol.everyplace.authenticators import ANSWERER, CALLER, ByCertificate, ByKey, NoProof
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import (
    Challenge,
    Failure,
    Hello,
    Proof,
    Ready,
    read_greeting,
    write_greeting,
)
from mqbridge.protocol.everyplace.initiator import Identity
from mqbridge.protocol.everyplace.responder import MAX_REQUESTS, Asked, Ended, Event, Greeted, Proved, Responder
from mqbridge.protocol.everyplace.transitions import ANSWERS, CALLED, Action, Called

pytestmark = pytest.mark.spec("E-245", "E-246", "E-247", "E-250", "E-264", "E-466", "E-481")
EARTH = Identity("EARTH", b"incEARTH", 1_795_251_600_100, b"m" * 32, ("zlib-stream", "zlib"))
HELLO = Hello(
    "MOON", "EARTH", b"incMOON.", 1_795_251_600_000, b"n" * 32, ("key", "certificate", "none"), ("zlib", "lzma")
)
KEY = ByKey(b"k" * 32, b"certificate")


class Play:
    """One machine, and what it has said."""

    def __init__(self) -> None:
        self.machine = Responder(EARTH, 300_000)
        self._reader = FrameReader()

    def says(self) -> list[Frame]:
        return list(self._reader.receive(self.machine.take()))

    def hears(self, kind: Kind, request: int = 1, body: bytes = b"") -> list[Event]:
        return list(self.machine.receive(Frame(kind, request, body).encode()))

    def refuses(self, kind: Kind, request: int = 1, body: bytes = b"") -> Code:
        """It ends the connection; returns what it raises, which the caller is told too."""
        self.says()
        with pytest.raises(EveryplaceError) as caught:
            self.hears(kind, request, body)
        assert self.machine.state is Called.ENDED
        for frame in self.says():
            found = read_greeting(Kind.ERROR, frame.body)
            assert isinstance(found, Failure)
            assert found.code == caught.value.code
        return caught.value.code


def greeted() -> Play:
    play = Play()
    assert play.hears(Kind.HELLO, 1, write_greeting(HELLO)) == [Greeted(HELLO)]
    return play


def challenged() -> Play:
    play = greeted()
    assert not play.machine.admit(KEY)
    return play


def ready() -> Play:
    play = greeted()
    assert play.machine.admit(NoProof())
    play.machine.welcome()
    play.says()
    return play


def in_state(state: Called) -> Play:
    match state:
        case Called.WAITING:
            return Play()
        case Called.DECIDING:
            return greeted()
        case Called.CHALLENGED:
            return challenged()
        case Called.PROVEN:
            play = challenged()
            (frame,) = play.says()
            proof = KEY.proof(CALLER, write_greeting(HELLO), frame.body)
            assert play.hears(Kind.PROOF, 2, write_greeting(Proof(proof))) == [Proved()]
            return play
        case Called.READY:
            return ready()
        case Called.ENDED:
            play = ready()
            play.machine.refuse(EveryplaceError(Code.CLOSED, "closed"))
            return play


def test_it_welcomes_a_caller_of_which_nothing_must_be_proved() -> None:
    play = greeted()
    assert play.machine.admit(NoProof())
    play.machine.welcome()
    (frame,) = play.says()
    assert (frame.kind, frame.request) == (Kind.READY, 1)
    assert read_greeting(Kind.READY, frame.body) == Ready(
        "EARTH", b"incEARTH", 1_795_251_600_100, "zlib", timeout=300_000
    )


@pytest.mark.parametrize("right", [True, False])
def test_a_question_behind_the_proof_is_looked_at_when_the_caller_is_welcome(right: bool) -> None:
    play = challenged()
    (frame,) = play.says()
    proof = KEY.proof(CALLER, write_greeting(HELLO), frame.body) if right else b"x" * 32
    question = Frame(Kind.STATE, 3, b"lane")
    events = play.machine.receive(Frame(Kind.PROOF, 2, write_greeting(Proof(proof))).encode() + question.encode())
    if not right:
        with pytest.raises(EveryplaceError, match="AUTHENTICATE"):
            next(events)
        assert [(each.kind, each.request) for each in play.says()] == [(Kind.ERROR, 2)]
        return
    assert next(events) == Proved()
    play.machine.welcome()
    assert list(events) == [Asked(question)]
    play.machine.answer(3, Kind.STATE)
    assert [each.kind for each in play.says()] == [Kind.READY, Kind.STATE]


def test_it_asks_for_the_key_and_proves_that_it_has_it() -> None:
    play = challenged()
    (frame,) = play.says()
    found = read_greeting(Kind.CHALLENGE, frame.body)
    assert found == Challenge("EARTH", b"incEARTH", 1_795_251_600_100, "key", b"m" * 32)
    proof = KEY.proof(CALLER, write_greeting(HELLO), frame.body)
    assert play.hears(Kind.PROOF, 2, write_greeting(Proof(proof))) == [Proved()]
    play.machine.welcome()
    (answer,) = play.says()
    assert answer.request == 2
    welcome = read_greeting(Kind.READY, answer.body)
    assert isinstance(welcome, Ready)
    KEY.check(welcome.proof, ANSWERER, write_greeting(HELLO), frame.body, write_greeting(welcome._replace(proof=b"")))


@pytest.mark.parametrize(
    "wrong", [b"", b"x" * 32, KEY.proof(ANSWERER, b""), ByKey(b"k" * 32).proof(CALLER, write_greeting(HELLO))]
)
def test_a_wrong_proof_is_refused(wrong: bytes) -> None:
    assert challenged().refuses(Kind.PROOF, 2, write_greeting(Proof(wrong))) is Code.AUTHENTICATE


@pytest.mark.parametrize("certified", ["MARS", ""])
def test_a_name_that_is_not_that_of_the_certificate_is_refused(certified: str) -> None:
    play = greeted()
    with pytest.raises(EveryplaceError, match="is not proved"):
        play.machine.admit(ByCertificate(certified))
    assert [each.kind for each in play.says()] == [Kind.ERROR]
    assert greeted().machine.admit(ByCertificate("MOON"))


def test_who_does_not_offer_what_is_wanted_is_refused() -> None:
    play = Play()
    play.hears(Kind.HELLO, 1, write_greeting(HELLO._replace(authenticators=("none",))))
    with pytest.raises(EveryplaceError, match="as it must here"):
        play.machine.admit(KEY)
    assert play.machine.state is Called.ENDED


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        (HELLO._replace(lowest=3, highest=4), Code.NOT_SUPPORTED),
        (HELLO._replace(lowest=0, highest=0), Code.NOT_SUPPORTED),
        (HELLO._replace(partner="MARS"), Code.CON_INVALID_NAME),
        (HELLO._replace(max_body=1000), Code.CHNL_ATTRIBUTES),
    ],
    ids=["newer", "older", "other", "body"],
)
def test_greetings_that_are_refused(hello: Hello, code: Code) -> None:
    assert Play().refuses(Kind.HELLO, 1, write_greeting(hello)) is code


@pytest.mark.spec("E-256")
def test_a_caller_may_want_anybody_or_a_newer_version_too() -> None:
    for hello in (HELLO._replace(partner=""), HELLO._replace(highest=9), HELLO._replace(lowest=0)):
        play = Play()
        assert play.hears(Kind.HELLO, 1, write_greeting(hello)) == [Greeted(hello)]


@pytest.mark.spec("E-474")
def test_a_caller_of_an_older_version_is_served_in_that() -> None:
    play = Play()
    play.hears(Kind.HELLO, 1, write_greeting(HELLO._replace(highest=1)))
    assert play.machine.admit(NoProof())
    play.machine.welcome()
    (frame,) = play.says()
    welcome = read_greeting(Kind.READY, frame.body)
    assert isinstance(welcome, Ready)
    assert welcome.version == play.machine.version == 1
    assert play.hears(Kind.PULL, 2) == [Asked(Frame(Kind.PULL, 2))]
    assert play.refuses(Kind.NEXT, 3) is Code.DATA


@pytest.mark.parametrize("state", Called)
@pytest.mark.parametrize("kind", Kind)
def test_every_frame_in_every_state(state: Called, kind: Kind) -> None:
    """What the table does not name ends the connection with DATA."""
    play = in_state(state)
    if kind not in CALLED[state]:
        assert play.refuses(kind, 99) is Code.DATA
    elif state is Called.READY:
        expected = Ended() if kind is Kind.CLOSE else Asked(Frame(kind, 99))
        assert play.hears(kind, 99) == [expected]
        assert play.machine.state is CALLED[state][kind]
    else:
        assert play.refuses(kind, 99) is Code.DATA  # its body is empty


@pytest.mark.parametrize("state", Called)
@pytest.mark.parametrize("action", [Action.ADMIT, Action.WELCOME, Action.ANSWER, Action.CLOSE])
def test_every_action_in_every_state(state: Called, action: Action) -> None:
    play = in_state(state)
    machine = play.machine
    if state is Called.READY:
        play.hears(Kind.PING, 7)
    if action is Action.ADMIT and state is Called.WAITING:
        return  # nobody has said who is to be admitted
    act = {
        Action.ADMIT: lambda: machine.admit(KEY),
        Action.WELCOME: machine.welcome,
        Action.ANSWER: lambda: machine.answer(7, Kind.PONG),
        Action.CLOSE: lambda: machine.refuse(EveryplaceError(Code.CLOSED, "closed")),
    }[action]
    if action in CALLED[state]:
        act()
        assert machine.state is CALLED[state][action]
    else:
        with pytest.raises(EveryplaceError, match="CLOSED"):
            act()


@pytest.mark.parametrize("asked", ANSWERS)
@pytest.mark.parametrize("answer", Kind)
def test_every_answer_to_every_request(asked: Kind, answer: Kind) -> None:
    play = ready()
    play.hears(asked, 5)
    if answer in ANSWERS[asked] or answer is Kind.ERROR:
        play.machine.answer(5, answer)
        assert play.says() == [Frame(answer, 5)]
        with pytest.raises(EveryplaceError, match="answers no request"):
            play.machine.answer(5, answer)
    else:
        with pytest.raises(EveryplaceError, match="answers no request"):
            play.machine.answer(5, answer)


def test_requests_are_answered_in_any_order_and_a_number_is_used_once_at_a_time() -> None:
    play = ready()
    play.hears(Kind.PULL, 5)
    play.hears(Kind.PUSH, 6)
    play.machine.answer(6, Kind.TAKEN)
    assert play.machine.open_requests == 1
    assert play.hears(Kind.PING, 6) == [Asked(Frame(Kind.PING, 6))]
    assert play.refuses(Kind.PING, 5) is Code.DATA
    assert ready().refuses(Kind.PING, 0) is Code.DATA


def test_so_many_requests_wait_and_no_more() -> None:
    play = ready()
    for number in range(1, MAX_REQUESTS + 1):
        play.hears(Kind.PULL, number)
    assert play.refuses(Kind.PULL, MAX_REQUESTS + 1) is Code.CHNL_OVERRUN


def test_who_waits_is_told_why_it_ends() -> None:
    play = ready()
    play.hears(Kind.PULL, 5)
    play.machine.refuse(EveryplaceError(Code.REPLACED, "a newer connection is there"))
    assert play.says() == [Frame(Kind.ERROR, 5, write_greeting(Failure(312, "a newer connection is there")))]
    assert play.refuses(Kind.PING, 6) is Code.DATA


def test_what_has_no_body_must_not_have_one() -> None:
    for kind in (Kind.PING, Kind.CLOSE):
        assert ready().refuses(kind, 3, b"x") is Code.DATA
