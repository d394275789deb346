"""Single words that stand between or behind the structures of a call, mq-wire.md 5.6, 5.8 and 5.17."""

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
"""Behind the OD of MQOPEN."""

CLOSE_OPTIONS = _word("CloseOptions", "Options", "options of a close", "mq-wire.md 5.6", MQCO)
"""The body of MQCLOSE behind API."""

DATA_LENGTH = _word("DataLength", "DataLength", "bytes of message data, or of room for it", "mq-wire.md 5.8")
"""Behind PMO or GMO."""

STATUS_TYPE = _word("StatusType", "Type", "what is asked for", "client-observed.md 4", MQSTAT)
"""In front of the STS of MQSTAT."""

SUBRQ_ACTION = _word("Action", "Action", "what is wanted of a subscription", "client-observed.md 4", MQSR)
"""In front of the SRO of MQSUBRQ."""
