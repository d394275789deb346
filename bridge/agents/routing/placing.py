"""Puts of routes: works to their targets, in the unit of work of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.queue_manager.calls.agent_requests import PutMany
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, PlacedMany
from mqbridge.bridge.queue_manager.session import ChannelSession
from mqbridge.mappings.body import Body
from mqbridge.mappings.descriptor import format_test, patcher, reader
from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.headers import HEADER_FORMATS
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQEI, MQPER, MQPMO, ByteOrder

from .definitions import RouteDefinition, SourceKind
from .failures import Failure
from .works import Work

_OPTIONS: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
_begins_with_header: Final = format_test(*HEADER_FORMATS)
_BACKOUT_COUNT: Final = {order: reader(order, "backout_count") for order in ByteOrder}
_SET: Final = {
    order: {key: patcher(order, key) for key in ("backout_count", "persistence", "priority", "expiry")}
    for order in ByteOrder
}
_PERSISTENCE: Final = {1: int(MQPER.NOT_PERSISTENT), 2: int(MQPER.PERSISTENT)}
"""MQPER by the property ``persistence`` of a URI (jms-mapping.md 7.3)."""
PROPERTIES: Final = frozenset(("persistence", "priority", "expiry"))
"""Properties of a target's URI that a route applies."""


class Targets:
    """The targets of the routes of one source."""

    __slots__ = ("_checked", "_routes", "_values")

    def __init__(self, routes: Sequence[RouteDefinition]) -> None:
        self._routes = routes
        self._values = [_values(route.target) for route in routes]
        self._checked = [route.calls_python or route.source.kind is SourceKind.INPUT for route in routes]

    def probe(self, session: ChannelSession, route: int, now: Time) -> Failure | None:
        """Return why nothing could be put to the target of a route: it does not exist, or is not allowed."""
        return _failure(session.submit(self._request(route, [], ByteOrder.LITTLE, 0, checked=False), now))

    def place(self, session: ChannelSession, works: Sequence[Work], now: Time) -> Failure | None:
        """Put what works have made, in their order. Returns the first failure, after which the unit of work can only
        be backed out. Raises ``MQBridgeError`` for an invalid descriptor."""
        messages: list[tuple[bytes, Body]] = []
        group: tuple[int, ByteOrder, int, bool] | None = None
        for work in works:
            for message in work.made:
                checked = self._checked[work.route] and _is_new(work, message)
                this = work.route, message.order, message.ccsid, checked
                if this != group:
                    if group is not None and messages:
                        failure = _failure(session.submit(self._request(group[0], messages, *group[1:]), now))
                        if failure is not None:
                            return failure
                    group, messages = this, []
                messages.append((self._descriptor(work.route, message), message.body))
        if group is None:
            return None
        return _failure(session.submit(self._request(group[0], messages, *group[1:]), now))

    def _request(
        self, route: int, messages: Sequence[tuple[bytes, Body]], order: ByteOrder, ccsid: int, checked: bool
    ) -> PutMany:
        target = self._routes[route].target
        name, topic = (target.name, "") if target.kind is DestinationKind.QUEUE else ("", target.name)
        return PutMany(0, name, target.queue_manager, messages, _OPTIONS, order, ccsid, topic, checked)

    def _descriptor(self, route: int, message: Message) -> bytes:
        """Return the descriptor to put: BackoutCount 0, and what the target's URI sets."""
        raw, order = message.raw_md, message.order
        if _BACKOUT_COUNT[order](raw)[0]:
            raw = _SET[order]["backout_count"](raw, 0)
        for key, value in self._values[route]:
            raw = _SET[order][key](raw, value)
        return raw


def _is_new(work: Work, message: Message) -> bool:
    """Return whether a message is to be completed and checked as one of a program: it is not the message that was got,
    nor one with its descriptor and other data without headers."""
    got, raw = work.message, message.raw_md
    if not work.token or raw != got.raw_md or message.order != got.order or message.ccsid != got.ccsid:
        return True
    return _begins_with_header(raw) and message.data != got.data


def _failure(outcome: object) -> Failure | None:
    if isinstance(outcome, PlacedMany):
        outcome = outcome.failed
    return Failure(outcome.reason, outcome.detail) if isinstance(outcome, Failed) else None


def _values(target: Destination) -> list[tuple[str, int]]:
    """Return the descriptor fields that the properties of a target set."""
    found = []
    if target.persistence in _PERSISTENCE:
        found.append(("persistence", _PERSISTENCE[target.persistence]))
    if target.priority is not None and target.priority >= 0:
        found.append(("priority", target.priority))
    if target.expiry is not None and target.expiry >= 0:
        tenths = -(-target.expiry // 100)
        found.append(("expiry", tenths or int(MQEI.UNLIMITED)))
    return found
