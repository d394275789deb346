"""Replay of a recorded initiator (client, sender or requester) against a live endpoint, sans-IO.

A driver with the connections runs each :class:`Player`, several in the order of a :class:`MultiPlayer`; :func:`as_json`
returns what ``replay --against --json`` prints.
"""

from __future__ import annotations

from mqbridge.captures.against.credentials import ReplayCredentials
from mqbridge.captures.against.multi_player import MAX_TOGETHER, MultiPlayer
from mqbridge.captures.against.player import DEFAULT_PATIENCE, MAX_SILENCES, Player
from mqbridge.captures.against.report import PlayedFlow, as_json

__all__ = [
    "DEFAULT_PATIENCE",
    "MAX_SILENCES",
    "MAX_TOGETHER",
    "MultiPlayer",
    "PlayedFlow",
    "Player",
    "ReplayCredentials",
    "as_json",
]
