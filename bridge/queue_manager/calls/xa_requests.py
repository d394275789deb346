"""XA requests of a transaction manager; see :mod:`requests` for their common fields."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class XaVerb(Enum):
    """The functions of X/Open's XA interface."""

    OPEN = "open"
    CLOSE = "close"
    START = "start"
    END = "end"
    PREPARE = "prepare"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    FORGET = "forget"


class Xa(NamedTuple):
    """Call of an XA function; ``xid``: format identifier, global transaction id and branch qualifier. Outcome:
    `XaReturned`."""

    tag: int
    verb: XaVerb
    xid: tuple[int, bytes, bytes] | None = None
    flags: int = 0


class Recover(NamedTuple):
    """XA_RECOVER. Outcome: `XaReturned`."""

    tag: int
    number: int
    flags: int
