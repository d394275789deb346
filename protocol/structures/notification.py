"""NOTIF, the body of NOTIFICATION: an event of a handle or conversation, mq-wire.md 5.11."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import NotificationCode
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.notification import NotifBig, NotifLittle


def _notif(n: Numbers) -> Any:
    return Struct(
        n.u32("Version", "1", default=1),
        n.i32("ObjectHandle", "queue handle; -1 for what concerns the whole conversation"),
        n.u32("Code", "what happens", names=NotificationCode),
        n.u32("Value", "reason code, or state"),
    )


NOTIF = Structure("NOTIF", _notif, NotifBig, NotifLittle, spec="mq-wire.md 5.11")
"""16 bytes."""
