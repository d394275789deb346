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
FLOAT: Final = "float"
DECIMAL: Final = "decimal"
ID: Final = "id"
COUNT: Final = "count"
OFFSET: Final = "offset"
ADDRESS: Final = "address"
OPAQUE: Final = "opaque"
UNKNOWN: Final = "unknown"


class Claim(NamedTuple):
    """One field.

    ``start`` and ``end``: of its bytes in the block, ``end`` None for what goes to the end of the message. ``what``: a
    word from above; ``detail``: what belongs to it, see below. ``bits``: what all its values cost if this is true.
    ``support``: messages that bear it out, of ``tried``; ``chance``: log10 of the probability that random bytes would
    have, 0 for what claims nothing.

    Details: numbers of all sorts have ``order``. *constant*: ``value``, and ``key`` where it tells the kind.
    *enumeration*, *flags*: ``values``, share of each. *number*, *float*, *decimal*: ``lowest``, ``highest``; decimal
    has ``form`` (``packed``, ``ascii``, ``ebcdic``). *length*: ``of`` (``message``, ``range``, ``value``), ``unit``,
    ``less`` (what is added to it), order ``base128`` too. *sequence*: ``step`` or ``small``, ``in`` (``connection``,
    ``all``). *echo*: ``of``, a place in the last message of the other side, with ``own`` in the last one of its own.
    *id*: ``comes_back``, its place in the next message of the other side. *count*: ``of`` what. *offset*:
    ``to``, the field at the place that it names, ``add`` to the message's begin. *time*: ``form``, ``epoch`` or
    ``format``, ``within`` seconds. *text*: ``alphabet``, ``pad``, ``different`` values. *checksum*: ``algorithm``,
    ``over``. *list*: ``part``. *address*: ``end`` (side), ``part`` (``host``, ``port``), ``form``.
    """

    start: int
    end: int | None
    what: str
    bits: float
    detail: Mapping[str, Any] = {}
    support: int = 0
    tried: int = 0
    chance: float = 0.0
