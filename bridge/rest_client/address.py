"""The address of a queue manager's admin endpoint, from its data folder or from a URL."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from .errors import EndpointNotReachable

DEFAULT_DATA: Final = "mqbridge-data"
RUNNING_FILE: Final = "running.json"
_PORTS: Final = {"http": 80, "https": 443}
_OPTIONS: Final = frozenset(("certificate", "trusted"))
MAX_RUNNING_FILE: Final = 1 << 20
"""Largest file of an address in bytes."""


@dataclass(slots=True)
class Address:
    """A Unix socket (``socket``), or ``host`` and ``port``. ``queue_manager``: its name, if known.

    ``secure``: with TLS. ``user``, ``password``: who asks. ``trusted``: file of the authorities whose certificates are
    accepted, blank for those of the system. ``certificate``: file of the client's own certificate and key.
    """

    socket: str = ""
    host: str = ""
    port: int = 0
    queue_manager: str = ""
    secure: bool = False
    user: str = ""
    password: str = field(default="", repr=False)
    trusted: str = ""
    certificate: str = ""

    def __str__(self) -> str:
        return self.socket or f"{self.host}:{self.port}"


def parse_url(url: str) -> Address:
    """Parse ``unix:/path/admin.sock``, ``https://[user[:password]@]host[:port][?trusted=FILE&certificate=FILE]``, or
    ``http://`` for this machine. Raises ``ValueError``, whose text never contains the password."""
    if url.startswith("unix:"):
        path = url.removeprefix("unix:")
        if not path:
            raise ValueError(f"{url!r} names no socket")
        return Address(socket=path)
    shown = re.sub(r"\A(\w+://)?.*@", r"\1…@", url, flags=re.DOTALL)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # its text may quote the password
        raise ValueError(f"{shown!r} is no address: percent-encode what is not a letter or digit") from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/") or parts.fragment:
        raise ValueError(f"{shown!r} is no address: unix:/path/to/admin.sock or https://user@host:port")
    options = parse_qs(parts.query, keep_blank_values=True)
    unknown = sorted(set(options) - _OPTIONS)
    if unknown or "@" in parts.query:
        what = f"unknown option {unknown[0]!r}" if unknown and "@" not in parts.query else "'@' is written as %40"
        raise ValueError(f"{shown!r}: {what}; there are {' and '.join(sorted(_OPTIONS))}")
    address = Address(
        host=parts.hostname,
        port=_PORTS[parts.scheme] if port is None else port,
        secure=parts.scheme == "https",
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        trusted=options.get("trusted", [""])[-1],
        certificate=options.get("certificate", [""])[-1],
    )
    if not address.secure:
        if address.user and not is_loopback(address.host):
            raise ValueError(f"{shown!r}: the password would pass in clear; https://, or http:// for this machine")
        if options:
            raise ValueError(f"{shown!r}: {' and '.join(sorted(options))} are for https://")
    return address


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def find_address(data: str | Path) -> Address:
    """Return the address recorded in the data folder of a running queue manager. Raises `EndpointNotReachable`."""
    folder = Path(data)
    file = folder / RUNNING_FILE
    try:
        with file.open("rb") as stream:
            document = json.loads(stream.read(MAX_RUNNING_FILE))
        address = parse_url(document["admin"])
        address.queue_manager = document["queue_manager"]
    except OSError as error:
        raise EndpointNotReachable(f"no queue manager runs in {folder}{_hint(folder)}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise EndpointNotReachable(f"{file} cannot be read: {error}") from error
    return address


def _hint(folder: Path) -> str:
    """Return data folders with a running queue manager near a folder."""
    below = sorted(file.parent for file in folder.glob(f"*/{RUNNING_FILE}"))
    if not below:
        return "; start one with 'mqbridge run', or say where it is: --data DIR or MQBRIDGE_DATA"
    return f"; did you mean --data {' or --data '.join(map(str, below[:5]))}?"
