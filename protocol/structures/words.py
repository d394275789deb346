"""Single words between or behind the structures of a call, mq-wire.md 5.6, 5.8 and 5.17."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQCO, MQOO, MQSR, MQSTAT
from mqbridge.protocol.fields import Family, Numbers
from mqbridge.protocol.grammar import Structure


def _word(name: str, field: str, meaning: str, spec: str, names: Family | None = None) -> Structure:
    def layout(n: Numbers) -> Any:
        return Struct(n.u32(field, meaning, names=names))

    return Structure(name, layout, spec=spec)


OPEN_OPTIONS = _word("OpenOptions", "Options", "options of an open", "mq-wire.md 5.6", MQOO)
"""MQOO bits behind the OD of MQOPEN."""

CLOSE_OPTIONS = _word("CloseOptions", "Options", "options of a close", "mq-wire.md 5.6", MQCO)
"""MQCO bits: the body of MQCLOSE behind the API header."""

DATA_LENGTH = _word("DataLength", "DataLength", "bytes of message data, or of room for it", "mq-wire.md 5.8")
"""Length of the message data in bytes, behind PMO or GMO."""

STATUS_TYPE = _word("StatusType", "Type", "what is asked for", "client-observed.md 4", MQSTAT)
"""MQSTAT_TYPE in front of the STS of MQSTAT."""

SUBRQ_ACTION = _word("Action", "Action", "what is wanted of a subscription", "client-observed.md 4", MQSR)
"""MQSR in front of the SRO of MQSUBRQ."""
