"""Message headers as plain data: the fields of the fixed part, and the folders, texts or records behind it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mqbridge.protocol.chain import ChainedHeader, HeaderChain
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.errors import ConversionError, MQBridgeError, StructureError
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.structures import (
    CFH,
    CIH,
    DH,
    DLH,
    IIH,
    MD,
    MD1,
    MDE,
    OR,
    PARAMETERS,
    RFH,
    RFH2,
    RMH,
    TM,
    TMC2,
    WIH,
    XQH,
    Distribution,
    Reference,
    RulesAndFormatting,
    RulesAndFormatting2,
)
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.structures.dh import ALL_PMR_FIELDS, put_message_record
from mqbridge.protocol.structures.rfh2 import split_folders
from mqbridge.protocol.structures.rmh import TEXTS
from mqbridge.protocol.text import decode_text, is_ebcdic

from .findings import Findings
from .plug_ins import show_plug_in, show_plug_in_header
from .shown import Shown, readable_ccsid, show, show_hex, show_values

PCF_FORMATS: Final = frozenset((MQFMT.ADMIN, MQFMT.PCF, MQFMT.EVENT))

_STRUCTURES: Final[dict[str, Structure[Any]]] = {
    "XQH": XQH,
    "MD": MD,
    "MDE": MDE,
    "DLH": DLH,
    "DH": DH,
    "RFH": RFH,
    "RFH2": RFH2,
    "CIH": CIH,
    "IIH": IIH,
    "WIH": WIH,
    "RMH": RMH,
    "TM": TM,
    "TMC2": TMC2,
}
_BY_FORMAT: Final[dict[str, Structure[Any]]] = {
    MQFMT.XMIT_Q_HEADER: XQH,
    MQFMT.MD_EXTENSION: MDE,
    MQFMT.DEAD_LETTER_HEADER: DLH,
    MQFMT.DIST_HEADER: DH,
    MQFMT.RF_HEADER_1: RFH,
    MQFMT.RF_HEADER_2: RFH2,
    MQFMT.CICS: CIH,
    MQFMT.IMS: IIH,
    MQFMT.WORK_INFO_HEADER: WIH,
    MQFMT.REF_MSG_HEADER: RMH,
    MQFMT.TRIGGER: TM,
}


class _VariablePart(NamedTuple):
    """A header with a variable part: the version whose variable part is known, and the class that reads it."""

    version: int
    body: type[Body]


_VARIABLE_PARTS: Final[dict[Structure[Any], _VariablePart]] = {
    RFH: _VariablePart(1, RulesAndFormatting),
    RFH2: _VariablePart(2, RulesAndFormatting2),
    RMH: _VariablePart(1, Reference),
    DH: _VariablePart(1, Distribution),
}
_TEXT_NAMES: Final = dict(zip(TEXTS, ("SrcEnv", "SrcName", "DestEnv", "DestName"), strict=True))
_PARAMETER_HEAD: Final = 12


def show_link(link: ChainedHeader, base: int, findings: Findings) -> Shown:
    """Return one header of a chain. ``base`` is added to its offset."""
    if link.plug_in is not None:
        return show_plug_in_header(link, link.plug_in, base, findings)
    header, record = link.header, link.header.record
    ebcdic = bool(record.struc_id[0] & 0x80)
    ccsid = readable_ccsid(link.ccsid, ebcdic=ebcdic)
    offset = base + link.offset
    fields = [(slot.field, getattr(record, slot.field.key)) for slot in record.SLOTS if header.has(slot.field.key)]
    shown = show_values(link_name(link), offset, link.length, fields, ccsid, order=record.ORDER)
    _show_variable_part(header, ccsid, offset, findings, shown)
    return shown


def link_name(link: ChainedHeader) -> str:
    """Return the name under which a header is shown."""
    return _STRUCTURES[link.name].mq_name


def _show_variable_part(header: Body, ccsid: int, offset: int, findings: Findings, shown: Shown) -> int:
    """Add the complete texts of a header's variable part to the fields in ``shown``, and complete folders or records as
    lists beside them. Returns the length of the header up to the end of the last complete one, in bytes."""
    fields, size, there = shown["fields"], header.known, header.known + len(header.rest)
    if isinstance(header, RulesAndFormatting2):
        folders, end, _ = split_folders(header.rest, header.record.ORDER, offset + size)
        text_ccsid = readable_ccsid(header.record.name_value_ccsid)
        shown["folders"] = [_folder(raw, text_ccsid, offset, findings) for raw in folders]
        return size + end
    if isinstance(header, RulesAndFormatting):
        raw = header.name_value_string
        if header.record.struc_length > there:  # up to the last blank it is complete
            raw = raw[: raw.rfind(b"\x40" if is_ebcdic(ccsid) else b" ") + 1]
        fields["NameValueString"] = _text(raw, ccsid).rstrip("\0 ")
        return size + len(raw)
    if isinstance(header, Reference):
        ends = [size]
        for key, name in _TEXT_NAMES.items():
            end = getattr(header.record, key + "_offset") + getattr(header.record, key + "_length")
            if end <= there:
                fields[name] = _text(header.text(key), ccsid).rstrip(" ")
                ends.append(end)
        return max(ends)
    if isinstance(header, Distribution):
        shown["records"] = records = _records(header, offset, there, ccsid)
        return max((record["offset"] + record["length"] - offset for record in records), default=size)
    return size


def _records(header: Distribution, offset: int, there: int, ccsid: int) -> list[Shown]:
    """Return the records of a distribution header that lie within its ``there`` bytes."""
    shown = []
    counts = header.record
    parts = [(OR, counts.object_rec_offset)]
    given = counts.put_msg_rec_fields & ALL_PMR_FIELDS
    if counts.put_msg_rec_offset and given:
        parts.append((put_message_record(given), counts.put_msg_rec_offset))
    for structure, start in parts:
        codec = structure.codec(counts.ORDER)
        whole = (there - start) // codec.SIZE if start >= header.known else 0
        for number in range(min(counts.recs_present, max(whole, 0))):
            place = start + number * codec.SIZE
            record = codec.parse(header.rest, place - header.known)
            fields = [(slot.field, getattr(record, slot.field.key)) for slot in record.SLOTS]
            shown.append(show_values(structure.mq_name, offset + place, codec.SIZE, fields, ccsid))
    return shown


def _folder(raw: bytes, ccsid: int, offset: int, findings: Findings) -> dict[str, Any]:
    text = _text(raw, ccsid).rstrip("\0 ")
    name = text[1:].replace("/", ">").replace(" ", ">").partition(">")[0] if text.startswith("<") else ""
    folder: dict[str, Any] = {"name": name, "text": text}
    if findings.read_folder is not None:
        try:
            folder["values"] = findings.read_folder(text)
        except MQBridgeError as error:
            findings.error(offset, f"MQRFH2 folder {name}: {error}")
    return folder


def _text(raw: bytes, ccsid: int) -> str:
    return decode_text(raw, ccsid, errors="replace")


def show_stopped(chain: HeaderChain, base: int, findings: Findings) -> Shown | None:
    """Return the complete part of the header at which a chain stopped, and the error; None if there is none."""
    fault = chain.stopped
    start = chain.body_offset
    what = f"{fault.structure} {fault.reason}" if isinstance(fault, StructureError) else str(fault)
    place = fault.offset if isinstance(fault, StructureError) else start
    findings.error(base + place, what)
    found = findings.formats.header(chain.body_format)
    if found is not None:
        again = findings.separate()
        rest = bytes(chain.data[start:])
        cut = show_plug_in(found, rest, chain.body_encoding, chain.body_ccsid, base + start, again)
        return cut if again.errors else None
    last = chain.links[-1].name if chain.links else ""
    structure = MD1 if last == "XQH" else _BY_FORMAT.get(chain.body_format, MD)
    data = bytes(chain.data[start : start + structure.size])
    if data[:4] not in _beginnings(structure) or isinstance(fault, ConversionError):
        return None
    order = integer_order(chain.body_encoding)
    ccsid = readable_ccsid(chain.body_ccsid, ebcdic=data[0] >= 0x80)
    shown, _ = show(structure, data, 0, len(data), order, ccsid, base + start, structure.mq_name)
    kind = _VARIABLE_PARTS.get(structure)
    if kind is not None and len(data) == structure.size and shown["fields"]["Version"] == kind.version:
        stated = shown["fields"]["StrucLength"]
        rest = bytes(chain.data[start + structure.size : start + stated])
        header = kind.body(structure.codec(order).parse(data), structure.size, rest)
        shown["length"] = _show_variable_part(header, ccsid, base + start, findings, shown)
    return shown if shown["fields"] else None


def _beginnings(structure: Structure[Any]) -> tuple[bytes, bytes]:
    struc_id: bytes = structure.fields[0].default
    return struc_id, struc_id.decode("ascii").encode("cp500")


def show_pcf(data: bytes, start: int, order: ByteOrder, ccsid: int, base: int, findings: Findings) -> list[Shown]:
    """Return a PCF header and its parameters, those of a group behind the group; stop at a malformed one."""
    shown, error = show(CFH, data, start, len(data), order, ccsid, base, CFH.mq_name)
    found = [shown]
    if error is not None:
        findings.error(error.offset, f"{error.structure} {error.reason}")
        return found
    at = start + CFH.size
    stated = shown["fields"]["StrucLength"]
    if stated != CFH.size:
        findings.error(base + start + 4, f"MQCFH StrucLength is {stated}")
        return found
    expected = shown["fields"]["ParameterCount"]
    while expected:
        kind, length = (int.from_bytes(data[at + place : at + place + 4], order.endian) for place in (0, 4))
        there = len(data) - at
        if there < _PARAMETER_HEAD or not _PARAMETER_HEAD <= length <= there:
            findings.error(base + at, f"PCF parameter of {length} bytes, {there} bytes are there")
            if length > there >= _PARAMETER_HEAD and kind in PARAMETERS:
                found.append(_parameter(data, at, len(data), kind, order, ccsid, base)[0])
            return found
        parameter, error = _parameter(data, at, at + length, kind, order, ccsid, base)
        found.append(parameter)
        if error is not None:
            findings.error(error.offset, f"{error.structure} {error.reason}")
            return found
        expected += parameter.get("fields", {}).get("ParameterCount", 0) - 1
        at += length
    return found


def _parameter(
    data: bytes, start: int, end: int, kind: int, order: ByteOrder, ccsid: int, base: int
) -> tuple[Shown, StructureError | None]:
    structure = PARAMETERS.get(kind)
    if structure is None:
        return show_hex(f"PCF parameter type {kind}", base + start, data[start:end]), None
    own = int.from_bytes(data[start + 12 : start + 16], order.endian, signed=True) if structure.name == "CFST" else 0
    text_ccsid = readable_ccsid(own) if own > 0 else ccsid
    return show(structure, data, start, end, order, text_ccsid, base, structure.mq_name)
