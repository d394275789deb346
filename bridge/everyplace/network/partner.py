"""A queue manager that this one calls: its connection, what is pushed and pulled there, and calls of programs."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, unique
from typing import Final

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.effects import AskPartner
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.security.attributes import Attribute
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.handshakes import Ready

from .asked_calls import AskedCalls
from .calling_line import CallingLine
from .channels import Channels
from .context import Context
from .home_pulls import HomePulls
from .pushes import Pushes
from .settings import NOBODY, Peer


@unique
class Contact(Enum):
    """State of the connection."""

    AWAY = "away"
    OPENING = "opening"
    """Its host makes the transport."""
    GREETING = "greeting"
    READY = "ready"


_REFUSALS: Final = (
    Code.AUTHENTICATE,
    Code.CHNL_ATTRIBUTES,
    Code.CON_ADAPTER_REQUIRED,
    Code.CON_INVALID_NAME,
    Code.CON_UNKNOWN,
    Code.NOT_SUPPORTED,
    Code.STOPPED,
)
"""Why a connection is not made that another try alone does not make either."""


class Partner:
    """One connection in use. ``name``: of its definition. ``refused``: the last try to connect has met what somebody
    must mend first."""

    def __init__(self, name: str, context: Context, channels: Channels) -> None:
        self.name = name
        self._context = context
        self._channels = channels
        self._channel = Attribute()
        self._offer = Attribute()
        self._peer = NOBODY
        self._definition: ConnectionDefinition | None = None
        self._retry = context.retry()
        self.contact = Contact.AWAY
        self.refused = False
        self._line: CallingLine | None = None
        self.pushes = Pushes(name, context, self._check)
        self.pulls = HomePulls(name, context, self._check)
        self._calls = AskedCalls(name, context, self._check)

    # What is to be done

    def push(self, queue: Queue, target: str = "") -> None:
        """A queue may have messages to push, to one target if it is given."""
        self.pushes.look(queue, target)

    def call(self, ask: AskPartner) -> None:
        """Make a call there."""
        self._calls.add(ask)

    def trigger(self) -> None:
        """Try everything now (E-211)."""
        self.refused = False
        self._retry.reset()
        self.pushes.trigger()
        self.pulls.trigger()

    def defined_anew(self) -> None:
        """Its connection was changed: what failed is tried now."""
        self._retry.reset()
        self.refused = False

    def wants_connection(self) -> bool:
        """Whether it is to be opened now."""
        if self.contact is not Contact.AWAY:
            return False
        if self._calls.waiting:
            return True
        return (self.pushes.waiting or self.pulls.wanted) and self._retry.due(self._context.timers.steady)

    @property
    def busy(self) -> bool:
        """Whether something is being done, or can be done now."""
        if self._calls.sent or self.pushes.under_way:
            return True
        return self.pushes.waiting and (self.contact is not Contact.AWAY or self.wants_connection())

    @property
    def idle(self) -> bool:
        """Whether nothing is to be sent, pulled or asked, and nothing is under way."""
        busy = self._calls.waiting or self._calls.sent or self.pushes.waiting or self.pulls.wanted
        return not busy and not self.pushes.under_way and (self._line is None or self._line.idle)

    def blocks(self) -> list[str]:
        """Return what does not go on, and why."""
        own = self._context.alarms.text(self)
        return [*([own] if own else []), *self.pulls.troubles(), *self.pushes.troubles()]

    # The connection

    def opened(self, line: CallingLine, definition: ConnectionDefinition, peer: Peer, channel: Attribute) -> None:
        """The transport is there. ``channel``: what it gives if the other end takes what is offered."""
        self._line, self._definition, self._peer = line, definition, peer
        self._channel = self._offer = channel
        self.contact = Contact.GREETING

    def failed(self, error: EveryplaceError) -> None:
        """The transport is not there, or the other end refuses: try later (E-328, E-484)."""
        self.contact, self._line = Contact.AWAY, None
        self.refused = error.code in _REFUSALS
        self._context.alarms.raise_for(self, self.name, f"no connection to {self.name}: {error.text}")
        if not self._retry.reached:
            self.pulls.not_reached()
        self._wake(self._retry.failed(self._context.timers.steady))
        self._calls.not_reached(error)

    def line_opened(self, line: CallingLine, ready: Ready) -> None:
        """Both ends know each other."""
        context = self._context
        self._channel = replace(self._offer, authenticator=line.authenticator, compressor=ready.compressor)
        self.contact, self.refused = Contact.READY, False
        self._retry.succeeded()
        context.alarms.clear(self)
        context.sightings.heard(self.name, ready.time, context.timers.now)
        self.pushes.opened()

    def line_ended(self, line: CallingLine, error: EveryplaceError | None) -> None:
        """It is over; without error because nothing was to be done."""
        if line is not self._line:
            return
        was_ready = self.contact is Contact.READY
        self.contact, self._line = Contact.AWAY, None
        self.pushes.cut()
        self.pulls.cut()
        self._calls.cut()
        if error is None:
            return
        if not was_ready:
            self.failed(error)
            return
        if error.code is not Code.ADAPTER_EXCEPTION:
            self._context.alarms.raise_for(self, self.name, f"connection to {self.name}: {error.text}")
        self._wake(self._retry.lost(self._context.timers.steady))

    def upgrade(self) -> None:
        """Close a connection that does not give what queues demand by now, where the next one may (E-258)."""
        self.pushes.reconsider()
        self.pulls.reconsider()
        definition = self._context.manager.connections.get(self.name)
        if self._line is None or self.contact is not Contact.READY or self._channels.suffices(self._channel):
            return
        if definition is None:
            return
        if definition != self._definition or self._channels.wanted(definition, self._peer) != self._offer:
            self._line.close()

    def readmitted(self, why: EveryplaceError) -> None:
        """An administrator takes the other end on as it is: begin anew."""
        if self._line is not None:
            self._line.fail(why)
        self.pushes.forgive()
        self.pulls.forgive()
        self.trigger()

    def go_on(self) -> None:
        """Do what can be done over the connection now."""
        line = self._line
        if line is None:
            return
        if self.contact is not Contact.READY:
            self.pushes.compare(line)
            return
        self._calls.go_on(line)
        self.pushes.go_on(line)
        if not line.ended:
            self.pulls.go_on(line)
        if not line.ended and self._nothing_to_do(line):
            line.close()

    # Parts

    def _check(self, queue: Queue) -> None:
        """Raise `EveryplaceError` CHNL_ATTRIBUTES for a queue that demands more than the channel gives (E-442)."""
        self._channels.check(self._channel, queue)

    def _wake(self, delay: float) -> None:
        """Let the host ask again after so many seconds whether the connection is wanted."""
        self._context.timers.after((self, "retry"), delay, lambda: None)

    def _nothing_to_do(self, line: CallingLine) -> bool:
        """Whether everything has been transmitted, and a queue wants the connection closed then (E-103)."""
        return self.idle and (self.pushes.closes_idle() or self.pulls.closes_idle())
