"""Pages of other origins that may use the endpoint from a browser (CORS); none unless configured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .exchange import RestExchange
from .handlers import Handler

_METHODS: Final = "GET, POST, DELETE"
_HEADERS: Final = (
    "authorization, content-type, accept, ibm-mq-rest-csrf-token, ibm-mq-rest-gateway-qmgr, ibm-mq-md-correlationid, "
    "ibm-mq-md-expiry, ibm-mq-md-persistence, ibm-mq-md-priority, ibm-mq-md-replyto, ibm-mq-usr, mqbridge-unit"
)
"""Request headers that such pages may send."""
_EXPOSED: Final = (
    "ibm-mq-md-messageid, ibm-mq-md-correlationid, ibm-mq-md-expiry, ibm-mq-md-persistence, ibm-mq-md-priority, "
    "ibm-mq-md-replyto, ibm-mq-rest-gateway-qmgr, ibm-mq-usr, location, mqbridge-reason"
)
"""Response headers that they may read."""
_AGE: Final = "600"
"""Seconds for which a browser remembers that it has asked."""


class CrossOrigin:
    """The configured ``origins``."""

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self.origins = frozenset(origins)

    def headers_for(self, exchange: RestExchange) -> dict[str, str]:
        """Return the headers of the response to a request from a configured origin; none for others."""
        origin = exchange.header("origin")
        if origin is None or origin not in self.origins:
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Credentials": "true",
            "Access-Control-Expose-Headers": _EXPOSED,
            "Vary": "Origin",
        }

    def asks(self, exchange: RestExchange) -> bool:
        """Return whether a browser asks in advance what a page of a configured origin may send."""
        return exchange.method == "OPTIONS" and exchange.header("origin") in self.origins


class Preflight(Handler):
    """The handler that answers such a question; it has no credentials and learns nothing about the queue manager."""

    changes = False
    anonymous = True

    async def run(self) -> None:
        """See the class."""
        headers = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _HEADERS,
            "Access-Control-Max-Age": _AGE,
        }
        self.exchange.answer(204, headers=headers)
