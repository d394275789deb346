"""The adapters `tcp` and `tls`: frames as they are, on one socket (E-474)."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.endpoints import parse_endpoint
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .dialling import broken, dial, peer_of, secure
from .interface import TIMEOUT, Adapter, ListeningAdapter, Place

BACKLOG: Final = 32
"""E-474"""
_CHUNK: Final = 1 << 16


class StreamAdapter:
    """One socket. ``connect``: makes it; of a responder, finishes ``accepted``. ``called``: own certificate of a
    responder."""

    def __init__(
        self,
        network: str,
        connect: Callable[[], socket.socket],
        name: str,
        called: bytes = b"",
        accepted: socket.socket | None = None,
    ) -> None:
        self.network = network
        self._called = called
        self._connect = connect
        self._name = name
        self._accepted = accepted
        self._socket: socket.socket | None = None
        self._closed = False

    @property
    def socket(self) -> socket.socket:
        """The socket, once it is open."""
        assert self._socket is not None, "an adapter is opened first"
        return self._socket

    @property
    def local_address(self) -> str:
        """Own address."""
        if self._socket is None or self._closed:
            return ""
        host, port = self._socket.getsockname()[:2]
        return f"{host}:{port}"

    @property
    def peer(self) -> Peer:
        """What is known of the other end."""
        host, port = self.socket.getpeername()[:2]
        return peer_of(self.socket, f"{host}:{port}", called=self._called)

    def open(self) -> None:
        """Make the connection."""
        found = self._connect()
        if self._closed:
            found.close()
            raise EveryplaceError(Code.STOPPED, f"{self._name}: closed while it was opened")
        self._socket = found

    def write(self, data: bytes) -> None:
        """Send frames."""
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise broken(self._name, error) from None

    def read(self) -> bytes:
        """Return what has come."""
        try:
            return self.socket.recv(_CHUNK)
        except OSError as error:
            if self._closed:
                return b""
            raise broken(self._name, error) from None

    def close(self) -> None:
        """End it, also a read that waits."""
        self._closed = True
        held = self._socket or self._accepted
        if held is not None:
            _shut(held)


class StreamListener:
    """A port where callers come. ``finish``: makes a caller's socket ready, within `TIMEOUT`. ``certificate``: own."""

    def __init__(
        self,
        network: str,
        endpoint: str,
        finish: Callable[[socket.socket], socket.socket],
        certificate: bytes = b"",
    ) -> None:
        self._certificate = certificate
        self._network = network
        self._host, self._port = parse_endpoint(endpoint)
        self._finish = finish
        self._socket: socket.socket | None = None

    @property
    def port(self) -> int:
        """The port, once it is open."""
        assert self._socket is not None, "a listener is opened first"
        return int(self._socket.getsockname()[1])

    def open(self) -> None:
        """Listen. Raises `EveryplaceError` ADAPTER_EXCEPTION if the port is taken."""
        try:
            self._socket = socket.create_server((self._host, self._port), backlog=BACKLOG)
        except OSError as error:
            text = f"port {self._port} of {self._host or 'all addresses'} cannot be used: {error.strerror}"
            raise EveryplaceError(Code.ADAPTER_EXCEPTION, text) from None

    def wait_for_contact(self) -> Adapter:
        """Wait for a caller."""
        listening = self._socket
        try:
            if listening is None:
                raise OSError
            plain, peer = listening.accept()
        except OSError:
            raise EveryplaceError(Code.STOPPED, f"the listener on port {self._port} is closed") from None
        plain.settimeout(TIMEOUT)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        name = f"{peer[0]}:{peer[1]}"
        return StreamAdapter(self._network, lambda: self._finish(plain), name, self._certificate, plain)

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            _shut(self._socket)


class Tcp:
    """Makes adapters `tcp`."""

    def initiator(self, place: Place) -> Adapter:
        """Return the adapter of a connection."""
        return StreamAdapter("tcp", lambda: dial(place.host, place.port), str(place))

    def listening(self, definition: ListenerDefinition) -> ListeningAdapter:
        """Return the adapter of a listener."""
        return StreamListener("tcp", definition.endpoint, lambda plain: plain)


class Tls:
    """Makes adapters `tls`."""

    def initiator(self, place: Place) -> Adapter:
        """Return the adapter of a connection."""
        return StreamAdapter("tls", lambda: secure(dial(place.host, place.port), place), str(place))

    def listening(self, definition: ListenerDefinition) -> ListeningAdapter:
        """Return the adapter of a listener. Raises `EveryplaceError` AUTHENTICATE if its certificate is of no use."""
        from .server_tls import ServerTls

        tls = ServerTls(definition)
        return StreamListener("tls", definition.endpoint, tls.finish, tls.certificate)


def _shut(found: socket.socket) -> None:
    """Close a socket on which another thread may wait."""
    with suppress(OSError):
        found.shutdown(socket.SHUT_RDWR)
    found.close()
