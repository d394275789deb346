"""Dissection of messages: descriptor, headers and body (mq-wire.md 5.7, 5.15 and 5.16).

Nothing raises on bad input: at a malformed header the headers end with an error, and the rest is the body.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from mqbridge.protocol.chain import HeaderChain, walk, walk_unknown
from mqbridge.protocol.constants import MQFMT, STRUC_IDS, ByteOrder
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import integer_order, order_of
from mqbridge.protocol.text import decode_text

from .findings import Findings
from .headers import PCF_FORMATS, show_link, show_pcf, show_stopped
from .plug_ins import show_plug_in
from .shown import Shown, readable_ccsid

DEFAULT_CCSID: Final = 1208
"""CCSID of a message that states none."""


def begins_message(data: bytes) -> bool:
    """Return whether bytes begin with a descriptor, or with a header that can begin a chain."""
    chain = walk_unknown(data)
    return bool(chain.links) or chain.stopped is not None or data[:4] in STRUC_IDS


def dissect_message(
    data: bytes,
    findings: Findings,
    *,
    ccsid: int | None = None,
    encoding: int | None = None,
    message_format: str | None = None,
) -> Shown:
    """Dissect a message that begins with its descriptor or a header: ``{"structures": […], "body": {…}}``.

    ``ccsid``, ``encoding``, ``message_format``: values of a missing descriptor. Without a format the first structure is
    recognised by its identifier.
    """
    if message_format is not None:
        chain = walk(message_format, encoding or ByteOrder.BIG.encoding, ccsid or DEFAULT_CCSID, data, findings.formats)
    else:
        chain = walk_unknown(data, findings.formats)
        if ccsid is not None and not chain.links:
            chain.body_ccsid = ccsid
        if not chain.links and chain.stopped is None:
            chain.body_ccsid = ccsid or DEFAULT_CCSID
            chain.body_encoding = encoding or ByteOrder.BIG.encoding
    structures, body = show_chain(chain, findings, base=0)
    return {"structures": structures, "body": body}


def dissect_data(
    data: bytes, message_format: str, encoding: int, ccsid: int, findings: Findings, *, base: int
) -> tuple[list[Shown], dict[str, Any]]:
    """Dissect message data with a known descriptor: return headers and body. ``base`` is added to offsets."""
    return show_chain(walk(message_format, encoding, ccsid, data, findings.formats), findings, base=base)


def show_chain(chain: HeaderChain, findings: Findings, *, base: int) -> tuple[list[Shown], dict[str, Any]]:
    """Return the headers of a chain, including PCF and data of a format in ``findings.formats``, and the body."""
    data = bytes(chain.data)
    structures = [show_link(link, base, findings) for link in chain.links]
    start = chain.body_offset
    body_format = chain.body_format
    if chain.stopped is not None:
        cut = show_stopped(chain, base, findings)
        if cut is not None:
            structures.append(cut)
            start += cut["length"]
    elif chain.body_format in PCF_FORMATS and start < len(data):
        try:
            order = integer_order(chain.body_encoding)
        except ConversionError as error:
            findings.error(base + start, str(error))
        else:
            found = show_pcf(data, start, order, readable_ccsid(chain.body_ccsid), base, findings)
            structures += found
            start += sum(shown["length"] for shown in found)
            body_format = ""
    elif start < len(data) and (plug_in := findings.formats.body(chain.body_format)) is not None:
        errors = len(findings.errors)
        shown = show_plug_in(plug_in, data[start:], chain.body_encoding, chain.body_ccsid, base + start, findings)
        if shown is not None:
            structures.append(shown)
            start += shown["length"]
            if start < len(data) and len(findings.errors) == errors:
                findings.error(base + start, f"{len(data) - start} bytes follow {shown['structure']}")
            body_format = ""
    return structures, _body(data[start:], base + start, body_format, chain)


def _body(data: bytes, offset: int, body_format: str, chain: HeaderChain) -> dict[str, Any]:
    body: dict[str, Any] = {
        "offset": offset,
        "length": len(data),
        "format": body_format,
        "ccsid": chain.body_ccsid,
    }
    if body_format == MQFMT.STRING:
        order = order_of(chain.body_encoding) or ByteOrder.BIG
        with suppress(ConversionError):
            body["text"] = decode_text(data, chain.body_ccsid, order=order)
    body["hex"] = data.hex()
    return body
