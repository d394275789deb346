"""CIH: the CICS bridge header, versions 1 and 2, mq-wire.md 5.15.

Format in front of it: ``MQCICS``.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQCADSD, MQCCT, MQCIH, MQCLT, MQCRC, MQCTES, MQCUOWC, ByteOrder
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.cih import Cih1Big, Cih1Little, CihBig, CihLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header


def _cih(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "CIH", version=2, length=180, flags=MQCIH),
        n.u32("ReturnCode", "outcome of the bridge", names=MQCRC),
        n.u32("CompCode", "completion code or CICS EIBRESP"),
        n.u32("Reason", "reason or feedback or CICS EIBRESP2"),
        n.u32("UOWControl", "unit of work", names=MQCUOWC, default=0x111),
        n.i32("GetWaitInterval", "wait of the bridge in milliseconds, -2 default", default=-2),
        n.u32("LinkType", "program or transaction", names=MQCLT, default=1),
        n.i32("OutputDataLength", "length of the answer, -1 as the question", default=-1),
        n.u32("FacilityKeepTime", "seconds that the facility is kept"),
        n.u32("ADSDescriptor", "descriptors wanted of a 3270 transaction", names=MQCADSD),
        n.u32("ConversationalTask", "whether the task may ask back", names=MQCCT),
        n.u32("TaskEndStatus", "how the task ended", names=MQCTES),
        raw("Facility", 8, "token of the bridge facility"),
        char("Function", 4, "call that failed"),
        char("AbendCode", 4, "abend of the bridge or the program"),
        char("Authenticator", 8, "password or ticket", secret=True),
        char("Reserved1", 8, "blanks"),
        char("ReplyToFormat", 8, "format of the answer"),
        char("RemoteSysId", 4, "CICS system to run in"),
        char("RemoteTransId", 4, "transaction to attach"),
        char("TransactionId", 4, "transaction to run"),
        char("FacilityLike", 4, "terminal to be like"),
        char("AttentionId", 4, "attention key"),
        char("StartCode", 4, "how the transaction was started"),
        char("CancelCode", 4, "abend to end the task with"),
        char("NextTransactionId", 4, "transaction to run next"),
        char("Reserved2", 8, "blanks"),
        char("Reserved3", 8, "blanks"),
        n.u32("CursorPosition", "cursor on the screen", since="v2"),
        n.u32("ErrorOffset", "where the data is wrong", since="v2"),
        n.u32("InputItem", "reserved", since="v2"),
        n.u32("Reserved4", "0", since="v2"),
    )


CIH = Structure("CIH", _cih, CihBig, CihLittle, mq_name="MQCIH", spec="mq-wire.md 5.15")
"""Version 2, 180 bytes."""

CIH1 = CIH.first(164, None, Cih1Big, Cih1Little)
"""Version 1, 164 bytes."""

_SECOND_VERSION: Final = 2


def parse_cih(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read a header of version 1 or 2; of version 1, or where StrucLength leaves them out, the fields of version 2
    read as zeros and ``has`` says that they are absent. Raises ``StructureError``.
    """
    header = read_header(Body, CIH1, buffer, offset, order, 1, _SECOND_VERSION)
    whole = CIH.codec(order)
    known, rest = CIH1.size, header.rest
    if header.record.version == _SECOND_VERSION and header.record.struc_length >= CIH.size:
        known, rest = CIH.size, rest[CIH.size - CIH1.size :]
    record = whole.parse(bytes(buffer[offset : offset + known]).ljust(CIH.size, b"\0"))
    return Body(record, known, rest)
