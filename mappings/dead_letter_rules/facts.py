"""What rules know of a message on a dead-letter queue: fields of its MQMD and MQDLH."""

from __future__ import annotations

from typing import Final, NamedTuple

from mqbridge.mappings.body import read_slice, without_front
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.structures.dlh import DLH, parse_dlh
from mqbridge.protocol.text import decode_field

_INHERITED: Final = (-1, -2)


class DeadLetter(NamedTuple):
    """Fields by the keywords of rules, the user and where the message was for. ``message``: without its MQDLH, as it
    was before it came here."""

    applidat: str
    applname: str
    appltype: int
    destq: str
    destqm: str
    feedback: int
    format: str
    msgtype: int
    persist: int
    reason: int
    replyq: str
    replyqm: str
    userid: str
    message: Message


def dead_letter_of(message: Message) -> DeadLetter | None:
    """Return what rules know of a message; None if it does not begin with a valid MQDLH."""
    try:
        md = message.md
        if md.format != MQFMT.DEAD_LETTER_HEADER:
            return None
        order = integer_order(md.encoding)
        record = parse_dlh(read_slice(message.body, 0, DLH.size), 0, order).record
        ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else message.ccsid
        text = {key: decode_field(getattr(record, key), ccsid) for key in ("dest_q_name", "dest_q_mgr_name", "format")}
        inner = message.copy(without_front(message.body, DLH.size))
        behind = record.coded_char_set_id
        inner.md.set(
            format=text["format"],
            encoding=record.encoding,
            coded_char_set_id=md.coded_char_set_id if behind in _INHERITED else behind,
        )
        return DeadLetter(
            md.appl_identity_data,
            md.put_appl_name,
            md.put_appl_type,
            text["dest_q_name"],
            text["dest_q_mgr_name"],
            md.feedback,
            text["format"],
            md.msg_type,
            md.persistence,
            record.reason,
            md.reply_to_q,
            md.reply_to_q_mgr,
            md.user_identifier,
            inner,
        )
    except MQBridgeError:
        return None
