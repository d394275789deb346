"""Events of proton's engine as those of a connection to a provider."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

import proton
from cproton_ffi import lib

from mqbridge.bridge.agents.linking.provider import (
    Attached,
    Credit,
    Lost,
    Opened,
    Outcome,
    ProviderEvent,
    Received,
    Refused,
    TooLong,
)

from . import deliveries, ends
from .codec import decode
from .ends import End, Ends, said

MAX_EVENTS: Final = 100_000
"""Events of proton for one piece of input at most; beyond it the provider floods, and the connection is lost."""
MAX_FOREIGN: Final = 1000
"""Sessions and links that the provider may begin on a connection; each is refused."""
_FLOODS: Final = "the provider floods"
_PERMANENT: Final = frozenset(
    {
        "amqp:unauthorized-access",
        "amqp:not-found",
        "amqp:not-allowed",
        "amqp:not-implemented",
        "amqp:invalid-field",
        "amqp:precondition-failed",
        "sasl:auth",
    }
)
"""Conditions that stay until somebody changes something."""
_ESTABLISHMENT_FAILED: Final = "amqp:connection-establishment-failed"
_UNDECODABLE: Final = (UnicodeDecodeError, ValueError, TypeError, KeyError, AssertionError)
"""What proton's Python classes raise for texts and values in frames that are none."""


