"""Addresses of queue managers: ``host:port``, as definitions have them, and where they lead, for texts."""

from __future__ import annotations

from typing import Final

from .errors import Code, EveryplaceError

DEFAULT_PORT: Final = 8081
"""E-240"""


def parse_endpoint(text: str, port: int = DEFAULT_PORT) -> tuple[str, int]:
    """Return host and port of ``host:port``, ``[::1]:port``, ``host`` or ``:port``.

    Raises `EveryplaceError` ADAPTER_MISSING_REMOTE_ADDRESS.
    """
    host, colon, digits = text.rpartition(":")
    if not colon or digits.endswith("]"):
        host, digits = text, str(port)
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        digits = ""
    if not digits.isdecimal() or not 0 <= int(digits) < 1 << 16:
        raise EveryplaceError(
            Code.ADAPTER_MISSING_REMOTE_ADDRESS, f"{text!r} is no address such as earth:8081 or [::1]:8081"
        )
    return host, int(digits)


def authority(host: str, port: int) -> str:
    """Return ``host:port``, an address of IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
