"""Requests over HTTP, one after the other, on a connection that is kept as long as the other end keeps it."""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from typing import Final

from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .dialling import broken, dial, peer_of, secure
from .http_answers import Answer, AnswerReader
from .http_login import PROXY, SERVER, Login, Proxy
from .interface import Place

CHANNEL: Final = "MQe-Channel"
"""Header with the name of a channel: the first answer gives it, later requests have it."""
DEFAULT_PATH: Final = "/servlet/MQe"
MAX_TRIES: Final = 5
"""Most requests for one frame, as the other end asks who this is (E-203)."""
_OK: Final = 200
_NO_CONTENT: Final = 204
_NOT_FOUND: Final = 404
_CHUNK: Final = 1 << 16


class Poster:
    """Sends frames to one place. ``secured``: inside TLS. ``wait``: seconds for an answer."""

    def __init__(self, place: Place, wait: float, *, secured: bool) -> None:
        self._place = place
        self._wait = wait
        self._secured = secured
        self._old = place.properties.get("http_version") == "1.0"
        proxy = place.properties.get("proxy")
        self._proxy = Proxy(proxy) if proxy else None
        user, password = (place.properties.get(each) for each in ("user", "password"))
        self._logins = {SERVER: Login(SERVER, place, user, password, safe=secured)}
        if self._proxy is not None:
            self._logins[PROXY] = Login(PROXY, place, self._proxy.user, self._proxy.password, safe=False)
        self._socket: socket.socket | None = None
        self._closed = False

    @property
    def local_address(self) -> str:
        """Own address of the connection that is kept."""
        if self._socket is None or self._closed:
            return ""
        host, port = self._socket.getsockname()[:2]
        return f"{host}:{port}"

    @property
    def peer(self) -> Peer:
        """What is known of the other end."""
        self.connect()
        assert self._socket is not None
        return peer_of(self._socket, str(self._place))

    def connect(self) -> None:
        """Make the connection, if there is none. Raises `EveryplaceError`."""
        if self._socket is not None and self._ended():
            self._drop()
        if self._socket is None:
            self._socket = self._dial()
        if self._closed:
            self._drop()
            raise EveryplaceError(Code.STOPPED, f"{self._place}: closed")

    def post(self, body: bytes, channel: str) -> Answer:
        """Send a frame, and return the answer with its frame. Raises `EveryplaceError`."""
        tunnelled = self._secured or self._proxy is None
        path = self._place.path or DEFAULT_PATH
        target = path if tunnelled else f"http://{self._authority()}{path}"
        kinds = (SERVER,) if tunnelled else (SERVER, PROXY)
        for _ in range(MAX_TRIES):
            self.connect()
            extra = {"Content-Type": "application/octet-stream", "Content-Length": str(len(body))}
            if channel:
                extra[CHANNEL] = channel
            answer = self._exchange("POST", target, body, extra, kinds)
            if answer.status in kinds:
                self._logins[answer.status].challenged()
                continue
            for kind in kinds:
                self._logins[kind].accepted()
            if answer.status not in (_OK, _NO_CONTENT):
                raise self._refused(answer)
            return answer
        raise EveryplaceError(Code.AUTHENTICATE, f"{self._place}: refused {MAX_TRIES} times")

    def close(self) -> None:
        """End it, also an exchange that waits."""
        self._closed = True
        found = self._socket
        if found is not None:
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)
            found.close()

    def _exchange(self, method: str, target: str, body: bytes, extra: dict[str, str], kinds: tuple[int, ...]) -> Answer:
        lines = [f"{method} {target} HTTP/1.{0 if self._old else 1}", f"Host: {self._authority()}"]
        for kind in kinds:
            extra |= self._logins[kind].headers()
        if self._old:
            extra["Connection"] = "keep-alive"
        lines += [f"{name}: {value}" for name, value in extra.items()]
        found = self._socket
        assert found is not None
        reader = AnswerReader(bodiless=method == "CONNECT")
        try:
            found.settimeout(self._wait)
            found.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            answer = None
            while answer is None:
                answer = reader.receive(found.recv(_CHUNK))
        except OSError as error:
            self._drop()
            raise broken(self._place, error) from None
        except EveryplaceError as error:
            self._drop()
            raise EveryplaceError(error.code, f"{self._place}: {error.text}") from None
        if not answer.keeps and not (method == "CONNECT" and answer.status == _OK):
            self._drop()
        return answer

    def _dial(self) -> socket.socket:
        proxy = self._proxy
        if proxy is None:
            plain = dial(self._place.host, self._place.port)
            return secure(plain, self._place) if self._secured else plain
        if not self._secured:
            return dial(proxy.host, proxy.port)
        for _ in range(MAX_TRIES):
            self._socket = dial(proxy.host, proxy.port)
            answer = self._exchange("CONNECT", self._authority(), b"", {}, (PROXY,))
            if answer.status == _OK:
                self._logins[PROXY].accepted()
                plain, self._socket = self._socket, None
                return secure(plain, self._place)
            self._drop()
            if answer.status != PROXY:
                raise self._refused(answer)
            self._logins[PROXY].challenged()
        raise EveryplaceError(Code.AUTHENTICATE, f"{self._place}: the proxy refused {MAX_TRIES} times")

    def _ended(self) -> bool:
        """Whether the other end has closed the connection, or says what nobody asked for."""
        assert self._socket is not None
        return bool(select.select([self._socket], [], [], 0)[0])

    def _drop(self) -> None:
        found, self._socket = self._socket, None
        if found is not None:
            found.close()

    def _authority(self) -> str:
        host = f"[{self._place.host}]" if ":" in self._place.host else self._place.host
        return f"{host}:{self._place.port}"

    def _refused(self, answer: Answer) -> EveryplaceError:
        hint = f"; nothing is at {self._place.path or DEFAULT_PATH}" if answer.status == _NOT_FOUND else ""
        text = f"{self._place}: HTTP {answer.status} {answer.reason[:80]}{hint}"
        return EveryplaceError(Code.ADAPTER_EXCEPTION, text)
