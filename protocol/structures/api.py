"""API: the header of every call of a client and of its reply, mq-wire.md 5.4."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQCC, reason_name
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.api import ApiBig, ApiLittle

UNUSABLE_HANDLE: Final = -1
"""ObjectHandle of no object: in the reply to MQCLOSE, and in MQPUT1."""


def _api(n: Numbers) -> Any:
    return Struct(
        n.network_u32("ReplyLength", "longest reply wanted; in a reply its own length; always big-endian"),
        n.u32("CompCode", "outcome; in MQCLOSE the index of the last message received", names=MQCC),
        n.u32("Reason", "reason", names=reason_name),
        n.i32("ObjectHandle", "object, 0 where none is involved, -1 unusable"),
    )


API = Structure("API", _api, ApiBig, ApiLittle, spec="mq-wire.md 5.4")
"""16 bytes, only in the segment with FIRST."""
