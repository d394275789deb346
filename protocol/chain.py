"""Chains of headers in front of application data (mq-wire.md 5.15).

The MQMD names the format of the data (Format) and how it is encoded (Encoding, CodedCharSetId); each header says the
same of what follows it. :func:`walk` follows the chain to the body. At a malformed header the chain stops: everything
from there on is body, and ``stopped`` holds the reason. Nothing is read past the end of the data, and each header
advances by at least its fixed part, so the work is bounded by the length of the data and by ``MAX_HEADERS``.

Format names are decoded in the character set of the header's own identifier (ASCII or EBCDIC), which is certain, rather
than in the CCSID stated by the preceding header, which senders often get wrong. A CCSID of INHERIT, or any other
special value, means the CCSID of the header itself.

Headers keep their original bytes: ``HeaderChain.build`` returns what was read.

Headers of other formats are those of a table that is handed in (``protocol.formats``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from .constants import MQFMT, STRUC_IDS, ByteOrder, StrucId
from .errors import ConversionError, MQBridgeError, StructureError
from .formats import NO_FORMATS, Format, Formats
from .numbers import integer_order
from .records import Buffer
from .structures.bodies import Body
from .structures.cih import parse_cih
from .structures.dh import parse_dh
from .structures.dlh import parse_dlh
from .structures.iih import parse_iih
from .structures.linked import check_begin
from .structures.md import MD1, MDRecord, parse_md
from .structures.mde import parse_mde
from .structures.rfh import parse_rfh
from .structures.rfh2 import parse_rfh2
from .structures.rmh import parse_rmh
from .structures.tm import parse_tm
from .structures.tmc2 import parse_tmc2
from .structures.wih import parse_wih
from .structures.xqh import XQH

MAX_HEADERS: Final = 100
"""Maximum number of headers in one chain."""

Reader = Callable[[Buffer, int, ByteOrder], Body]


@dataclass(slots=True)
class ChainedHeader:
    """One header of a chain.

    ``name``: as in mq-wire.md 9.22; ``"RFH2"`` for version 2 of RFH. ``offset`` and ``length`` are in bytes, from the
    start of the data. ``format``, ``encoding`` and ``ccsid`` are what the preceding header or descriptor states about
    this one. ``header``: the parsed header. ``plug_in``: the entry of the table of formats that it was read by, with
    the name of that format; None for MQ's own.
    """

    name: str
    offset: int
    length: int
    format: str
    encoding: int
    ccsid: int
    header: Body
    plug_in: Format | None = None

    @property
    def end(self) -> int:
        """Offset of the first byte behind the header."""
        return self.offset + self.length


@dataclass(slots=True)
class HeaderChain:
    """The headers in front of message data, and the place where the body begins.

    ``body_format``, ``body_encoding`` and ``body_ccsid`` describe the body. ``stopped``: None, or why the bytes at
    ``body_offset`` could not be parsed as the header that ``body_format`` names: a ``StructureError``, or a
    ``ConversionError`` where the preceding Encoding names no byte order.
    """

    data: Buffer = field(repr=False)
    links: list[ChainedHeader]
    body_offset: int
    body_format: str
    body_encoding: int
    body_ccsid: int
    stopped: MQBridgeError | None = None

    @property
    def body(self) -> bytes:
        """Copy of the data behind the headers."""
        return bytes(self.data[self.body_offset :])

    @property
    def body_length(self) -> int:
        """Length of the body in bytes."""
        return len(self.data) - self.body_offset

    def find(self, name: str) -> ChainedHeader | None:
        """Return the first of MQ's own headers with this name (``"DLH"``), or None."""
        return next((link for link in self.links if link.name == name and link.plug_in is None), None)

    def bytes_of(self, link: ChainedHeader) -> bytes:
        """Return a header as it was read."""
        return bytes(self.data[link.offset : link.end])

    def build(self) -> bytes:
        """Return headers and body joined; identical to the input where no header was changed."""
        return b"".join((*(link.header.build() for link in self.links), self.body))


