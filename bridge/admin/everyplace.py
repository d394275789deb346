"""``/mqbridge/v1/qmgr/{qmgr}/everyplace``: the gateway for devices.

``GET …/everyplace`` shows it with its devices; ``POST …/everyplace/devices/{device}/enrol`` enrols one (query
parameters ``host``: the name by which devices reach this machine, ``by``: ``key`` or ``certificate``, ``url`` and
``front``: address of a web server that ends TLS and fingerprint of its key, 32 hexadecimal digits), ``…/revoke``
lets it connect no more, ``…/readmit`` lets its held lanes go on, ``…/admin`` sends it an administration message, whose
reply ``GET …/everyplace/replies`` shows until ``DELETE …/everyplace/replies/{request}``; ``GET
…/everyplace/check?address=…`` says how a message would go.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias, cast

from twisted.internet.defer import Deferred

from .errors import NOT_FOUND, RestError, bad_request
from .handlers import Handler, SmallBodyHandler

CONFLICT: Final = 409
_BY: Final = ("key", "certificate")
Document: TypeAlias = "dict[str, Any]"


class Refusal(Protocol):
    """Why something was not done."""

    code: Any
    text: str


Then: TypeAlias = "Callable[[Document | Refusal], None]"


class Desk(Protocol):
    """What operators ask of a gateway; `mqbridge.bridge.agents.everyplace.desk.Desk`, which is loaded where there is
    one."""

    def enrol(
        self, name: str, host: str, now: float, then: Then, *, by_key: bool, front: tuple[str, bytes] | None
    ) -> None:
        """Enrol a device."""
        ...

    def revoke(self, name: str, then: Then) -> None:
        """Let a device connect no more."""
        ...

    def readmit(self, name: str, then: Then) -> None:
        """Let the held lanes of a device go on."""
        ...

    def administer(self, target: str, words: list[str], now: float, then: Then) -> None:
        """Send an administration message."""
        ...

    def replies(self, now: float, then: Then) -> None:
        """Give the replies that have come."""
        ...

    def forget_reply(self, number: int, now: float, then: Then) -> None:
        """Delete a reply."""
        ...

    def status(self, now: float) -> Document:
        """Show the gateway."""
        ...

    def check(self, address: str, origin: str) -> Document:
        """Say how a message would go."""
        ...


def _desk(handler: Handler) -> Desk:
    """Return the gateway. Raises `RestError` 404 if there is none."""
    context = handler.context
    for each in context.driver.gateway.carriers:
        if each.kind == "everyplace":
            return cast("Desk", cast("Any", each).desk)
    raise RestError(NOT_FOUND, f"{context.name} is no gateway: its configuration has no table [everyplace]")


async def _done(handler: Handler, start: Callable[[Then], None]) -> None:
    """Answer with what an action comes to. Raises `RestError` 409 with the reason for one that is refused."""
    found: Deferred[Document | Refusal] = Deferred()
    start(found.callback)
    handler.context.pump()
    outcome = await found
    if not isinstance(outcome, dict):
        raise RestError(CONFLICT, outcome.text)
    handler.exchange.answer_json(200, outcome)


class GatewayStatus(Handler):
    """The handler that shows it."""

    changes = False
    whole = True

    async def run(self) -> None:
        """See the class."""
        self.exchange.answer_json(200, _desk(self).status(self.context.now()))


class CheckAddress(Handler):
    """The handler that says how a message would go."""

    changes = False
    whole = True

    async def run(self) -> None:
        """See the class."""
        query = self.exchange.query
        if "address" not in query:
            raise bad_request("the query parameter address is missing")
        self.exchange.answer_json(200, _desk(self).check(query["address"], query.get("from", "")))


class EnrolDevice(Handler):
    """The handler that enrols."""

    whole = True

    async def run(self) -> None:
        """See the class."""
        exchange, desk, now = self.exchange, _desk(self), self.context.now()
        by = exchange.query.get("by", _BY[0])
        if by not in _BY:
            raise bad_request(f"by: {' or '.join(_BY)} is expected, not {by[:40]!r}")
        host, front = exchange.query.get("host") or socket.getfqdn(), _front(exchange.query)
        if front is not None and by != _BY[0]:
            raise bad_request("what ends TLS in front of the gateway keeps certificates from it: by: key is expected")
        device = exchange.names["device"]
        await _done(self, lambda then: desk.enrol(device, host, now, then, by_key=by == _BY[0], front=front))


def _front(query: Mapping[str, str]) -> tuple[str, bytes] | None:
    """Return address and fingerprint of a web server in front. Raises `RestError` 400 for what is none."""
    url, fingerprint = query.get("url", ""), query.get("front", "")
    if not url and not fingerprint:
        return None
    if not url.startswith("https://"):
        raise bad_request("url: the address of the web server is expected, such as https://shop.example/servlet/MQe")
    if not re.fullmatch("[0-9a-f]{32}", fingerprint):
        raise bad_request("front: 32 hexadecimal digits are expected")
    return url, bytes.fromhex(fingerprint)


class RevokeDevice(Handler):
    """The handler that revokes."""

    whole = True

    async def run(self) -> None:
        """See the class."""
        desk = _desk(self)
        await _done(self, lambda then: desk.revoke(self.exchange.names["device"], then))


class ReadmitDevice(Handler):
    """The handler that lets held lanes go on."""

    whole = True

    async def run(self) -> None:
        """See the class."""
        desk = _desk(self)
        await _done(self, lambda then: desk.readmit(self.exchange.names["device"], then))


class Administer(SmallBodyHandler):
    """The handler that sends an administration message: the words of a command, as a JSON array."""

    whole = True

    async def run(self) -> None:
        """See the class."""
        try:
            words = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise bad_request(f"the body is no JSON: {error}") from error
        if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
            raise bad_request("the body must be an array of words")
        desk, now, target = _desk(self), self.context.now(), self.exchange.names["device"]
        await _done(self, lambda then: desk.administer(target, words, now, then))


class AdministrationReplies(Handler):
    """The handler that shows the replies to administration messages."""

    changes = False
    whole = True

    async def run(self) -> None:
        """See the class."""
        desk, now = _desk(self), self.context.now()
        await _done(self, lambda then: desk.replies(now, then))


class ForgetReply(Handler):
    """The handler that deletes a reply."""

    whole = True

    async def run(self) -> None:
        """See the class."""
        desk, now, number = _desk(self), self.context.now(), self.exchange.names["request"]
        if not (number.isascii() and number.isdigit()):
            raise bad_request(f"{number[:40]!r} is no number of a request")
        await _done(self, lambda then: desk.forget_reply(int(number), now, then))
