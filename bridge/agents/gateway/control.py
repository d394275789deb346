"""Channel commands: START, STOP, PING, RESET and RESOLVE CHANNEL, and channel status."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from mqbridge.bridge.agents.gateway import channel_events
from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.gateway.status import current_rows, saved_rows
from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.channel_records import ReceiverRecord
from mqbridge.bridge.agents.message_channel.definitions import SENDING, STARTING
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.connections import connection_rows
from mqbridge.bridge.queue_manager.control import ControlError, Outcome, StatusRow, StoppableConnection
from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE

_MODES = {"QUIESCE": MQMODE.QUIESCE, "FORCE": MQMODE.FORCE, "TERMINATE": MQMODE.FORCE}


class ListenerControl(Protocol):
    """Listeners, run by the endpoints; see :class:`~bridge.queue_manager.control.ChannelControl`."""

    def start_listener(self, listener: Definition, now: Time, outcome: Outcome) -> None:
        """START LISTENER."""
        ...

    def stop_listener(self, listener: Definition, now: Time) -> None:
        """STOP LISTENER."""
        ...

    def listeners(self, now: Time) -> list[StatusRow]:
        """Status rows of all running listeners."""
        ...


class ServiceControl(Protocol):
    """Programs of services, run by the endpoints; see :class:`~bridge.queue_manager.control.ChannelControl`."""

    def start_service(self, service: Definition, now: Time) -> None:
        """START SERVICE."""
        ...

    def stop_service(self, service: Definition, now: Time) -> None:
        """STOP SERVICE."""
        ...

    def services(self, now: Time) -> list[StatusRow]:
        """Status rows of all started services."""
        ...


class TlsControl(Protocol):
    """Keys and certificates of channels, kept by the service."""

    def refresh(self) -> None:
        """Read them again. Raises `ControlError`."""
        ...


class Control:
    """Implements :class:`~bridge.queue_manager.control.ChannelControl` for the channels of a channel manager.

    ``services``: None if programs are not run. ``tls``: None where there is no TLS.
    """

    def __init__(
        self,
        channel_manager: ChannelManager,
        listeners: ListenerControl | None = None,
        services: ServiceControl | None = None,
        tls: TlsControl | None = None,
    ) -> None:
        self._channel_manager = channel_manager
        self._tls = tls
        self._listeners = listeners
        self._services = services

    # Channels

    def start(self, channel: Definition, now: Time) -> None:
        """START CHANNEL."""
        channel_manager = self._channel_manager
        channel_manager.now = now
        state = channel_manager.channels.named(channel.name)
        if channel.subtype not in STARTING or (channel.subtype == "SVR" and not channel.text("CONNAME")):
            if state.status.stopped:
                state.status.stopped = False
                channel_manager.channels.record_status(state)
            for client in state.clients:
                client.started_again()
            return
        if state.active and not (state.receiving and channel.subtype in SENDING):
            raise ControlError(f"channel {channel.name} is in use", amq="AMQ9514", reason=MQRCCF.CHANNEL_IN_USE)
        channel_manager.starter.start(channel.name)

    def stop(self, channel: Definition, mode: str, status: str, connection: str, queue_manager: str, now: Time) -> None:
        """STOP CHANNEL (channels.md 6.3)."""
        channel_manager = self._channel_manager
        channel_manager.now = now
        state = channel_manager.channels.named(channel.name)
        ends = state.ends()
        if connection or queue_manager:
            ends = [
                end
                for end in ends
                if (not connection or connection in (end.connection.address, end.connection.peer))
                and (not queue_manager or end.partner == queue_manager)
            ]
        idle = not state.status.stopped and not self.active(channel.name)
        if not ends and (connection or queue_manager or (status == "INACTIVE" and idle)):
            raise ControlError(f"channel {channel.name} is not active", amq="AMQ9533", reason=MQRCCF.CHANNEL_NOT_ACTIVE)
        if not connection and not queue_manager:
            channel_manager.starter.abandon(state)
            state.requesting = False
            state.status.stopped, state.status.running = status != "INACTIVE", False
            channel_manager.channels.record_status(state)
        if channel.subtype != "SVRCONN":
            channel_events.stopped_by_user(channel_manager.manager, channel, now)
        for end in ends:
            end.stop(_MODES[mode], now)

    def ping(self, channel: Definition, length: int, now: Time, outcome: Outcome) -> None:
        """PING CHANNEL: sends ``length`` bytes there and back over a connection of its own."""
        channel_manager = self._channel_manager
        channel_manager.now = now
        if channel.subtype not in SENDING:
            # What a requester starts is the other end's sending; there is no place in it for test data.
            raise ControlError(f"channel {channel.name} does not send", amq="AMQ9512")
        if self.active(channel.name):
            raise ControlError(f"channel {channel.name} is in use", amq="AMQ9514", reason=MQRCCF.CHANNEL_IN_USE)
        data = bytes(index & 0xFF for index in range(length))

        def reply(amq: str, text: str) -> None:
            good = amq == "AMQ8020"
            outcome(None if good else ControlError(text, amq=amq, reason=MQRCCF.PING_ERROR))

        channel_manager.starter.ping(channel.name, data, reply)

    def reset(self, channel: Definition, sequence: int, now: Time, outcome: Outcome) -> None:
        """RESET CHANNEL: sets the next sequence number of this end; a sender tells its partner at the next start."""
        channel_manager = self._channel_manager
        channel_manager.now = now
        state = channel_manager.channels.named(channel.name)
        if state.active:
            raise ControlError(f"channel {channel.name} is in use", amq="AMQ9514", reason=MQRCCF.CHANNEL_IN_USE)
        if channel.subtype in SENDING:
            if state.sender.state.in_doubt is not None:
                raise ControlError(f"channel {channel.name} is in doubt", amq="AMQ9507", reason=MQRCCF.CHANNEL_INDOUBT)
            self._reset_sender(state, sequence, outcome)
            return
        synchronisation = channel_manager.synchronisation
        before = [ReceiverRecord(partner, kept) for partner, kept in synchronisation.partners(channel.name)]
        records = [ReceiverRecord(record.partner, record.state.reset_to(sequence)) for record in before]
        synchronisation.remember_all(channel.name, records)
        on_complete = _on_complete(outcome)

        def done(error: MQError | None) -> None:
            if error is not None:
                synchronisation.remember_all(channel.name, before)
            on_complete(error)

        channel_manager.manager.submit([record.operation(channel.name) for record in records], done)

    def _reset_sender(self, state: Channel, sequence: int, outcome: Outcome) -> None:
        channel_manager, on_complete = self._channel_manager, _on_complete(outcome)
        state.sender.state = state.sender.state.reset_to(sequence)

        def done(error: MQError | None) -> None:
            if error is not None:
                channel_manager.synchronisation.reload_sender(state)
            on_complete(error)

        channel_manager.manager.submit([state.sender.operation(state.name)], done)

    def resolve(self, channel: Definition, commit: bool, now: Time, outcome: Outcome) -> None:
        """RESOLVE CHANNEL: commits or backs out the batch in doubt without asking the partner."""
        channel_manager = self._channel_manager
        channel_manager.now = now
        state = channel_manager.channels.named(channel.name)
        if state.active:
            raise ControlError(f"channel {channel.name} is in use", amq="AMQ9514", reason=MQRCCF.CHANNEL_IN_USE)
        if state.sender.state.in_doubt is None:
            raise ControlError(f"channel {channel.name} is not in doubt", amq="AMQ9533")
        channel_manager.synchronisation.settle(state, commit, now, _on_complete(outcome))

    def refresh_tls(self, now: Time) -> None:
        """REFRESH SECURITY TYPE(SSL)."""
        if self._tls is not None:
            self._tls.refresh()
        self._channel_manager.refresh_tls(now)

    def active(self, name: str) -> bool:
        """Whether an instance is starting, running, retrying or stopping."""
        channel = self._channel_manager.channels.get(name)
        return channel is not None and (channel.active or channel.retrying)

    def deleted(self, name: str) -> list[Operation]:
        """DELETE CHANNEL: forgets the stopped state of the channel. Returns the rows to be written."""
        channel = self._channel_manager.channels.get(name)
        if channel is None:
            return []
        channel.requesting = False
        channel.status.stopped = channel.status.running = False
        return [channel.status.operation(name)]

    def statuses(self, saved: bool, now: Time) -> list[StatusRow]:
        """Rows of DISPLAY CHSTATUS."""
        return saved_rows(self._channel_manager) if saved else current_rows(self._channel_manager)

    # Listeners, services and programs

    def start_listener(self, listener: Definition, now: Time, outcome: Outcome) -> None:
        """START LISTENER."""
        if self._listeners is None:
            raise ControlError(f"listener {listener.name} cannot be started here", amq="AMQ9218")
        self._listeners.start_listener(listener, now, outcome)

    def stop_listener(self, listener: Definition, now: Time) -> None:
        """STOP LISTENER."""
        if self._listeners is None:
            raise ControlError(f"listener {listener.name} is not active", amq="AMQ8731", reason=MQRCCF.LISTENER_STOPPED)
        self._listeners.stop_listener(listener, now)

    def listeners(self, now: Time) -> list[StatusRow]:
        """Rows of DISPLAY LSSTATUS."""
        return [] if self._listeners is None else self._listeners.listeners(now)

    def start_service(self, service: Definition, now: Time) -> None:
        """START SERVICE."""
        self._running_services().start_service(service, now)

    def stop_service(self, service: Definition, now: Time) -> None:
        """STOP SERVICE."""
        self._running_services().stop_service(service, now)

    def services(self, now: Time) -> list[StatusRow]:
        """Rows of DISPLAY SVSTATUS."""
        return [] if self._services is None else self._services.services(now)

    def _running_services(self) -> ServiceControl:
        if self._services is None:
            text = "no programs are run here, since [services] enabled is false"
            raise ControlError(text, reason=MQRCCF.FUNCTION_RESTRICTED)
        return self._services

    def stop_connection(self, connection: StoppableConnection, now: Time) -> None:
        """STOP CONN."""
        self._channel_manager.now = now
        program = connection.program
        if program is not None:
            program.connection_stopped(now)
        else:
            connection.lost(now)

    def connections(self, now: Time) -> Iterable[StatusRow]:
        """Rows of DISPLAY CONN."""
        return connection_rows(self._channel_manager.manager.connections)


def _on_complete(outcome: Outcome) -> Callable[[MQError | None], None]:
    def then(error: MQError | None) -> None:
        outcome(None if error is None else ControlError(str(error), reason=error.reason))

    return then
