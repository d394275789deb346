"""Trigger messages for initiation queues (channels.md 13)."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.structures.tm import TM
from mqbridge.protocol.text import encode_field

from .message import Message
from .mq import NATIVE_ORDER


def trigger_message(ccsid: int, appl_type: int, **texts: str) -> Message:
    """Build an MQTM as a message of format MQTRIG, in the queue manager's CCSID.

    ``texts``: q_name, process_name, trigger_data, appl_id, env_data, user_data; others are blank. Raises
    ``ConversionError`` for text that does not fit.
    """
    values: dict[str, Any] = {"struc_id": encode_field("TM", 4, ccsid)}
    for slot in TM.slots:
        if slot.field.kind == "char" and slot.field.key != "struc_id":
            values[slot.field.key] = encode_field(texts.pop(slot.field.key, ""), slot.size, ccsid)
    if texts:
        raise TypeError(f"a trigger message has no {', '.join(texts)}")
    data = TM.codec(NATIVE_ORDER)(appl_type=appl_type, **values).build()
    return Message.build(
        data,
        order=NATIVE_ORDER,
        ccsid=ccsid,
        format=MQFMT.TRIGGER,
        encoding=NATIVE_ORDER.encoding,
        coded_char_set_id=ccsid,
    )
