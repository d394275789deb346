"""The handshake of an inbound connection: identifies the partner and the channel, and decides whether it may run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from mqbridge.bridge.agents import security_events
from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.message_channel.channel import MessageChannelAgent
from mqbridge.bridge.agents.message_channel.definitions import CHANNEL_TYPES
from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA
from mqbridge.bridge.agents.svrconn.agent import ServerConnectionAgent, server_parameters
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import Definition, unsafe_attributes
from mqbridge.bridge.security import Caller, check_connect
from mqbridge.bridge.security.tls import refusal, unsupported
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import ChannelRequested, Closed, Event, Responder
from mqbridge.protocol.channel.pairs import PairAnswer, pair_for
from mqbridge.protocol.constants import MQMODE, StatusCode
from mqbridge.protocol.mqi import ServerConnection


class InboundHandshake:
    """The conversation on a new inbound connection until its channel is known; then the channel's agent takes over."""

    __slots__ = (
        "channel_manager",
        "connection",
        "events",
        "machine",
        "next_timeout",
        "out",
        "receive_data",
        "reported",
        "timeout",
        "wake",
    )  # fmt: skip

    def __init__(self, channel_manager: ChannelManager, connection: PartnerConnection, now: Time) -> None:
        self.channel_manager = channel_manager
        self.connection = connection
        self.machine = machine = Responder(now, handshake_timeout=channel_manager.settings.handshake_timeout)
        self.events = events = EventQueue(machine, self.handle, connection)
        self.receive_data, self.wake, self.timeout = events.receive_data, events.run, events.timeout
        self.next_timeout, self.out = machine.link.next_timeout, machine.link.wire
        self.reported = ""
        """Id of the operator message that has already given the reason of the refusal."""

    def writable(self, now: Time) -> None:
        """Nothing more to send."""

    def row(self) -> StatusRow | None:
        """None: the channel is not known."""
        return None

    def handle(self, event: Event, now: Time) -> None:
        """Process the partner's channel request."""
        if isinstance(event, ChannelRequested):
            self._requested(event, now)
        elif isinstance(event, Closed):
            if event.amq != self.reported and self.connection.tls_fault is None:
                self.channel_manager.log(event.amq, self.connection.peer, event.reason)
            self.connection.close()

    def _requested(self, event: ChannelRequested, now: Time) -> None:
        channel_manager, name = self.channel_manager, event.channel_name
        definition = channel_manager.manager.objects.channel(name)
        if definition is None:
            self._refuse(StatusCode.NO_CHANNEL, "AMQ9519", name, now)
            return
        kind = CHANNEL_TYPES[definition.subtype]
        answer = pair_for(kind, client=event.client, requests_initiation=event.requests_initiation)
        unsafe = unsafe_attributes(definition)
        tls_settings = channel_manager.manager.objects.manager
        fault = unsupported(definition, tls_settings) or refusal(definition, self.connection.tls)
        if answer is None:
            self._refuse(StatusCode.CHANNEL_WRONG_TYPE, "AMQ9547", name, now)
        elif unsafe:
            attribute, status, amq = unsafe[0]
            self._refuse(StatusCode(status), amq, f"{name} {attribute}", now)
        elif fault is not None:
            self.reported = fault.amq
            channel_manager.refused_by_tls(
                fault, self.connection.peer, now, definition=definition, connection=self.connection
            )
            self.events.add(self.machine.refuse(fault.status, now, amq=fault.amq))
        elif channel_manager.stopping:
            self._refuse(StatusCode.QM_TERMINATING, "AMQ9525", name, now)
        elif channel_manager.channels.is_stopped(name):
            self._refuse(StatusCode.CHANNEL_UNAVAILABLE, "AMQ9534", name, now)
        elif not event.client and self._blocked(definition, event.partner, now):
            return
        else:
            _ANSWERS[answer](self, definition, event, now)

    def _call_back(self, definition: Definition, _event: ChannelRequested, now: Time) -> None:
        """A requester asks our sender to call back."""
        self.events.add(self.machine.call_back(now))
        self.channel_manager.starter.call_back(definition.name)

    def _blocked(self, definition: Definition, partner: str, now: Time) -> bool:
        """Refuse a message channel that CHLAUTH records block or map to a user who may not connect (channels.md 14);
        otherwise note the mapped user."""
        channel_manager, connection = self.channel_manager, self.connection
        security = channel_manager.manager.security
        certificate = connection.tls.certificate if connection.tls is not None else None
        caller = Caller(definition.name, connection.address, queue_manager=partner, certificate=certificate)
        admission = security.message_channel(definition, caller)
        for amq, inserts in admission.log:
            channel_manager.log(amq, *inserts)
        security_events.blocked(channel_manager.manager, admission.blocks, caller, now)
        connection.user = user = admission.user
        if not admission.allowed:
            amq = self.reported = "AMQ9777"
        elif user and (denial := check_connect(security.authorities, user)) is not None:
            amq, inserts = denial.log
            channel_manager.log(amq, *inserts)
            amq = "AMQ9557"
        else:
            return False
        self.events.add(self.machine.refuse(StatusCode.SECURITY_FAILURE, now, amq=amq))
        return True

    def _receive(self, definition: Definition, event: ChannelRequested, now: Time) -> None:
        """Start a receiver, after an older instance for the same partner has ended."""
        channels = self.channel_manager.channels
        channel = channels.named(definition.name)
        partner = "" if definition.subtype == "RQSTR" else event.partner
        older = [each for each in channel.receiving if each.keeps_record_of(partner)]
        if older:
            if not all(each.over for each in older) and not all(self._adopts(each, event.partner) for each in older):
                self._refuse(StatusCode.CHANNEL_UNAVAILABLE, "AMQ9514", definition.name, now)
                return
            older[0].replace(partial(self._ask_again, event), now)
            return
        record = channels.synchronisation.received(channel.name, partner)
        machine, events = self.machine.accept(channels.parameters(definition), record, now)
        agent = ReceiverMCA(self.channel_manager, channel, definition, self.connection, machine, partner, record)
        channel.receiving.append(agent)
        self._hand_over(agent, events)

    def _adopts(self, older: MessageChannelAgent, partner: str) -> bool:
        """Whether this connection replaces a running instance: the partner calls again from the same address, so it has
        lost the older connection (``adopt`` in the configuration)."""
        adopts = (
            self.channel_manager.settings.adopt == "all"
            and older.partner == partner
            and older.connection.address == self.connection.address
        )
        if adopts:
            self.channel_manager.log("AMQ9514", older.definition.name, "adopted")
        return adopts

    def _ask_again(self, event: ChannelRequested, now: Time) -> None:
        """Check the request again after the older instance has ended: there may be another connection or a STOP CHANNEL
        by now."""
        if not self.machine.link.closed:
            self._requested(event, now)
            self.connection.wake()

    def _send(self, definition: Definition, event: ChannelRequested, now: Time) -> None:
        """A requester asks our server channel to send on this connection."""
        channel_manager, channels = self.channel_manager, self.channel_manager.channels
        channel = channels.named(definition.name)
        older = channel.sending
        if older is not None and self._adopts(older, event.partner):
            older.replaced = True
            older.stop(MQMODE.FORCE, now)
        if channel.sending is not None or channel.attempt is not None:
            self._refuse(StatusCode.CHANNEL_UNAVAILABLE, "AMQ9514", definition.name, now)
            return
        if channel.settling:
            channel.when_settled.append(partial(self._ask_again, event))
            return
        channel_manager.starter.forget_retry(channel)
        parameters, state = channels.parameters(definition), channel.sender.state
        machine, events = self.machine.accept(parameters, state, now, luwids=channels.luwids)
        agent = channel.sending = SenderMCA(channel_manager, channel, definition, self.connection, machine)
        self._hand_over(agent, events)

    def _serve(self, definition: Definition, _event: ChannelRequested, now: Time) -> None:
        """Start a server connection."""
        channel_manager = self.channel_manager
        parameters = server_parameters(
            definition, channel_manager.manager.objects.manager, channel_manager.settings.handshake_timeout
        )
        parameters.passwords = channel_manager.listening_addresses.passwords_on(
            definition.name, inside_tls=self.connection.tls is not None
        )
        machine, events = ServerConnection.answering(self.machine, parameters, now)
        agent = ServerConnectionAgent(channel_manager, definition, self.connection, machine)
        channel_manager.channels.named(definition.name).clients.append(agent)
        self._hand_over(agent, events)

    def _hand_over(self, agent: ReceiverMCA | SenderMCA | ServerConnectionAgent, events: Iterable[Any]) -> None:
        """Hand the connection to an agent, with the first events of its machine."""
        agent.events.add(events)
        self.connection.continue_with(agent)

    def _refuse(self, status: StatusCode, amq: str, what: str, now: Time) -> None:
        self.reported = amq
        self.channel_manager.log(amq, what, self.connection.peer)
        self.events.add(self.machine.refuse(status, now, amq=amq))


_ANSWERS: Final[dict[PairAnswer, Callable[[InboundHandshake, Definition, ChannelRequested, Time], None]]] = {
    PairAnswer.RECEIVE: InboundHandshake._receive,
    PairAnswer.SEND: InboundHandshake._send,
    PairAnswer.CALL_BACK: InboundHandshake._call_back,
    PairAnswer.SERVE: InboundHandshake._serve,
}
"""Method for each answer to a caller's request."""
