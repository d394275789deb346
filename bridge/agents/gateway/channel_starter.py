"""Starting, retrying and giving up channels that open connections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.channel_registry import ChannelRegistry
from mqbridge.bridge.agents.gateway.effects import AbandonConnect, ConnectToPartner, EffectQueue
from mqbridge.bridge.agents.gateway.timers import Timers
from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.connection_attempts import ConnectionAttempt, PingReply
from mqbridge.bridge.agents.message_channel.definitions import SENDING, connection_names
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
from mqbridge.bridge.agents.message_channel.retry import Retries
from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition, unsafe_attributes
from mqbridge.bridge.security import RECEIVING, channel_user, check_connect
from mqbridge.bridge.security.tls import TlsFault, calling_offer, refusal, unsupported
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import ReceiverChannel, SenderChannel


@dataclass(frozen=True, slots=True)
class _Retry:
    """Timer entry for a channel's next attempt."""

    starter: ChannelStarter
    channel: Channel

    def timeout(self, now: Time) -> None:
        """Make the attempt."""
        self.starter.again(self.channel, now)


class ChannelStarter:
    """Connection attempts and retry cycles of all channels. ``host``: of the agents that it creates.
    ``outbound_sni``: what server name channels send (`calling_offer`)."""

    def __init__(
        self, channels: ChannelRegistry, host: MCAHost, effects: EffectQueue, timers: Timers, outbound_sni: str
    ) -> None:
        self._outbound_sni = outbound_sni
        self._label = ""
        self._channels = channels
        self._host = host
        self._effects = effects
        self._timers = timers

    def take_label(self) -> None:
        """Call with the certificate that CERTLABL of the queue manager names: at its start, and when its keys are read
        again (tls.md T-10)."""
        self._label = self._host.manager.objects.manager.text("CERTLABL")

    # Reasons to start

    def start(self, name: str) -> None:
        """START CHANNEL of a type that opens connections. Raises `ControlError` if the definition cannot run."""
        definition = self.check(name)
        channel = self._channels.named(name)
        self.forget_retry(channel)
        channel.retries = None
        if channel.status.stopped or not channel.status.running:
            channel.status.stopped, channel.status.running = False, True
            self._channels.record_status(channel)
        self._attempt(channel, definition)

    def call_back(self, name: str) -> None:
        """Start a sender on a requester's callback, or because messages wait, unless it is stopped or running."""
        channel = self._channels.named(name)
        if channel.sending is None and channel.attempt is None and not channel.status.stopped:
            try:
                self.start(name)
            except ControlError as error:
                self._host.log(error.amq, name, str(error))

    def trigger(self, name: str) -> None:
        """Start a channel because messages wait on its transmission queue, unless it is stopped, running or
        retrying."""
        channel = self._channels.named(name)
        definition = self._host.manager.objects.channel(name)
        if definition is None or definition.subtype not in SENDING or self._host.stopping:
            return
        if not channel.active and not channel.retrying and definition.text("CONNAME"):
            self.call_back(name)

    def ping(self, name: str, data: bytes, reply: PingReply) -> None:
        """PING CHANNEL: uses a connection of its own and moves no messages. Raises `ControlError` like `start`."""
        definition = self.check(name)
        names = connection_names(definition.text("CONNAME"))
        self._connect(ConnectionAttempt(definition, names, ping_data=data, ping_reply=reply))

    def check(self, name: str) -> Definition:
        """Return the definition of a channel that can run. Raises `ControlError`."""
        manager = self._host.manager
        definition = manager.objects.channel(name)
        if definition is None:
            raise ControlError(f"channel {name} is not defined", amq="AMQ9519", reason=MQRCCF.CHANNEL_NOT_FOUND)
        unsafe = unsafe_attributes(definition)
        if unsafe:
            attribute, _, amq = unsafe[0]
            raise ControlError(f"channel {name} has {attribute} set, which is not supported", amq=amq)
        fault = unsupported(definition, manager.objects.manager)
        if fault is not None:
            raise ControlError(f"channel {name} cannot use TLS: {fault.inserts[1]}", amq=fault.amq)
        try:
            connection_names(definition.text("CONNAME"))
        except ValueError as error:
            raise ControlError(f"channel {name}: {error}", amq="AMQ9202") from error
        if definition.subtype in SENDING:
            queue_name = definition.text("XMITQ")
            queue = manager.objects.queue(queue_name)
            if queue is None or queue.text("USAGE") != "XMITQ":
                raise ControlError(f"channel {name}: {queue_name} is no transmission queue", amq="AMQ9531")
        user = channel_user(definition)
        if (
            definition.subtype in RECEIVING
            and (denial := check_connect(manager.security.authorities, user)) is not None
        ):
            raise ControlError(f"channel {name}: {denial}", amq="AMQ9557")
        return definition

    # Attempts

    def _attempt(self, channel: Channel, definition: Definition) -> None:
        channel.attempt = ConnectionAttempt(definition, connection_names(definition.text("CONNAME")))
        self._connect(channel.attempt)

    def _connect(self, attempt: ConnectionAttempt) -> None:
        host, port = attempt.address
        offer = calling_offer(
            attempt.definition,
            host=host,
            outbound_sni=self._outbound_sni,
            queue_manager_label=self._label,
        )
        self._effects.emit(ConnectToPartner(attempt, host, port, attempt.definition.text("LOCLADDR"), offer))

    def connected(self, attempt: ConnectionAttempt, connection: PartnerConnection, now: Time) -> Conversation | None:
        """A connection is open: return the agent for it, or None if it is no longer wanted."""
        definition = attempt.definition
        channel = self._channels.named(definition.name)
        if channel.attempt is not attempt and attempt.ping_data is None:
            return None
        fault = refusal(definition, connection.tls, calling=True)
        if fault is not None:
            self._failed(attempt, "; ".join(map(str, fault.inserts)), now, fault, connection)
            return None
        if attempt.ping_data is not None:
            return self._sender(attempt, channel, connection, now)
        channel.attempt = None
        if channel.settling:
            channel.when_settled.append(partial(self.again, channel))
            return None
        if definition.subtype in SENDING:
            channel.sending = sender = self._sender(attempt, channel, connection, now)
            return sender
        state = self._host.synchronisation.received(channel.name, "")
        machine = ReceiverChannel(self._channels.parameters(definition), state, now)
        receiver = ReceiverMCA(self._host, channel, definition, connection, machine, "", state)
        channel.receiving.append(receiver)
        return receiver

    def _sender(
        self, attempt: ConnectionAttempt, channel: Channel, connection: PartnerConnection, now: Time
    ) -> SenderMCA:
        parameters, state = self._channels.parameters(attempt.definition), channel.sender.state
        machine = SenderChannel(parameters, state, self._channels.luwids, now, ping=attempt.ping_data)
        ping = attempt if attempt.ping_data is not None else None
        return SenderMCA(self._host, channel, attempt.definition, connection, machine, ping)

    def connect_failed(
        self, attempt: ConnectionAttempt, problem: str, now: Time, fault: TlsFault | None = None
    ) -> None:
        """Try the next address of the cycle, or schedule the next cycle. ``fault``: if TLS was the reason."""
        self._failed(attempt, problem, now, fault, None)

    def _failed(
        self,
        attempt: ConnectionAttempt,
        problem: str,
        now: Time,
        fault: TlsFault | None,
        connection: PartnerConnection | None,
    ) -> None:
        host, port = attempt.address
        address = f"{host}({port})"
        more = attempt.next_address(f"{address}: {problem}", lasting=fault is not None and fault.permanent)
        channel = self._channels.named(attempt.definition.name)
        if attempt.ping_data is None and channel.attempt is not attempt:
            return
        if fault is not None:
            self._host.refused_by_tls(fault, address, now, definition=attempt.definition, connection=connection)
        if more:
            self._connect(attempt)
            return
        if attempt.ping_data is not None:
            if attempt.ping_reply is not None:
                attempt.ping_reply("AMQ9202" if fault is None else fault.amq, "; ".join(attempt.problems))
            return
        if fault is None or (len(attempt.problems) > 1 and not attempt.lasting):
            self._host.log("AMQ9202", channel.name, "; ".join(attempt.problems))
        channel.attempt = None
        if attempt.lasting:
            self._channels.stopped(channel)
        else:
            self.retry(channel, attempt.definition, now)

    # Retry

    def retry(self, channel: Channel, definition: Definition, now: Time) -> None:
        """Schedule the next attempt of the cycle (channels.md 6.4); without further attempts the channel becomes
        inactive."""
        if definition.subtype not in SENDING or not definition.text("CONNAME"):
            self._channels.inactive(channel)
            return
        if channel.retries is None:
            channel.retries = Retries(
                definition.integer("SHORTRTY"),
                definition.integer("SHORTTMR"),
                definition.integer("LONGRTY"),
                definition.integer("LONGTMR"),
            )
        wait = channel.retries.next_wait()
        if wait is None:
            self._host.log("AMQ9999", channel.name, "all retries were used")
            self._channels.stopped(channel)
            return
        channel.retry_at = now + wait
        self._timers.set(_Retry(self, channel), channel.retry_at)

    def forget_retry(self, channel: Channel) -> None:
        """Cancel the retry of a channel."""
        channel.retry_at = None
        self._timers.set(_Retry(self, channel), None)

    def again(self, channel: Channel, now: Time) -> None:
        """Make a retry that is due."""
        channel.retry_at = None
        if channel.status.stopped or channel.active or self._host.stopping:
            return
        try:
            self._attempt(channel, self.check(channel.name))
        except ControlError as error:
            self._host.log(error.amq, channel.name, str(error))
            self._channels.stopped(channel)

    def abandon(self, channel: Channel) -> None:
        """Cancel the connection attempt and the retry of a channel."""
        self.forget_retry(channel)
        if channel.attempt is not None:
            self._effects.emit(AbandonConnect(channel.attempt))
            channel.attempt = None
