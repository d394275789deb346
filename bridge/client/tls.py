"""TLS of a client: what it offers, what it accepts, and what its failures are called."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress

from mqbridge.bridge.security.tls import (
    PeerNameError,
    TlsOffer,
    allowed,
    parse_peer_name,
    problem_of,
    server_name,
)
from mqbridge.bridge.tls import ProgramFiles, TlsContexts, TlsError, TlsSession
from mqbridge.protocol.constants import MQRC

from .errors import MQError, error_for
from .process_user import user_of_process
from .tls_settings import SNI_CHANNEL, SNI_HOST, SNI_NONE, with_environment
from .tls_socket import TlsSocket
from .url import MQUrl


class TlsCaller:
    """TLS of one connection. Raises `MQError` for settings and files that cannot be, before anything is connected.

    ``session``: has not begun.
    """

    def __init__(self, url: MQUrl) -> None:
        assert url.tls is not None
        self._where = f"{url.host}({url.port}), channel {url.channel}"
        self._settings = settings = url.tls if url.tls.repository else with_environment(url.tls)
        specs = allowed(settings.cipher)
        if not specs:
            raise error_for(MQRC.UNSUPPORTED_CIPHER_SUITE, problem_of(settings.cipher) or "cipher is blank")
        try:
            self._pattern = parse_peer_name(settings.peer) if settings.peer else None
        except PeerNameError as error:
            raise error_for(MQRC.SSL_PEER_NAME_ERROR, f"peer {settings.peer!r}: {error}") from error
        name = _server_name(settings.sni, url)
        label = "" if settings.certificate else settings.label
        required = bool(settings.certificate or (label and settings.repository))
        offer = TlsOffer(specs, label, url.channel, name, own_certificate=required)
        try:
            default_label = label or f"ibmwebspheremq{user_of_process()}".lower()  # tls.md T-05
            files = ProgramFiles(settings.trusted, settings.certificate, settings.repository, default_label)
            contexts = TlsContexts(files, files.default_label, system_authorities=not files.named)
            verify_host = "" if files.named or settings.peer else url.host
            self.session: TlsSession = contexts.call(offer, verify_host)
        except TlsError as error:
            raise error_for(error.reason, str(error)) from error
        except OSError as error:  # such as a name that is too long
            raise error_for(MQRC.KEY_REPOSITORY_ERROR, str(error)) from error

    def check(self) -> None:
        """Compare the queue manager's certificate with SSLPEER, after the handshake. Raises `MQError`."""
        agreed = self.session.agreed
        certificate = agreed.certificate if agreed is not None else None
        if self._pattern is not None and not self._pattern.matches_certificate(certificate):
            shown = certificate.peer_name if certificate is not None else "no certificate"
            text = f"{shown} at {self._where} does not match {self._settings.peer}"
            raise error_for(MQRC.SSL_PEER_NAME_MISMATCH, text)

    def failed(self, error: BaseException) -> MQError:
        """Return what a program is told of a handshake that failed, or of what followed before it was connected."""
        reason = error.reason if isinstance(error, TlsError) else MQRC.JSSE_ERROR
        return error_for(reason, f"{error} at {self._where}")

    def refusal(self, error: BaseException) -> MQError | None:
        """Return what a program is told if the connection ended by a fault of TLS; None if it did not."""
        return self.failed(error) if isinstance(error, TlsError) else None

    def secure(self, connected: socket.socket, timeout: float) -> TlsSocket:
        """Make the handshake on a connected socket. Raises `MQError`."""
        secured = TlsSocket(connected, self.session)
        try:
            secured.handshake(timeout)
            self.check()
        except (TlsError, OSError) as error:
            raise self.failed(error) from error
        except MQError:
            secured.close()
            raise
        return secured


def _server_name(sni: str, url: MQUrl) -> str:
    """Return the server name to send; an address is none (RFC 6066 3)."""
    if sni == SNI_CHANNEL:
        return server_name(url.channel)
    if sni == SNI_NONE:
        return ""
    if sni != SNI_HOST:
        return sni
    try:
        ipaddress.ip_address(url.host)
    except ValueError:
        with suppress(UnicodeError):  # no name of a host: connecting says so
            return url.host.rstrip(".").encode("idna").decode("ascii")
    return ""
