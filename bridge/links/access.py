"""Where and as whom a link connects to its provider, and the file of its password."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mqbridge.bridge.tls import CertificateSource
from mqbridge.protocol.errors import MQBridgeError

from .keys import LinkKeys
from .places import Place
from .settings import DEFAULT_OPENING, ConnectionSettings

MAX_PASSWORD: Final = 4096
"""Bytes that are read of a file with a password."""


class PasswordFileError(MQBridgeError):
    """The file of a password cannot be read, or has none. The text names the file, and nothing of what is in it."""


@dataclass(frozen=True, slots=True)
class Access:
    """The provider of one link, and as whom the link signs on there.

    ``user`` and ``password_file``: for SASL PLAIN; without them ``certificate``, a label of the queue manager's key
    repository, signs on as SASL EXTERNAL, and neither as ANONYMOUS. ``trusted``: authorities of the provider's
    certificate; None: no TLS. ``max_message``: longest message, in bytes of all sections. ``idle_timeout``: seconds
    without any frame after which the connection is lost.
    """

    place: Place
    max_message: int
    idle_timeout: float
    user: str = ""
    password_file: Path | None = None
    certificate: str = ""
    trusted: Path | None = None

    def password(self) -> str:
        """The first line of the file of the password; blank without a file. Raises `PasswordFileError`."""
        file = self.password_file
        if file is None:
            return ""
        try:
            with file.open("rb") as opened:
                lines = opened.read(MAX_PASSWORD).decode().splitlines()
        except OSError as error:
            raise PasswordFileError(f"{file}: {error.strerror}") from error
        except UnicodeDecodeError:
            raise PasswordFileError(f"{file}: the file is not UTF-8") from None
        if not lines or not lines[0]:
            raise PasswordFileError(f"{file}: the first line of the file is empty")
        return lines[0]

    def settings(self, container: str) -> ConnectionSettings:
        """Settings of a new connection. The password is read again. Raises `PasswordFileError`."""
        return ConnectionSettings(
            container=f"{container}@{socket.gethostname()}",
            host=self.place.host or "localhost",
            mechanism="PLAIN" if self.user else "EXTERNAL" if self.certificate else "ANONYMOUS",
            user=self.user,
            password=self.password(),
            max_message=self.max_message,
            idle_timeout=self.idle_timeout,
            opening_timeout=min(DEFAULT_OPENING, self.idle_timeout),
        )

    def keys(self, own: Callable[[], CertificateSource]) -> LinkKeys | None:
        """Keys for TLS; None without it. ``own``: returns the queue manager's key repository."""
        return None if self.trusted is None else LinkKeys(own, self.certificate, self.trusted)
