"""Claims: what a range of bytes is said to be, and on what that rests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

CONSTANT: Final = "constant"
ENUMERATION: Final = "enumeration"
FLAGS: Final = "flags"
NUMBER: Final = "number"
LENGTH: Final = "length"
SEQUENCE: Final = "sequence"
ECHO: Final = "echo"
CONNECTION: Final = "connection"
TIME: Final = "time"
TEXT: Final = "text"
CHECKSUM: Final = "checksum"
LIST: Final = "list"
OPAQUE: Final = "opaque"
UNKNOWN: Final = "unknown"


class Claim(NamedTuple):
    """One field.

    ``start`` and ``end``: of its bytes in the block, ``end`` None for what goes to the end of the message. ``what``: a
    word from above; ``detail``: what belongs to it (``order``, ``values``, ``of``, …). ``bits``: what all its values
    cost if this is true. ``support``: messages that bear it out, of ``tried``; ``chance``: log10 of the probability
    that random bytes would have, 0 for what claims nothing.
    """

    start: int
    end: int | None
    what: str
    bits: float
    detail: Mapping[str, Any] = {}
    support: int = 0
    tried: int = 0
    chance: float = 0.0
