"""Frames between queue managers and their bodies, as Construct grammars (mqe.md 20.2).

`protocol.everyplace.frames`, `batches` and `handshakes` are held equal to them. The body of a REQUEST or ANSWER is that
of a fields object (`dump.BODY`); an ANSWER may be empty, where it follows the parts of a long one.
"""

from __future__ import annotations

from typing import Any, Final

from construct import (
    Array,
    Bytes,
    Const,
    GreedyBytes,
    IfThenElse,
    Int8ub,
    Int32ub,
    Int64ub,
    Peek,
    Select,
    Struct,
    Terminated,
    this,
)

from mqbridge.protocol.everyplace.batches import MAX_MESSAGES
from mqbridge.protocol.everyplace.frames import OVERHEAD, Flags, Kind
from mqbridge.protocol.everyplace.handshakes import INCARNATION, MAGIC, MAX_OFFERS, MAX_SECRET
from mqbridge.protocol.everyplace.numbers import NULL, NULL_NUMBER

from .dump import BODY, Checked, Number, Text, sized

FRAME: Final[Any] = Struct(
    "length" / Checked(Int32ub, lambda length, _: length >= OVERHEAD),
    "kind" / Checked(Int8ub, lambda kind, _: kind in tuple(Kind)),
    "flags" / Checked(Int8ub, lambda flags, _: not flags & ~int(Flags.COMPRESSED | Flags.LAST)),
    "request" / Int32ub,
    "body" / Array(this.length - OVERHEAD, Int8ub),
)
"""One frame."""
_TEXT: Final = sized(Text("utf-8"))
_COUNT: Final = Checked(Number(), lambda count, _: count is not None and count <= MAX_MESSAGES)
_UID: Final = Struct("origin" / _TEXT, "time" / Int64ub)
_MESSAGE: Final = Struct(
    "queue" / _TEXT,
    "queue_manager" / _TEXT,
    "in_parts" / Peek(Int8ub),
    "message"
    / IfThenElse(
        this.in_parts == NULL,
        Struct("null" / Const(NULL_NUMBER), "uid" / _UID),
        sized(Struct("fields" / BODY, Terminated)),
    ),
)
_REFUSED: Final = Struct("uid" / _UID, "code" / Int32ub, "text" / _TEXT)
_NUMBERED: Final = Struct("lane" / _TEXT, "number" / Int64ub, Terminated)
_TEXTS: Final = Struct(
    "count" / Checked(Number(), lambda count, _: count is not None and count <= MAX_OFFERS),
    "texts" / Array(this.count, _TEXT),
)
_SECRET: Final = Checked(sized(GreedyBytes), lambda secret, _: len(secret) <= MAX_SECRET)
_IDENTITY: Final = ("version" / Int8ub, "name" / _TEXT, "incarnation" / Bytes(INCARNATION), "time" / Int64ub)
_FIELDS: Final = Struct("fields" / BODY, Terminated)

BODIES: Final[dict[Kind, Any]] = {
    Kind.HELLO: Struct(
        "magic" / Const(MAGIC),
        "lowest" / Int8ub,
        "highest" / Int8ub,
        "name" / _TEXT,
        "partner" / _TEXT,
        "incarnation" / Bytes(INCARNATION),
        "time" / Int64ub,
        "nonce" / _SECRET,
        "authenticators" / _TEXTS,
        "compressors" / _TEXTS,
        "max_body" / Int32ub,
        Terminated,
    ),
    Kind.CHALLENGE: Struct(*_IDENTITY, "authenticator" / _TEXT, "nonce" / _SECRET, Terminated),
    Kind.PROOF: Struct("proof" / _SECRET, Terminated),
    Kind.READY: Struct(
        *_IDENTITY, "compressor" / _TEXT, "max_body" / Int32ub, "timeout" / Int32ub, "proof" / _SECRET, Terminated
    ),
    Kind.REQUEST: _FIELDS,
    Kind.ANSWER: Select(Struct(Terminated), _FIELDS),
    Kind.ERROR: Struct("code" / Int32ub, "text" / _TEXT, Terminated),
    **dict.fromkeys((Kind.PING, Kind.PONG, Kind.CLOSE), Struct(Terminated)),
    Kind.PUSH: Struct(
        "lane" / _TEXT, "number" / Int64ub, "count" / _COUNT, "messages" / Array(this.count, _MESSAGE), Terminated
    ),
    Kind.TAKEN: Struct(
        "lane" / _TEXT, "number" / Int64ub, "count" / _COUNT, "refused" / Array(this.count, _REFUSED), Terminated
    ),
    Kind.CONFIRM: Struct("lane" / _TEXT, "number" / Int64ub, "mark" / Int32ub, Terminated),
    Kind.CONFIRMED: _NUMBERED,
    Kind.STATE: Struct(
        "lane" / _TEXT,
        "number" / Int64ub,
        "in_doubt" / Checked(Int8ub, lambda value, _: value in (0, 1)),
        "mark" / Int32ub,
        Terminated,
    ),
    Kind.NEXT: _NUMBERED,
    Kind.NOTHING: _NUMBERED,
    Kind.PULL: Struct("lane" / _TEXT, "number" / Int64ub, "wait" / Int32ub, Terminated),
    Kind.PART: Struct(
        "lane" / _TEXT, "uid" / _UID, "length" / Int64ub, "offset" / Int64ub, "data" / sized(GreedyBytes), Terminated
    ),
    Kind.HAVE: Struct("lane" / _TEXT, "uid" / _UID, "offset" / Int64ub, Terminated),
}
"""Bodies by the kind of their frame. Names of queues and the types of reserved fields are checked behind these."""
