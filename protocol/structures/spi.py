"""SPI: the verb of an SPI call, behind the API header, mq-wire.md 5.12."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import SpiVerb
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.spi import SpiBig, SpiLittle


def _spi(n: Numbers) -> Any:
    return Struct(
        n.u32("Verb", "what is asked for", names=SpiVerb),
        n.u32("Version", "version of the verb", default=1),
        n.u32("MaxReplySize", "longest reply wanted; repeated by the reply"),
    )


SPI = Structure("SPI", _spi, SpiBig, SpiLittle, spec="mq-wire.md 5.12")
"""12 bytes."""
