"""RFH2: the rules and formatting header, version 2, with folders of names and values in XML, mq-wire.md 5.15.

Format in front of it: ``MQHRF2``. Folders are in the code page NameValueCCSID, independent of the header's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from construct import Struct, this

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.rfh2 import Rfh2Big, Rfh2Little
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import common_fields, read_header

MAX_FOLDERS: Final = 1_000
"""Maximum number of folders in a header; one with more is malformed."""


def _rfh2(n: Numbers) -> Any:
    return Struct(
        *common_fields(n, "RFH", version=2, length=36, ccsid=-2),
        n.i32("NameValueCCSID", "code page of the folders", default=1208),
    )


def _folder(n: Numbers) -> Any:
    return Struct(
        n.u32("NameValueLength", "bytes of the folder that follows, a multiple of 4"),
        char("NameValueData", this.name_value_length, "one folder, filled with blanks"),
    )


RFH2 = Structure("RFH2", _rfh2, Rfh2Big, Rfh2Little, mq_name="MQRFH2", spec="mq-wire.md 5.15")
"""The fixed part, 36 bytes."""

FOLDER = Structure("NameValueData", _folder, spec="mq-wire.md 5.15")
"""One folder with its length in front; repeated behind the fixed part."""


class RulesAndFormatting2(Body):
    """An RFH2. ``rest`` holds the folders with their lengths, as received."""

    __slots__ = ()

    @property
    def folders(self) -> list[bytes]:
        """Folders in order, undecoded (code page ``name_value_ccsid``), with trailing blanks."""
        return split_folders(self.rest, self.record.ORDER, RFH2.size)[0]


def parse_rfh2(buffer: Buffer, offset: int, order: ByteOrder) -> RulesAndFormatting2:
    """Read an RFH2 with its folders.

    A folder length that is not a multiple of 4 is accepted; one to three bytes behind the last folder stay in
    ``rest``. Raises ``StructureError``, also for a folder that extends beyond the header, and for more than
    `MAX_FOLDERS`.
    """
    header = read_header(RulesAndFormatting2, RFH2, buffer, offset, order, 2)
    _, _, fault = split_folders(header.rest, order, offset + RFH2.size)
    if fault is not None:
        raise fault
    return header


def make_rfh2(order: ByteOrder, folders: Sequence[bytes], *, blank: bytes = b" ", **values: Any) -> RulesAndFormatting2:
    """Return an RFH2 with folders, each padded to a multiple of 4 bytes with ``blank``, and StrucLength set.

    ``blank``: a blank in the folders' code page. Other fields by keyword.
    """
    parts = []
    for folder in folders:
        data = folder + blank * (-len(folder) % 4 // len(blank))
        parts += [len(data).to_bytes(4, order.endian), data]
    rest = b"".join(parts)
    return RulesAndFormatting2(RFH2.codec(order)(struc_length=RFH2.size + len(rest), **values), RFH2.size, rest)


def split_folders(data: bytes, order: ByteOrder, offset: int) -> tuple[list[bytes], int, StructureError | None]:
    """Split the variable part into folders.

    Returns the folders, the offset in ``data`` at which the last complete one ends, and the error in the one behind it,
    or None. ``offset``: of ``data`` in the buffer, for the error.
    """
    folders: list[bytes] = []
    position, end = 0, len(data)
    while end - position >= 4:
        length = int.from_bytes(data[position : position + 4], order.endian)
        following = position + 4 + length
        if following > end:
            there = end - position - 4
            what = f"NameValueLength is {length}, {there} bytes are there"
            return folders, position, StructureError("RFH2", offset + position, what)
        if len(folders) == MAX_FOLDERS:
            return folders, position, StructureError("RFH2", offset + position, f"more than {MAX_FOLDERS} folders")
        folders.append(data[position + 4 : following])
        position = following
    return folders, position, None
