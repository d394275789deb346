"""The end that is called, from the first byte of the hello on."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.security.tls import TlsConnection, TlsFault, TlsOffer
from mqbridge.protocol.constants import MQRQ
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.tls_client_hello import ClientHelloError, ClientHelloReader

from .errors import TlsError
from .faults import HANDSHAKE_FAILURE, alert_record, connection_ended, session_over
from .session import TlsSession


class IncomingSession:
    """A session whose certificate and CipherSpecs depend on the server name in the caller's hello.

    The hello is collected whole; ``offer_for`` gets its server name, and ``serve`` makes the session of that offer.
    Members are those of `TlsSession`.
    """

    __slots__ = ("_failed", "_hello", "_offer_for", "_serve", "_session", "_unsent")

    def __init__(
        self, offer_for: Callable[[str], TlsOffer], serve: Callable[[TlsOffer, str | None], TlsSession]
    ) -> None:
        self._offer_for = offer_for
        self._serve = serve
        self._hello: ClientHelloReader | None = ClientHelloReader()
        self._session: TlsSession | None = None
        self._unsent = b""
        self._failed = False

    @property
    def agreed(self) -> TlsConnection | None:
        """What was agreed; None until the handshake is over."""
        return None if self._session is None else self._session.agreed

    @property
    def ended(self) -> bool:
        """The partner has sent close_notify: nothing more will be received."""
        return self._session is not None and self._session.ended

    @property
    def closed(self) -> bool:
        """We have sent close_notify: nothing more may be written."""
        return self._session is not None and self._session.closed

    def receive_data(self, data: bytes) -> bytes:
        """Take ciphertext; return the plain bytes in it. Raises `TlsError`."""
        if self._session is not None:
            return self._session.receive_data(data)
        if self._failed or not data:
            return b""
        hello = self._hello
        assert hello is not None
        try:
            if not hello.take(data):
                return b""
            self._session = self._serve(self._offer_for(hello.server_name), hello.server_name)
        except ClientHelloError as error:
            text = str(error)
            fault = TlsFault("AMQ9661", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR, stage="hello", return_code=410)
            raise self._fail(TlsError(text, fault), error.alert) from None
        except TlsError as error:
            raise self._fail(error, HANDSHAKE_FAILURE) from None
        self._hello = None
        return self._session.receive_data(bytes(hello.received))

    def receive_end(self) -> None:
        """Take the end of the connection. Raises `TlsError` if the partner had not announced it."""
        if self._session is not None:
            self._session.receive_end()
        elif not self._failed:
            self._failed = True
            raise connection_ended(handshake=True)

    def write(self, data: bytes | memoryview) -> None:
        """Encrypt plain bytes, after the handshake. Raises `TlsError`."""
        if self._failed:
            raise session_over()
        if self._session is None:
            raise LocalProtocolError("nothing may be written before the handshake")
        self._session.write(data)

    def data_to_send(self) -> bytes:
        """The ciphertext that waits to be sent, and is then forgotten."""
        if self._session is not None:
            return self._session.data_to_send()
        unsent, self._unsent = self._unsent, b""
        return unsent

    def close(self) -> None:
        """Send close_notify; what is received is still read."""
        if self._session is not None:
            self._session.close()

    def _fail(self, error: TlsError, alert: int) -> TlsError:
        self._failed, self._hello = True, None
        self._unsent = alert_record(alert)
        return error
