"""Confirm ids of other queue managers (mqe.md E-153, E-181)."""

from __future__ import annotations

import struct
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from mqbridge.protocol.everyplace.calls import BrowseAndLock, Call, Get, Put, Undo

_ID: Final = struct.Struct(">q")


def of_peer(call: Call, peer: str) -> Call:
    """Return a call of another queue manager with a confirm id that none but this one's calls have.

    A confirm id is unique in its queue manager alone, and programs may count from 1; with the id as it comes, one
    device would undo what another one has got. What takes its place is negative, as none of a program here is; it
    is the same whenever the same id comes, so it needs no memory, and goes on to the next queue manager like any
    other.
    """
    if not isinstance(call, Put | Get | BrowseAndLock | Undo) or not call.confirm:
        return call
    named = blake2b(_ID.pack(call.confirm) + peer.encode(), digest_size=_ID.size).digest()
    return replace(call, confirm=-1 - (int.from_bytes(named, "big") >> 1))
