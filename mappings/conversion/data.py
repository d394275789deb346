"""Conversion of message data: the header chain, then the data behind it (mqi.md 14).

Parts may be converted and others not: what cannot be converted stays as it is, with all behind it, and the fields in
front of each part always say what that part is like.
"""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import HeaderChain, walk
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.formats import NO_FORMATS, Formats
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.text import resolve_ccsid

from .bodies import CONVERTERS
from .headers import convert_header, describe
from .plug_ins import convert_plug_in
from .text import DataEncoding, NotConvertedError


@dataclass(slots=True)
class Converted:
    """Converted data, the form of their first structure, and 0 or the reason for an incomplete conversion."""

    data: bytes
    form: DataEncoding
    reason: int = 0


def convert_data(
    format_name: str, source: DataEncoding, data: bytes, target: DataEncoding, formats: Formats = NO_FORMATS
) -> Converted:
    """Convert data of a format, MQ's own or one of ``formats``. Both CCSIDs are resolved, not special values."""
    if source == target:
        return Converted(data, source)
    chain = walk(format_name, source.encoding, source.ccsid, data, formats)
    headers: list[Body] = []
    try:
        for link in chain.links:
            here = DataEncoding(link.encoding, link.ccsid)
            headers.append(link.header if here == target else convert_header(link, target))
        rest, behind, reason = *_converted_body(chain, target, bool(headers), formats), 0
    except NotConvertedError as fault:
        if headers and headers[-1].record.NAME == "XQH":  # nothing would say what the descriptor behind it is like
            headers.pop()
        rest, behind, reason = *_left(chain, len(headers)), fault.reason
    if headers:
        for header in headers[:-1]:
            describe(header, target.ccsid, target)
        describe(headers[-1], target.ccsid, behind)
    made = b"".join((*(header.build() for header in headers), rest))
    return Converted(made, target if headers else behind, reason)


def _left(chain: HeaderChain, done: int) -> tuple[bytes, DataEncoding]:
    """Return the unconverted data behind the first headers, and their form."""
    if done == len(chain.links):
        return chain.body, DataEncoding(chain.body_encoding, chain.body_ccsid)
    link = chain.links[done]
    return bytes(chain.data[link.offset :]), DataEncoding(link.encoding, link.ccsid)


def _converted_body(
    chain: HeaderChain, target: DataEncoding, behind_headers: bool, formats: Formats
) -> tuple[bytes, DataEncoding]:
    """Return the body converted to the target; unchanged if no format is stated or nothing differs."""
    source = DataEncoding(chain.body_encoding, chain.body_ccsid)
    if chain.stopped is not None:
        wrong = MQRC.SOURCE_INTEGER_ENC_ERROR if isinstance(chain.stopped, ConversionError) else MQRC.FORMAT_ERROR
        raise NotConvertedError(wrong, str(chain.stopped))
    if source == target:
        return chain.body, target
    if not chain.body_format and (behind_headers or not chain.data):
        return chain.body, source
    plug_in = formats.body(chain.body_format)
    if plug_in is not None:
        return convert_plug_in(plug_in, chain.body, source, target), target
    convert = CONVERTERS.get(chain.body_format)
    if convert is None:
        raise NotConvertedError(MQRC.FORMAT_ERROR, f"format {chain.body_format or 'none'!r}")
    return convert(chain.body, source, target), target


def convert_message(message: Message, target: DataEncoding, default_ccsid: int, formats: Formats = NO_FORMATS) -> int:
    """Convert the data of a message and update its Encoding and CodedCharSetId.

    ``target`` is what the program asks for; a CCSID of 0 means the queue manager's, ``default_ccsid``. ``formats``:
    formats beside MQ's own. Returns 0 or the reason of a warning: 2110 to 2119, 2150, 2190; what could not be converted
    is as it was.
    """
    md = message.md
    source = DataEncoding(md.encoding, _meant(md.coded_char_set_id, default_ccsid))
    wanted = DataEncoding(target.encoding, _meant(target.ccsid, default_ccsid))
    if source == wanted:
        return 0
    converted = convert_data(md.format, source, message.data, wanted, formats)
    if converted.form != source:
        message.body = converted.data
        md.encoding = converted.form.encoding
        md.coded_char_set_id = converted.form.ccsid
    return converted.reason


def _meant(ccsid: int, default_ccsid: int) -> int:
    try:
        return resolve_ccsid(ccsid, inherited=default_ccsid, default=default_ccsid)
    except ConversionError:
        return ccsid
