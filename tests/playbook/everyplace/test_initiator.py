"""The end that calls, step by step: what it says, what it takes in each state, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mqbridge.protocol.everyplace.authenticators import ANSWERER, Authenticator, ByCertificate, ByKey, NoProof
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import MAX_BODY, Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import (
    Challenge,
    Failure,
    Hello,
    Proof,
    Ready,
    read_greeting,
    write_greeting,
)
from mqbridge.protocol.everyplace.initiator import MAX_QUESTIONS, Answered, Event, Identity, Initiator, Opened
from mqbridge.protocol.everyplace.transitions import AHEAD, ANSWERS, CALLING, Action, Calling

pytestmark = pytest.mark.spec("E-245", "E-247", "E-250", "E-264", "E-466")
MOON = Identity("MOON", b"incMOON.", 1_795_251_600_000, b"n" * 32, ("zlib",))
READY = Ready("EARTH", b"incEARTH", 1_795_251_600_100)
CHALLENGE = Challenge("EARTH", b"incEARTH", 1_795_251_600_100, "key", b"m" * 32)
KEY = ByKey(b"k" * 32, b"certificate")


class Play:
    """One machine, and what it has said."""

    def __init__(self, authenticators: Sequence[Authenticator] = (NoProof(),), partner: str = "EARTH") -> None:
        self.machine = Initiator(MOON, partner, authenticators)
        self._reader = FrameReader()

    def says(self) -> list[Frame]:
        return list(self._reader.receive(self.machine.take()))

    def hears(self, kind: Kind, request: int = 1, body: bytes = b"") -> list[Event]:
        return list(self.machine.receive(Frame(kind, request, body).encode()))

    def refuses(self, kind: Kind, request: int = 1, body: bytes = b"") -> Code:
        with pytest.raises(EveryplaceError) as caught:
            self.hears(kind, request, body)
        assert self.machine.state is Calling.ENDED
        return caught.value.code


def greeted(authenticators: Sequence[Authenticator] = (NoProof(),)) -> Play:
    play = Play(authenticators)
    play.machine.begin()
    return play


def ready() -> Play:
    play = greeted()
    play.says()
    play.hears(Kind.READY, 1, write_greeting(READY))
    return play


def in_state(state: Calling) -> Play:
    match state:
        case Calling.NEW:
            return Play()
        case Calling.GREETING:
            return greeted()
        case Calling.PROVING:
            play = greeted((KEY,))
            play.hears(Kind.CHALLENGE, 1, write_greeting(CHALLENGE))
            return play
        case Calling.READY:
            return ready()
        case Calling.ENDED:
            play = ready()
            play.machine.close()
            return play


def test_it_greets_and_is_welcomed() -> None:
    play = greeted()
    (hello,) = play.says()
    assert hello.kind is Kind.HELLO
    found = read_greeting(Kind.HELLO, hello.body)
    assert found == Hello("MOON", "EARTH", b"incMOON.", 1_795_251_600_000, b"n" * 32, ("none",), ("zlib",), MAX_BODY)
    assert play.hears(Kind.READY, hello.request, write_greeting(READY)) == [Opened(READY)]
    assert play.machine.state is Calling.READY


def test_it_proves_that_it_has_the_key_and_wants_the_same_proof() -> None:
    play = greeted((KEY,))
    hello = play.says()[0]
    challenge = write_greeting(CHALLENGE)
    assert play.hears(Kind.CHALLENGE, hello.request, challenge) == []
    (proof,) = play.says()
    found = read_greeting(Kind.PROOF, proof.body)
    assert isinstance(found, Proof)
    KEY.check(found.proof, b"caller", hello.body, challenge)
    right = READY._replace(proof=KEY.proof(ANSWERER, hello.body, challenge, write_greeting(READY)))
    assert play.hears(Kind.READY, proof.request, write_greeting(right)) == [Opened(right)]


def test_numbers_of_lanes_are_asked_for_behind_the_proof_and_answered_behind_the_welcome() -> None:
    play = greeted((KEY,))
    hello = play.says()[0]
    challenge = write_greeting(CHALLENGE)
    play.hears(Kind.CHALLENGE, hello.request, challenge)
    state = play.machine.ask(Kind.STATE, b"lane")
    assert [each.kind for each in play.says()] == [Kind.PROOF, Kind.STATE]
    right = READY._replace(proof=KEY.proof(ANSWERER, hello.body, challenge, write_greeting(READY)))
    both = Frame(Kind.READY, 2, write_greeting(right)).encode() + Frame(Kind.STATE, state).encode()
    assert list(play.machine.receive(both)) == [Opened(right), Answered(Kind.STATE, Frame(Kind.STATE, state))]


@pytest.mark.parametrize("kind", sorted(ANSWERS.keys() - AHEAD))
def test_nothing_else_is_asked_before_the_other_end_is_known(kind: Kind) -> None:
    machine = in_state(Calling.PROVING).machine
    with pytest.raises(EveryplaceError, match="BAD_REQUEST"):
        machine.ask(kind)


def test_an_answer_before_the_welcome_is_refused() -> None:
    play = in_state(Calling.PROVING)
    state = play.machine.ask(Kind.STATE, b"lane")
    assert play.refuses(Kind.STATE, state) is Code.DATA


@pytest.mark.parametrize("wrong", [b"", b"x" * 32, KEY.proof(b"caller", b"", b"")])
def test_a_welcome_without_the_right_proof_is_refused(wrong: bytes) -> None:
    play = in_state(Calling.PROVING)
    assert play.refuses(Kind.READY, 2, write_greeting(READY._replace(proof=wrong))) is Code.AUTHENTICATE


def test_a_proof_of_what_was_said_on_another_connection_is_refused() -> None:
    play = greeted((KEY,))
    hello = play.says()[0]
    other = write_greeting(CHALLENGE._replace(nonce=b"o" * 32))
    play.hears(Kind.CHALLENGE, 1, write_greeting(CHALLENGE))
    replayed = READY._replace(proof=KEY.proof(ANSWERER, hello.body, other, write_greeting(READY)))
    assert play.refuses(Kind.READY, 2, write_greeting(replayed)) is Code.AUTHENTICATE


@pytest.mark.parametrize(
    ("offered", "kind", "body", "code"),
    [
        ((KEY,), Kind.READY, write_greeting(READY), Code.AUTHENTICATE),
        ((NoProof(),), Kind.CHALLENGE, write_greeting(CHALLENGE), Code.AUTHENTICATE),
        ((ByCertificate("MARS"),), Kind.READY, write_greeting(READY), Code.AUTHENTICATE),
        ((ByCertificate(""),), Kind.READY, write_greeting(READY), Code.AUTHENTICATE),
        ((NoProof(),), Kind.READY, write_greeting(READY._replace(version=3)), Code.NOT_SUPPORTED),
        ((NoProof(),), Kind.READY, write_greeting(READY._replace(compressor="lzma")), Code.CHNL_ATTRIBUTES),
        ((NoProof(),), Kind.READY, write_greeting(READY._replace(max_body=100)), Code.CHNL_ATTRIBUTES),
        ((NoProof(),), Kind.READY, b"", Code.DATA),
        ((NoProof(),), Kind.ERROR, write_greeting(Failure(Code.CHNL_LIMIT, "full")), Code.CHNL_LIMIT),
        ((NoProof(),), Kind.ERROR, write_greeting(Failure(60_000, "of a later version")), Code.DATA),
    ],
    ids=["no challenge", "unasked", "other name", "no name", "version", "compressor", "body", "empty", "error", "new"],
)
def test_what_the_other_end_may_not_say_to_a_greeting(
    offered: Sequence[Authenticator], kind: Kind, body: bytes, code: Code
) -> None:
    assert greeted(offered).refuses(kind, 1, body) is code


@pytest.mark.spec("E-474")
def test_frames_of_a_version_go_to_nobody_who_has_chosen_an_older_one() -> None:
    play = greeted()
    play.hears(Kind.READY, 1, write_greeting(READY._replace(version=1)))
    assert play.machine.version == 1
    with pytest.raises(EveryplaceError, match="version 1 has no NEXT"):
        play.machine.ask(Kind.NEXT)
    play.machine.ask(Kind.PULL)
    assert ready().machine.version == 2


def test_a_challenge_and_what_follows_it_have_one_version() -> None:
    play = greeted((KEY,))
    (hello,) = play.says()
    challenge = write_greeting(CHALLENGE._replace(version=1))
    play.hears(Kind.CHALLENGE, 1, challenge)
    proof = KEY.proof(ANSWERER, hello.body, challenge, write_greeting(READY))
    assert play.refuses(Kind.READY, 2, write_greeting(READY._replace(proof=proof))) is Code.NOT_SUPPORTED
    assert (
        greeted((KEY,)).refuses(Kind.CHALLENGE, 1, write_greeting(CHALLENGE._replace(version=3))) is Code.AUTHENTICATE
    )


@pytest.mark.parametrize("state", Calling)
@pytest.mark.parametrize("kind", Kind)
def test_every_frame_in_every_state(state: Calling, kind: Kind) -> None:
    """What the table does not name ends the connection with DATA; in READY, what was not asked for does too."""
    play = in_state(state)
    if state is Calling.READY or kind not in CALLING[state]:
        assert play.refuses(kind, 99) is Code.DATA
    elif kind is Kind.ERROR:
        assert play.refuses(kind, 1 if state is Calling.GREETING else 2, b"") is Code.DATA


@pytest.mark.parametrize("asked", ANSWERS)
@pytest.mark.parametrize("answer", Kind)
def test_every_answer_to_every_question(asked: Kind, answer: Kind) -> None:
    play = ready()
    request = play.machine.ask(asked)
    if answer in ANSWERS[asked] or answer is Kind.ERROR:
        assert play.hears(answer, request) == [Answered(asked, Frame(answer, request))]
        assert play.refuses(answer, request) is Code.DATA  # a second one
    else:
        assert play.refuses(answer, request) is Code.DATA


@pytest.mark.parametrize("state", Calling)
@pytest.mark.parametrize("action", [Action.BEGIN, Action.ASK, Action.CLOSE])
def test_every_action_in_every_state(state: Calling, action: Action) -> None:
    machine = in_state(state).machine
    question = Kind.STATE if state is Calling.PROVING else Kind.PING
    act = {Action.BEGIN: machine.begin, Action.ASK: lambda: machine.ask(question), Action.CLOSE: machine.close}[action]
    if action in CALLING[state]:
        act()
        assert machine.state is CALLING[state][action]
    else:
        with pytest.raises(EveryplaceError, match="CLOSED"):
            act()


def test_questions_and_their_answers_interleave() -> None:
    play = ready()
    pull, push = play.machine.ask(Kind.PULL, b"pull"), play.machine.ask(Kind.PUSH, b"push")
    assert [(each.kind, each.request) for each in play.says()] == [(Kind.PULL, pull), (Kind.PUSH, push)]
    assert play.hears(Kind.TAKEN, push) == [Answered(Kind.PUSH, Frame(Kind.TAKEN, push))]
    assert play.hears(Kind.NOTHING, pull) == [Answered(Kind.PULL, Frame(Kind.NOTHING, pull))]
    assert play.machine.questions == 0


def test_it_asks_so_many_at_once_and_no_more() -> None:
    play = ready()
    for _ in range(MAX_QUESTIONS):
        play.machine.ask(Kind.PING)
    assert play.machine.room == 0
    with pytest.raises(EveryplaceError, match="CHNL_OVERRUN"):
        play.machine.ask(Kind.PING)


def test_what_no_caller_asks_and_what_is_too_long_is_refused() -> None:
    play = ready()
    with pytest.raises(EveryplaceError, match="BAD_REQUEST"):
        play.machine.ask(Kind.CONFIRMED)
    with pytest.raises(EveryplaceError, match="TOO_LONG"):
        play.machine.ask(Kind.PUSH, bytes(MAX_BODY + 1))


def test_it_says_that_it_closes() -> None:
    play = ready()
    play.machine.close()
    assert [each.kind for each in play.says()] == [Kind.CLOSE]


def test_a_key_is_in_no_text() -> None:
    assert "kkk" not in repr(KEY)
