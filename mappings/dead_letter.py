"""Dead-letter header in front of a message (channels.md 7.3)."""

from __future__ import annotations

from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.structures.dlh import DLH
from mqbridge.protocol.text import encode_field

from .body import joined
from .message import Message
from .moment import put_date_and_time


def dead_letter(
    message: Message,
    reason: int,
    queue_name: str,
    queue_manager_name: str,
    *,
    put_appl_type: int,
    put_appl_name: str,
    now: float,
) -> Message:
    """Return the message with an MQDLH: reason (MQRC or MQFB), destination, and who dead-lettered it when.

    Its Format is MQDEAD, and its Encoding and CodedCharSetId describe the MQDLH, which has the byte order and CCSID of
    the descriptor; all other fields are unchanged. Raises ``ConversionError`` for names that the CCSID cannot encode.
    """
    order, ccsid = message.order, message.ccsid
    md = message.md
    date, clock = put_date_and_time(now)
    header = DLH.codec(order)(
        struc_id=encode_field("DLH", 4, ccsid),
        reason=int(reason),
        dest_q_name=encode_field(queue_name, 48, ccsid),
        dest_q_mgr_name=encode_field(queue_manager_name, 48, ccsid),
        encoding=md.encoding,
        coded_char_set_id=md.coded_char_set_id,
        format=md.record.format,
        put_appl_type=int(put_appl_type),
        put_appl_name=encode_field(put_appl_name, 28, ccsid),
        put_date=encode_field(date, 8, ccsid),
        put_time=encode_field(clock, 8, ccsid),
    )
    dead = message.copy(joined(header.build(), message.body))
    dead.md.set(encoding=order.encoding, coded_char_set_id=ccsid, format=MQFMT.DEAD_LETTER_HEADER)
    return dead
