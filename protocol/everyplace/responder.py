"""The end of a connection that is called: bytes in, events and bytes out (mqe.md 14, E-245 to E-247, E-481).

It begins nothing: every frame that it sends answers one of the caller's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from .authenticators import ANSWERER, CALLER, Authenticator, ByCertificate, ByKey
from .compressors import COMPRESSORS
from .errors import Code, EveryplaceError
from .frame_line import FrameLine
from .frames import MAX_BODY, Frame, Kind
from .handshakes import LOWEST, Challenge, Failure, Hello, Proof, Ready, read_greeting, write_greeting
from .initiator import Identity
from .transitions import ANSWERS, CALLED, EMPTY, SINCE, Action, Called

MAX_REQUESTS: Final = 128
"""Most requests of one connection that are not answered yet."""


class Greeted(NamedTuple):
    """A caller says who it is: `Responder.admit` or `Responder.refuse` is to follow."""

    hello: Hello


class Proved(NamedTuple):
    """The caller has proved its name: `Responder.welcome` is to follow, or `Responder.refuse`."""


class Asked(NamedTuple):
    """A request, to be answered by its id."""

    frame: Frame


class Ended(NamedTuple):
    """The caller has said that this is the end."""


Event: TypeAlias = Greeted | Proved | Asked | Ended


class Responder:
    """One connection of a caller.

    ``identity``: of this end. ``timeout``: milliseconds after which it closes an idle connection, 0 for never.
    ``names``: other names under which it answers (E-312, E-356). Misuse and what the caller does wrong raise
    `EveryplaceError`, after which the connection has ended; the caller has been told why.
    """

    __slots__ = (
        "_authenticator",
        "_challenge",
        "_greeting",
        "_hello",
        "_identity",
        "_line",
        "_names",
        "_open",
        "_timeout",
        "compressor",
        "state",
        "version",
    )

    def __init__(self, identity: Identity, timeout: int = 0, names: Collection[str] = ()) -> None:
        self._identity = identity
        self._names = names
        self._timeout = timeout
        self._line = FrameLine()
        self._hello: tuple[Hello, bytes] | None = None
        self._challenge = b""
        self._authenticator: Authenticator | None = None
        self._greeting = 0
        self._open: dict[int, Kind] = {}
        self.compressor = ""
        """The compressor that was agreed."""
        self.version = 0
        """The version of the protocol that was agreed."""
        self.state = Called.WAITING

    @property
    def authenticator(self) -> str:
        """The name of the authenticator with which the caller was admitted; empty before."""
        return self._authenticator.name if self._authenticator is not None else ""

    # The own side

    def admit(self, authenticator: Authenticator) -> bool:
        """Say how the caller proves its name; returns whether it has, and can be welcomed.

        Raises `EveryplaceError` AUTHENTICATE where it does not offer this, or its certificate names another.
        """
        assert self._hello is not None, "the caller has greeted"
        hello, _ = self._hello
        if authenticator.name not in hello.authenticators:
            raise self._refused(
                Code.AUTHENTICATE, f"{hello.name} does not prove its name by {authenticator.name}, as it must here"
            )
        self._authenticator = authenticator
        if isinstance(authenticator, ByCertificate):
            try:
                authenticator.check(hello.name)
            except EveryplaceError as error:
                raise self._refused(error.code, error.text) from None
        if not isinstance(authenticator, ByKey):
            return True
        self._act(Action.ADMIT)
        own = self._identity
        challenge = Challenge(own.name, own.incarnation, own.time, authenticator.name, own.nonce, self.version)
        self._challenge = write_greeting(challenge)
        self._line.send(Kind.CHALLENGE, self._greeting, self._challenge)
        return False

    def welcome(self) -> None:
        """Let the caller ask."""
        self._act(Action.WELCOME)
        assert self._hello is not None, "the caller has greeted"
        hello, said = self._hello
        own = self._identity
        compressor = self.compressor = next((each for each in hello.compressors if each in own.compressors), "")
        ready = Ready(
            own.name, own.incarnation, own.time, compressor, own.max_body, self._timeout, version=self.version
        )
        if isinstance(self._authenticator, ByKey):
            proof = self._authenticator.proof(ANSWERER, said, self._challenge, write_greeting(ready))
            ready = ready._replace(proof=proof)
        self._line.send(Kind.READY, self._greeting, write_greeting(ready))
        self._line.open(COMPRESSORS[compressor]() if compressor else None, hello.max_body, own.max_body)

    def answer(self, request: int, kind: Kind, body: bytes = b"") -> None:
        """Answer a request."""
        self._act(Action.ANSWER)
        asked = self._open.pop(request, None)
        if asked is None or (kind is not Kind.ERROR and kind not in ANSWERS[asked]):
            raise EveryplaceError(Code.BAD_REQUEST, f"{kind.name} answers no request {request}")
        self._line.send(kind, request, body)

    def refuse(self, error: EveryplaceError) -> None:
        """Tell the caller why nothing of what it has asked is answered, and end."""
        failure = write_greeting(Failure(int(error.code), error.text))
        waiting = [self._greeting] if self._greeting and self.state is not Called.READY else []
        for request in [*waiting, *self._open]:
            self._line.send(Kind.ERROR, request, failure)
        self._open.clear()
        self._greeting = 0
        self._act(Action.CLOSE)

    @property
    def open_requests(self) -> int:
        """How many requests are not answered."""
        return len(self._open)

    @property
    def has_output(self) -> bool:
        """Whether `take` has something."""
        return self._line.has_output

    def take(self) -> bytes:
        """Return the bytes to send."""
        return self._line.take()

    # The other side

    def receive(self, data: bytes) -> Iterator[Event]:
        """Yield what the bytes of the caller mean. Raises `EveryplaceError` for what it may not say."""
        try:
            for frame in self._line.receive(data):
                yield self._receive(frame)
                if self.state is Called.ENDED:
                    return
        except EveryplaceError as error:
            if self.state is not Called.ENDED:
                self.refuse(error)
            raise

    def _receive(self, frame: Frame) -> Event:
        state = CALLED[self.state].get(frame.kind)
        if state is None:
            self._greeting = self._greeting or frame.request
            raise EveryplaceError(Code.DATA, f"a caller sends {frame.kind.name} while this end is {self.state.value}")
        if self.state is Called.READY:
            return self._asked(frame, state)
        self._greeting = frame.request
        greeting = read_greeting(frame.kind, frame.body)
        self.state = state
        if isinstance(greeting, Proof):
            assert isinstance(self._authenticator, ByKey), "a challenge asks for a key"
            assert self._hello is not None, "the caller has greeted"
            self._authenticator.check(greeting.proof, CALLER, self._hello[1], self._challenge)
            return Proved()
        assert isinstance(greeting, Hello), "the table admits no other frame"
        newest = self._identity.version
        if not (greeting.lowest <= newest and greeting.highest >= LOWEST):
            raise EveryplaceError(
                Code.NOT_SUPPORTED,
                f"{greeting.name} speaks versions {greeting.lowest} to {greeting.highest}; "
                f"this end speaks {LOWEST} to {newest}",
            )
        self.version = min(newest, greeting.highest)
        if greeting.partner in self._names:
            self._identity = replace(self._identity, name=greeting.partner)
        if greeting.partner not in ("", self._identity.name):
            raise EveryplaceError(
                Code.CON_INVALID_NAME, f"{greeting.name} wants {greeting.partner}; this is {self._identity.name}"
            )
        if greeting.max_body < MAX_BODY:
            raise EveryplaceError(
                Code.CHNL_ATTRIBUTES, f"{greeting.name} takes bodies of {greeting.max_body} bytes at most"
            )
        self._hello = greeting, frame.body
        return Greeted(greeting)

    def _asked(self, frame: Frame, state: Called) -> Event:
        if frame.body and frame.kind in EMPTY:
            raise EveryplaceError(Code.DATA, f"a {frame.kind.name} has a body")
        if SINCE.get(frame.kind, LOWEST) > self.version:
            raise EveryplaceError(Code.DATA, f"version {self.version} has no {frame.kind.name}")
        self.state = state
        if frame.kind is Kind.CLOSE:
            return Ended()
        if frame.request in self._open or not frame.request:
            raise EveryplaceError(Code.DATA, f"request {frame.request} is not answered yet, or no number")
        self._open[frame.request] = frame.kind
        if len(self._open) > MAX_REQUESTS:
            raise EveryplaceError(Code.CHNL_OVERRUN, f"more than {MAX_REQUESTS} requests at once")
        return Asked(frame)

    def _refused(self, code: Code, text: str) -> EveryplaceError:
        error = EveryplaceError(code, text)
        self.refuse(error)
        return error

    def _act(self, action: Action) -> None:
        state = CALLED[self.state].get(action)
        if state is None:
            raise EveryplaceError(Code.CLOSED, f"the connection is {self.state.value}: it cannot {action.value}")
        self.state = state
