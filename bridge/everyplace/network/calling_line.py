"""One connection that this queue manager has opened."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.handshakes import Ready
from mqbridge.protocol.everyplace.initiator import Initiator, Opened
from mqbridge.protocol.everyplace.transitions import Calling

from .context import Context

Then = Callable[[Frame], None]


class Caller(Protocol):
    """Whose line it is."""

    def line_opened(self, line: CallingLine, ready: Ready) -> None:
        """Both ends know each other."""
        ...

    def line_ended(self, line: CallingLine, error: EveryplaceError | None) -> None:
        """It is over; without error it was closed because nothing was to be done."""
        ...

    def go_on(self) -> None:
        """Do what can be done now."""
        ...


class CallingLine:
    """The caller's end. ``ended``: the transport is to be closed after what `take` gives. ``partner``,
    ``incarnation``: of the other end, once it is ready."""

    def __init__(self, caller: Caller, initiator: Initiator, context: Context) -> None:
        self._caller = caller
        self._initiator = initiator
        self._timers = context.timers
        self._outgoing = context.outgoing
        self._settings = context.settings
        self._thens: dict[int, Then] = {}
        self._later: deque[tuple[Kind, bytes, Then]] = deque()
        self._heard = self._timers.steady
        self._pinged = False
        self.partner = ""
        self.incarnation = b""
        self.ended = False
        initiator.begin()
        self._outgoing.add(self)
        self._timers.after(self, self._settings.hello, self._silent)

    # Transport

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes have come."""
        self._timers.now = now
        if self.ended:
            return
        self._heard = self._timers.steady
        self._pinged = False
        try:
            for event in self._initiator.receive(data):
                if isinstance(event, Opened):
                    self._opened(event.ready)
                else:
                    self._thens.pop(event.frame.request)(event.frame)
                if self._is_over():
                    return
                self._ask_later()
        except EveryplaceError as error:
            self.fail(error)
            return
        self._outgoing.add(self)  # a proof
        self._watch()
        self._caller.go_on()

    def take(self) -> bytes:
        """Return the bytes to send."""
        return self._initiator.take()

    def cut(self, now: float) -> None:
        """The transport is gone."""
        self._timers.now = now
        self._end(EveryplaceError(Code.ADAPTER_EXCEPTION, f"the connection to {self.partner or 'it'} is gone"))

    # Use

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""
        return self._initiator.state is Calling.READY and not self.ended

    @property
    def version(self) -> int:
        """That of the protocol, which both ends speak, once it is ready."""
        return self._initiator.version

    @property
    def authenticator(self) -> str:
        """The name of the authenticator that has proved who is at the other end, once it is ready."""
        return self._initiator.authenticator

    @property
    def proving(self) -> bool:
        """Whether numbers of lanes can be asked for, behind what proves the name of this end."""
        return self._initiator.state is Calling.PROVING and not self._later and self._initiator.room > 0

    @property
    def idle(self) -> bool:
        """Whether nothing is asked."""
        return not self._thens and not self._later

    def ask(self, kind: Kind, body: bytes, then: Then) -> None:
        """Send a request; ``then`` gets its answer. Nothing comes if the connection is cut."""
        if self.ended:
            return
        if self._later or not self._initiator.room:
            self._later.append((kind, body, then))
            return
        try:
            request = self._initiator.ask(kind, body)
        except EveryplaceError as error:
            self.fail(error)
            return
        self._thens[request] = then
        self._outgoing.add(self)
        if len(self._thens) == 1:
            self._heard = self._timers.steady
        self._watch()

    def close(self) -> None:
        """Nothing is to be done any more."""
        if not self.ended:
            self._initiator.close()
            self._end(None)

    def fail(self, error: EveryplaceError) -> None:
        """End the connection: the other end says what it may not say, or nothing."""
        self._end(error)

    # Parts

    def _is_over(self) -> bool:
        return self.ended

    def _opened(self, ready: Ready) -> None:
        self.partner, self.incarnation = ready.name, ready.incarnation
        self._caller.line_opened(self, ready)

    def _ask_later(self) -> None:
        while self._later and self._initiator.room and not self.ended:
            kind, body, then = self._later.popleft()
            self._thens[self._initiator.ask(kind, body)] = then
            self._outgoing.add(self)

    def _watch(self) -> None:
        """Set the time at which silence is looked at."""
        if self.ready:
            wait = self._settings.answer if self._pinged else self._settings.ping
            self._timers.set(self, self._heard + wait, self._silent)

    def _silent(self) -> None:
        """The other end has said nothing for long."""
        if not self.ready or self._pinged:
            self.fail(EveryplaceError(Code.ADAPTER_EXCEPTION, f"{self.partner or 'the other end'} does not answer"))
            return
        self._pinged = True
        self._heard = self._timers.steady
        self.ask(Kind.PING, b"", lambda _: None)
        self._watch()

    def _end(self, error: EveryplaceError | None) -> None:
        if self.ended:
            return
        self.ended = True
        self._initiator.state = Calling.ENDED
        self._thens.clear()
        self._later.clear()
        self._timers.clear(self)
        self._outgoing.add(self)
        self._caller.line_ended(self, error)
