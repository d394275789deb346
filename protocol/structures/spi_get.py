"""SPGI and SPGO: input and output of SPI GET, mq-wire.md 5.12. No client was seen to use them."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import SpiOptions
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi_get import SpgiBig, SpgiLittle, SpgoBig, SpgoLittle

from .spi_base import base_fields


def _spgi(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPGI", length=24),
        n.u32("BatchSize", "batch size"),
        n.u32("BatchInterval", "batch interval"),
        n.u32("MaxMsgSize", "longest message"),
    )


def _spgo(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPGO", length=20),
        n.u32("Options", "options", names=SpiOptions),
        n.u32("DataLength", "bytes of message data behind this structure"),
    )


SPGI = Structure("SPGI", _spgi, SpgiBig, SpgiLittle, spec="mq-wire.md 5.12")
"""24 bytes."""

SPGO = Structure("SPGO", _spgo, SpgoBig, SpgoLittle, spec="mq-wire.md 5.12")
"""20 bytes, followed by message data."""
