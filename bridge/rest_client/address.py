"""The address of a queue manager's admin endpoint, from its data folder or from a URL."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from .errors import EndpointNotReachable

DEFAULT_DATA: Final = "mqbridge-data"
RUNNING_FILE: Final = "running.json"
MAX_RUNNING_FILE: Final = 1 << 20
"""Largest file of an address in bytes."""


@dataclass(slots=True)
class Address:
    """A Unix socket (``socket``), or ``host`` and ``port``. ``queue_manager``: its name, if known."""

    socket: str = ""
    host: str = ""
    port: int = 0
    queue_manager: str = ""

    def __str__(self) -> str:
        return self.socket or f"{self.host}:{self.port}"


def parse_url(url: str) -> Address:
    """Parse ``unix:/path/admin.sock`` or ``http://host:port``. Raises ``ValueError``."""
    if url.startswith("unix:"):
        path = url.removeprefix("unix:")
        if not path:
            raise ValueError(f"{url!r} names no socket")
        return Address(socket=path)
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"{url!r} is no address: unix:/path/to/admin.sock or http://host:port")
    return Address(host=parts.hostname, port=parts.port or 80)


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
