"""Complete plain descriptors, which most programs put, without parsing them (mqi.md 5.2 to 5.4).

A descriptor is plain if it requests no report, is not in a group, is in a code page like ASCII, and has default
context. The queue manager then sets only a few fields, which are replaced in the bytes. All others, and invalid ones,
are left to ``descriptors``; for a plain one both have the same result.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.options import NO_ID, PutOptions
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.descriptor import bounds, encode_field, reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, put_date_and_time
from mqbridge.mappings.mq import announces_extension
from mqbridge.protocol.constants import MQMT, MQPMO, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from mqbridge.protocol.errors import ConversionError

from .descriptors import check_put_options, fitting
from .descriptors import complete as complete_any

_READ: Final = {
    order: reader(
        order, "version", "report", "msg_type", "expiry", "feedback", "coded_char_set_id", "priority", "persistence",
        "msg_id",
    )
    for order in ByteOrder
}  # fmt: skip
_READ_FLAGS: Final = {order: reader(order, "msg_flags") for order in ByteOrder}
_NUMBER: Final = {order: struct.Struct(order.prefix + "i") for order in ByteOrder}
_NO_GROUP: Final = {order: NO_ID + struct.pack(order.prefix + "III", 1, 0, 0) for order in ByteOrder}
"""GroupId, MsgSeqNumber, Offset and MsgFlags of a message without a group."""
_ASCII_PAGES: Final = frozenset((437, 819, 850, 858, 923, 1208, 1252))
_TYPES: Final = frozenset(map(int, (MQMT.REQUEST, MQMT.REPLY, MQMT.DATAGRAM)))
_REQUEST: Final = int(MQMT.REQUEST)
_UNUSUAL: Final = int(
    MQPMO.NO_CONTEXT | MQPMO.PASS_ALL_CONTEXT | MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT
    | MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SUPPRESS_REPLYTO
)  # fmt: skip
_QUIESCING: Final = int(MQPMO.FAIL_IF_QUIESCING)
_NEW_MSG_ID: Final = int(MQPMO.NEW_MSG_ID)
_NEW_CORREL_ID: Final = int(MQPMO.NEW_CORREL_ID)
_BLANKS: Final = b" \0"
_ZERO: Final = bytes(4)
_NO_ORIGIN: Final = b" " * 4

_CCSID, _BEHIND_CCSID = bounds("coded_char_set_id")
_MSG_ID, (_CORREL_ID, _BEHIND_CORREL_ID) = bounds("msg_id")[0], bounds("correl_id")
_REPLY_TO, _REPLY_TO_Q_MGR = bounds("reply_to_q")[0], bounds("reply_to_q_mgr")[0]
_BEHIND_REPLY_TO: Final = bounds("user_identifier")[0]
_GROUP_END: Final = bounds("msg_flags")[1]


def complete(core: Core, target: Target, message: Message, options: PutOptions, now: Time) -> int:
    """Check options and descriptor and fill in the fields that the queue manager sets, as ``descriptors.complete``."""
    check_put_options(options.options)
    if options.options & _QUIESCING:
        core.require_not_quiescing()
    if _completed(core, message, options, now):
        return 0
    return complete_any(core, target, message, options, now)


def _completed(core: Core, message: Message, options: PutOptions, now: Time) -> bool:
    """Complete a plain descriptor. Returns False, and changes nothing, for others."""
    raw, order, ccsid, bits = message.raw_md, message.order, message.ccsid, options.options
    if bits & _UNUSUAL or ccsid not in _ASCII_PAGES or raw[:4] != b"MD  " or announces_extension(raw):
        return False
    version, report, kind, expiry, feedback, code_page, priority, persistence, msg_id = _READ[order](raw)
    first = len(raw) == MQMD_LENGTH_1
    if version != (1 if first else 2) or report or feedback or kind not in _TYPES or code_page < 0:
        return False
    if (expiry <= 0 and expiry != -1) or priority < -1 or persistence > 2:
        return False
    if not first and _READ_FLAGS[order](raw)[0]:
        return False
    if not raw[_REPLY_TO:_REPLY_TO_Q_MGR].strip(_BLANKS):
        if kind == _REQUEST:
            return False
    elif raw[_REPLY_TO] in _BLANKS or raw[_REPLY_TO_Q_MGR] in _BLANKS:
        return False
    try:
        identity = _identity_and_origin(options.application, order, ccsid)
    except ConversionError:
        return False
    if bits & _NEW_MSG_ID or msg_id == NO_ID:
        msg_id = core.ids.message_id()
    message.raw_md = b"".join(
        (
            raw[:_CCSID],
            raw[_CCSID:_BEHIND_CCSID] if code_page else _NUMBER[order].pack(core.ccsid),
            raw[_BEHIND_CCSID:_MSG_ID],
            msg_id,
            core.ids.message_id() if bits & _NEW_CORREL_ID else raw[_CORREL_ID:_BEHIND_CORREL_ID],
            _ZERO,
            raw[_REPLY_TO:_BEHIND_REPLY_TO],
            identity,
            "".join(put_date_and_time(now)).encode("ascii"),
            _NO_ORIGIN,
            b"" if first else _NO_GROUP[order] + raw[_GROUP_END:MQMD_LENGTH_2],
        )
    )
    return True


def _identity_and_origin(application: Application, order: ByteOrder, ccsid: int) -> bytes:
    """UserIdentifier to PutApplName of default context, in the form of a descriptor."""
    return _context(
        application.user, application.accounting_token, application.appl_type, application.appl_name, order, ccsid
    )


@lru_cache(maxsize=256)
def _context(user: str, token: bytes, appl_type: int, appl_name: str, order: ByteOrder, ccsid: int) -> bytes:
    return b"".join(
        (
            encode_field(fitting(user, 12), 12, ccsid),
            token,
            encode_field("", 32, ccsid),
            _NUMBER[order].pack(appl_type),
            encode_field(fitting(appl_name, 28), 28, ccsid),
        )
    )
