"""One connection that another queue manager has opened."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.security.attributes import TLS, Attribute
from mqbridge.bridge.everyplace.transfer.called import CalledEnd
from mqbridge.bridge.everyplace.transfer.conversation import refusal
from mqbridge.protocol.everyplace.batches import Have, Part, read_body, write_body
from mqbridge.protocol.everyplace.calls import Call, Outcome, outcome_fields, read_call, read_reference
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.handshakes import Hello
from mqbridge.protocol.everyplace.responder import Asked, Ended, Greeted, Proved, Responder
from mqbridge.protocol.everyplace.transitions import Called

from .context import Context
from .long_bodies import LANE, Answers, Bodies, is_long
from .settings import Peer

_FATAL = (Code.DATA, Code.BAD_REQUEST, Code.CHNL_OVERRUN, Code.CHNL_LIMIT)
"""What a caller does wrong that no later frame can mend."""


class Desk(Protocol):
    """Where callers are received."""

    def greeted(self, line: CalledLine, hello: Hello) -> None:
        """A caller says who it is. Raises `EveryplaceError`."""
        ...

    def welcomed(self, line: CalledLine, hello: Hello) -> CalledEnd:
        """It has proved this; returns what serves its lanes."""
        ...

    def line_ended(self, line: CalledLine, error: EveryplaceError | None) -> None:
        """It is over."""
        ...

    def refused(self, line: CalledLine, error: EveryplaceError) -> None:
        """A request is refused, and the connection goes on."""
        ...


class CalledLine:
    """The end that is called. ``ended``: the transport is to be closed after what `take` gives. ``partner``: the
    caller, once it is believed. ``listener``, ``peer``: where it came from. ``channel``: what it gives (E-443)."""

    def __init__(
        self, desk: Desk, responder: Responder, context: Context, listener: ListenerDefinition, peer: Peer
    ) -> None:
        self._desk = desk
        self.responder = responder
        self._context = context
        self._manager = context.manager
        self._timers = timers = context.timers
        self._outgoing = context.outgoing
        self.listener = listener
        self.peer = peer
        self.partner = ""
        self.heard = timers.now
        self._last = timers.steady
        self.ended = False
        self.end: CalledEnd | None = None
        self.channel = Attribute()
        self._hello: Hello | None = None
        self._bodies = Bodies()
        self._answers = Answers(context.manager.name)
        hello = context.settings.hello
        timers.after(self, hello, partial(self._late, f"nobody has proved a name within {hello:g} seconds"))

    # Transport

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes have come."""
        self._timers.now = now
        if self.ended:
            return
        try:
            for event in self.responder.receive(data):
                self._event(event)
                if self._is_over():
                    return
        except EveryplaceError as error:
            self.fail(error)
        self._outgoing.add(self)

    def take(self) -> bytes:
        """Return the bytes to send."""
        return self.responder.take()

    def cut(self, now: float) -> None:
        """The transport is gone."""
        self._timers.now = now
        self._end(None)

    # Use

    @property
    def ready(self) -> bool:
        """Whether the caller is known and may ask."""
        return self.end is not None and not self.ended

    @property
    def claimed(self) -> str:
        """The name that the caller says it has; empty before HELLO."""
        return "" if self._hello is None else self._hello.name

    def fail(self, error: EveryplaceError) -> None:
        """End the connection; the caller is told why."""
        if not self.ended:
            if self.responder.state is not Called.ENDED:
                self.responder.refuse(error)
            self._end(error)

    def go_on(self) -> None:
        """Answer a pull that waits, if there is something for it."""
        if self.end is not None and not self.ended:
            self.end.go_on(self._context.milliseconds)
            self._watch_pull()

    # Parts

    def _is_over(self) -> bool:
        return self.ended

    def _event(self, event: Greeted | Proved | Asked | Ended) -> None:
        match event:
            case Greeted(hello):
                self._hello = hello
                self._desk.greeted(self, hello)
            case Proved():
                self.welcome()
            case Asked(frame):
                self._asked(frame)
            case Ended():
                self._end(None)

    def welcome(self) -> None:
        """The caller is who it says."""
        assert self._hello is not None, "the caller has greeted"
        self.partner = self._hello.name
        self.end = self._desk.welcomed(self, self._hello)
        self.responder.welcome()
        cryptor = TLS if self.peer.secure else ""
        self.channel = Attribute(self.responder.authenticator, cryptor, self.responder.compressor, self._manager.name)
        self._manager.security.channels[self.partner] = self.channel
        self._note()
        self._timers.clear(self)
        self._watch()

    def _asked(self, frame: Frame) -> None:
        assert self.end is not None, "the caller is known"
        if frame.kind is Kind.PING:
            self._reply(frame.request, Kind.PONG, b"")
            return
        self._note()
        try:
            if frame.kind is Kind.REQUEST:
                call = self._read_call(frame)
                self._manager.call(call, partial(self._answer, frame.request), self._timers.now, self.partner)
            elif not self._of_a_call(frame):
                self.end.receive(frame, partial(self._reply, frame.request), self._context.milliseconds)
                self._watch_pull()
                if self.end.pulls:
                    self._context.pulling.add(self.partner)
        except EveryplaceError as error:
            if error.code in _FATAL:
                raise
            self._desk.refused(self, error)
            self._reply(frame.request, Kind.ERROR, refusal(error))

    def _read_call(self, frame: Frame) -> Call:
        """Return the call of a REQUEST, whose body may have come in parts."""
        fields = Fields.of_body(frame.body)
        name = read_reference(fields)
        return read_call(fields if name is None else Fields.of_body(self._bodies.take(name)))

    def _of_a_call(self, frame: Frame) -> bool:
        """Serve a PART or HAVE that belongs to a call; returns whether it was one."""
        if frame.kind not in (Kind.PART, Kind.HAVE):
            return False
        body = read_body(frame.kind, frame.body)
        if body.lane != LANE:
            return False
        if isinstance(body, Part):
            self._reply(frame.request, Kind.HAVE, write_body(Have(LANE, body.uid, self._bodies.add(body))))
        elif isinstance(body, Have):
            part = self._answers.part(body)
            if part is None:
                self._reply(frame.request, Kind.ANSWER, b"")
            else:
                self._reply(frame.request, Kind.PART, write_body(part))
        return True

    def _answer(self, request: int, outcome: Outcome) -> None:
        body = outcome_fields(outcome).body()
        if not is_long(body):
            self._reply(request, Kind.ANSWER, body)
            return
        try:
            self._reply(request, Kind.PART, write_body(self._answers.add(body)))
        except EveryplaceError as error:
            self._reply(request, Kind.ERROR, refusal(error))

    def _reply(self, request: int, kind: Kind, body: bytes) -> None:
        if self.ended or self.responder.state is not Called.READY:
            return
        try:
            self.responder.answer(request, kind, body)
        except EveryplaceError as error:
            self.fail(error)
        self._outgoing.add(self)

    def _note(self) -> None:
        self.heard, self._last = self._timers.now, self._timers.steady

    def _watch(self) -> None:
        """Set the time at which an idle connection is closed (E-259)."""
        if self.listener.timeout:
            self._timers.set(self, self._last + self.listener.timeout / 1000, self._idle)

    def _idle(self) -> None:
        if self.responder.open_requests:
            self._note()
        if self._last + self.listener.timeout / 1000 > self._timers.steady:
            self._watch()
        else:
            self._end(None)

    def _watch_pull(self) -> None:
        assert self.end is not None, "the caller is known"
        until = self.end.next_timeout()
        if until is None:
            self._timers.clear((self, "pull"))
        else:
            self._timers.set((self, "pull"), until / 1000 - self._timers.now + self._timers.steady, self.go_on)

    def _late(self, text: str) -> None:
        self.fail(EveryplaceError(Code.ADAPTER_EXCEPTION, text))

    def _end(self, error: EveryplaceError | None) -> None:
        if self.ended:
            return
        self.ended = True
        if self.responder.state is not Called.ENDED:
            self.responder.refuse(error or EveryplaceError(Code.CLOSED, "the connection is closed"))
        self._timers.clear(self)
        self._timers.clear((self, "pull"))
        if self.end is not None:
            self.end.cut()
        self._outgoing.add(self)
        self._desk.line_ended(self, error)
