"""One end of a TLS session over memory buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cryptography.hazmat.bindings.openssl.binding import Binding
from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.protocol.errors import LocalProtocolError

from .errors import TlsError
from .faults import connection_ended, session_error, session_over, unasked_answers
from .verification import Verification

_RECORD: Final = 1 << 14
"""Plain bytes in one record at most (RFC 8446 5.1)."""
_PIECE: Final = 1 << 13
"""Bytes passed to OpenSSL at once. Its buffers keep the size that they once had, so this is what idle sessions cost."""
_READ: Final = 1 << 15
_WARNINGS: Final = 6
"""Reads that a warning may end: OpenSSL allows five in a row. Java sends one, user_canceled, before close_notify (RFC
8446 6.1)."""
_MAX_ANSWERS: Final = 1 << 14
"""Bytes that OpenSSL may answer by itself between plain bytes."""
_library: Final[Any] = Binding().lib


class TlsSession:
    """One end of a session: ciphertext in with `receive_data`, ciphertext out with `data_to_send`.

    ``describe`` is called once the handshake is over, and returns what was agreed; it may raise `TlsError`. A session
    that has raised sends what `data_to_send` still returns (an alert), ignores what it receives, and is not used any
    more.
    """

    __slots__ = ("_answers", "_checks", "_connection", "_describe", "_failed", "_unsent", "agreed", "closed", "ended")

    def __init__(
        self,
        connection: SSL.Connection,
        describe: Callable[[SSL.Connection], TlsConnection],
        checks: Verification | None = None,
    ) -> None:
        self._connection = connection
        self._describe: Callable[[SSL.Connection], TlsConnection] | None = describe
        self._checks = checks
        self._failed = False
        self._answers = 0
        self._unsent: list[bytes] = []
        self.agreed: TlsConnection | None = None
        """What was agreed; None until the handshake is over."""
        self.ended = False
        """The partner has sent close_notify: nothing more will be received."""
        self.closed = False
        """We have sent close_notify: nothing more may be written."""

    def receive_data(self, data: bytes) -> bytes:
        """Take ciphertext; return the plain bytes in it. No data begins a caller's handshake. Raises `TlsError`."""
        pieces: list[bytes] = []
        connection, established = self._connection, self.agreed is not None
        view = memoryview(data)
        _library.ERR_clear_error()  # the queue of errors is the thread's, and OpenSSL looks at what others left there
        try:
            while not (self.ended or self._failed):
                if view:
                    view = view[connection.bio_write(view[:_PIECE]) :]
                if self.agreed is not None or self._handshake():
                    self._read(pieces)
                if not view:
                    break
        except SSL.Error as error:
            failure = self._fail(error)
            failure.received = b"".join(pieces)
            raise failure from None
        if not pieces:
            if established and data and not self._failed:
                self._count_answers()
            return b""
        self._answers = 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _count_answers(self) -> None:
        """Limit what OpenSSL answers by itself between plain bytes: a partner could ask for new keys without end."""
        before = len(self._unsent)
        self._collect()
        self._answers += sum(map(len, self._unsent[before:]))
        if self._answers > _MAX_ANSWERS:
            self._failed = True
            self._shut_down()
            raise unasked_answers()

    def _handshake(self) -> bool:
        """Go on with the handshake; return whether it is over."""
        connection = self._connection
        try:
            connection.do_handshake()
        except SSL.WantReadError:
            return False
        describe, self._describe = self._describe, None
        assert describe is not None
        try:
            self.agreed = describe(connection)
        except TlsError:
            self._failed = True
            self._shut_down()
            raise
        return True

    def _read(self, pieces: list[bytes]) -> None:
        receive = self._connection.recv
        for _ in range(_WARNINGS):
            try:
                while True:
                    pieces.append(receive(_RECORD))
            except SSL.WantReadError:
                return
            except SSL.ZeroReturnError:
                self.ended = True
                return
            except SSL.SysCallError:  # a warning has ended the read; there may be more behind it, or nothing
                continue

    def receive_end(self) -> None:
        """Take the end of the connection. Raises `TlsError` if the partner had not announced it."""
        if not self.ended and not self._failed:
            self._failed = True
            raise connection_ended(handshake=self.agreed is None)

    def write(self, data: bytes | memoryview) -> None:
        """Encrypt plain bytes, after the handshake. Raises `TlsError`."""
        if self._failed:
            raise session_over()
        if self.agreed is None or self.closed:
            raise LocalProtocolError("plain bytes may be written after the handshake and before the close")
        send = self._connection.send
        _library.ERR_clear_error()
        view = memoryview(data)
        try:
            while len(view) > _PIECE:
                sent = send(view[:_PIECE])
                view = view[sent:]
                self._collect()
            while view:
                view = view[send(view) :]
        except SSL.Error as error:
            raise self._fail(error) from None

    def data_to_send(self) -> bytes:
        """The ciphertext that waits to be sent, and is then forgotten."""
        self._collect()
        pieces = self._unsent
        if not pieces:
            return b""
        self._unsent = []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _collect(self) -> None:
        """Take the ciphertext out of OpenSSL's buffer."""
        read = self._connection.bio_read
        try:
            while True:
                piece = read(_READ)
                self._unsent.append(piece)
                if len(piece) < _READ:
                    return
        except SSL.WantReadError:
            return

    def close(self) -> None:
        """Send close_notify; what is received is still read."""
        if not self.closed and not self._failed and self.agreed is not None:
            self.closed = True
            self._shut_down()

    def _shut_down(self) -> None:
        _library.ERR_clear_error()
        try:
            self._connection.shutdown()
        except SSL.Error:
            return

    def _fail(self, error: SSL.Error) -> TlsError:
        """What went wrong, in our words."""
        self._failed = True
        if self._checks is not None and self._checks.failure is not None:
            return self._checks.failure
        if isinstance(error, SSL.ZeroReturnError | SSL.SysCallError):
            return connection_ended(handshake=self.agreed is None)
        return session_error(error, handshake=self.agreed is None)
