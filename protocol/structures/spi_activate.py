"""SPAI: input of SPI ACTIVATE, mq-wire.md 5.12. No client was seen to send it."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi_activate import SpaiBig, SpaiLittle

from .spi_base import base_fields


def _spai(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPAI", length=136),
        n.u32("Mode", "1 enable, 2 disable", default=1),
        char("Unknown1", 48, "not known"),
        char("Unknown2", 48, "not known"),
        raw("MsgId", 24, "message id"),
    )


SPAI = Structure("SPAI", _spai, SpaiBig, SpaiLittle, spec="mq-wire.md 5.12")
"""136 bytes."""
