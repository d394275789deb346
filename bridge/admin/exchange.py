"""A request and its response, as handlers see them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from twisted.web.http import Request

from mqbridge.bridge.endpoints.addresses import host_and_port
from mqbridge.bridge.endpoints.tls import TlsTransport
from mqbridge.bridge.queue_manager import Application
from mqbridge.bridge.security import WebRoles, WebUser
from mqbridge.protocol.constants import MQAT

from .authentication import COOKIE, Presented
from .context import AdminContext
from .errors import BAD_REQUEST, RestError, bad_request, role_missing
from .response_stream import ResponseStream

if TYPE_CHECKING:
    from .program import RestProgram
    from .units import RestUnit

GATEWAY: Final = "ibm-mq-rest-gateway-qmgr"
"""Header that names the queue manager through which another one is reached."""
JSON: Final = "application/json;charset=utf-8"
NDJSON: Final = "application/x-ndjson"
OCTETS: Final = "application/octet-stream"
TEXT: Final = "text/plain;charset=utf-8"
SAFE: Final = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Headers of every response: a browser runs nothing of others in it, guesses no type and keeps nothing."""
NOBODY: Final = WebUser("")
"""Who makes a request until that is known: without any authority."""
MAX_WAIT: Final = 2**31 - 1
"""Longest wait for a message, in milliseconds."""


