"""``/mqbridge/v1/qmgr/{qmgr}/routes``: routes, links and partners, their states and counts, starting and stopping them.

``GET …/routes`` lists them; ``POST …/routes/{name}/start`` and ``…/stop`` start and stop those of a name (query
parameter ``kind``: ``route``, ``link`` or ``partner`` alone); ``POST …/explain?from=QUEUE`` says what the routes of a
queue would do with a message: MQMD and data, or data that begin with a header and are of the query's ``format``,
``ccsid`` and ``encoding``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from mqbridge.bridge.agents.gateway.carriers import Carrier
from mqbridge.bridge.agents.routing.explaining import Explaining, RouteExplanation
from mqbridge.bridge.agents.routing.route import Route
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import date_of
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQFMT, MQMODE, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2

from .errors import NOT_FOUND, RestError, bad_request
from .handlers import Handler, SmallBodyHandler

MAX_EXPLAINED: Final = 16 << 20
"""Longest message to explain, in bytes."""
_DESCRIPTOR_IDS: Final = {b"MD  ": 1208, b"\xd4\xc4\x40\x40": 500}
_FORMATS: Final = {
    b"RFH \x02": MQFMT.RF_HEADER_2,
    b"RFH \x00": MQFMT.RF_HEADER_2,
    b"DLH ": MQFMT.DEAD_LETTER_HEADER,
    b"XQH ": MQFMT.XMIT_Q_HEADER,
}
_LENGTHS: Final = {1: MQMD_LENGTH_1, 2: MQMD_LENGTH_2}


class CarrierList(Handler):
    """The handler that lists them."""

    changes = False
    whole = True

    async def run(self) -> None:
        """See the class."""
        carriers, now = self.context.driver.gateway.carriers, self.context.now()
        self.exchange.answer_json(200, {"routes": [_row(each, now) for each in carriers]})


class _CarrierAction(Handler):
    """Handler for the carriers that the path names."""

    whole = True

    def act(self, carrier: Carrier, now: float) -> None:
        """Start or stop one."""
        raise NotImplementedError

    async def run(self) -> None:
        """See the class."""
        exchange, context = self.exchange, self.context
        name, kind = exchange.names["route"], exchange.query.get("kind", "")
        found = context.driver.gateway.carriers.named(name, kind)
        if not found:
            raise RestError(NOT_FOUND, f"there is no {kind or 'route, link or partner'} {name!r}")
        now = context.now()
        for each in found:
            self.act(each, now)
        context.pump()
        exchange.answer_json(200, {"routes": [_row(each, now) for each in found]})


class StartCarrier(_CarrierAction):
    """The handler that starts."""

    def act(self, carrier: Carrier, now: float) -> None:
        """See the base class."""
        carrier.start(now)


class StopCarrier(_CarrierAction):
    """The handler that stops, after the unit of work in progress."""

    def act(self, carrier: Carrier, now: float) -> None:
        """See the base class."""
        carrier.stop(MQMODE.QUIESCE, now)


class ExplainRoutes(SmallBodyHandler):
    """The handler that explains."""

    longest = MAX_EXPLAINED
    whole = True

    async def run(self) -> None:
        """See the class."""
        exchange, context = self.exchange, self.context
        source = exchange.query.get("from", "")
        routes = [
            each.definition
            for each in context.driver.gateway.carriers
            if isinstance(each, Route) and source in (each.definition.source.name, each.definition.source.shown)
        ]
        if not routes:
            raise RestError(NOT_FOUND, f"no route gets from {source!r}")
        explained: Deferred[list[RouteExplanation]] = Deferred()
        host = context.driver.gateway.channel_manager

        def then(found: list[RouteExplanation] | Exception, _now: float) -> None:
            if isinstance(found, Exception):
                explained.errback(Failure(found))
            else:
                explained.callback(found)

        Explaining(host, routes, self._message(), then, host.buses).begin(context.now())
        context.pump()
        found = await explained
        exchange.answer_json(200, {"explanation": [_explanation(each) for each in found]})

    def _message(self) -> Message:
        """Return the message of the body. Raises `RestError`."""
        body, query = self.body, self.exchange.query
        ccsid = _DESCRIPTOR_IDS.get(body[:4])
        if ccsid is not None:
            for order in ByteOrder:
                length = _LENGTHS.get(int.from_bytes(body[4:8], "big" if order is ByteOrder.BIG else "little"), 0)
                if 0 < length <= len(body):
                    return Message(body[:length], body[length:], order=order, ccsid=ccsid)
            raise bad_request("the message descriptor is not whole, or of an unknown version")
        head = next((form for start, form in _FORMATS.items() if body.startswith(start)), MQFMT.NONE)
        big = body.startswith(b"RFH \x00")
        order = ByteOrder.BIG if big else NATIVE_ORDER
        return Message.build(
            body,
            order=order,
            format=query.get("format", head),
            coded_char_set_id=self.exchange.number("ccsid", 1208, -1, 65535),
            encoding=self.exchange.number("encoding", order.encoding, 0, 0xFFFF),
        )


def _explanation(found: RouteExplanation) -> dict[str, Any]:
    return {
        "route": found.name,
        "when": found.when or None,
        "selected": found.outcome if found.when else True,
        "lines": found.shown(),
    }


def _row(carrier: Carrier, now: float) -> dict[str, Any]:
    status = carrier.status(now)
    return {
        "name": status.name,
        "kind": status.kind,
        "state": status.state.value,
        "since": datetime.fromtimestamp(date_of(status.since), UTC).isoformat(timespec="seconds"),
        "from": status.source,
        "to": status.target,
        "carried": status.carried,
        "dropped": status.dropped,
        "failed": status.failed,
        "user": status.user,
        "detail": status.detail,
    }
