"""Structures of client calls for property tests: any content, sound places, in either byte order and character set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Record
from mqbridge.protocol.structures import (
    FCNO,
    FCNO_3,
    FCNO_4,
    FOPA,
    GMO,
    GMO_SIZES,
    LPOO,
    LSD,
    OD,
    OD_SIZES,
    OR,
    PMO,
    PMO_SIZES,
    RR,
    SD,
    SHORT_FOPA_SIZE,
    SHORT_LPOO_SIZE,
    SPI_VERB,
    SPPI,
    SPQO,
    SRO,
    STAT,
    STAT_SIZES,
    XID_HEAD,
    Body,
    Inquiry,
    ObjectDescriptor,
    PutMessageOptions,
    StatusReport,
    StructureWithStrings,
    SubscriptionDescriptor,
    TransactionId,
    VerbTable,
    make_inq,
    make_xid,
    parse_fcno,
    parse_fopa,
    parse_gmo,
    parse_inq,
    parse_lpoo,
    parse_lsd,
    parse_od,
    parse_pmo,
    parse_sd,
    parse_sppi,
    parse_spqo,
    parse_sro,
    parse_sts,
    parse_xid,
    put_message_record,
)
from mqbridge.protocol.structures.charv import place_strings
from support.captures.header_strategies import record, struc_id

BodyOrRecord = Body | Record
Strategy = Callable[[ByteOrder, bool], st.SearchStrategy[BodyOrRecord]]


def cut_to(made: Any, size: int) -> Any:
    """A record of a shorter form: what lies behind ``size`` bytes is zeros."""
    return type(made).parse(made.build()[:size].ljust(made.SIZE, b"\0"))


@st.composite
def versioned(
    draw: st.DrawFn,
    kind: type[Body],
    structure: Structure,
    sizes: Mapping[int, int],
    order: ByteOrder,
    ebcdic: bool,
    **fixed: Any,
) -> Body:
    version = draw(st.sampled_from(sorted(sizes)))
    made = draw(record(structure, order, struc_id=struc_id(structure.name, ebcdic), version=version, **fixed))
    return kind(cut_to(made, sizes[version]), sizes[version])


@st.composite
def with_strings(draw: st.DrawFn, body: StructureWithStrings) -> StructureWithStrings:
    """Give it some of its strings, behind what it has already."""
    names = [name for name in body.STRINGS if body.has(f"{name}_vs_ptr")]
    chosen = {name: draw(st.none() | st.binary(max_size=20)) for name in names}
    values, tail = place_strings(body.known + len(body.rest), chosen, draw(st.sampled_from([819, 1208, 500])))
    empty = {f"{name}_vs_offset": 0 for name in names if chosen[name] is None}
    body.record = body.record.copy(**values, **empty)
    body.rest += tail
    return body


@st.composite
def od(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> ObjectDescriptor:
    made = draw(versioned(ObjectDescriptor, OD, OD_SIZES, order, ebcdic, object_rec_offset=0, response_rec_offset=0))
    if made.known > OD_SIZES[1]:
        count = draw(st.integers(0, 3))
        made.record.recs_present = count
        for key, structure in (("object_rec_offset", OR), ("response_rec_offset", RR)):
            if draw(st.booleans()):
                setattr(made.record, key, made.known + len(made.rest))
                made.rest += b"".join(draw(record(structure, order)).build() for _ in range(count))
    return draw(with_strings(made))


@st.composite
def pmo(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> PutMessageOptions:
    made = draw(
        versioned(PutMessageOptions, PMO, PMO_SIZES, order, ebcdic, put_msg_rec_offset=0, response_rec_offset=0)
    )
    if made.known > PMO_SIZES[1]:
        count, fields = draw(st.integers(0, 3)), draw(st.integers(0, 0x3F))
        made.record.recs_present, made.record.put_msg_rec_fields = count, fields
        runs = [("response_rec_offset", RR)]
        if fields & 0x1F:
            runs.insert(0, ("put_msg_rec_offset", put_message_record(fields & 0x1F)))
        for key, structure in runs:
            if draw(st.booleans()):
                setattr(made.record, key, made.known + len(made.rest))
                made.rest += b"".join(draw(record(structure, order)).build() for _ in range(count))
    return made


def gmo(order: ByteOrder, ebcdic: bool) -> st.SearchStrategy[Body]:
    return versioned(Body, GMO, GMO_SIZES, order, ebcdic)


@st.composite
def sts(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> StatusReport:
    return draw(with_strings(draw(versioned(StatusReport, STAT, STAT_SIZES, order, ebcdic))))


@st.composite
def sd(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> SubscriptionDescriptor:
    made = draw(record(SD, order, struc_id=struc_id("SD", ebcdic), version=1))
    return draw(with_strings(SubscriptionDescriptor(made, SD.size)))


@st.composite
def fcno(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    form, size = draw(st.sampled_from([(FCNO, 140), (FCNO, 212), (FCNO_3, 340), (FCNO_4, 352)]))
    made = draw(record(form, order, struc_id=struc_id("FCNO", ebcdic)))
    return Body(cut_to(made, size), size, draw(st.binary(max_size=8)) if form is FCNO_4 else b"")


@st.composite
def fopa(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    size = draw(st.sampled_from([SHORT_FOPA_SIZE, FOPA.size]))
    rest = draw(st.binary(max_size=8))
    made = draw(record(FOPA, order, struc_id=struc_id("FOPA", ebcdic), length=size + len(rest)))
    return Body(cut_to(made, size), size, rest)


@st.composite
def lpoo(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    made = draw(record(LPOO, order, struc_id=struc_id("LPOO", ebcdic)))
    made.q_protect = b" " * 48
    size = draw(st.sampled_from([SHORT_LPOO_SIZE, LPOO.size]))
    return Body(cut_to(made, size), size)


def fixed(structure: Structure) -> Strategy:
    return lambda order, ebcdic: record(structure, order, struc_id=struc_id(structure.name, ebcdic), version=1)


@st.composite
def spqo(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> VerbTable:
    count = draw(st.integers(0, 4))
    rest = b"".join(draw(record(SPI_VERB, order)).build() for _ in range(count)) + draw(st.binary(max_size=8))
    made = draw(record(SPQO, order, struc_id=struc_id("SPQO", ebcdic), length=SPQO.size + len(rest), verb_count=count))
    return VerbTable(made, SPQO.size, rest)


@st.composite
def sppi(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Body:
    version, size = draw(st.sampled_from([(1, 20), (2, 20), (3, 32)]))
    data_length = draw(st.integers(0, 1 << 20))
    made = draw(
        record(
            SPPI,
            order,
            struc_id=struc_id("SPPI", ebcdic),
            version=version,
            data_length=data_length,
            length=size + data_length,
        )
    )
    return Body(cut_to(made, size), size)


@st.composite
def inq(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> Inquiry:
    selectors = draw(st.lists(st.integers(0, 0xFFFFFFFF), max_size=5))
    integers = draw(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=5))
    return make_inq(order, selectors, integers, draw(st.binary(max_size=20)))


@st.composite
def xid(draw: st.DrawFn, order: ByteOrder, ebcdic: bool) -> TransactionId:
    part = st.binary(max_size=64)
    made = make_xid(order, draw(st.integers(-(1 << 31), (1 << 31) - 1)), draw(part), draw(part))
    data = len(made.gtrid) + len(made.bqual)
    garbage = draw(st.binary(min_size=3, max_size=3))
    return TransactionId(made.record, XID_HEAD.size, made.rest[:data] + garbage[: len(made.rest) - data])


STRUCTURES: dict[str, tuple[Callable[..., Any], Strategy]] = {
    "OD": (parse_od, od),
    "PMO": (parse_pmo, pmo),
    "GMO": (parse_gmo, gmo),
    "STAT": (parse_sts, sts),
    "SD": (parse_sd, sd),
    "FCNO": (parse_fcno, fcno),
    "FOPA": (parse_fopa, fopa),
    "LPOO": (parse_lpoo, lpoo),
    "LSD": (parse_lsd, fixed(LSD)),
    "SRO": (parse_sro, fixed(SRO)),
    "SPQO": (parse_spqo, spqo),
    "SPPI": (parse_sppi, sppi),
    "INQ": (lambda buffer, offset, order: parse_inq(buffer, offset, order, values=True), inq),
    "XID": (parse_xid, xid),
}
"""Reader and strategy by structure."""
