"""One connection with a partner: the session machine of its script, joined to queues."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.partner.context import PartnerContext
from mqbridge.bridge.agents.partner.intake import Intake
from mqbridge.bridge.agents.partner.outbox import Gate, PartnerOutbox
from mqbridge.bridge.agents.partner.outgoing import OutgoingMessage
from mqbridge.bridge.agents.partner.receiving import PartnerReceiver
from mqbridge.bridge.agents.partner.sending import PartnerSender
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.mappings.moment import Time
from mqbridge.mappings.templates import (
    Accepted,
    Answered,
    BuildError,
    Delivered,
    Ended,
    Event,
    Refused,
    SessionMachine,
    Unknown,
    Values,
)
from mqbridge.protocol.constants import MQRC

_STOPPED: Final = "the partner is stopped"
_SHOWN: Final = 200
"""Most characters of a refusal that are kept."""


class SessionOwner(Protocol):
    """The partner, as its sessions see it."""

    def turned(self, now: Time) -> None:
        """A session has had a turn: deadlines may have moved."""
        ...

    def progressed(self) -> None:
        """A message has arrived, here or there: the connection is good for something."""
        ...

    def ended(self, session: PartnerConversation, reason: str, now: Time) -> None:
        """A session has ended, and everything that it has begun is decided."""
        ...


class PartnerConversation:
    """A `Conversation` by the script of a protocol.

    Order, which the machine keeps: what it delivers is settled when it is on disk, and until then nothing that comes is
    looked at and no time runs out. Bytes with a durable packet or number in them go out when that is on disk.
    """

    __slots__ = (
        "_closing", "_connection", "_context", "_current", "_ended", "_gone", "_intake", "_machine", "_owner",
        "_request", "_sender", "_settle", "out", "reason",
    )  # fmt: skip

    def __init__(
        self,
        context: PartnerContext,
        sender: PartnerSender,
        receiver: PartnerReceiver,
        connection: PartnerConnection,
        owner: SessionOwner,
    ) -> None:
        self._context = context
        self._sender = sender
        self._connection = connection
        self._owner = owner
        settings = context.settings
        values = {"source-manager": context.host.manager.name, **settings.values}
        self._machine = SessionMachine(
            context.protocol, settings.role, context.random, values, context.numbers.counters
        )
        self._intake = Intake(context, sender, receiver, self._decided)
        self.out = PartnerOutbox()
        self._current: OutgoingMessage | None = None
        self._request: OutgoingMessage | None = None
        self._settle = False
        self._gone = self._closing = self._ended = False
        self.reason = ""
        """Why it has ended."""

    @property
    def peer(self) -> str:
        """The partner's address."""
        return self._connection.peer

    @property
    def takes_messages(self) -> bool:
        """Whether a message can be sent now."""
        return self._machine.can_put

    def request_turn(self) -> None:
        """Have `wake` called soon."""
        self._connection.wake()

    def begin(self, now: Time) -> None:
        """The connection stands."""
        self._run(lambda at: self._machine.connected(at), now)
        self._turn_ends(now)

    def stop(self, now: Time, *, force: bool = False) -> None:
        """The partner is being stopped: end when no message is under way; with ``force`` at once."""
        if force:
            self._run(lambda _: self._machine.close(_STOPPED), now)
            if not self._gone:
                self._connection.close(abort=True)
        self._turn_ends(now)

    # See `Conversation`

    def receive_data(self, data: bytes, now: Time) -> None:
        """See `Conversation.receive_data`."""
        if data and self._context.settings.certified and self._certificate is None:
            self._run(lambda _: self._machine.close("the caller has no certificate"), now)
        elif data:
            self._run(lambda at: self._machine.receive_data(data, at), now)
            self._feed(now)
        else:
            self._gone = True
            self._run(lambda at: self._machine.connection_lost(at), now)
            if self._intake.held is not None and not self._intake.deciding:
                self._run(lambda _: self._machine.close("the connection is gone"), now)
        self._turn_ends(now)

    def wake(self, now: Time) -> None:
        """See `Conversation.wake`."""
        if self._settle:
            self._settle = False
            if self._machine.state:
                self._run(lambda at: self._machine.settled(at), now)
        self._feed(now)
        self._turn_ends(now)

    def writable(self, now: Time) -> None:
        """See `Conversation.writable`."""

    def next_timeout(self) -> float | None:
        """See `Conversation.next_timeout`."""
        times = self._machine.next_timeout, self._intake.retry_at
        return min((each for each in times if each is not None), default=None)

    def timeout(self, now: Time) -> None:
        """See `Conversation.timeout`."""
        self._intake.timeout(now)
        self._run(lambda at: self._machine.timeout(at), now)
        self._feed(now)
        self._turn_ends(now)

    def row(self) -> StatusRow | None:
        """None: it belongs to no channel."""
        return None

    @property
    def _certificate(self) -> object | None:
        tls = self._connection.tls
        return None if tls is None else tls.certificate

    # The machine

    def _run(self, action: Callable[[Time], list[Event]], now: Time) -> None:
        """Call the machine, and send what it has. Numbers that it gave are on disk before their bytes go out."""
        numbers = self._context.numbers
        before = dict(numbers.counters.numbers)
        events = action(now)
        taken = numbers.taken_since(before)
        data = self._machine.take()
        if taken and data:
            gate = self.out.add(data, waits=True)
            self._context.units.add(lambda error: self._written(gate, error), [numbers.keep(taken)])
        elif data:
            self.out.add(data)
        self._handle(events, now)

    def _written(self, gate: Gate, error: MQError | None) -> None:
        """Rows of bytes that wait are on disk, or not: then the session ends, for nothing can follow."""
        now = self._context.host.now
        if error is None:
            self.out.pass_on(gate)
        elif self._machine.state:
            self._handle(self._machine.close(str(error)), now)
        self._again(now)

    def _handle(self, events: list[Event], now: Time) -> None:
        for event in events:
            if isinstance(event, Delivered | Answered):
                self._intake.take(event, self._current, self._request, now)
            elif isinstance(event, Accepted):
                self._finished(self._sender.finish, now)
            elif isinstance(event, Refused):
                self._finished(partial(self._refused, event.values), now)
            elif isinstance(event, Unknown):
                self._context.log("AMQ5085", event.reason, event.extract.hex(" "))
            else:
                self._end(event, now)

    def _refused(self, values: Values | None, out: OutgoingMessage, now: Time) -> None:
        self._sender.bury(out, MQRC.UNEXPECTED_ERROR, f"the partner has refused it{_shown(values)}", now)

    def _finished(self, settle: Callable[[OutgoingMessage, Time], None], now: Time) -> None:
        out, self._current = self._current, None
        if out is not None:
            self._owner.progressed()
            settle(out, now)

    def _end(self, event: Ended, now: Time) -> None:
        self.reason = event.reason
        self._closing = True
        if self._intake.deciding:
            return  # what is being written decides about the message too
        self._intake.drop()
        out, self._current = self._current, None
        if out is not None:
            self._sender.unsettled(out, now)

    # To the partner

    def _feed(self, now: Time) -> None:
        """Send messages as long as the state allows one."""
        machine = self._machine
        while machine.can_put:
            out = self._sender.next(now)
            if out is None:
                return
            self._put(out, now)

    def _put(self, out: OutgoingMessage, now: Time) -> None:
        machine, numbers = self._machine, self._context.numbers
        before = dict(numbers.counters.numbers)
        ready = None if out.record is None else out.record.packets
        try:
            events = machine.put(out.values, now, ready)
        except BuildError as error:
            self._sender.bury(out, MQRC.FORMAT_ERROR, str(error), now)
            return
        out.numbers = numbers.taken_since(before)
        self._current = self._request = out
        data, packets = machine.take(), dict(machine.built)
        if packets and out.record is None:
            gate = self.out.add(data, waits=True)
            self._sender.record(out, packets, lambda error: self._written(gate, error))
        else:
            self.out.add(data)
        self._handle(events, now)

    def _decided(self, finished: OutgoingMessage | None, error: MQError | None) -> None:
        """What was held is on disk, or not. ``finished``: the message that has left its queue with it."""
        now = self._context.host.now
        if error is None:
            self._owner.progressed()
            if self._current is finished:
                self._current = None
            self._settle = True
        if self._closing or (error is not None and self._gone):
            self._settle = False
            self._handle(self._machine.close(self.reason or str(error)) or [Ended(self.reason, False)], now)
        self._again(now)

    # Turns

    def _again(self, now: Time) -> None:
        """Request a turn, or take it where no connection gives any."""
        if self._gone:
            self.wake(now)
        else:
            self._connection.wake()

    def _turn_ends(self, now: Time) -> None:
        if self._context.stopping and self._current is None and self._intake.held is None:
            self._run(lambda _: self._machine.close(_STOPPED), now)
        self._context.units.commit(now)
        if self._closing and not self._intake.deciding and not self._ended and (self._gone or not self.out.waits):
            self._ended = True
            if not self._gone:
                self._connection.close()
            self._owner.ended(self, self.reason, now)
        elif not self._gone and not self._closing and self._machine.wants_data == self._connection.paused:
            (self._connection.resume if self._connection.paused else self._connection.pause)()
        self._owner.turned(now)


def _shown(values: Values | None) -> str:
    """What the partner said, for a person."""
    if values is None:
        return ""
    said = ", ".join(f"{name} {value!r:.60}" for name, value in values.fields.items())
    return f": {values.transaction} {said}"[:_SHOWN]
