"""Packets and framed answers as Construct grammars (M-010 to M-029, M-036).

All fields are text of fixed width (M-014). `packets`, `requests` and `answers` beside this are held equal to it.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Bytes, Computed, GreedyBytes, IfThenElse, Pass, Struct, Switch, Terminated, this

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure


def _fixed(_: Numbers) -> Any:
    return Struct(
        char("Digest", 32, "of every byte behind it, in hexadecimal digits; blank where there is none (M-010)"),
        char("Stamp", 10, "seconds since 1970-01-01 UTC, which make digests of equal messages differ (M-011)"),
        char("Command", 10, "word in capitals (M-012)"),
    )


def _queue(_: Numbers) -> Any:
    return Struct(char("Name", 32, "queue"))


def _create(_: Numbers) -> Any:
    return Struct(
        char("Name", 32, "queue"),
        char("Size", 5, "most messages"),
        char("Length", 5, "longest message in bytes"),
        char("Type", 1, "`L` local, `R` remote"),
    )


def _remote(_: Numbers) -> Any:
    return Struct(char("Address", 15, "IP address of the other manager"), char("Port", 5, "its port"))


def _framed_create(_: Numbers) -> Any:
    return Struct(
        char("Timeout", 10, "seconds that a message may stay, 0 for ever"),
        char("RemoteName", 32, "queue at the other manager; blank: the same name"),
    )


def _put(_: Numbers) -> Any:
    return Struct(char("Name", 32, "queue"), char("Length", 5, "bytes of the text that follows"))


def _browse(_: Numbers) -> Any:
    return Struct(char("Name", 32, "queue"), char("Number", 5, "position, from 1"))


def _wait(_: Numbers) -> Any:
    return Struct(char("Wait", 5, "seconds to wait for a message"))


def _answer(_: Numbers) -> Any:
    return Struct(
        char("Status", 10, "`SUCCESS`, or `MOQ-` and a code"), char("Length", 5, "bytes of the payload that follows")
    )


FIXED: Final = Structure("FIXED", _fixed, spec="myopenq.md M-010")
QUEUE: Final = Structure("QUEUE", _queue, spec="myopenq.md M-022")
CREATE: Final = Structure("CREATE", _create, spec="myopenq.md M-021")
REMOTE: Final = Structure("REMOTE", _remote, spec="myopenq.md M-021")
FRAMED_CREATE: Final = Structure("FRAMED_CREATE", _framed_create, spec="myopenq.md K-03, K-05")
PUT: Final = Structure("PUT", _put, spec="myopenq.md M-024")
BROWSE: Final = Structure("BROWSE", _browse, spec="myopenq.md M-026")
WAIT: Final = Structure("WAIT", _wait, spec="myopenq.md M-073")
ANSWER: Final = Structure("ANSWER", _answer, spec="myopenq.md M-036")


def _number(field: bytes) -> int:
    return int(field.strip(b" \0") or b"0")


def packet(framed: bool) -> Any:
    """Return the grammar of one whole packet in either mode."""

    def part(structure: Structure[Any]) -> Any:
        return structure.grammar(ByteOrder.BIG)

    named = Struct("queue" / part(QUEUE))
    framed_part = part(FRAMED_CREATE) if framed else Pass
    create = Struct(
        "create" / part(CREATE),
        "remote" / IfThenElse(this.create.type == b"R", part(REMOTE), Pass),
        "framed" / framed_part,
    )
    put = Struct(
        "put" / part(PUT),
        "count" / Computed(lambda context: _number(context.put.length)),
        "text" / Bytes(this.count),
    )
    variable = {
        b"CREATE": create,
        b"SHUTDOWN": Pass,
        b"PUT": put,
        b"GET": Struct("queue" / part(QUEUE), "wait" / (part(WAIT) if framed else Pass)),
        b"BROWSE": Struct("browse" / part(BROWSE)),
        b"DELETE": named,
        b"DISPLAY": named,
        b"COUNT": named,
        b"PURGE": named,
    }
    return Struct(
        "fixed" / part(FIXED),
        "variable" / Switch(lambda context: context.fixed.command.rstrip(b" \0"), variable, default=GreedyBytes),
        Terminated,
    )
