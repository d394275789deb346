"""Requests over HTTP, one after the other, on a connection that is kept as long as the other end keeps it."""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from typing import Final

from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.http_answers import Answer, AnswerReader
from mqbridge.protocol.everyplace.http_requests import MAX_TRIES, HttpRequests

from .dialling import broken, dial, peer_of, secure
from .interface import Place

_CHUNK: Final = 1 << 16


class Poster:
    """Sends frames to one place. ``secured``: inside TLS. ``wait``: seconds for an answer."""

    def __init__(self, place: Place, wait: float, *, secured: bool) -> None:
        self._place = place
        self._wait = wait
        self._secured = secured
        self.requests = HttpRequests(place, secured=secured)
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
        for _ in range(MAX_TRIES):
            self.connect()
            answer = self._exchange(self.requests.post(body, channel))
            if self.requests.answered(answer):
                return answer
        raise self.requests.too_often()

    def close(self) -> None:
        """End it, also an exchange that waits."""
        self._closed = True
        found = self._socket
        if found is not None:
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)
            found.close()

    def _exchange(self, request: bytes, *, bodiless: bool = False) -> Answer:
        found = self._socket
        assert found is not None
        reader = AnswerReader(bodiless=bodiless)
        try:
            found.settimeout(self._wait)
            found.sendall(request)
            answer = None
            while answer is None:
                answer = reader.receive(found.recv(_CHUNK))
        except OSError as error:
            self._drop()
            raise broken(self._place, error) from None
        except EveryplaceError as error:
            self._drop()
            raise EveryplaceError(error.code, f"{self._place}: {error.text}") from None
        if not bodiless and not self.requests.keeps(answer):
            self._drop()
        return answer

    def _dial(self) -> socket.socket:
        if not self.requests.tunnelled:
            plain = dial(*self.requests.next_hop)
            return secure(plain, self._place) if self._secured else plain
        for _ in range(MAX_TRIES):
            self._socket = dial(*self.requests.next_hop)
            answer = self._exchange(self.requests.connect(), bodiless=True)
            plain, self._socket = self._socket, None
            try:
                if self.requests.connected(answer):
                    return secure(plain, self._place)
            except EveryplaceError:
                plain.close()
                raise
            plain.close()
        raise self.requests.too_often()

    def _ended(self) -> bool:
        """Whether the other end has closed the connection, or says what nobody asked for."""
        assert self._socket is not None
        return bool(select.select([self._socket], [], [], 0)[0])

    def _drop(self) -> None:
        found, self._socket = self._socket, None
        if found is not None:
            found.close()
