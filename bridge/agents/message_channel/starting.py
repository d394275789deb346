"""How channels that open connections start, fail, try again and give up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mqbridge.bridge.agents.gateway.channel import Channel
from mqbridge.bridge.agents.gateway.connection import Connection
from mqbridge.bridge.agents.gateway.definitions import SENDING, connection_names
from mqbridge.bridge.agents.gateway.effects import Abandon, Connect
from mqbridge.bridge.agents.message_channel.attempts import Attempt, PingReply
from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
from mqbridge.bridge.agents.message_channel.retry import Retries
from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition, unsafe_attributes
from mqbridge.bridge.security import RECEIVING, channel_user, check_connect
from mqbridge.protocol.channel import ReceiverChannel, SenderChannel

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager


class Starter:
    """Attempts and retry cycles of all channels of a channel_manager."""

    def __init__(self, channel_manager: ChannelManager) -> None:
        self._channel_manager = channel_manager

    # Reasons to start

    def start(self, name: str) -> None:
        """START CHANNEL of a type that opens connections. Raises `ControlError` for a definition that cannot run."""
        definition = self.check(name)
        channel = self._channel_manager.channel(name)
        self.forget_retry(channel)
        channel.retries = None
        if channel.status.stopped or not channel.status.running:
            channel.status.stopped, channel.status.running = False, True
            self._channel_manager.record_status(channel)
        self._attempt(channel, definition)

    def call_back(self, name: str) -> None:
        """A requester asked our sender to call it, or messages wait: starts unless it is stopped or runs."""
        channel = self._channel_manager.channel(name)
        if channel.sending is None and channel.attempt is None and not channel.status.stopped:
            try:
                self.start(name)
            except ControlError as error:
                self._channel_manager.log(error.amq, name, str(error))

    def trigger(self, name: str) -> None:
        """Messages wait on a transmission queue: the channel starts unless it is stopped, runs or retries."""
        channel = self._channel_manager.channel(name)
        definition = self._channel_manager.manager.objects.channel(name)
        if definition is None or definition.subtype not in SENDING or self._channel_manager.stopping:
            return
        if not channel.active and not channel.retrying and definition.text("CONNAME"):
            self.call_back(name)

    def ping(self, name: str, data: bytes, reply: PingReply) -> None:
        """PING CHANNEL: a connection of its own, no message moves. Raises `ControlError` as `start` does."""
        definition = self.check(name)
        names = connection_names(definition.text("CONNAME"))
        self._connect(Attempt(self._channel_manager.channel(name), definition, names, ping_data=data, ping_reply=reply))

    def check(self, name: str) -> Definition:
        """The definition, if the channel can run at all. Raises `ControlError`."""
        manager = self._channel_manager.manager
        definition = manager.objects.channel(name)
        if definition is None:
            raise ControlError(f"channel {name} is not defined", amq="AMQ9519", reason=MQRCCF.CHANNEL_NOT_FOUND)
        unsafe = unsafe_attributes(definition)
        if unsafe:
            attribute, _, amq = unsafe[0]
            raise ControlError(f"channel {name} has {attribute} set, which is not supported", amq=amq)
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
        channel.attempt = Attempt(channel, definition, connection_names(definition.text("CONNAME")))
        self._connect(channel.attempt)

    def _connect(self, attempt: Attempt) -> None:
        host, port = attempt.address
        self._channel_manager.emit(Connect(attempt, host, port, attempt.definition.text("LOCLADDR")))

    def connected(self, attempt: Attempt, address: str, port: int, now: float) -> Connection | None:
        """The connection is open: an end and its machine are made; None when it is no longer wanted."""
        channel_manager, channel = self._channel_manager, attempt.channel
        connection = Connection(channel_manager, address, port)
        if attempt.ping_data is not None:
            self._sending(attempt, connection, now)
            return connection
        if channel.attempt is not attempt:
            return None
        channel.attempt = None
        if channel.settling:
            channel.when_settled.append(partial(self.again, channel))
            return None
        if attempt.definition.subtype in SENDING:
            channel.sending = self._sending(attempt, connection, now)
        else:
            state = channel_manager.synchronisation.received(channel.name, "")
            end = ReceiverMCA(channel_manager, channel, attempt.definition, connection, "", state)
            end.machine = ReceiverChannel(channel_manager.parameters(attempt.definition), state, now)
            connection.end = end
            channel.receiving.append(end)
        return connection

    def _sending(self, attempt: Attempt, connection: Connection, now: float) -> SenderMCA:
        channel_manager, channel = self._channel_manager, attempt.channel
        ping = attempt if attempt.ping_data is not None else None
        end = SenderMCA(channel_manager, channel, attempt.definition, connection, ping)
        parameters = channel_manager.parameters(attempt.definition)
        end.machine = SenderChannel(
            parameters, channel.sender.state, channel_manager.luwids, now, ping=attempt.ping_data
        )
        connection.end = end
        return end

    def connect_failed(self, attempt: Attempt, problem: str, now: float) -> None:
        """The next address of the cycle, or the next cycle later."""
        host, port = attempt.address
        more = attempt.next_address(f"{host}({port}): {problem}")
        channel = attempt.channel
        if attempt.ping_data is None and channel.attempt is not attempt:
            return
        if more:
            self._connect(attempt)
        elif attempt.ping_data is not None:
            if attempt.ping_reply is not None:
                attempt.ping_reply("AMQ9202", "; ".join(attempt.problems))
        else:
            self._channel_manager.log("AMQ9202", channel.name, "; ".join(attempt.problems))
            channel.attempt = None
            self.retry(channel, attempt.definition, now)

    # Retry

    def retry(self, channel: Channel, definition: Definition, now: float) -> None:
        """Waits for the next attempt of the cycle (channels.md 6.4); a channel that has none becomes inactive."""
        if definition.subtype not in SENDING or not definition.text("CONNAME"):
            self._channel_manager.inactive(channel)
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
            self._channel_manager.log("AMQ9999", channel.name, "all retries were used")
            self._channel_manager.stopped(channel)
            return
        channel.retry_at = now + wait
        self._channel_manager.timers.set(channel.name, channel.retry_at)

    def forget_retry(self, channel: Channel) -> None:
        """No further attempt is due."""
        channel.retry_at = None
        self._channel_manager.timers.set(channel.name, None)

    def again(self, channel: Channel, now: float) -> None:
        """The time of a retry has come."""
        del now
        channel.retry_at = None
        if channel.status.stopped or channel.active or self._channel_manager.stopping:
            return
        try:
            self._attempt(channel, self.check(channel.name))
        except ControlError as error:
            self._channel_manager.log(error.amq, channel.name, str(error))
            self._channel_manager.stopped(channel)

    def abandon(self, channel: Channel) -> None:
        """Gives up attempt and retry of a channel."""
        self.forget_retry(channel)
        if channel.attempt is not None:
            self._channel_manager.emit(Abandon(channel.attempt))
            channel.attempt = None
