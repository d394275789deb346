"""What a program wants of TLS: options of an ``mqs://`` URL, and MQSSLKEYR with MQCERTLABL."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final
from urllib.parse import quote

DEFAULT_CIPHER: Final = "ANY_TLS12_OR_HIGHER"
SNI_CHANNEL: Final = "channel"
SNI_HOST: Final = "hostname"
SNI_NONE: Final = "none"
MAX_VALUE: Final = 4096
"""Longest value of an option, in characters."""
MAX_SERVER_NAME: Final = 253
OPTIONS: Final = ("trusted", "certificate", "cipher", "peer", "sni")
_SERVER_NAME: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """TLS of a connection. All names of files may be relative to the working directory.

    ``trusted``: certificates of authorities, a PEM file, a folder of PEM files or a key repository; blank for those of
    the system. ``certificate``: a PEM file with our key and certificates, blank for none. ``cipher``: a CipherSpec or
    an alias. ``peer``: SSLPEER that the queue manager's certificate must match; blank for any. ``sni``: ``channel``,
    ``hostname``, ``none``, or the server name to send. ``repository``, ``label``: MQSSLKEYR and MQCERTLABL, for what
    ``trusted`` and ``certificate`` leave open.
    """

    trusted: str = ""
    certificate: str = ""
    cipher: str = DEFAULT_CIPHER
    peer: str = ""
    sni: str = SNI_CHANNEL
    repository: str = ""
    label: str = ""

    @property
    def query(self) -> str:
        """The options of a URL that differ from the defaults, each behind an ampersand."""
        given = ((each.name, getattr(self, each.name), each.default) for each in fields(self) if each.name in OPTIONS)
        return "".join(f"&{name}={quote(value, safe='/=,*')}" for name, value, default in given if value != default)


def tls_settings(options: Mapping[str, str]) -> TlsSettings:
    """Return the settings for options of a URL. Raises ``ValueError`` for a value that cannot be."""
    for name, value in options.items():
        if not value or len(value) > MAX_VALUE:
            raise ValueError(f"{name} has 1 to {MAX_VALUE} characters")
        if not value.isprintable():
            raise ValueError(f"{name} has a character that cannot be printed")
    settings = TlsSettings(**options)
    if len(settings.sni) > MAX_SERVER_NAME or not _SERVER_NAME.fullmatch(settings.sni) or ".." in settings.sni:
        raise ValueError(f"sni is {SNI_CHANNEL}, {SNI_HOST}, {SNI_NONE}, or the server name to send")
    return settings


def with_environment(settings: TlsSettings, environment: Mapping[str, str] = os.environ) -> TlsSettings:
    """Return the settings with MQSSLKEYR and MQCERTLABL."""
    repository = environment.get("MQSSLKEYR", "").strip()
    return replace(settings, repository=repository, label=environment.get("MQCERTLABL", "").strip())
