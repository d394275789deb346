"""What endpoints need of TLS: sessions over memory buffers, and who makes them. `mqbridge.bridge.tls` has both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mqbridge.bridge.security.tls import TlsConnection, TlsFault, TlsOffer
from mqbridge.bridge.tls import TlsError
from mqbridge.bridge.tls.faults import HANDSHAKE_FAILURE, alert_record
from mqbridge.protocol.constants import MQRQ


class Session(Protocol):
    """One end of a TLS session. A session that has raised `TlsError` sends what `data_to_send` still returns (an
    alert), and is not used any more."""

    @property
    def agreed(self) -> TlsConnection | None:
        """What was agreed; None until the handshake is over."""
        ...

    @property
    def ended(self) -> bool:
        """The partner has sent close_notify: nothing more will be received."""
        ...

    @property
    def closed(self) -> bool:
        """We have sent close_notify: nothing more may be written."""
        ...

    def receive_data(self, data: bytes) -> bytes:
        """Take ciphertext; return the plain bytes in it. No data begins a caller's handshake. Raises `TlsError`."""
        ...

    def receive_end(self) -> None:
        """Take the end of the connection. Raises `TlsError` if the partner had not announced it."""
        ...

    def write(self, data: bytes | memoryview) -> None:
        """Encrypt plain bytes, after the handshake. Raises `TlsError`."""
        ...

    def data_to_send(self) -> bytes:
        """The ciphertext that waits to be sent, and is then forgotten."""
        ...

    def close(self) -> None:
        """Send close_notify; what is received is still read."""
        ...


class TlsSessions(Protocol):
    """Makes the sessions of channels. `mqbridge.bridge.tls.TlsContexts` is one."""

    def answer(self, offer_for: Callable[[str], TlsOffer], /) -> Session:
        """A session with a caller. ``offer_for``: returns what to offer for the server name in the caller's hello,
        blank if it has none. Raises `TlsError`."""
        ...

    def serve(self, offer: TlsOffer, /) -> Session:
        """A session with a caller whose server name does not matter. Raises `TlsError` if there is no certificate."""
        ...

    def call(self, offer: TlsOffer, /) -> Session:
        """A session in which we are the caller. Raises `TlsError`, for instance if it has no certificate to use."""
        ...


class RefusingSession:
    """A session that fails with the first bytes received: there is nothing to make a proper one with."""

    __slots__ = ("_error", "_waiting")

    agreed = None
    ended = closed = False

    def __init__(self, error: TlsError) -> None:
        self._error = error
        self._waiting = b""

    def receive_data(self, data: bytes) -> bytes:
        """Raise the error."""
        self._waiting = alert_record(HANDSHAKE_FAILURE)
        raise self._error

    def receive_end(self) -> None:
        """Do nothing."""

    def write(self, data: bytes | memoryview) -> None:
        """Raise the error."""
        raise self._error

    def data_to_send(self) -> bytes:
        """The alert, once."""
        waiting, self._waiting = self._waiting, b""
        return waiting

    def close(self) -> None:
        """Do nothing."""


class NoTls:
    """Sessions of a queue manager without TLS: the partner gets an alert, the operator a line."""

    def answer(self, _offer_for: Callable[[str], TlsOffer], /) -> Session:
        """A session that fails."""
        return RefusingSession(_not_configured("the partner begins with TLS"))

    def serve(self, _offer: TlsOffer, /) -> Session:
        """Raise `TlsError`."""
        raise _not_configured("an endpoint is to be served with TLS")

    def call(self, _offer: TlsOffer, /) -> Session:
        """Raise `TlsError`."""
        raise _not_configured("the channel calls with TLS")


def _not_configured(what: str) -> TlsError:
    text = f"{what}, and this queue manager has no key repository: make one with mqbridge certificate create"
    return TlsError(text, TlsFault("AMQ9642", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR))
