"""The headers that a tree can make, and the names under which headers stand in it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.protocol.chain import ChainedHeader
from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.structures import CIH, DLH, IIH, MDE, RFH, RFH2, WIH, RulesAndFormatting, RulesAndFormatting2
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.text import encode_field

from .header_part import HeaderPart


class HeaderKind(NamedTuple):
    """A header that can be made: its name in chains, its structure and its format. ``first``: it stands in front."""

    name: str
    structure: Structure[Any]
    format: str
    first: bool = False


HEADER_KINDS: Final = {
    "MQRFH2": HeaderKind("RFH2", RFH2, MQFMT.RF_HEADER_2),
    "MQRFH": HeaderKind("RFH", RFH, MQFMT.RF_HEADER_1),
    "MQDLH": HeaderKind("DLH", DLH, MQFMT.DEAD_LETTER_HEADER, first=True),
    "MQMDE": HeaderKind("MDE", MDE, MQFMT.MD_EXTENSION, first=True),
    "MQCIH": HeaderKind("CIH", CIH, MQFMT.CICS),
    "MQIIH": HeaderKind("IIH", IIH, MQFMT.IMS),
    "MQWIH": HeaderKind("WIH", WIH, MQFMT.WORK_INFO_HEADER),
}

NAMES_OF_FORMATS: Final = {
    **{str(kind.format): name for name, kind in HEADER_KINDS.items()},
    str(MQFMT.XMIT_Q_HEADER): "MQXQH",
    str(MQFMT.DIST_HEADER): "MQDH",
    str(MQFMT.TRIGGER): "MQTM",
    str(MQFMT.REF_MSG_HEADER): "MQRMH",
}
"""Name in a tree of the header that a format announces."""

_CLASSES: Final[dict[str, type[Body]]] = {"RFH2": RulesAndFormatting2, "RFH": RulesAndFormatting}


def made_header(name: str, form: DataEncoding, format_behind: str) -> HeaderPart:
    """Return a new header of defaults, in a form, that says the same of the data behind it.

    Raises ``KeyError`` for a name without a kind, ``ConversionError`` for a form without byte order or code page.
    """
    kind = HEADER_KINDS[name]
    record = kind.structure.codec(integer_order(form.encoding))()
    for slot in kind.structure.slots:
        if slot.field.kind == "char":
            text = slot.field.default.decode("ascii").rstrip(" ")
            setattr(record, slot.field.key, encode_field(text, slot.size, form.ccsid))
    record.encoding, record.coded_char_set_id = form
    record.format = encode_field(format_behind, 8, form.ccsid)
    header = _CLASSES.get(kind.name, Body)(record, kind.structure.size)
    link = ChainedHeader(kind.name, 0, kind.structure.size, str(kind.format), form.encoding, form.ccsid, header)
    return HeaderPart(link, None)
