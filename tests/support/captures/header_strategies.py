"""Message headers for property tests: any content, sound lengths, in either byte order and character set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from mqbridge.protocol.constants import MQFMT, ByteOrder, StrucId
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures import (
    CIH,
    CIH1,
    DH,
    DLH,
    IIH,
    MD1,
    MDE,
    OR,
    RFH,
    RFH2,
    RMH,
    TM,
    TMC2,
    WIH,
    XQH,
    Body,
    Distribution,
    Reference,
    RulesAndFormatting,
    RulesAndFormatting2,
    put_message_record,
)

ORDERS = st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])
ENCODINGS = {ByteOrder.BIG: 0x111, ByteOrder.LITTLE: 0x222}


def struc_id(name: str, ebcdic: bool) -> bytes:
    """The identifier of a structure in ASCII or EBCDIC."""
    found = StrucId(name)
    return found.ebcdic if ebcdic else found.ascii


@st.composite
def record(draw: st.DrawFn, structure: Structure, order: ByteOrder, **fixed: Any) -> Any:
    """A record of any content, but for the fields given."""
    raw = draw(st.randoms(use_true_random=False)).randbytes(structure.size)
    made = structure.codec(order).parse(raw)
    for key, value in fixed.items():
        setattr(made, key, value)
    return made


@st.composite
def sized(draw: st.DrawFn, structure: Structure, order: ByteOrder, ebcdic: bool, version: int) -> Body:
    """A header without variable part; StrucLength may count left-over bytes."""
    rest = draw(st.binary(max_size=12))
    name = structure.name.removesuffix("2") if structure.name == "RFH2" else structure.name
    made = draw(
        record(
            structure,
            order,
            struc_id=struc_id(name, ebcdic),
            version=version,
            struc_length=structure.size + len(rest),
        )
    )
    return Body(made, structure.size, rest)


@st.composite
def plain(draw: st.DrawFn, structure: Structure, order: ByteOrder, ebcdic: bool) -> Body:
    """A header of fixed length that does not state it."""
    fixed: dict[str, Any] = {"struc_id": struc_id(structure.name, ebcdic)}
    if structure is not TMC2:
        fixed["version"] = 1
    return Body(draw(record(structure, order, **fixed)), structure.size)


@st.composite
def cih(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    """A CICS header of either version."""
    first = draw(st.booleans())
    body = draw(sized(CIH1 if first else CIH, order, ebcdic, 1 if first else 2))
    if not first:
        return body
    whole = CIH.codec(order).parse(body.record.build().ljust(CIH.size, b"\0"))
    return Body(whole, CIH1.size, body.rest)


@st.composite
def rfh(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    """A version 1 header with any text."""
    text = draw(st.binary(max_size=40))
    made = draw(record(RFH, order, struc_id=struc_id("RFH", ebcdic), version=1, struc_length=RFH.size + len(text)))
    return RulesAndFormatting(made, RFH.size, text)


@st.composite
def rfh2(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    """A version 2 header; folders of any length, and up to three bytes behind them."""
    folders = draw(st.lists(st.binary(max_size=20), max_size=4))
    rest = b"".join(len(folder).to_bytes(4, order.endian) + folder for folder in folders) + draw(st.binary(max_size=3))
    made = draw(record(RFH2, order, struc_id=struc_id("RFH", ebcdic), version=2, struc_length=RFH2.size + len(rest)))
    return RulesAndFormatting2(made, RFH2.size, rest)


@st.composite
def dh(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    """A distribution header; records in any order with gaps, any fields."""
    count = draw(st.integers(0, 3))
    fields = draw(st.integers(0, 0xFF))
    objects = draw(st.binary(min_size=count * OR.size, max_size=count * OR.size))
    size = put_message_record(fields & 0x1F).size if fields & 0x1F else 0
    puts = draw(st.binary(min_size=count * size, max_size=count * size))
    gap = draw(st.binary(max_size=9))
    object_at = DH.size + len(gap)
    made = draw(
        record(
            DH,
            order,
            struc_id=struc_id("DH", ebcdic),
            version=1,
            struc_length=object_at + len(objects) + len(puts),
            put_msg_rec_fields=fields,
            recs_present=count,
            object_rec_offset=object_at,
            put_msg_rec_offset=object_at + len(objects) if puts else 0,
        )
    )
    return Distribution(made, DH.size, gap + objects + puts)


@st.composite
def rmh(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    """A reference header; texts may overlap."""
    rest = draw(st.binary(max_size=30))
    fixed: dict[str, int] = {}
    for name in ("src_env", "src_name", "dest_env", "dest_name"):
        start = draw(st.integers(0, len(rest)))
        length = draw(st.integers(0, len(rest) - start))
        fixed[name + "_offset"] = RMH.size + start if length else draw(st.integers(0, 2**32 - 1))
        fixed[name + "_length"] = length
    made = draw(
        record(RMH, order, struc_id=struc_id("RMH", ebcdic), version=1, struc_length=RMH.size + len(rest), **fixed)
    )
    return Reference(made, RMH.size, rest)


HEADERS: dict[str, tuple[str, Callable[[ByteOrder, bool], st.SearchStrategy[Body]]]] = {
    "DLH": (MQFMT.DEAD_LETTER_HEADER, lambda order, ebcdic: plain(DLH, order, ebcdic)),
    "MDE": (MQFMT.MD_EXTENSION, lambda order, ebcdic: sized(MDE, order, ebcdic, 2)),
    "DH": (MQFMT.DIST_HEADER, dh),
    "RFH": (MQFMT.RF_HEADER_1, rfh),
    "RFH2": (MQFMT.RF_HEADER_2, rfh2),
    "CIH": (MQFMT.CICS, cih),
    "IIH": (MQFMT.IMS, lambda order, ebcdic: sized(IIH, order, ebcdic, 1)),
    "WIH": (MQFMT.WORK_INFO_HEADER, lambda order, ebcdic: sized(WIH, order, ebcdic, 1)),
    "RMH": (MQFMT.REF_MSG_HEADER, rmh),
    "TM": (MQFMT.TRIGGER, lambda order, ebcdic: plain(TM, order, ebcdic)),
    "TMC2": (MQFMT.TRIGGER, lambda order, ebcdic: plain(TMC2, order, ebcdic)),
}
"""Name of a header to its format and a strategy for its content."""

LAST = ("TM", "TMC2")
"""Headers behind which nothing is described."""


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, int, int, bytes, list[str], bytes, str]:
    """Message data that begins with a run of headers.

    Gives format, encoding and CCSID in front, the data, the names of the headers, the body and its format.
    """
    names = draw(st.lists(st.sampled_from(["XQH", *(name for name in HEADERS if name not in LAST)]), max_size=4))
    names += draw(st.sampled_from([[], [], ["TM"], ["TMC2"]]))
    body = draw(st.binary(max_size=20))
    last_format = "" if names and names[-1] in LAST else draw(st.sampled_from(["", "MQSTR", "HUGO", "MQADMIN"]))
    encoding, ccsid, format_name = draw(st.sampled_from([0x111, 0x222, 0x311])), 437, last_format
    parts = [body]
    for name in reversed(names):
        order = draw(ORDERS)
        ebcdic = draw(st.booleans())
        link = {
            "encoding": encoding,
            "coded_char_set_id": ccsid,
            "format": format_name.ljust(8).encode("cp500" if ebcdic else "ascii"),
        }
        if name == "XQH":
            front = draw(record(XQH, order, struc_id=struc_id("XQH", ebcdic), version=1))
            inner = draw(record(MD1, order, struc_id=struc_id("MD", ebcdic), version=1, **link))
            parts = [front.build(), inner.build(), *parts]
            format_name = MQFMT.XMIT_Q_HEADER
        else:
            format_name, strategy = HEADERS[name]
            header = draw(strategy(order, ebcdic))
            if "format" in header.record.KEYS:
                for key, value in link.items():
                    setattr(header.record, key, value)
            parts = [header.build(), *parts]
        encoding = ENCODINGS[order] | draw(st.sampled_from([0, 0x01000000]))
        ccsid = draw(st.sampled_from([37, 437, 500, 819, 939, 0, -2]))
    return str(format_name), encoding, ccsid, b"".join(parts), names, body, last_format
