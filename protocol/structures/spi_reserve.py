"""SPRI and SPRO: input and output of SPI RESERVE, message ids for asynchronous puts, client-observed.md O-066."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.fields import Numbers, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi_reserve import SpriBig, SpriLittle, SproBig, SproLittle

from .spi_base import base_fields

TAG_LENGTH: Final = 24
"""Length of a reserved id in bytes, that of a message id."""


def _spri(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPRI", length=20),
        n.u32("TagLength", "bytes of an id", default=TAG_LENGTH),
        n.u32("Count", "ids wanted"),
    )


def _spro(n: Numbers) -> Any:
    return Struct(
        *base_fields(n, "SPRO", length=44),
        n.u32("Count", "ids granted"),
        n.u32("IncrementPosition", "byte of the id, from 1, that the client counts up for the next one"),
        raw("FirstId", TAG_LENGTH, "first id"),
    )


SPRI = Structure("SPRI", _spri, SpriBig, SpriLittle, spec="client-observed.md 4")
"""20 bytes."""

SPRO = Structure("SPRO", _spro, SproBig, SproLittle, spec="client-observed.md 4")
"""44 bytes."""