def walk(format: str, encoding: int, ccsid: int, data: Buffer, formats: Formats = NO_FORMATS) -> HeaderChain:
    """Follow the chain of headers in message data.

    ``format``, ``encoding`` and ``ccsid`` come from the descriptor in front of the data; the format may be padded.
    ``formats``: headers beside MQ's own. A malformed header does not raise: see ``HeaderChain.stopped``.
    """
    return _follow(HeaderChain(data, [], 0, str(MQFMT(format)), encoding, ccsid), formats)


def walk_descriptor(
    descriptor: MDRecord, data: Buffer, *, default_ccsid: int, formats: Formats = NO_FORMATS
) -> HeaderChain:
    """Follow the chain behind a parsed descriptor, as :func:`walk`.

    ``default_ccsid``: the queue manager's, which stands for 0 and other special values of CodedCharSetId.
    """
    ccsid = descriptor.coded_char_set_id
    name = _format_name(descriptor.format, _is_ebcdic(descriptor))
    return walk(name, descriptor.encoding, ccsid if ccsid > 0 else default_ccsid, data, formats)


def walk_unknown(data: Buffer, formats: Formats = NO_FORMATS) -> HeaderChain:
    """Follow a chain that starts with a header or descriptor recognised by its identifier and version.

    The byte order follows from the version, which is a small number; the CCSID (819 or 500) from the identifier. Data
    that begins with no known structure is all body, without a format.
    """
    chain = HeaderChain(data, [], 0, "", 0x111, 819)
    known = STRUC_IDS.get(bytes(data[:4]))
    if known is None:
        return chain
    struc_id, ebcdic = known
    version = int.from_bytes(data[4:8], "little")
    if 0 < version <= _HIGHEST_VERSION:
        chain.body_encoding = 0x222
    if ebcdic:
        chain.body_ccsid = 500
    if struc_id is StrucId.MD:
        _take(chain, "MD", parse_md_body)
    elif struc_id is StrucId.RFH:
        second = 2 in (version, int.from_bytes(data[4:8], "big"))
        chain.body_format = "MQHRF2" if second else "MQHRF"
    elif struc_id in _FORMATS_OF_IDS:
        chain.body_format = _FORMATS_OF_IDS[struc_id]
    return _follow(chain, formats) if chain.stopped is None else chain


