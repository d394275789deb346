"""What an end that calls over HTTP says, and what it is answered: each frame is a POST (E-302, E-303, E-308)."""

from __future__ import annotations

from typing import Final

from .endpoints import authority
from .errors import Code, EveryplaceError
from .http_answers import Answer
from .http_login import PROXY, SERVER, Login, Place, Proxy

CHANNEL: Final = "MQe-Channel"
"""Header with the id of a line: the first answer gives it, later requests have it."""
DEFAULT_PATH: Final = "/servlet/MQe"
MAX_CHANNEL: Final = 200
"""Longest id of a line, in characters."""
MAX_TRIES: Final = 5
"""Most requests for one frame, as the other end asks who this is (E-203)."""
WAIT: Final = 90.0
"""Seconds for the answer to a question that may wait."""
_OK: Final = 200
_NO_CONTENT: Final = 204
_NOT_FOUND: Final = 404


class HttpRequests:
    """Requests to one place. ``secured``: inside TLS; behind a proxy then through a tunnel, which CONNECT makes.

    ``proxy``: None without one. Raises `EveryplaceError` ADAPTER_MISSING_REMOTE_ADDRESS for a proxy that is no address.
    """

    def __init__(self, place: Place, *, secured: bool) -> None:
        self._place = place
        self._old = place.properties.get("http_version") == "1.0"
        proxy = place.properties.get("proxy")
        self.proxy = Proxy(proxy) if proxy else None
        user, password = (place.properties.get(each) for each in ("user", "password"))
        self._logins = {SERVER: Login(SERVER, place, user, password, safe=secured)}
        if self.proxy is not None:
            self._logins[PROXY] = Login(PROXY, place, self.proxy.user, self.proxy.password, safe=False)
        self.tunnelled = secured and self.proxy is not None
        """Whether the connection begins with `connect`."""
        self._kinds = (SERVER, PROXY) if self.proxy is not None and not secured else (SERVER,)

    @property
    def next_hop(self) -> tuple[str, int]:
        """Host and port of the proxy if there is one, else of the place."""
        return (self.proxy.host, self.proxy.port) if self.proxy is not None else (self._place.host, self._place.port)

    def post(self, frame: bytes, channel: str) -> bytes:
        """Return the request that brings a frame. ``channel``: id of the line, empty for the first one.

        Raises `EveryplaceError` AUTHENTICATE where a password would go in clear, STOPPED where nobody gave one.
        """
        path = self._place.path or DEFAULT_PATH
        target = f"http://{self._authority}{path}" if PROXY in self._kinds else path
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(len(frame))}
        if channel:
            headers[CHANNEL] = channel
        return self._request("POST", target, headers, self._kinds) + frame

    def connect(self) -> bytes:
        """Return the request for a tunnel through the proxy. Raises as `post` does."""
        return self._request("CONNECT", self._authority, {}, (PROXY,))

    def answered(self, answer: Answer) -> bool:
        """Whether a POST was served; if not, it is to be sent again.

        Raises `EveryplaceError` AUTHENTICATE, STOPPED, ADAPTER_EXCEPTION for other statuses.
        """
        return self._judge(answer, self._kinds, (_OK, _NO_CONTENT))

    def connected(self, answer: Answer) -> bool:
        """Whether the tunnel is there; if not, it is to be asked for on a new connection. Raises as `answered`."""
        return self._judge(answer, (PROXY,), (_OK,))

    def keeps(self, answer: Answer) -> bool:
        """Whether the connection may be used again: a proxy that passes POSTs on must say so, for many close it and
        pass on that the server keeps its own."""
        relayed = PROXY in self._kinds
        return answer.keeps and (not relayed or "keep-alive" in answer.headers.get("connection", "").lower())

    def too_often(self) -> EveryplaceError:
        """Return the error of what was refused `MAX_TRIES` times."""
        return EveryplaceError(Code.AUTHENTICATE, f"{self._place}: refused {MAX_TRIES} times")

    def channel_of(self, answer: Answer) -> str:
        """Return the id of the line that an answer gives, empty without. Raises `EveryplaceError` CHNL_ID."""
        found = answer.headers.get(CHANNEL.lower(), "")
        if len(found) > MAX_CHANNEL or not found.isprintable():
            raise EveryplaceError(Code.CHNL_ID, f"{self._place}: the name of the channel is no name")
        return found

    @property
    def _authority(self) -> str:
        return authority(self._place.host, self._place.port)

    def _request(self, method: str, target: str, headers: dict[str, str], kinds: tuple[int, ...]) -> bytes:
        lines = [f"{method} {target} HTTP/1.{0 if self._old else 1}", f"Host: {self._authority}"]
        for kind in kinds:
            headers |= self._logins[kind].headers()
        if self._old:
            headers["Connection"] = "keep-alive"
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def _judge(self, answer: Answer, kinds: tuple[int, ...], good: tuple[int, ...]) -> bool:
        if answer.status in (SERVER, PROXY):  # proxies that refuse a tunnel say either
            self._logins[answer.status if answer.status in kinds else kinds[0]].challenged()
            return False
        for kind in kinds:
            self._logins[kind].accepted()
        if answer.status in good:
            return True
        hint = f"; nothing is at {self._place.path or DEFAULT_PATH}" if answer.status == _NOT_FOUND else ""
        text = f"{self._place}: HTTP {answer.status} {answer.reason[:80]}{hint}"
        raise EveryplaceError(Code.ADAPTER_EXCEPTION, text)
