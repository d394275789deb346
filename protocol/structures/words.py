"""Single words between or behind the structures of a call, mq-wire.md 5.6, 5.8 and 5.17."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQCO, MQOO, MQSR, MQSTAT
from mqbridge.protocol.fields import Family, Numbers
from mqbridge.protocol.grammar import RecordT, Structure
from mqbridge.protocol.layouts.words import (
    CloseOptionsBig,
    CloseOptionsLittle,
    DataLengthBig,
    DataLengthLittle,
    OpenOptionsBig,
    OpenOptionsLittle,
    StatusTypeBig,
    StatusTypeLittle,
    SubrqActionBig,
    SubrqActionLittle,
)


def _word(
    big: type[RecordT],
    little: type[RecordT],
    name: str,
    field: str,
    meaning: str,
    spec: str,
    names: Family | None = None,
) -> Structure[RecordT]:
    def layout(n: Numbers) -> Any:
        return Struct(n.u32(field, meaning, names=names))

    return Structure(name, layout, big, little, spec=spec)


OPEN_OPTIONS = _word(
    OpenOptionsBig, OpenOptionsLittle, "OpenOptions", "Options", "options of an open", "mq-wire.md 5.6", MQOO
)
"""MQOO bits behind the OD of MQOPEN."""

CLOSE_OPTIONS = _word(
    CloseOptionsBig, CloseOptionsLittle, "CloseOptions", "Options", "options of a close", "mq-wire.md 5.6", MQCO
)
"""MQCO bits: the body of MQCLOSE behind the API header."""

DATA_LENGTH = _word(
    DataLengthBig,
    DataLengthLittle,
    "DataLength",
    "DataLength",
    "bytes of message data, or of room for it",
    "mq-wire.md 5.8",
)
"""Length of the message data in bytes, behind PMO or GMO."""

STATUS_TYPE = _word(
    StatusTypeBig, StatusTypeLittle, "StatusType", "Type", "what is asked for", "client-observed.md 4", MQSTAT
)
"""MQSTAT_TYPE in front of the STS of MQSTAT."""

SUBRQ_ACTION = _word(
    SubrqActionBig,
    SubrqActionLittle,
    "Action",
    "Action",
    "what is wanted of a subscription",
    "client-observed.md 4",
    MQSR,
)
"""MQSR in front of the SRO of MQSUBRQ."""
