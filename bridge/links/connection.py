"""One AMQP 1.0 connection to a provider: proton's engine without sockets. Bytes and times in, bytes and events out."""

from __future__ import annotations

from typing import Final

import proton
from cproton_ffi import ffi, lib

from mqbridge.bridge.agents.linking.provider import DeliveryState, Outcome, ProviderEvent, Rejected
from mqbridge.mappings.amqp import AmqpFormatError, AmqpMessage

from . import deliveries, ends
from .codec import encode
from .ends import End
from .engine_events import EngineEvents
from .settings import ConnectionSettings

MAX_TAKEN: Final = 1 << 18
"""Bytes to be sent that are taken from the engine at once, but for the last part."""


class AmqpConnection:
    """A connection of the protocol `ProviderConnection` to a provider.

    ``receive_data`` takes bytes, ``tick`` is to be called at ``next_timeout``; times are seconds, of any origin, that
    only increase. After these, and after requests, ``take`` returns the bytes to be sent, and ``events`` then what
    happened. After `Lost`, or `Refused` without a handle, ``over`` is true, no more events come, and the socket is to
    be closed behind what ``take`` returned. Bytes that are not AMQP end the connection with `Lost`.
    """

    def __init__(self, settings: ConnectionSettings, now: float) -> None:
        self._settings = settings
        self.next_timeout: float | None = None
        self._open_by: float | None = None
        self._connection = connection = proton.Connection()
        connection.container = settings.container
        connection.hostname = settings.host
        connection.properties = {"product": "mqbridge"}
        connection.desired_capabilities = "ANONYMOUS-RELAY"
        self._transport = transport = proton.Transport()
        transport.max_frame_size = settings.max_frame
        transport.idle_timeout = settings.idle_timeout
        transport.tracer = _silent
        sasl = transport.sasl()
        sasl.allowed_mechs(settings.mechanism)
        # TLS is below, so the engine cannot see it; whether a password may be sent was decided before.
        sasl.allow_insecure_mechs = True
        if settings.mechanism == "PLAIN":
            connection.user = settings.user
            connection.password = settings.password
        self._session = session = connection.session()
        session.incoming_capacity = max(settings.max_session, settings.max_frame)
        self._engine = EngineEvents(session, transport, sasl, settings.max_message)
        self._ends = self._engine.ends
        transport.bind(connection)
        connection.open()
        session.open()
        transport.tick(now)

    @property
    def over(self) -> bool:
        """Whether the connection has ended."""
        return self._engine.over

    # Bytes and times

    def receive_data(self, data: bytes, now: float) -> None:
        """Take bytes of the provider; after the end of the connection they are ignored."""
        if self.over:
            return
        view, transport, engine = memoryview(data), self._transport, self._engine
        try:
            while view:
                capacity = transport.capacity()
                if capacity <= 0:
                    break
                transport.push(view[:capacity])
                view = view[capacity:]
                engine.work()
        except proton.ProtonException:
            engine.work()
            engine.lose("the provider has sent bytes that are not AMQP")
        self._tick(now)

    def tick(self, now: float) -> None:
        """Let time pass: heartbeats, and the end of a connection that is silent for too long, or not opened. The time
        to open it begins with the first call of this or `receive_data`."""
        self._tick(now)
        self._engine.work()

    def _tick(self, now: float) -> None:
        deadline: float | None = self._transport.tick(now) or None
        if not self._engine.opened:
            if self._open_by is None:
                self._open_by = now + self._settings.opening_timeout
            if now >= self._open_by:
                self._engine.lose(f"the provider has not opened it in {self._settings.opening_timeout:.3g} seconds")
            deadline = self._open_by if deadline is None else min(deadline, self._open_by)
        self.next_timeout = deadline

    def take(self) -> bytes:
        """Return bytes to be sent, some `MAX_TAKEN` of them at most; none if there are no more."""
        parts, taken, transport = [], 0, self._transport._impl
        while taken < MAX_TAKEN and (pending := lib.pn_transport_pending(transport)) > 0:
            part = bytearray(pending)
            length = lib.pn_transport_peek(transport, ffi.from_buffer(part), pending)
            if length <= 0:
                break
            parts.append(part[:length])
            taken += length
            lib.pn_transport_pop(transport, length)
        self._engine.work()
        return b"".join(parts)

    def lost(self, reason: str) -> None:
        """The socket has been closed, or could not be opened. ``reason``: for the log."""
        self._engine.lose(reason)

    def events(self) -> list[ProviderEvent]:
        """Return what happened since the last call."""
        events, self._engine.happened = self._engine.happened, []
        return events

    # Requests

    def attach_sender(self, handle: int, address: str) -> None:
        """See `ProviderConnection`."""
        if not self.over:
            link = ends.attach_sender(self._session, self._name(handle), address)
            self._ends.add(End(handle, link, address))

    def attach_receiver(self, handle: int, address: str) -> None:
        """See `ProviderConnection`."""
        if not self.over:
            link = ends.attach_receiver(self._session, self._name(handle), address, self._settings.max_message)
            self._ends.add(End(handle, link, address))

    def _name(self, handle: int) -> str:
        return f"{self._settings.container}:{handle}"

    def grant_credit(self, handle: int, number: int) -> None:
        """See `ProviderConnection`."""
        end = self._ends.get(handle)
        if end is not None:
            end.link.flow(number)

    def send(self, handle: int, tag: bytes, message: AmqpMessage, *, settled: bool = False) -> None:
        """See `ProviderConnection`. A message that cannot be encoded, or is too long for the provider, is not sent and
        has the outcome `Rejected`."""
        end = self._ends.get(handle)
        if end is None:
            return
        state = None
        most = lib.pn_link_remote_max_message_size(end.pointer)
        try:
            encoded = encode(message)
        except AmqpFormatError as error:
            state = Rejected("amqp:decode-error", str(error))
        else:
            if most and len(encoded) > most:
                state = deliveries.too_long(most)
        if state is None:
            deliveries.send(end, tag, encoded, settled=settled)
        else:
            self._engine.happened.append(Outcome(handle, tag, state))

    def settle(self, handle: int, delivery: int, state: DeliveryState) -> None:
        """See `ProviderConnection`."""
        known = self._engine.unsettled.pop(delivery, None)
        if known is not None:
            deliveries.settle(known[1], state)

    def detach(self, handle: int) -> None:
        """See `ProviderConnection`."""
        end = self._ends.forget(handle)
        if end is not None:
            self._engine.forget_unsettled(end)
            end.link.close()

    def close(self) -> None:
        """See `ProviderConnection`."""
        if not self.over:
            self._engine.closing = True
            self._connection.close()


def _silent(*_: object) -> None:
    """Take what proton would write to standard error, which is the log."""