class EngineEvents:
    """Reads what the engine reports. ``max_message``: longest message, in bytes of all sections."""

    def __init__(self, session: Any, transport: Any, sasl: Any, max_message: int) -> None:
        self._connection = connection = session.connection
        self._session = session
        self._transport = transport
        self._sasl = sasl
        self._max_message = max_message
        self._collector = proton.Collector()
        connection.collect(self._collector)
        self.opened = False
        """Whether the provider has opened the connection."""
        self._last_delivery = self._foreign = 0
        self.over = False
        self.closing = False
        """Whether we have closed the connection."""
        self.happened: list[ProviderEvent] = []
        self.ends = Ends()
        self.unsettled: dict[int, tuple[int, Any]] = {}
        """Handle and delivery of what waits for its state, by number."""

    def work(self) -> None:
        """Read the events of the engine."""
        collector = self._collector._impl
        for _ in range(MAX_EVENTS):
            event = lib.pn_collector_peek(collector)
            if not event:
                return
            if not self.over:
                try:
                    self._take(event)
                except _UNDECODABLE as error:
                    self.lose(f"the provider has sent a frame with wrong values: {type(error).__name__}")
            lib.pn_collector_pop(collector)
        self.lose(_FLOODS)

    def _take(self, event: Any) -> None:
        kind = lib.pn_event_type(event)
        if kind == lib.PN_DELIVERY:
            self._delivery(lib.pn_event_delivery(event))
        elif (handler := _HANDLERS.get(kind)) is not None:
            handler(self, proton.Event.wrap(event))

    def forget_unsettled(self, end: End) -> None:
        """An end is gone, and with it its deliveries."""
        self.unsettled = {number: each for number, each in self.unsettled.items() if each[0] != end.handle}

    def lose(self, reason: str) -> None:
        """The connection has ended. ``reason``: for the log; what the engine itself says is preferred."""
        if not self.over:
            self._end(Lost(self._reason() or reason))

    def _reason(self) -> str:
        condition = self._transport.condition
        return "" if condition is None else ": ".join(filter(None, said(condition)))

    def _end(self, event: ProviderEvent) -> None:
        self.over = True
        self.happened.append(event)
        self.ends.clear()
        self.unsettled.clear()
        self._connection.close()

    def _remote_open(self, event: Any) -> None:
        connection = event.connection
        properties = connection.remote_properties
        told = {str(key): value for key, value in properties.items()} if isinstance(properties, dict) else {}
        if _ESTABLISHMENT_FAILED in told:  # the condition follows in the close frame
            return
        self.opened = True
        offered = connection.remote_offered_capabilities
        relay = "ANONYMOUS-RELAY" in {str(each) for each in offered or ()}
        product = " ".join(str(told[key])[: ends.MAX_NAME] for key in ("product", "version") if key in told)
        self.happened.append(Opened((connection.remote_container or "")[: ends.MAX_NAME], product, relay))

    def _remote_close(self, event: Any) -> None:
        condition = event.connection.remote_condition
        if self.closing or condition is None:
            self.lose("closed" if self.closing else "the provider has closed the connection")
            return
        name, text = said(condition)
        if self.opened and name not in _PERMANENT:
            self.lose(f"{name}: {text}")
        else:
            self._end(Refused(None, name, text, name in _PERMANENT))

    def _session_closed(self, event: Any) -> None:
        if event.session != self._session:
            event.session.free()
            return
        condition = event.session.remote_condition
        self.lose("the provider has ended the session" if condition is None else f"session: {said(condition)[0]}")

    def _session_opened(self, event: Any) -> None:
        if event.session != self._session:
            self._refuse(event.session)

    def _refuse(self, endpoint: Any) -> None:
        """Close what the provider begins."""
        endpoint.close()
        self._foreign += 1
        if self._foreign > MAX_FOREIGN:
            self.lose(_FLOODS)

    def _link_opened(self, event: Any) -> None:
        end = self.ends.at(event.link._impl)
        if end is None:
            if event.link.state & proton.Endpoint.LOCAL_UNINIT:  # and not one that was given up meanwhile
                self._refuse(event.link)
        elif not ends.refused_at_once(end):
            end.attached = True
            most = event.link.remote_max_message_size or 0
            self.happened.append(Attached(end.handle, most, ends.dynamic_address(end)))

    def _link_closed(self, event: Any) -> None:
        end = self.ends.at(event.link._impl)
        if end is None:
            event.link.free()
            return
        condition = event.link.remote_condition
        name, text = ("amqp:link:detach-forced", "") if condition is None else said(condition)
        self.ends.forget(end.handle)
        self.forget_unsettled(end)
        event.link.close()
        event.link.free()
        self.happened.append(Refused(end.handle, name, text, name in _PERMANENT))

    def _flow(self, event: Any) -> None:
        end = self.ends.at(event.link._impl)
        if end is None or not event.link.is_sender:
            return
        event.link.drained()
        self.happened.append(Credit(end.handle, max(event.link.credit, 0)))

    def _delivery(self, delivery: Any) -> None:
        end = self.ends.at(lib.pn_delivery_link(delivery))
        if end is None:
            deliveries.discard(delivery)
        elif end.is_sender:
            state = deliveries.outcome_of(delivery)
            if state is not None:
                self.happened.append(Outcome(end.handle, deliveries.tag_of(delivery), state))
                lib.pn_delivery_settle(delivery)
        elif lib.pn_delivery_aborted(delivery):
            deliveries.take_whole(end)
            lib.pn_delivery_settle(delivery)
        elif delivery == lib.pn_link_current(end.pointer) and deliveries.read_part(end, delivery, self._max_message):
            self._received(end, delivery)

    def _received(self, end: End, delivery: Any) -> None:
        encoded, length = deliveries.take_whole(end)
        tag, settled = deliveries.tag_of(delivery), bool(lib.pn_delivery_settled(delivery))
        lib.pn_link_advance(end.pointer)
        if lib.pn_link_credit(end.pointer) < 0:
            self.lose("amqp:link:transfer-limit-exceeded: the provider has sent more messages than it had credit for")
            return
        if length > self._max_message:
            deliveries.settle(delivery, deliveries.too_long(self._max_message))
            self.happened.append(TooLong(end.handle, length))
            return
        self._last_delivery += 1
        number = self._last_delivery
        if settled:
            lib.pn_delivery_settle(delivery)
        else:
            self.unsettled[number] = (end.handle, delivery)
        decoded = decode(encoded)
        digest = sha256(encoded if decoded.error else encoded[decoded.bare]).digest()
        self.happened.append(Received(end.handle, number, decoded.message, digest, tag, settled, decoded.error))

    def _failed(self, event: Any) -> None:
        outcome = self._sasl.outcome
        if not self.opened and outcome not in (None, proton.SASL.OK):
            permanent = outcome in (proton.SASL.AUTH, proton.SASL.PERM)
            text = "the provider has refused the user or the mechanism"
            self._end(Refused(None, "sasl:auth" if permanent else "sasl:temporary", text, permanent))
        else:
            self.lose("the connection has failed")

    def _transport_closed(self, event: Any) -> None:
        self.lose("the connection has ended")


_HANDLERS: Final[dict[int, Callable[[EngineEvents, Any], None]]] = {
    lib.PN_CONNECTION_REMOTE_OPEN: EngineEvents._remote_open,
    lib.PN_CONNECTION_REMOTE_CLOSE: EngineEvents._remote_close,
    lib.PN_SESSION_REMOTE_OPEN: EngineEvents._session_opened,
    lib.PN_SESSION_REMOTE_CLOSE: EngineEvents._session_closed,
    lib.PN_LINK_REMOTE_OPEN: EngineEvents._link_opened,
    lib.PN_LINK_REMOTE_CLOSE: EngineEvents._link_closed,
    lib.PN_LINK_REMOTE_DETACH: EngineEvents._link_closed,
    lib.PN_LINK_FLOW: EngineEvents._flow,
    lib.PN_TRANSPORT_ERROR: EngineEvents._failed,
    lib.PN_TRANSPORT_CLOSED: EngineEvents._transport_closed,
}
