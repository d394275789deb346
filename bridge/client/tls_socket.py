"""A connected socket inside TLS, used like a non-blocking one."""

from __future__ import annotations

import select
import socket
import threading
import time
from contextlib import suppress
from typing import Final

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import TlsError, TlsSession
from mqbridge.protocol.constants import MQRC

READ_SIZE: Final = 1 << 16
MAX_WRITE: Final = 1 << 18
"""Plain bytes encrypted at once."""
MAX_UNSENT: Final = 1 << 20
"""Ciphertext in bytes that may wait while the far end takes nothing."""


class TlsSocket:
    """The members of ``socket.socket`` that a client uses, inside TLS. One thread may close what another reads.

    ``failure``: the error that ended the session; None while there is none.
    """

    __slots__ = ("_lock", "_session", "_socket", "_taken", "_unsent", "failure")

    def __init__(self, connected: socket.socket, session: TlsSession) -> None:
        connected.setblocking(False)
        self.failure: TlsError | None = None
        self._socket = connected
        self._session = session
        self._lock = threading.Lock()
        self._unsent = memoryview(b"")
        self._taken = 0
        """Plain bytes in ``_unsent`` of which the caller of `send` does not know yet."""

    # The handshake

    def handshake(self, timeout: float) -> None:
        """Make the handshake. Raises `TlsError`, ``OSError``."""
        until = time.monotonic() + timeout
        session, data = self._session, b""
        while True:
            try:
                early = session.receive_data(data)
            finally:  # an error is told by an alert
                self._queue_answer()
                with suppress(OSError):
                    self._flush()
            if early:
                raise TlsError("the far end speaks before it was spoken to", reason=MQRC.JSSE_ERROR)
            if session.agreed is not None:
                return
            found = self._wait(until)
            if found is None:
                raise TlsError("the handshake of TLS is not over in time", reason=MQRC.CONNECTION_BROKEN)
            if not found:
                session.receive_end()
            data = found

    def _wait(self, until: float) -> bytes | None:
        """Send what waits, and return what comes; None if nothing does in time. Raises ``OSError``."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        while True:
            poll.modify(self._socket, select.POLLIN | (select.POLLOUT if self._unsent else 0))
            rest = until - time.monotonic()
            if rest <= 0 or not poll.poll(rest * 1000 + 1):
                return None
            with suppress(OSError):  # what can be read still tells why
                self._flush()
            with suppress(BlockingIOError):
                return self._socket.recv(READ_SIZE)

    @property
    def agreed(self) -> TlsConnection | None:
        """What the ends agreed."""
        return self._session.agreed

    # Data

    def send(self, data: bytes | memoryview) -> int:
        """Send the first of some bytes; return how many. If that blocks, it is called again with the same bytes.

        Raises ``BlockingIOError``, ``OSError``.
        """
        with self._lock:
            if not self._taken:
                piece = memoryview(data)[:MAX_WRITE]
                self._encrypt(piece)
                self._taken = len(piece)
            self._flush()
            taken, self._taken = self._taken, 0
            return taken

    def sendall(self, data: bytes | memoryview) -> None:
        """Send all bytes, those of a `send` that blocked included, within the time limit of the socket.

        Raises ``OSError``.
        """
        with self._lock:
            self._encrypt(memoryview(data)[self._taken :])
            self._taken = 0
            self._flush()

    def recv(self, size: int) -> bytes:
        """Return plain bytes, which may be more than ``size``; none at the end of the connection.

        Raises ``BlockingIOError``, ``OSError``.
        """
        if self.failure is not None:
            raise ConnectionAbortedError(str(self.failure))
        data = self._socket.recv(size)
        if not data:
            return b""
        with self._lock:
            session = self._session
            try:
                plain = session.receive_data(data)
            except TlsError as error:
                failed = self._failed(error)
                if error.received:
                    return error.received
                raise failed from error
            self._queue_answer()
            if self._unsent:
                with suppress(BlockingIOError):
                    self._flush()
            if session.ended:
                self._read_no_more()
        if plain or session.ended:
            return plain
        raise BlockingIOError

    def _encrypt(self, data: memoryview) -> None:
        if self._session.closed:
            raise ConnectionAbortedError("the connection is closed")
        try:
            for at in range(0, len(data), MAX_WRITE):
                self._session.write(data[at : at + MAX_WRITE])
        except TlsError as error:
            raise self._failed(error) from error
        self._queue_answer(limited=False)

    def _queue_answer(self, *, limited: bool = True) -> None:
        answer = self._session.data_to_send()
        if answer:
            if limited and len(self._unsent) > MAX_UNSENT:
                raise ConnectionAbortedError("the far end takes no data")
            self._unsent = memoryview(self._unsent.tobytes() + answer if self._unsent else answer)

    def _flush(self) -> None:
        while self._unsent:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]

    def _failed(self, error: TlsError) -> OSError:
        self.failure = error
        with suppress(OSError):
            self._queue_answer()
            self._flush()  # an alert
        self._read_no_more()
        return ConnectionAbortedError(str(error))

    def _read_no_more(self) -> None:
        """Let the end be found by who waits for the socket, whether or not the far end closes."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)

    # The socket

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._socket.fileno()

    def settimeout(self, seconds: float | None) -> None:
        """Limit the time of `sendall`."""
        self._socket.settimeout(seconds)

    def shutdown(self, how: int) -> None:
        """Send close_notify and end the connection. Raises ``OSError``."""
        self._close_session()
        self._socket.shutdown(how)

    def close(self) -> None:
        """Send close_notify and close the socket. Raises ``OSError``."""
        self._close_session()
        self._socket.close()

    def _close_session(self) -> None:
        """Send close_notify as far as that does not block."""
        with self._lock, suppress(OSError):
            self._session.close()
            self._queue_answer()
            self._flush()