def parse_md_body(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Parse an MQMD of either version as a ``Body``. Raises ``StructureError``."""
    record = parse_md(buffer, offset, order)
    return Body(record, record.SIZE)


def _parse_trigger(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    known = STRUC_IDS.get(bytes(buffer[offset : offset + 4]))
    return (parse_tmc2 if known is not None and known[0] in _CHARACTERS else parse_tm)(buffer, offset, order)


def _parse_xqh(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    record = XQH.codec(order).parse(buffer, offset)
    check_begin(XQH, record, offset, (1,))
    return Body(record, XQH.size)


def _parse_inner_md(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Parse the MQMD behind an XQH, which always has version 1."""
    record = MD1.codec(order).parse(buffer, offset)
    check_begin(MD1, record, offset, (1,))
    return Body(record, MD1.size)


_HIGHEST_VERSION: Final = 0xFFFF

_READERS: Final[dict[str, tuple[tuple[str, Reader], ...]]] = {
    MQFMT.XMIT_Q_HEADER: (("XQH", _parse_xqh), ("MD", _parse_inner_md)),
    MQFMT.DEAD_LETTER_HEADER: (("DLH", parse_dlh),),
    MQFMT.MD_EXTENSION: (("MDE", parse_mde),),
    MQFMT.DIST_HEADER: (("DH", parse_dh),),
    MQFMT.RF_HEADER_1: (("RFH", parse_rfh),),
    MQFMT.RF_HEADER_2: (("RFH2", parse_rfh2),),
    MQFMT.CICS: (("CIH", parse_cih),),
    MQFMT.IMS: (("IIH", parse_iih),),
    MQFMT.TRIGGER: (("TM", _parse_trigger),),
    MQFMT.WORK_INFO_HEADER: (("WIH", parse_wih),),
    MQFMT.REF_MSG_HEADER: (("RMH", parse_rmh),),
}

_CHARACTERS: Final = (StrucId.TMC, StrucId.TMC2)
_FORMATS_OF_IDS: Final[dict[StrucId, str]] = {
    StrucId.XQH: str(MQFMT.XMIT_Q_HEADER),
    StrucId.DLH: str(MQFMT.DEAD_LETTER_HEADER),
    StrucId.MDE: str(MQFMT.MD_EXTENSION),
    StrucId.DH: str(MQFMT.DIST_HEADER),
    StrucId.CIH: str(MQFMT.CICS),
    StrucId.IIH: str(MQFMT.IMS),
    StrucId.TM: str(MQFMT.TRIGGER),
    StrucId.TMC: str(MQFMT.TRIGGER),
    StrucId.TMC2: str(MQFMT.TRIGGER),
    StrucId.WIH: str(MQFMT.WORK_INFO_HEADER),
    StrucId.RMH: str(MQFMT.REF_MSG_HEADER),
}

HEADER_FORMATS: Final[frozenset[str]] = frozenset(_READERS)
"""Formats whose data starts with a header that a chain parses."""

RAW_HEADER_FORMATS: Final[frozenset[bytes]] = frozenset(
    name.ljust(8, filler).encode(codec)
    for name in HEADER_FORMATS
    for codec in ("ascii", "cp500")
    for filler in (" ", "\0")
)
"""The same names as raw Format fields: in ASCII and EBCDIC, padded with blanks or NULs."""


def _follow(chain: HeaderChain, formats: Formats) -> HeaderChain:
    while True:
        readers = _READERS.get(chain.body_format)
        plug_in = None
        if readers is None:
            plug_in = formats.header(chain.body_format)
            if plug_in is None:
                return chain
            readers = ((plug_in.name, plug_in.read_header),)
        for name, reader in readers:
            if len(chain.links) >= MAX_HEADERS:
                chain.stopped = StructureError(name, chain.body_offset, f"more than {MAX_HEADERS} headers")
                return chain
            _take(chain, name, reader, plug_in)
            if chain.stopped is not None:
                return chain


def _take(chain: HeaderChain, name: str, reader: Reader, plug_in: Format | None = None) -> None:
    """Append the header at ``body_offset``, or record why it cannot be parsed."""
    try:
        header = reader(chain.data, chain.body_offset, integer_order(chain.body_encoding))
    except (StructureError, ConversionError) as fault:
        chain.stopped = fault
        return
    record = header.record
    length = header.known + len(header.rest)
    shown = record.NAME if name == "TM" else name
    link = ChainedHeader(
        shown, chain.body_offset, length, chain.body_format, chain.body_encoding, chain.body_ccsid, header, plug_in
    )
    chain.links.append(link)
    chain.body_offset += length
    if name == "XQH":  # its descriptor follows at once
        return
    if "format" not in record.KEYS:
        chain.body_format = ""
        return
    ebcdic = _is_ebcdic(record) if plug_in is None else plug_in.is_ebcdic(record, chain.body_ccsid)
    chain.body_format = _format_name(record.format, ebcdic)
    chain.body_encoding = record.encoding
    if record.coded_char_set_id > 0:
        chain.body_ccsid = record.coded_char_set_id


def _is_ebcdic(header: Any) -> bool:
    return bool(header.struc_id[0] & 0x80)  # every letter of EBCDIC, none of ASCII


def _format_name(raw: bytes, ebcdic: bool) -> str:
    return raw.decode("cp500" if ebcdic else "latin_1").partition("\0")[0].rstrip(" ")
