"""A connection that somebody opened to us: who is it, which channel, and may it run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mqbridge.bridge.agents.gateway.definitions import CHANNEL_TYPES, server_parameters
from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA
from mqbridge.bridge.agents.svrconn import ServerConnectionAgent
from mqbridge.bridge.queue_manager.objects import Definition, unsafe_attributes
from mqbridge.bridge.security import Caller, check_connect
from mqbridge.protocol.channel import ChannelRequested, Closed, Event, Responder
from mqbridge.protocol.channel.pairs import Answer, pair_for
from mqbridge.protocol.constants import MQCHS, MQMODE, StatusCode
from mqbridge.protocol.mqi import ServerConnection

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
    from mqbridge.bridge.agents.gateway.connection import Connection


class InboundHandshake:
    """The end of a new connection until its channel is known; then it hands over to a receiving or sending end."""

    __slots__ = ("channel_manager", "connection", "machine", "told")

    def __init__(self, channel_manager: ChannelManager, connection: Connection, now: float) -> None:
        self.channel_manager = channel_manager
        self.connection = connection
        self.machine = Responder(now, handshake_timeout=channel_manager.settings.handshake_timeout)
        self.told = ""
        """Id of the log message that has told already why it is refused."""

    def handle(self, event: Event, now: float) -> None:
        """Acts on the request for a channel."""
        if isinstance(event, ChannelRequested):
            self._requested(event, now)
        elif isinstance(event, Closed):
            if event.amq != self.told:
                self.channel_manager.log(event.amq, self.connection.peer, event.reason)
            self.channel_manager.close(self.connection)

    def _requested(self, event: ChannelRequested, now: float) -> None:
        channel_manager, name = self.channel_manager, event.channel_name
        definition = channel_manager.manager.objects.channel(name)
        if definition is None:
            self._refuse(StatusCode.NO_CHANNEL, "AMQ9519", name, now)
            return
        kind = CHANNEL_TYPES[definition.subtype]
        answer = pair_for(kind, client=event.client, requests_initiation=event.requests_initiation)
        unsafe = unsafe_attributes(definition)
        if answer is None:
            self._refuse(StatusCode.CHANNEL_WRONG_TYPE, "AMQ9547", name, now)
        elif unsafe:
            attribute, status, amq = unsafe[0]
            self._refuse(StatusCode(status), amq, f"{name} {attribute}", now)
        elif channel_manager.stopping:
            self._refuse(StatusCode.QM_TERMINATING, "AMQ9525", name, now)
        elif channel_manager.is_stopped(name):
            self._refuse(StatusCode.CHANNEL_UNAVAILABLE, "AMQ9534", name, now)
        elif not event.client and self._blocked(definition, event.partner, now):
            return
        elif answer is Answer.RECEIVE:
            self._receive(definition, event, now)
        elif answer is Answer.SEND:
            self._send(definition, event, now)
        elif answer is Answer.SERVE:
            self._serve(definition, now)
        else:
            self.connection.deliver(self.machine.call_back(now), now)
            channel_manager.starter.call_back(name)

    def _blocked(self, definition: Definition, partner: str, now: float) -> bool:
        """Refuses a message channel that the channel authentication records block, or map to a user who may not
        connect (channels.md 14); else notes the user."""
        channel_manager, connection = self.channel_manager, self.connection
        security = channel_manager.manager.security
        caller = Caller(definition.name, connection.address, queue_manager=partner)
        admission = security.message_channel(definition, caller)
        for amq, inserts in admission.log:
            channel_manager.log(amq, *inserts)
        connection.user = user = admission.user
        if not admission.allowed:
            amq = self.told = "AMQ9777"
        elif user and (denial := check_connect(security.authorities, user)) is not None:
            amq, inserts = denial.log
            channel_manager.log(amq, *inserts)
            amq = "AMQ9557"
        else:
            return False
        connection.deliver(self.machine.refuse(StatusCode.SECURITY_FAILURE, now, amq=amq), now)
        return True

    def _receive(self, definition: Definition, event: ChannelRequested, now: float) -> None:
        """Starts a receiving end, after an older one of the same partner has ended for good."""
        channel_manager = self.channel_manager
        partner = "" if definition.subtype == "RQSTR" else event.partner
        older = [end for end in channel_manager.channel(definition.name).receiving if end.record.partner == partner]
        if older:
            # An end that asked to be called back may not have seen yet that its connection is over.
            over = all(end.machine.link.closed or end.machine.status == MQCHS.REQUESTING for end in older)
            if not over and not all(self._adopts(end, event.partner) for end in older):
                self._refuse(StatusCode.CHANNEL_UNAVAILABLE, "AMQ9514", definition.name, now)
                return
            older[0].replace(partial(self._ask_again, event), now)
            return
        connection, channel = self.connection, channel_manager.channel(definition.name)
        record = channel_manager.synchronisation.received(channel.name, partner)
        end = ReceiverMCA(channel_manager, channel, definition, connection, partner, record)
        end.machine, events = self.machine.accept(channel_manager.parameters(definition), record, now)
        connection.end = end
        channel.receiving.append(end)
        connection.deliver(events, now)
        channel_manager.touched(connection, now)

    def _adopts(self, older: SenderMCA | ReceiverMCA, partner: str) -> bool:
        """Whether this connection takes the place of an end that runs: its partner calls again from the same address,
        so it has lost the older connection (``adopt`` of the configuration)."""
        adopts = (
            self.channel_manager.settings.adopt == "all"
            and older.partner == partner
            and older.connection.address == self.connection.address
        )
        if adopts:
            self.channel_manager.log("AMQ9514", older.channel.name, "adopted")
        return adopts

    def _ask_again(self, event: ChannelRequested, now: float) -> None:
        """The older end is over. Much may have happened meanwhile: yet another connection, a STOP CHANNEL."""
        if not self.machine.link.closed and not self.connection.lost_already:
            self._requested(event, now)
            self.channel_manager.touched(self.connection, now)

    def _send(self, definition: Definition, event: ChannelRequested, now: float) -> None:
        """A requester asks our server to send on this connection."""
        channel_manager, connection = self.channel_manager, self.connection
        channel = channel_manager.channel(definition.name)
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
        end = SenderMCA(channel_manager, channel, definition, connection)
        machine, events = self.machine.accept(
            channel_manager.parameters(definition), channel.sender.state, now, luwids=channel_manager.luwids
        )
        end.machine = machine
        connection.end = end
        channel.sending = end
        connection.deliver(events, now)

    def _serve(self, definition: Definition, now: float) -> None:
        """Serves a client."""
        channel_manager, connection = self.channel_manager, self.connection
        channel = channel_manager.channel(definition.name)
        end = ServerConnectionAgent(channel_manager, channel, definition, connection)
        parameters = server_parameters(
            definition, channel_manager.manager.objects.manager, channel_manager.settings.handshake_timeout
        )
        parameters.passwords = channel_manager.passwords_on(definition.name)
        end.machine, events = ServerConnection.answering(self.machine, parameters, now)
        connection.end = end
        channel.clients.append(end)
        connection.deliver(events, now)
        channel_manager.touched(connection, now)

    def _refuse(self, status: StatusCode, amq: str, what: str, now: float) -> None:
        self.told = amq
        self.channel_manager.log(amq, what, self.connection.peer)
        self.connection.deliver(self.machine.refuse(status, now, amq=amq), now)

    def drained(self, now: float) -> None:
        """Nothing has gathered here."""

    def writable(self, now: float) -> None:
        """Nothing more to say."""

    def next_timeout(self) -> float | None:
        """None: all deadlines are the machine's."""
        return None

    def timeout(self, now: float) -> None:
        """Nothing waits here."""
