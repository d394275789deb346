"""The end of a connection that calls: bytes in, events and bytes out (mqe.md 14, E-245 to E-247).

It greets, proves who it is if it is asked to, then asks; every question gets one answer, in any order. STATE may go out
behind PROOF: the other end looks at it when it has believed that, and the answer is looked at behind READY.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from .authenticators import ANSWERER, CALLER, Authenticator, ByCertificate, ByKey, NoProof
from .compressors import COMPRESSORS
from .errors import Code, EveryplaceError
from .frame_line import FrameLine
from .frames import MAX_BODY, Frame, Kind
from .handshakes import LOWEST, VERSION, Challenge, Failure, Hello, Proof, Ready, read_greeting, write_greeting
from .transitions import AHEAD, ANSWERS, CALLING, EMPTY, SINCE, Action, Calling

MAX_QUESTIONS: Final = 64
"""Most questions that wait for their answers."""
_LAST_REQUEST: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Identity:
    """What an end says of itself. ``time``: milliseconds since 1970. ``nonce``: random, used once. ``version``: the
    newest of the protocol that it speaks."""

    name: str
    incarnation: bytes
    time: int
    nonce: bytes
    compressors: tuple[str, ...] = ()
    max_body: int = MAX_BODY
    version: int = VERSION


class Opened(NamedTuple):
    """The other end is known, and can be asked."""

    ready: Ready


class Answered(NamedTuple):
    """An answer. ``asked``: the kind of its question."""

    asked: Kind
    frame: Frame


Event: TypeAlias = Opened | Answered


class Initiator:
    """One connection of a caller.

    ``partner``: the queue manager that is to answer, empty for any. ``authenticators``: those with which it is content,
    best first. ``version``: that the other end has chosen. ``authenticator``: name of the one that has proved who that
    is. Misuse and what the other end does wrong raise `EveryplaceError`, after which the connection has ended.
    """

    __slots__ = (
        "_authenticators",
        "_challenge",
        "_hello",
        "_identity",
        "_line",
        "_next",
        "_questions",
        "authenticator",
        "state",
        "version",
    )

    def __init__(self, identity: Identity, partner: str, authenticators: Sequence[Authenticator]) -> None:
        self._identity = identity
        self._authenticators = {each.name: each for each in authenticators}
        self._line = FrameLine()
        self._hello = write_greeting(
            Hello(
                identity.name,
                partner,
                identity.incarnation,
                identity.time,
                identity.nonce,
                tuple(self._authenticators),
                identity.compressors,
                identity.max_body,
                highest=identity.version,
            )
        )
        self._challenge: tuple[ByKey, bytes] | None = None
        self._questions: dict[int, Kind] = {}
        self._next = 1
        self.version = 0
        self.authenticator = ""
        self.state = Calling.NEW

    # The own side

    def begin(self) -> None:
        """Greet."""
        self._act(Action.BEGIN)
        self._line.send(Kind.HELLO, self._request(Kind.HELLO), self._hello)

    def ask(self, kind: Kind, body: bytes = b"") -> int:
        """Send a question, and return its request id. Raises `EveryplaceError` CHNL_OVERRUN for too many at once."""
        self._act(Action.ASK)
        if kind not in ANSWERS or (self.state is Calling.PROVING and kind not in AHEAD):
            raise EveryplaceError(Code.BAD_REQUEST, f"a caller does not ask by {kind.name}")
        if self.version and SINCE.get(kind, LOWEST) > self.version:
            raise EveryplaceError(Code.BAD_REQUEST, f"version {self.version} has no {kind.name}")
        if len(self._questions) >= MAX_QUESTIONS:
            raise EveryplaceError(Code.CHNL_OVERRUN, f"{MAX_QUESTIONS} questions wait for their answers")
        request = self._request(kind)
        self._line.send(kind, request, body)
        return request

    def close(self) -> None:
        """Say that this is the end."""
        if self.state is Calling.READY:
            self._line.send(Kind.CLOSE, 0)
        self._act(Action.CLOSE)

    @property
    def questions(self) -> int:
        """How many questions wait for their answers."""
        return len(self._questions)

    @property
    def room(self) -> int:
        """How many more may be asked now."""
        return MAX_QUESTIONS - len(self._questions) if self.state in (Calling.PROVING, Calling.READY) else 0

    @property
    def has_output(self) -> bool:
        """Whether `take` has something."""
        return self._line.has_output

    def take(self) -> bytes:
        """Return the bytes to send."""
        return self._line.take()

    # The other side

    def receive(self, data: bytes) -> Iterator[Event]:
        """Yield what the bytes of the other end mean. Raises `EveryplaceError` for what it may not say, and where it
        refuses the connection."""
        try:
            for frame in self._line.receive(data):
                event = self._receive(frame)
                if event is not None:
                    yield event
        except EveryplaceError:
            self.state = Calling.ENDED
            raise

    def _receive(self, frame: Frame) -> Event | None:
        state = CALLING[self.state].get(frame.kind)
        asked = self._questions.pop(frame.request, None)
        if state is None or asked is None:
            raise EveryplaceError(Code.DATA, f"a {frame.kind.name} came that was not asked for ({self.state.value})")
        if self.state is Calling.READY:
            if frame.kind is not Kind.ERROR and frame.kind not in ANSWERS[asked]:
                raise EveryplaceError(Code.DATA, f"a {frame.kind.name} came in answer to a {asked.name}")
            if frame.body and frame.kind in EMPTY:
                raise EveryplaceError(Code.DATA, f"a {frame.kind.name} has a body")
            return Answered(asked, frame)
        greeting = read_greeting(frame.kind, frame.body)
        if isinstance(greeting, Failure):
            raise greeting.error()
        self.state = state
        if isinstance(greeting, Challenge):
            self._prove(greeting, frame.body)
            return None
        assert isinstance(greeting, Ready), "the table admits no other frame"
        self._check(greeting)
        compressor = COMPRESSORS[greeting.compressor]() if greeting.compressor else None
        self._line.open(compressor, greeting.max_body, self._identity.max_body)
        return Opened(greeting)

    def _prove(self, challenge: Challenge, body: bytes) -> None:
        found = self._authenticators.get(challenge.authenticator)
        if not LOWEST <= challenge.version <= self._identity.version or not isinstance(found, ByKey):
            raise EveryplaceError(Code.AUTHENTICATE, f"{challenge.name} asks for a proof that is not offered")
        self.version = challenge.version
        self._challenge = found, body
        self._line.send(
            Kind.PROOF, self._request(Kind.PROOF), write_greeting(Proof(found.proof(CALLER, self._hello, body)))
        )

    def _check(self, ready: Ready) -> None:
        """Check who answers. Raises `EveryplaceError`."""
        if not LOWEST <= ready.version <= self._identity.version or self.version not in (0, ready.version):
            raise EveryplaceError(Code.NOT_SUPPORTED, f"{ready.name} has chosen version {ready.version}")
        self.version = ready.version
        if ready.max_body < MAX_BODY:
            raise EveryplaceError(Code.CHNL_ATTRIBUTES, f"{ready.name} takes bodies of {ready.max_body} bytes at most")
        if ready.compressor and ready.compressor not in self._identity.compressors:
            raise EveryplaceError(Code.CHNL_ATTRIBUTES, f"{ready.name} has chosen a compressor that was not offered")
        if self._challenge is not None:
            key, challenge = self._challenge
            said = write_greeting(ready._replace(proof=b""))
            key.check(ready.proof, ANSWERER, self._hello, challenge, said)
            self.authenticator = key.name
            return
        for each in self._authenticators.values():
            if isinstance(each, ByCertificate):
                each.check(ready.name)
                self.authenticator = each.name
                return
            if isinstance(each, NoProof):
                self.authenticator = each.name
                return
        raise EveryplaceError(Code.AUTHENTICATE, f"{ready.name} asks for no proof, and so gives none")

    def _request(self, kind: Kind) -> int:
        request = self._next
        while request in self._questions:
            request = request % _LAST_REQUEST + 1
        self._next = request % _LAST_REQUEST + 1
        self._questions[request] = kind
        return request

    def _act(self, action: Action) -> None:
        state = CALLING[self.state].get(action)
        if state is None:
            raise EveryplaceError(Code.CLOSED, f"the connection is {self.state.value}: it cannot {action.value}")
        self.state = state
