"""MSH: the message segment header of MESSAGE_DATA, mq-wire.md 5.14."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.msh import MshBig, MshLittle


def _msh(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`MSH` and a blank", default=b"MSH"),
        n.u32("SequenceNumber", "number of the message on the channel, first 1"),
        n.u32("DataLength", "bytes of message data behind XQH and MD"),
        n.u32("Unknown1", "0 in every capture"),
        n.u32("MessageLength", "bytes of everything behind MSH"),
    )


MSH = Structure("MSH", _msh, MshBig, MshLittle, spec="mq-wire.md 5.14")
"""20 bytes."""
