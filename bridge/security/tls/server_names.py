"""Server names (SNI) of channels (tls.md T-02).

A name is the channel's, mapped to the letters of a host name, and ``.chl.mq.ibm.com``: A to Z become small letters,
digits stay, every other character becomes its ASCII code in two hexadecimal digits and a hyphen.
"""

from __future__ import annotations

import re
from typing import Final

SUFFIX: Final = ".chl.mq.ibm.com"
MAX_CHANNEL: Final = 20
"""Longest name of a channel."""
MAX_SERVER_NAME: Final = 3 * MAX_CHANNEL + len(SUFFIX)

_CHANNEL = re.compile(r"[A-Za-z0-9._/%]{1,20}")
_TOKEN = re.compile(r"[0-9a-f]{2}-|[a-z0-9]")


def server_name(channel: str) -> str:
    """Return the server name of a channel; blank if no channel can have this name."""
    return "".join(map(_mapped, channel)) + SUFFIX if _CHANNEL.fullmatch(channel) else ""


def channel_named(server_name: str) -> str:
    """Return the channel that a server name names, which need not exist; blank if it names none.

    Case is ignored, as in all host names.
    """
    lower = server_name.lower() if len(server_name) <= MAX_SERVER_NAME else ""
    if not lower.isascii() or not lower.endswith(SUFFIX):
        return ""
    mapped = lower.removesuffix(SUFFIX)
    channel = "".join(map(_character, _TOKEN.findall(mapped)))
    return channel if _CHANNEL.fullmatch(channel) and "".join(map(_mapped, channel)) == mapped else ""


def _mapped(character: str) -> str:
    if "A" <= character <= "Z":
        return character.lower()
    return character if character.isdigit() else f"{ord(character):02x}-"


def _character(token: str) -> str:
    return token.upper() if len(token) == 1 else chr(int(token[:2], 16))
