"""SPNI: input of SPI NOTIFY, which ends a connection's waiting get, mq-wire.md 5.12.

IBM's classes for JMS send it when a consumer or connection is closed while a receive waits in another thread: options
1, reason 2107 (MQRC_XWAIT_CANCELED), and the connection id from the reply to MQCONN (FCNO).
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.fields import Numbers, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi_notify import SpniBig, SpniLittle

from .spi_base import base_fields

CONNECTION_ID_LENGTH: Final = 24


def _spni(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPNI", length=44),
        n.u32("Options", "1 was seen", default=1),
        n.u32("Reason", "how the wait ends"),
        raw("ConnectionId", CONNECTION_ID_LENGTH, "whose wait"),
    )


SPNI = Structure("SPNI", _spni, SpniBig, SpniLittle, spec="mq-wire.md 5.12")
"""44 bytes."""
