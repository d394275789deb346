"""XQH: the transmission-queue header, with the message's destination, mq-wire.md 5.14.

IBM's MQXQH consists of this structure and the version 1 descriptor behind it.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.xqh import XqhBig, XqhLittle


def _xqh(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`XQH` and a blank", default=b"XQH"),
        n.u32("Version", "1", default=1),
        char("RemoteQName", 48, "destination queue"),
        char("RemoteQMgrName", 48, "destination queue manager"),
    )


XQH = Structure("XQH", _xqh, XqhBig, XqhLittle, mq_name="MQXQH", spec="mq-wire.md 5.14")
"""104 bytes, without the descriptor."""