class RestExchange:
    """A request and its response.

    ``names``: path parameters ``qmgr``, ``queue``, ``unit``. ``version``: 1, 2 or 3 for IBM's paths. ``gone``: the
    client has disconnected; what is written then is discarded. ``user``: who makes the request, once that is known.
    """

    def __init__(
        self, request: Request, context: AdminContext, method: str, names: Mapping[str, str], query: Mapping[str, str]
    ) -> None:
        self.request: Any = request
        self._headers = {
            name.decode("latin-1").lower(): [value.decode("utf-8", "replace") for value in values]
            for name, values in request.requestHeaders.getAllRawHeaders()
        }
        self.context = context
        self.method = method
        self.names = names
        self.query = query
        self.version = int(names.get("version", 2))
        self.user = NOBODY
        self.standing_headers = dict(SAFE)
        """Headers of the response, whatever it is."""
        self.gone = False
        self.answered = False
        self.unit: RestUnit | None = None
        self.remote = ""
        """Name of the queue manager that the request is for, if that is another one."""
        self.on_left: Callable[[], None] | None = None

    def left(self) -> None:
        """The client has disconnected: tell those who wait."""
        self.gone = True
        if self.on_left is not None:
            self.on_left()

    # Request

    def header(self, name: str) -> str | None:
        """A request header, by its name in lower case; the first if it is repeated."""
        found = self._headers.get(name)
        return found[0] if found else None

    def headers(self, name: str) -> list[str]:
        """All values of a request header, by its name in lower case."""
        return self._headers.get(name, [])

    def all_headers(self) -> Iterable[tuple[str, str]]:
        """All headers: names in lower case, and values."""
        for name, values in self._headers.items():
            for value in values:
                yield name, value

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """An integer query parameter. Raises `RestError`."""
        given = self.query.get(name)
        if given is None:
            return default
        try:
            value = int(given)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise bad_request(f"query parameter {name}: a number from {low} to {high} is expected, not {given[:40]!r}")
        return value

    def presented(self) -> Presented:
        """What the request and its connection say about who makes it. On a Unix socket the address is that of the
        loopback interface."""
        transport = self.request.transport
        token = self.request.getCookie(COOKIE.encode())
        agreed = transport.agreed if isinstance(transport, TlsTransport) else None
        return Presented(
            host_and_port(transport.getPeer())[0],
            self.headers("authorization"),
            None if token is None else token.decode("latin-1"),
            None if agreed is None else agreed.certificate,
        )

    def require_role(self, verb: str = "", *, whole: bool = False) -> None:
        """Raise `RestError` 403 unless the user's role allows the request. ``verb``, ``whole``: see `WebRoles`."""
        missing = WebRoles.missing(self.user, self.method, verb, whole=whole)
        if missing:
            raise role_missing(self.user.name, missing)

    def accepts(self, kind: str) -> bool:
        """Whether the Accept header names a media type, parameters aside."""
        wanted = kind.partition(";")[0]
        accepted = ",".join(self.headers("accept"))
        return wanted in (part.partition(";")[0].strip().lower() for part in accepted.split(","))

    @property
    def media_type(self) -> str:
        """The media type of the body in lower case, without parameters."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """The character set of the body in lower case; UTF-8 unless the request says otherwise."""
        for part in (self.header("content-type") or "").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip('"').lower()
        return "utf-8"

    @property
    def application(self) -> Application:
        """The putting application: the user, and the program name from User-Agent."""
        name = self.header("user-agent") or "mqbridge REST"
        return Application(user=self.user.name, appl_type=MQAT.UNIX, appl_name=name[:28], connection="REST")

    def program(self) -> RestProgram:
        """A program for this request, which must end it, with the authorities that the user has. Raises `MQError` 2035
        if the user may not connect."""
        return self.context.program(self.application, checked=self.user.checked)

    def use_unit(self) -> RestUnit | None:
        """Reserve the unit of work named by the header until the request ends; None without header. Raises
        `RestError`."""
        name = self.header("mqbridge-unit")
        if name is None:
            return None
        unit = self.unit = self.context.units.use(name, self.user)
        unit.program.used_by(self.application)
        return unit

    # Response

    def answer(
        self, status: int, content_type: str = "", body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        """Send the whole response."""
        if self.gone or self.answered:
            return
        self.answered = True
        self._head(status, content_type, headers)
        if status != 204:
            self.request.setHeader("Content-Length", str(len(body)))
            if body and self.method != "HEAD":
                self.request.write(body)
        self.request.finish()

    def answer_json(self, status: int, document: Any, headers: Mapping[str, str] | None = None) -> None:
        """Send the whole response as JSON."""
        self.answer(status, JSON, json.dumps(document, ensure_ascii=False).encode(), headers)

    def stream(self, status: int, content_type: str, headers: Mapping[str, str] | None = None) -> ResponseStream:
        """Start a streamed response."""
        self.answered = True
        self._head(status, content_type, headers)
        return ResponseStream(self)

    def _head(self, status: int, content_type: str, headers: Mapping[str, str] | None) -> None:
        self.request.setResponseCode(status)
        for name, value in (self.standing_headers | (headers or {})).items():
            self.request.setHeader(name, value)
        if content_type:
            self.request.setHeader("Content-Type", content_type)

    def fail(self, error: RestError) -> None:
        """Answer with an error; aborts the connection if the response has begun."""
        if self.gone:
            return
        if self.answered:
            self.request.transport.abortConnection()
            return
        self.answer_json(error.status, error.document(), error.headers)

    def require_token(self) -> None:
        """Raise `RestError` unless the request has the CSRF token header, which a browser's page cannot send to us."""
        if self.header("ibm-mq-rest-csrf-token") is None:
            raise RestError(
                403,
                "the header ibm-mq-rest-csrf-token is missing",
                message_id="MQWB0100E",
                action="send the header ibm-mq-rest-csrf-token with any value",
            )

    def require_queue_manager(self, *, reaches_others: bool = False) -> None:
        """Raise `RestError` unless the path names our queue manager, or, if the handler supports it, another one and
        the request asks for it to be reached through ours; then ``remote`` is set."""
        own = self.context.name
        name = self.names.get("qmgr", own)
        gateway = (self.header(GATEWAY) or "").strip() if reaches_others and name != own else ""
        if gateway == own:
            self.remote = name
        elif name != own:
            name = gateway or name
            raise RestError(
                404,
                f"there is no queue manager '{name}' here, only '{self.context.name}'",
                reason=2058,
                message_id="MQWB0009E",
            )

    def identifier(self, parameter: str) -> bytes | None:
        """A message or correlation id from the query: 48 hexadecimal digits, after ``ID:`` in version 3."""
        given = self.query.get(parameter)
        return None if given is None else read_identifier(given, f"query parameter {parameter}")


def read_identifier(text: str, what: str) -> bytes:
    """Decode 24 bytes from hexadecimal digits. Raises `RestError`."""
    try:
        raw = bytes.fromhex(text.removeprefix("ID:"))
    except ValueError:
        raw = b""
    if not raw or len(raw) > 24:
        raise RestError(
            BAD_REQUEST, f"{what}: up to 48 hexadecimal digits are expected, not {text[:60]!r}", message_id="MQWB0302E"
        )
    return raw.ljust(24, b"\0")
