"""What endpoints need of TLS: sessions over memory buffers, and who makes them. `mqbridge.bridge.tls` has both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mqbridge.bridge.security.tls import TlsConnection, TlsOffer


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

    def answer(self, offer_for: Callable[[str], TlsOffer]) -> Session:
        """A session with a caller. ``offer_for``: returns what to offer for the server name in the caller's hello,
        blank if it has none."""
        ...

    def call(self, offer: TlsOffer) -> Session:
        """A session in which we are the caller. Raises `TlsError`, for instance if it has no certificate to use."""
        ...
