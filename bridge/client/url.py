"""Addresses of queue managers: ``mq://user:password@host:port/QMGR?channel=NAME``, or MQSERVER."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mqbridge.protocol.errors import MQBridgeError

DEFAULT_PORT: Final = 1414
DEFAULT_CHANNEL: Final = "DEV.APP.SVRCONN"
MAX_NAME: Final = 48
MAX_CHANNEL: Final = 20
_OPTIONS: Final = frozenset({"channel"})
_SERVER: Final = re.compile(r"(?P<channel>[^/]+)/TCP/(?P<host>[^(,]+)(?:\((?P<port>\d+)\))?\s*", re.IGNORECASE)


class UrlError(MQBridgeError, ValueError):
    """An invalid URL; the text never contains the password."""


@dataclass(slots=True)
class MQUrl:
    """Address, channel and credentials. ``queue_manager``: blank for any."""

    host: str
    port: int = DEFAULT_PORT
    queue_manager: str = ""
    channel: str = DEFAULT_CHANNEL
    user: str = ""
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        """The URL without the password."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"mq://{user}{host}:{self.port}/{quote(self.queue_manager, safe='*')}?channel={quote(self.channel)}"


def parse_url(text: str) -> MQUrl:
    """Parse ``mq://[user[:password]@]host[:port]/QMGR?channel=NAME``; parts may be percent-encoded. Raises
    `UrlError`."""
    shown = re.sub(r"//.*@", "//…@", text, flags=re.DOTALL)
    try:
        parts = urlsplit(text)
    except ValueError:  # its text may quote the password
        raise UrlError(f"{shown!r} is no URL: percent-encode what is not a letter or digit") from None
    if "@" in parts.path + parts.query + parts.fragment or parts.fragment:
        # Else a piece of a password would be taken for a host, a port or a name, and be shown.
        raise UrlError(f"{shown!r}: '/', '?', '#' and '@' of a user or password are written as %2F, %3F, %23 and %40")
    try:
        port = parts.port
    except ValueError:
        raise UrlError(f"{shown!r} is no URL: a port is a number from 0 to 65535") from None
    if parts.scheme == "mqs":
        raise UrlError(f"{shown!r}: TLS is not there yet; mq:// connects without it")
    if parts.scheme != "mq" or not parts.hostname:
        raise UrlError(f"{shown!r} names no queue manager: mq://[user[:password]@]host[:port]/QMGR?channel=NAME")
    found = parse_qs(parts.query, keep_blank_values=True)
    unknown = sorted(set(found) - _OPTIONS)
    if unknown:
        raise UrlError(f"{shown!r}: unknown option {unknown[0]!r}; there is {', '.join(sorted(_OPTIONS))}")
    url = MQUrl(
        parts.hostname,
        DEFAULT_PORT if port is None else port,
        unquote(parts.path.removeprefix("/")),
        found.get("channel", [DEFAULT_CHANNEL])[-1],
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )
    if len(url.queue_manager) > MAX_NAME or "/" in url.queue_manager:
        raise UrlError(f"{shown!r}: {url.queue_manager!r} is no name of a queue manager")
    if not 0 < len(url.channel) <= MAX_CHANNEL:
        raise UrlError(f"{shown!r}: a channel has a name of 1 to {MAX_CHANNEL} characters")
    return url


def from_environment(environment: Mapping[str, str] = os.environ) -> MQUrl | None:
    """The address in MQSERVER, ``CHANNEL/TCP/host(port)``, with the user in MQSAMP_USER_ID; None if it is not set.

    Of several addresses the first is used. Raises `UrlError`.
    """
    text = environment.get("MQSERVER", "")
    if not text:
        return None
    found = _SERVER.match(text)
    if found is None:
        raise UrlError(f"MQSERVER is {text!r}; CHANNEL/TCP/host(port) is expected")
    return MQUrl(
        found["host"].strip(),
        int(found["port"] or DEFAULT_PORT),
        channel=found["channel"],
        user=environment.get("MQSAMP_USER_ID", ""),
    )
