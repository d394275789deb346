"""One end of a TLS session over memory buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsConnection

from .errors import TlsError

_READ: Final = 1 << 16
_RECORD: Final = 1 << 14
"""Plain bytes in one record at most (RFC 8446 5.1)."""


class TlsSession:
    """One end of a session: ciphertext in with `receive_data`, ciphertext out with `data_to_send`.

    ``describe`` is called once the handshake is over, and returns what was agreed; it may raise `TlsError`. A session
    that has raised sends what `data_to_send` still returns (an alert), and is not used any more.
    """

    __slots__ = ("_connection", "_describe", "agreed", "closed", "ended")

    def __init__(
        self,
        connection: SSL.Connection,
        describe: Callable[[SSL.Connection], TlsConnection],
    ) -> None:
        self._connection = connection
        self._describe = describe
        self.agreed: TlsConnection | None = None
        """What was agreed; None until the handshake is over."""
        self.ended = False
        """The partner has sent close_notify: nothing more will be received."""
        self.closed = False
        """We have sent close_notify: nothing more may be written."""

    def receive_data(self, data: bytes) -> bytes:
        """Take ciphertext; return the plain bytes in it. No data begins a caller's handshake. Raises `TlsError`."""
        connection = self._connection
        try:
            if data:
                view = memoryview(data)
                while view:
                    view = view[connection.bio_write(view) :]
            if self.agreed is None:
                connection.do_handshake()
                self.agreed = self._describe(connection)
        except SSL.WantReadError:
            return b""
        except SSL.Error as error:
            raise TlsError(_words(error)) from error
        return self._read()

    def _read(self) -> bytes:
        connection, pieces = self._connection, []
        try:
            while True:
                pieces.append(connection.recv(_READ))
        except SSL.WantReadError:
            pass
        except SSL.ZeroReturnError:
            self.ended = True
        except SSL.Error as error:
            raise TlsError(_words(error)) from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, data: bytes | memoryview) -> None:
        """Encrypt plain bytes, after the handshake. Raises `TlsError`."""
        view = memoryview(data)
        try:
            for at in range(0, len(view), _RECORD):
                self._connection.send(view[at : at + _RECORD])
        except SSL.Error as error:
            raise TlsError(_words(error)) from error

    def data_to_send(self) -> bytes:
        """The ciphertext that waits to be sent, and is then forgotten."""
        pieces = []
        try:
            while True:
                pieces.append(self._connection.bio_read(_READ))
        except SSL.WantReadError:
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """Send close_notify; what is received is still read."""
        if not self.closed and self.agreed is not None:
            self.closed = True
            try:
                self._connection.shutdown()
            except SSL.Error:
                return


def _words(error: SSL.Error) -> str:
    """OpenSSL's own words for an error."""
    found = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return ", ".join(reason for *_, reason in found if reason) or str(error) or type(error).__name__
