"""Putting groups and segments in physical order, each item where the test wants it."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager import UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMF
from support.queue_manager.host import Host

GROUP, LAST = int(MQMF.MSG_IN_GROUP), int(MQMF.LAST_MSG_IN_GROUP)
SEGMENT, END = int(MQMF.SEGMENT), int(MQMF.LAST_SEGMENT)


def gid(name: str) -> bytes:
    return name.encode().ljust(24, b"\0")


def item(
    host: Host, item: str, data: bytes | None = None, unit: UnitOfWork | None = None, queue: str = "Q", **fields: Any
) -> Message:
    """Puts one item on a queue, its data its own name.

    ``a1`` is message 1 of group a, ``a2.`` the last one; ``a1/0`` its segment at offset 0, ``a1/4;`` its last one.
    A capital letter makes a message outside groups: ``A/0``, ``A/3;`` are its segments. Anything else is plain.
    """
    text = data if data is not None else item.encode()
    head, _, segment = item.partition("/")
    name, flags = head[0], 0
    if not segment and not head[1:].strip("."):
        return host.put(queue, text, unit, **fields)
    values: dict[str, Any] = {"group_id": gid(name)}
    if name.islower():
        flags |= GROUP | (LAST if head.endswith(".") else 0)
        values["msg_seq_number"] = int(head[1:].rstrip("."))
    if segment:
        flags |= SEGMENT | (END if segment.endswith(";") else 0)
        values["offset"] = int(segment.rstrip(";"))
    return host.put(queue, text, unit, msg_flags=flags, **values, **fields)


def items(host: Host, names: str, **fields: Any) -> None:
    """Puts several items, in this order."""
    for name in names.split():
        item(host, name, **fields)
