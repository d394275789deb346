"""The recorded client's, sender's or requester's side of a connection played against a live endpoint, sans-IO.

:class:`Player` is driven by whoever has the connection, several of them in the order of an :class:`MultiPlayer`;
:func:`as_json` gives what ``replay --against --json`` prints.
"""

from __future__ import annotations

from mqbridge.captures.against.credentials import Credentials
from mqbridge.captures.against.multi_player import MAX_TOGETHER, MultiPlayer
from mqbridge.captures.against.player import DEFAULT_PATIENCE, MAX_SILENCES, Player
from mqbridge.captures.against.report import PlayedFlow, as_json

__all__ = [
    "DEFAULT_PATIENCE",
    "MAX_SILENCES",
    "MAX_TOGETHER",
    "Credentials",
    "MultiPlayer",
    "PlayedFlow",
    "Player",
    "as_json",
]
