"""Sockets to other queue managers, plain or inside TLS, and what goes wrong with them in words."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import fingerprint_of

from .interface import TIMEOUT, Place

if TYPE_CHECKING:
    import ssl

_AUTHENTICATION: Final = ("certificate", "alert", "unknown ca", "handshake")


def dial(host: str, port: int) -> socket.socket:
    """Return a connected socket with a timeout. Raises `EveryplaceError` ADAPTER_EXCEPTION."""
    try:
        found = socket.create_connection((_plain(host), port), TIMEOUT)  # type: ignore[arg-type]
    except OSError as error:
        raise EveryplaceError(Code.ADAPTER_EXCEPTION, f"{host}:{port} does not answer: {_reason(error)}") from None
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return found


def _plain(host: str) -> str | bytes:
    """Return a name as bytes where it is ASCII: text is encoded with tables of international names, which are big."""
    return host.encode("ascii") if host.isascii() else host


def secure(plain: socket.socket, place: Place) -> ssl.SSLSocket:
    """Return TLS 1.2 or later over a socket, to an end whose key or certificate is the right one.

    Raises `EveryplaceError` AUTHENTICATE, ADAPTER_EXCEPTION; the socket is closed then.
    """
    import ssl

    try:
        found = _context(place).wrap_socket(plain, server_hostname=_plain(place.host))
    except ssl.SSLError as error:
        plain.close()
        raise EveryplaceError(_code(error), f"{place}: TLS failed: {_reason(error)}") from None
    except OSError as error:
        plain.close()
        raise EveryplaceError(Code.ADAPTER_EXCEPTION, f"{place}: TLS failed: {_reason(error)}") from None
    if place.fingerprint:
        certificate = found.getpeercert(binary_form=True)
        if certificate is None or fingerprint_of(certificate) != place.fingerprint:
            found.close()
            text = f"{place}: the certificate is not the one that the token of the enrolment names"
            raise EveryplaceError(Code.AUTHENTICATE, text)
    return found


def peer_of(found: socket.socket, address: str, *, called: bytes = b"") -> Peer:
    """Return what a connected socket knows of its other end. ``called``: own certificate of an end that was called."""
    import ssl

    if not isinstance(found, ssl.SSLSocket):
        return Peer(address)
    certificate = called or found.getpeercert(binary_form=True) or b""
    binding = fingerprint_of(certificate) if certificate else b""
    return Peer(address, _common_name(found.getpeercert() or {}), secure=True, binding=binding)


def _common_name(certificate: Mapping[str, Any]) -> str:
    """Return the common name of a certificate that was verified, empty without one."""
    names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    return names[-1] if names else ""


def broken(place: object, error: OSError) -> EveryplaceError:
    """Return the error of a socket that was open; of TLS where the other end refuses the certificate."""
    import ssl

    code = _code(error) if isinstance(error, ssl.SSLError) else Code.ADAPTER_EXCEPTION
    return EveryplaceError(code, f"{place}: {_reason(error)}")


def _context(place: Place) -> ssl.SSLContext:
    import ssl

    try:
        found = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        found.minimum_version = ssl.TLSVersion.TLSv1_2
        authorities, certificate = place.properties.get("authorities"), place.properties.get("certificate")
        if place.fingerprint:
            found.check_hostname = False
            found.verify_mode = ssl.CERT_NONE  # the fingerprint decides
        elif authorities:
            found.load_verify_locations(authorities)
        else:
            found.load_default_certs()
        if certificate:
            found.load_cert_chain(certificate, place.properties.get("key") or None)
    except (OSError, ValueError) as error:  # of files; SSLError is one
        text = f"{place}: certificate, key or authorities cannot be used: {_reason(error)}"
        raise EveryplaceError(Code.AUTHENTICATE, text) from None
    return found


def _code(error: OSError) -> Code:
    """Whether a failure of TLS is about who the ends are."""
    words = str(error).lower()
    return Code.AUTHENTICATE if any(each in words for each in _AUTHENTICATION) else Code.ADAPTER_EXCEPTION


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing came within {TIMEOUT:.0f} s"
    return getattr(error, "verify_message", "") or getattr(error, "strerror", "") or str(error) or type(error).__name__
