"""A session of ours on a blocking socket, used like the socket itself: what `ssl` cannot do, such as going on after a
write that was not taken in time."""

from __future__ import annotations

import socket
from contextlib import suppress

from .sessions import End

_AT_ONCE = 1 << 18


class SessionSocket:
    """The calling end on a connected socket. What `send` has returned is sent, now or by the next call of it."""

    def __init__(self, plain: socket.socket, session: End) -> None:
        self.plain = plain
        self.session = session
        self._unsent = memoryview(b"")
        self._received = b""
        session.receive_data(b"")
        while session.agreed is None:
            plain.sendall(session.data_to_send())
            self._received += session.receive_data(plain.recv(_AT_ONCE))
        plain.sendall(session.data_to_send())

    def send(self, data: bytes | memoryview) -> int:
        """Encrypt and send; raises ``TimeoutError`` if not even what was left before is taken."""
        self._flush()
        self.session.write(bytes(data))
        self._unsent = memoryview(self.session.data_to_send())
        with suppress(TimeoutError):
            self._flush()
        return len(data)

    def sendall(self, data: bytes) -> None:
        for at in range(0, len(data), 1 << 20):
            self.send(data[at : at + (1 << 20)])
            self._flush()

    def _flush(self) -> None:
        while self._unsent:
            self._unsent = self._unsent[self.plain.send(self._unsent[:_AT_ONCE]) :]

    def recv(self, length: int) -> bytes:
        """Plain bytes, of any length; none after close_notify. Raises what the session raises at a cut."""
        while not self._received and not self.session.ended:
            ciphertext = self.plain.recv(length)
            if not ciphertext:
                self.session.receive_end()
            self._received = self.session.receive_data(ciphertext)
        found, self._received = self._received, b""
        return found

    def end(self) -> None:
        """Send close_notify."""
        self.session.close()
        self.plain.sendall(self.session.data_to_send())

    def settimeout(self, seconds: float) -> None:
        self.plain.settimeout(seconds)

    def setsockopt(self, *arguments: object) -> None:
        self.plain.setsockopt(*arguments)  # type: ignore[call-overload]

    def close(self) -> None:
        self.plain.close()
