"""A pair of queue managers where something is wrong at the receiving end, and the header of the dead letters there."""

from __future__ import annotations

from typing import Any

from mqbridge.mappings.message import Message
from mqbridge.protocol.structures.dlh import DLH
from support.gateway.stage import Stage, Station, earth_and_saturn

HEADER = 172
BACK = """
    DEFINE QLOCAL(EARTH) USAGE(XMITQ)
    DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(SDR) XMITQ(EARTH) CONNAME(EARTH)
"""


def broken(
    trouble: str = "ALTER QLOCAL(TARGET) PUT(DISABLED)",
    *,
    receiver: str = "MRRTY(0)",
    speed: str = "FAST",
    dead_letter_queue: bool = True,
) -> tuple[Stage, Station, Station]:
    """A running pair, a channel back for reports, REPLIES at EARTH, and something wrong at SATURN."""
    stage, earth, saturn = earth_and_saturn(f"NPMSPEED({speed})", receiver)
    saturn.types_all(BACK)
    earth.types("DEFINE QLOCAL(REPLIES)")
    earth.types("DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(RCVR)")
    saturn.types("START CHANNEL(SATURN.EARTH)")
    if not dead_letter_queue:
        saturn.types("ALTER QMGR DEADQ(' ')")
    if trouble:
        saturn.types(trouble)
    stage.wait(0.5)
    return stage, earth, saturn


def dead_letter(found: Message) -> Any:
    assert found.md.format == "MQDEAD"
    return DLH.codec(found.order).parse(found.data[:HEADER])
