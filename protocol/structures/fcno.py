"""FCNO: further connect options behind CONN, mq-wire.md 5.5 and client-observed.md 1.1.

Versions 1 and 2 have 140 or 212 bytes, version 3 has 340 and version 4 has 352. The layout goes by the bytes that are
there, since partners state versions that do not fit: a queue manager answers a version 4 of 352 bytes with as many
bytes of version 3, and a client of FAP 10 sends 212 bytes of version 1. In a request most bytes are left-overs of
the client; ConnTag counts only where CONN.Options has 8 (client-observed.md O-010).
"""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.fcno import Fcno3Big, Fcno3Little, Fcno4Big, Fcno4Little, FcnoBig, FcnoLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body, read_body

CONNECTION_ID_SIZE: Final = 24
"""Bytes at the start of ConnTag that hold the connection id in a queue manager's reply."""


def _head(n: Numbers) -> tuple[Any, ...]:
    return (
        char("StrucId", 4, "`FCNO`", since="v1", default=b"FCNO"),
        n.u32("Version", "1 to 4", since="v1", default=1),
        n.u32("CapFlag", "capabilities", since="v1"),
        raw("ConnTag", 128, "connection tag; in a reply the connection id, 24 bytes", since="v1"),
    )


def _fcno(n: Numbers) -> Any:
    return Struct(
        *_head(n),
        char("ProductId24", 24, "product, not of Java clients", since="v2"),
        char("QMgrIdentifier", 48, "queue manager identifier, not of Java clients", since="v2"),
    )


def _fcno_3(n: Numbers) -> Any:
    return Struct(
        *_head(n),
        raw("RetConnTag", 128, "connection tag that the queue manager made", since="v3"),
        char("ProductId24", 24, "product, not of Java clients", since="v3"),
        char("QMgrIdentifier", 48, "queue manager identifier, not of Java clients", since="v3"),
    )


def _fcno_4(n: Numbers) -> Any:
    return Struct(
        *_head(n),
        raw("RetConnTag", 128, "connection tag that the queue manager made", since="v3"),
        n.u32("Unknown1", "not known, 0", since="v4"),
        n.i32("Unknown2", "not known, -1", since="v4", default=-1),
        raw("Unknown3", 56, "not known, zeros", since="v4"),
        raw("LostConnectionId", 20, "a reconnecting client: how the id of its lost connection begins", since="v4"),
    )


FCNO = Structure("FCNO", _fcno, FcnoBig, FcnoLittle, spec="mq-wire.md 5.5")
"""Version 2, 212 bytes; version 1 is the first 140 of them, or all."""

FCNO_3 = Structure("FCNO", _fcno_3, Fcno3Big, Fcno3Little, spec="mq-wire.md 5.5")
"""Version 3, 340 bytes."""

FCNO_4 = Structure("FCNO", _fcno_4, Fcno4Big, Fcno4Little, spec="client-observed.md 1.1")
"""Version 4, 352 bytes."""

SMALLEST_FCNO: Final = 140

_BEGINNINGS: Final = (b"FCNO", "FCNO".encode("cp500"))


def fcno_form(length: int) -> Structure[Any]:
    """Return the layout of an FCNO of this length."""
    return next((form for form in (FCNO_4, FCNO_3) if length >= form.size), FCNO)


def parse_fcno(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read an FCNO that goes on to the end of the buffer; bytes behind the longest form are left over.

    Raises ``StructureError`` when fewer than 140 bytes are there, or they do not begin with ``FCNO``.
    """
    there = memoryview(buffer)[offset:]
    if len(there) >= 4 and bytes(there[:4]) not in _BEGINNINGS:
        raise StructureError("FCNO", offset, f"begins with {bytes(there[:4]).hex()}")
    try:
        return read_body(fcno_form(len(there)), bytes(there), order, least=SMALLEST_FCNO)
    except StructureError as fault:
        raise StructureError("FCNO", offset + fault.offset, fault.reason) from None
