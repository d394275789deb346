"""TLS at the end that listens: certificate, key and authorities are PEM texts of the listener's definition."""

from __future__ import annotations

import os
import tempfile
from socket import socket
from typing import TYPE_CHECKING

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

if TYPE_CHECKING:
    import ssl


class ServerTls:
    """Answers callers. With authorities in the definition, their certificates are required. ``certificate``: own, as
    DER."""

    def __init__(self, definition: ListenerDefinition) -> None:
        self._name = definition.name
        self._context = _context(definition)
        self.certificate = _first_certificate(definition.certificate)

    def finish(self, plain: socket) -> socket:
        """Return TLS over a caller's socket. Raises `EveryplaceError` AUTHENTICATE; the socket is closed then."""
        try:
            return self._context.wrap_socket(plain, server_side=True)
        except OSError as error:
            plain.close()
            raise EveryplaceError(Code.AUTHENTICATE, f"listener {self._name}: TLS failed: {error}") from None


def _context(definition: ListenerDefinition) -> ssl.SSLContext:
    import ssl

    found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    found.minimum_version = ssl.TLSVersion.TLSv1_2
    # `ssl` reads certificate and key from files alone: one that this user may read, as long as it takes.
    handle, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"{definition.certificate}\n{definition.key}\n")
        found.load_cert_chain(path)
        if definition.authorities:
            found.verify_mode = ssl.CERT_REQUIRED
            found.load_verify_locations(cadata=definition.authorities)
    except (OSError, ValueError) as error:
        text = f"listener {definition.name}: certificate, key or authorities cannot be used: {type(error).__name__}"
        raise EveryplaceError(Code.AUTHENTICATE, text) from None
    finally:
        os.unlink(path)
    return found


def _first_certificate(text: str) -> bytes:
    import ssl

    end = text.index(ssl.PEM_FOOTER) + len(ssl.PEM_FOOTER)
    return ssl.PEM_cert_to_DER_cert(text[text.index(ssl.PEM_HEADER) : end])
