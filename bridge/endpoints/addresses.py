"""LOCLADDR: from which address and port a channel connects (channels.md 3)."""

from __future__ import annotations

import re

_LOCAL = re.compile(r"^\s*(?P<host>[^()\s,]*)\s*(?:\(\s*(?P<low>\d{1,5})\s*(?:,\s*\d{1,5}\s*)?\))?\s*$")


def local_address(text: str) -> tuple[str, int] | None:
    """(host, port) to bind to; None for a blank LOCLADDR or one that is not understood.

    Of a range of ports the lowest is taken.
    """
    match = _LOCAL.match(text)
    if not text.strip() or match is None:
        return None
    return match["host"], int(match["low"] or 0)
