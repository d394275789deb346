"""Conversion of the headers in front of message data, one by one.

Numbers are written in the target's byte order, character fields in its character set, ids and tokens as they are.
What a header says of the data behind it is put right afterwards (:func:`describe`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.protocol.chain import ChainedHeader
from mqbridge.protocol.constants import MQRC, ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Record
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.structures.cih import CIH
from mqbridge.protocol.structures.dh import DH, OR, Distribution, make_dh, put_message_record
from mqbridge.protocol.structures.dlh import DLH
from mqbridge.protocol.structures.iih import IIH
from mqbridge.protocol.structures.md import MD1
from mqbridge.protocol.structures.mde import MDE
from mqbridge.protocol.structures.rfh import RFH, make_rfh
from mqbridge.protocol.structures.rfh2 import RFH2, RulesAndFormatting2
from mqbridge.protocol.structures.rmh import RMH, TEXTS, Reference, make_rmh
from mqbridge.protocol.structures.tm import TM
from mqbridge.protocol.structures.tmc2 import TMC2
from mqbridge.protocol.structures.wih import WIH
from mqbridge.protocol.structures.xqh import XQH

from .plug_ins import convert_plug_in_header
from .text import DataEncoding, recode, recode_field, require_header_text

_STRUCTURES: Final[dict[str, Structure[Any]]] = {
    "XQH": XQH, "MD": MD1, "DLH": DLH, "MDE": MDE, "DH": DH, "RFH": RFH, "RFH2": RFH2, "CIH": CIH, "IIH": IIH,
    "TM": TM, "TMC2": TMC2, "WIH": WIH, "RMH": RMH,
}  # fmt: skip
_LENGTHS: Final = ("struc_length", "recs_present", "object_rec_offset", "put_msg_rec_offset")


def convert_header(link: ChainedHeader, target: DataEncoding) -> Body:
    """Return a header of a chain in another form. Raises `NotConvertedError`."""
    source = DataEncoding(link.encoding, link.ccsid)
    require_header_text(source, MQRC.SOURCE_CCSID_ERROR)
    require_header_text(target, MQRC.TARGET_CCSID_ERROR)
    order = target.order(MQRC.TARGET_INTEGER_ENC_ERROR)
    if link.plug_in is not None:
        return convert_plug_in_header(link.plug_in, link.header, source, target)
    record = _turned(_STRUCTURES[link.name], link.header.record, order, source, target)
    special = _SPECIAL.get(link.name)
    if special is not None:
        return special(link.header, record, source, target)
    return Body(record, link.header.known, link.header.rest)


def describe(header: Body, own_ccsid: int, behind: DataEncoding) -> None:
    """Set a header's fields that describe the data behind it; a CCSID that means the header's own is kept while
    true."""
    record = header.record
    if "format" not in record.KEYS:
        return
    record.encoding = behind.encoding
    if record.coded_char_set_id > 0 or behind.ccsid != own_ccsid:
        record.coded_char_set_id = behind.ccsid


def _turned(
    structure: Structure[Any], record: Record, order: ByteOrder, source: DataEncoding, target: DataEncoding
) -> Any:
    turned = structure.codec(order)()
    for slot in record.SLOTS:
        key = slot.field.key
        value = getattr(record, key)
        setattr(turned, key, recode_field(value, source, target) if slot.field.kind == "char" else value)
    return turned


def _rfh(header: Body, record: Record, source: DataEncoding, target: DataEncoding) -> Body:
    return make_rfh(record.ORDER, recode(header.rest, source, target), **_without_lengths(record))


def _rfh2(header: Body, record: Any, source: DataEncoding, target: DataEncoding) -> Body:
    """Convert an MQRFH2: folders stay in NameValueCCSID, but two-byte Unicode and the lengths follow the Encoding."""
    own = record.name_value_ccsid
    parts, read = [], 0
    for folder in RulesAndFormatting2(header.record, header.known, header.rest).folders:
        data = recode(folder, source._replace(ccsid=own), target._replace(ccsid=own)) if _follows(own) else folder
        parts += [len(data).to_bytes(4, record.ORDER.endian), data]
        read += 4 + len(folder)
    rest = b"".join(parts) + header.rest[read:]
    return RulesAndFormatting2(record, header.known, rest)


def _follows(ccsid: int) -> bool:
    return ccsid in (1200, 13488, 17584)


def _rmh(header: Body, record: Record, source: DataEncoding, target: DataEncoding) -> Body:
    old = Reference(header.record, header.known, header.rest)
    texts = {name: recode(old.text(name), source, target) for name in TEXTS}
    values = _without_lengths(record)
    for name in TEXTS:
        del values[name + "_length"], values[name + "_offset"]
    return make_rmh(record.ORDER, texts, **values)


def _dh(header: Body, record: Any, source: DataEncoding, target: DataEncoding) -> Body:
    old = Distribution(header.record, header.known, header.rest)
    order = record.ORDER
    objects = [_turned(OR, each, order, source, target) for each in old.object_records]
    records = old.put_msg_records
    structure = put_message_record(record.put_msg_rec_fields) if records else OR
    puts = [_turned(structure, each, order, source, target) for each in records]
    return make_dh(order, objects, puts, **_without_lengths(record))


def _without_lengths(record: Record) -> dict[str, Any]:
    return {key: value for key, value in record.as_dict().items() if key not in _LENGTHS}


_SPECIAL: Final[dict[str, Callable[[Body, Record, DataEncoding, DataEncoding], Body]]] = {
    "RFH": _rfh,
    "RFH2": _rfh2,
    "RMH": _rmh,
    "DH": _dh,
}
