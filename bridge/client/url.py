"""Addresses of queue managers: ``mq://user:password@host:port/QMGR?channel=NAME``, ``mqs://`` for TLS, or MQSERVER."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from mqbridge.protocol.errors import MQBridgeError

from .tls_settings import OPTIONS as TLS_OPTIONS
from .tls_settings import TlsSettings, tls_settings, with_environment

DEFAULT_PORT: Final = 1414
DEFAULT_CHANNEL: Final = "DEV.APP.SVRCONN"
MAX_NAME: Final = 48
MAX_CHANNEL: Final = 20
_OPTIONS: Final = {"mq": ("channel",), "mqs": ("channel", *TLS_OPTIONS)}
"""Schemes, and the options of each."""
_SERVER: Final = re.compile(r"(?P<channel>[^/]+)/TCP/(?P<host>[^(,]+)(?:\((?P<port>\d+)\))?\s*", re.IGNORECASE)


class UrlError(MQBridgeError, ValueError):
    """An invalid URL; the text never contains the password."""


@dataclass(slots=True)
class MQUrl:
    """Address, channel and credentials. ``queue_manager``: blank for any. ``tls``: None for a plain connection."""

    host: str
    port: int = DEFAULT_PORT
    queue_manager: str = ""
    channel: str = DEFAULT_CHANNEL
    user: str = ""
    password: str = field(default="", repr=False)
    tls: TlsSettings | None = None

    def __str__(self) -> str:
        """The URL without the password."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        address = f"{user}{host}:{self.port}/{quote(self.queue_manager, safe='*')}?channel={quote(self.channel)}"
        return f"mq://{address}" if self.tls is None else f"mqs://{address}{self.tls.query}"


def parse_url(text: str) -> MQUrl:
    """Parse ``mq://[user[:password]@]host[:port]/QMGR?channel=NAME``; parts may be percent-encoded.

    ``mqs://`` connects inside TLS and has the options of `TlsSettings`. Raises `UrlError`.
    """
    shown = re.sub(r"\A(\w+://)?.*@", r"\1…@", text, flags=re.DOTALL)
    try:
        parts = urlsplit(text)
    except ValueError:  # its text may quote the password
        raise UrlError(f"{shown!r} is no URL: percent-encode what is not a letter or digit") from None
    if "@" in parts.path + parts.query + parts.fragment or parts.fragment:
        # Else a piece of a password would be taken for a host, a port or a name, and be shown.
        raise UrlError(f"{shown!r}: '/', '?', '#' and '@' inside a part are written as %2F, %3F, %23 and %40")
    try:
        port = parts.port
    except ValueError:
        raise UrlError(f"{shown!r} is no URL: a port is a number from 0 to 65535") from None
    if parts.scheme not in _OPTIONS or not parts.hostname:
        raise UrlError(
            f"{shown!r} names no queue manager: mq://[user[:password]@]host[:port]/QMGR?channel=NAME, or mqs://"
        )
    options = _options(parts.query, parts.scheme, shown)
    channel = options.pop("channel", DEFAULT_CHANNEL)
    try:
        tls = tls_settings(options) if parts.scheme == "mqs" else None
    except ValueError as error:
        raise UrlError(f"{shown!r}: {error}") from None
    url = MQUrl(
        parts.hostname,
        DEFAULT_PORT if port is None else port,
        unquote(parts.path.removeprefix("/")),
        channel,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
        tls,
    )
    if len(url.queue_manager) > MAX_NAME or "/" in url.queue_manager:
        raise UrlError(f"{shown!r}: {url.queue_manager!r} is no name of a queue manager")
    if not 0 < len(url.channel) <= MAX_CHANNEL:
        raise UrlError(f"{shown!r}: a channel has a name of 1 to {MAX_CHANNEL} characters")
    return url


def _options(query: str, scheme: str, shown: str) -> dict[str, str]:
    """Read the options behind the question mark; a plus sign is one. Raises `UrlError`."""
    found: dict[str, str] = {}
    for text in filter(None, query.split("&")):
        name, _, value = text.partition("=")
        if name not in _OPTIONS[scheme]:
            if name in _OPTIONS["mqs"]:
                raise UrlError(f"{shown!r}: {name!r} is an option of mqs://, which connects inside TLS")
            raise UrlError(f"{shown!r}: unknown option {name!r}; there is {', '.join(_OPTIONS[scheme])}")
        if name in found:
            raise UrlError(f"{shown!r}: {name!r} is given twice")
        try:
            found[name] = unquote(value, errors="strict")
        except UnicodeDecodeError:
            raise UrlError(f"{shown!r}: {name!r} is not percent-encoded UTF-8") from None
    return found


def from_environment(environment: Mapping[str, str] = os.environ) -> MQUrl | None:
    """The address in MQSERVER, ``CHANNEL/TCP/host(port)``, with the user in MQSAMP_USER_ID; None if it is not set.

    Of several addresses the first is used. MQSERVER has no CipherSpec: if MQSSLKEYR is set, the connection is inside
    TLS 1.2 or higher, else it is plain. Raises `UrlError`.
    """
    text = environment.get("MQSERVER", "")
    if not text:
        return None
    found = _SERVER.match(text)
    if found is None:
        raise UrlError(f"MQSERVER is {text!r}; CHANNEL/TCP/host(port) is expected")
    tls = with_environment(TlsSettings(), environment)
    return MQUrl(
        found["host"].strip(),
        int(found["port"] or DEFAULT_PORT),
        channel=found["channel"],
        user=environment.get("MQSAMP_USER_ID", ""),
        tls=tls if tls.repository else None,
    )
