"""The common part of message headers: their first fields, the description of the data behind them, and reading.

Most headers begin with the same seven fields, 32 bytes. Encoding, CodedCharSetId and Format describe what stands
behind the header; StrucLength counts the header with everything that belongs to it, so a reader that does not know
the rest can still pass over it (mq-wire.md 5.15).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeVar

from mqbridge.protocol.constants import MQCCSI, MQENC, MQFMT, ByteOrder, StrucId
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Family, Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Buffer

from .bodies import Body

HeaderT = TypeVar("HeaderT", bound=Body)

_LENGTH_OFFSET: Final = 8
_VERSION_OFFSET: Final = 4
_SHARED_IDS: Final = {"RFH2": "RFH"}


def link_fields(n: Numbers, *, ccsid: int = 0) -> tuple[Any, ...]:
    """Return Encoding, CodedCharSetId and Format, which describe the data behind the header."""
    return (
        n.u32("Encoding", "numbers of what follows", names=MQENC, default=n.order.encoding),
        n.i32("CodedCharSetId", "code page of what follows", names=_ccsid_name, default=ccsid),
        char("Format", 8, "what follows", names=MQFMT),
    )


def common_fields(
    n: Numbers, struc_id: str, *, version: int, length: int, ccsid: int = 0, flags: Family | None = None
) -> tuple[Any, ...]:
    """Return the first seven fields of most headers, 32 bytes."""
    return (
        char("StrucId", 4, f"`{struc_id}` filled with blanks", default=struc_id.encode("ascii")),
        n.u32("Version", f"{version}", default=version),
        n.u32("StrucLength", "bytes of this header with all that belongs to it", default=length),
        *link_fields(n, ccsid=ccsid),
        n.u32("Flags", "options", names=flags),
    )


def _ccsid_name(ccsid: int) -> str:
    return str(MQCCSI(ccsid)) if ccsid <= 0 else str(ccsid)


def check_begin(structure: Structure[Any], record: Any, offset: int, versions: tuple[int, ...]) -> None:
    """Raise ``StructureError`` unless StrucId is that of the structure, in ASCII or EBCDIC, and Version is known."""
    check_id(structure, record, offset)
    if record.version not in versions:
        raise StructureError(structure.name, offset + _VERSION_OFFSET, f"Version is {record.version}")


def check_id(structure: Structure[Any], record: Any, offset: int) -> None:
    """Raise ``StructureError`` unless StrucId is that of the structure, in ASCII or EBCDIC."""
    if record.struc_id not in _beginnings(structure.name):
        raise StructureError(structure.name, offset, f"begins with {record.struc_id.hex()}")


def read_header(
    kind: type[HeaderT], structure: Structure[Any], buffer: Buffer, offset: int, order: ByteOrder, *versions: int
) -> HeaderT:
    """Read a header that states its own length; its bytes behind the fixed part become ``rest``.

    Raises ``StructureError`` when it is cut short, begins with another StrucId, states a Version that is not among
    ``versions``, or a StrucLength that is too small for the fixed part or passes the end of the buffer.
    """
    record = structure.codec(order).parse(buffer, offset)
    check_begin(structure, record, offset, versions)
    length = record.struc_length
    check_length(structure, length, record.SIZE, len(buffer) - offset, offset + _LENGTH_OFFSET)
    return kind(record, record.SIZE, bytes(buffer[offset + record.SIZE : offset + length]))


@cache
def _beginnings(name: str) -> tuple[bytes, bytes]:
    struc_id = StrucId(_SHARED_IDS.get(name, name))
    return struc_id.ascii, struc_id.ebcdic


def check_length(structure: Structure[Any], length: int, least: int, there: int, offset: int) -> None:
    """Raise ``StructureError`` unless a stated length lies between ``least`` and the bytes that are there."""
    if length < least:
        raise StructureError(structure.name, offset, f"StrucLength is {length}, the fixed part has {least} bytes")
    if length > there:
        raise StructureError(structure.name, offset, f"StrucLength is {length}, {there} bytes are there")
