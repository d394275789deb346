"""Why TLS failed."""

from __future__ import annotations

from mqbridge.bridge.security.tls import TlsFault
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class CertificateError(MQBridgeError):
    """A certificate, key or file of them that cannot be used or made; the text says why, and what to do."""


class TlsError(MQBridgeError):
    """A handshake or a session failed.

    ``fault``: for channels. ``reason``: for a program that connects. ``received``: plain bytes that came before what
    went wrong, in the same read.
    """

    def __init__(self, text: str, fault: TlsFault | None = None, reason: MQRC = MQRC.SSL_INITIALIZATION_ERROR) -> None:
        super().__init__(text)
        self.fault = fault if fault is not None else TlsFault("AMQ9665", (text,))
        self.reason = reason
        self.received = b""
