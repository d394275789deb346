"""The channel manager: runs the channels of one queue manager and is the host of their agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mqbridge.bridge.agents import security_events
from mqbridge.bridge.agents.channel_instance import ChannelInstance
from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.gateway import channel_events
from mqbridge.bridge.agents.gateway.channel_registry import ChannelRegistry
from mqbridge.bridge.agents.gateway.channel_starter import ChannelStarter
from mqbridge.bridge.agents.gateway.effects import EffectQueue
from mqbridge.bridge.agents.gateway.listening_addresses import ListeningAddresses
from mqbridge.bridge.agents.gateway.timers import Timers
from mqbridge.bridge.agents.message_channel.channel import Channel, MessageChannelAgent
from mqbridge.bridge.agents.message_channel.definitions import SENDING, STARTING
from mqbridge.bridge.agents.svrconn.password_queue import PasswordQueue
from mqbridge.bridge.agents.unsent_budget import DEFAULT_LIMIT, UnsentBudget
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security.tls import CHANNEL_SNI, TlsFault
from mqbridge.bridge.store.interface import Store
from mqbridge.mappings.moment import Time
from mqbridge.mappings.service_integration import ChannelRules
from mqbridge.protocol.channel import Closed, LuwidSource
from mqbridge.protocol.constants import MQMODE, StatusCode


@dataclass(slots=True, kw_only=True)
class ChannelLimits:
    """Settings in ``[channels]``, ``unsent`` of ``[limits]`` and ``outbound_sni`` of ``[tls]``. ``buses``: rules of the
    tables ``[bus.NAME]`` by the channels that they name."""

    adopt: str = "all"
    max: int = 10_000
    max_per_address: int = 1_000
    handshake_timeout: float = 30.0
    stalled_timeout: float = 120.0
    unsent: int = DEFAULT_LIMIT
    outbound_sni: str = CHANNEL_SNI
    buses: Mapping[str, ChannelRules] = field(default_factory=dict)


class ChannelManager:
    """Everything that channel agents need from outside.

    ``now``: time of the last call from outside, used by continuations of commits. ``salt``: see
    :class:`~protocol.channel.LuwidSource`. ``starter`` opens connections and retries.
    """

    def __init__(self, manager: QueueManager, store: Store, limits: ChannelLimits, now: Time, *, salt: int = 0) -> None:
        self.manager = manager
        self.settings = limits
        self.buses = limits.buses
        self.now = now
        self.stopping = False
        self.timers = Timers()
        self.effects = EffectQueue()
        self.emit, self.log = self.effects.emit, self.effects.log
        self.unsent = UnsentBudget(limits.unsent)
        self.passwords = PasswordQueue(self.emit)
        self.listening_addresses = ListeningAddresses(manager, self.log)
        self.channels = ChannelRegistry(manager, store, limits.handshake_timeout, LuwidSource(int(now), salt))
        self.synchronisation = self.channels.synchronisation
        self.starter = ChannelStarter(self.channels, self, self.effects, self.timers, limits.outbound_sni)

    def restart(self, now: Time) -> None:
        """Start the channels that were running when the queue manager ended."""
        self.now = now
        self.starter.take_label()
        for channel in [each for each in self.channels if each.status.running]:
            if not channel.status.stopped and self.manager.objects.channel(channel.name) is not None:
                self.starter.call_back(channel.name)

    def stop_all(self, mode: MQMODE, now: Time) -> None:
        """Stop all channels because the queue manager ends: MQMODE.QUIESCE after the current batch, FORCE at once."""
        self.now = now
        self.stopping = True
        for channel in self.channels:
            self.starter.abandon(channel)
            for end in channel.ends():
                end.stop(mode, now)

    def refresh_tls(self, now: Time) -> None:
        """Start all channels that use TLS again, with other keys or certificates (tls.md T-10).

        Senders end after their batch, others at once. What calls starts again by itself; to others the partner comes
        again.
        """
        self.now = now
        self.starter.take_label()
        for channel in self.channels:
            for end in channel.ends():
                if end.connection.tls is None or end.stopping:
                    continue
                sends = end.definition.subtype in SENDING
                channel.starts_again = end.definition.subtype in STARTING and bool(end.definition.text("CONNAME"))
                end.stop(MQMODE.QUIESCE if sends else MQMODE.FORCE, now, StatusCode.SSL_REFRESHING)
            if channel.attempt is not None and channel.attempt.definition.text("SSLCIPH"):
                self.starter.abandon(channel)
                self.starter.again(channel, now)

    def problem(self, amq: str, channel: str, error: MQError | int) -> None:
        """Log a failed call of a channel."""
        self.log(amq, channel, str(error))

    def refused_by_tls(
        self,
        fault: TlsFault,
        peer: str,
        now: Time,
        *,
        definition: Definition | None = None,
        connection: PartnerConnection | None = None,
    ) -> None:
        """Log why TLS does not let a channel run, and put an event. ``definition``: of the channel, if it is known.
        ``connection``: if it was open by then."""
        name = [definition.name] if definition is not None and definition.name not in fault.inserts else []
        self.log(fault.amq, *fault.inserts, *name, peer)
        security_events.refused_by_tls(
            self.manager, fault, peer, now, definition=definition, peer_name=security_events.peer_name(connection)
        )

    # Life of the agents

    def started(self, channel: Channel, end: MessageChannelAgent) -> None:
        """A channel has negotiated and is running."""
        channel.retries = None
        channel.requesting = channel.starts_again = False
        self.log("AMQ9002", channel.name, end.connection.peer)
        channel_events.started(self.manager, end)

    def ended(self, channel: Channel, end: MessageChannelAgent, event: Closed, now: Time) -> None:
        """A machine has closed: close its connection; the channel becomes inactive, retries or is stopped."""
        end.connection.close()
        if end.connection.tls_fault is None:  # else that is told already
            self.log(event.amq, channel.name, event.reason)
        if end.definition.subtype in SENDING:
            self._sender_ended(channel, end, event, now)
        elif channel.starts_again and not self.stopping:
            self._start_again(channel)
        elif end.definition.subtype == "RQSTR" and _is_refused(end):
            self.channels.stopped(channel)
        elif end.definition.subtype == "RQSTR" and not end.replaced and not self.stopping:
            channel.requesting = event.call_back
            if not event.call_back:
                self.channels.inactive(channel)
        if end.started_at:
            channel_events.stopped(self.manager, channel, end, event, now)

    def _sender_ended(self, channel: Channel, end: MessageChannelAgent, event: Closed, now: Time) -> None:
        if channel.sending is end:
            channel.sending = None
        if self.stopping or end.replaced:
            return
        if channel.starts_again:
            self._start_again(channel)
        elif event.normal and not channel.status.stopped and not channel.store_failed:
            self.channels.inactive(channel)
            if not end.stopping:
                self._trigger_again(channel, end.definition.text("XMITQ"))
        elif (event.retryable or channel.store_failed) and not channel.status.stopped and not _is_refused(end):
            channel.store_failed = False
            self.starter.retry(channel, end.definition, now)
        else:
            self.channels.stopped(channel)

    def _start_again(self, channel: Channel) -> None:
        """Start a channel that was ended for that."""
        channel.starts_again = False
        if not channel.status.stopped:
            self.starter.call_back(channel.name)

    def _trigger_again(self, channel: Channel, transmission_queue: str) -> None:
        """Check the trigger of a transmission queue that its last getter has closed (channels.md 13)."""
        definition = self.manager.objects.queue(transmission_queue)
        queue = self.manager.queue(transmission_queue)
        waiting = queue is not None and queue.depth > queue.uncommitted_puts
        if waiting and definition is not None and definition.flag("TRIGGER"):
            self.starter.trigger(channel.name)

    def client_gone(self, instance: ChannelInstance, event: Closed) -> None:
        """An instance of a server-connection channel has ended."""
        name = instance.definition.name
        clients = self.channels.named(name).clients
        clients[:] = [each for each in clients if each is not instance]
        if instance.connection.tls_fault is None:
            self.log(event.amq, name, event.reason)


def _is_refused(end: MessageChannelAgent) -> bool:
    """Whether TLS has ended a connection for a reason that does not go away by itself."""
    fault = end.connection.tls_fault
    return fault is not None and fault.permanent
