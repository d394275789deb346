"""SPI calls: verbs that clients use besides the public calls (mq-wire.md 5.12, client-observed.md 6).

The machine answers QUERY; OPEN, PUT and SUBSCRIBE become the corresponding public calls, RESERVE and NOTIFY calls of
their own; other verbs are refused with FUNCTION_NOT_SUPPORTED.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.protocol.constants import ByteOrder, SpiVerb
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import API, SPI, parse_od
from mqbridge.protocol.structures.lpoo import parse_lpoo
from mqbridge.protocol.structures.sd import parse_sd
from mqbridge.protocol.structures.spi_base import SPBU, SPI_BASE_SIZE, SPNU, SPOI, SPOU, SPQI, SPQU, SPRU, parse_spi
from mqbridge.protocol.structures.spi_notify import SPNI
from mqbridge.protocol.structures.spi_reserve import SPRI
from mqbridge.protocol.structures.spi_subscribe import LSD, SPBI, parse_lsd

from .calls import Call, CallHead, Notify, Open, Subscribe
from .message_calls import Put, Reserve
from .message_heads import read_spi_put_head
from .reading import ASYNC_RESPONSE, take_data

_AT: Final = API.size + SPI.size


def verb_of(body: memoryview, order: ByteOrder) -> tuple[int, int, bytes]:
    """Return verb, version and raw header of an SPI call. Raises ``StructureError``."""
    header = SPI.codec(order).parse(body, API.size)
    return header.verb, header.version, bytes(body[API.size : _AT])


def read_spi(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call | None:
    """Parse the call of an SPI segment; None for a query. Raises ``StructureError``."""
    order = head.order
    verb, version, header = verb_of(body, order)
    if verb == SpiVerb.PUT:
        return _put(head, body, more, header)
    if more:
        body = memoryview(b"".join((body, *more)))
    if verb == SpiVerb.QUERY:
        parse_spi(SPQU, body, _AT, order)
        parse_spi(SPQI, body, _AT + SPI_BASE_SIZE, order)
        return None
    if verb == SpiVerb.OPEN:
        return _open(head, body, header, version)
    if verb == SpiVerb.SUBSCRIBE:
        return _subscribe(head, body, header)
    if verb == SpiVerb.RESERVE:
        parse_spi(SPRU, body, _AT, order)
        wanted = parse_spi(SPRI, body, _AT + SPI_BASE_SIZE, order)
        return Reserve(head, wanted.count, wanted.tag_length, header)
    if verb == SpiVerb.NOTIFY:
        parse_spi(SPNU, body, _AT, order)
        notify = parse_spi(SPNI, body, _AT + SPI_BASE_SIZE, order)
        return Notify(head, notify.connection_id, notify.reason, header)
    raise StructureError("verb", API.size, f"{verb} is not known")


def _open(head: CallHead, body: memoryview, header: bytes, version: int) -> Call:
    order = head.order
    parse_spi(SPOU, body, _AT, order)
    at = _AT + SPI_BASE_SIZE
    parse_spi(SPOI, body, at, order)
    at += SPI_BASE_SIZE
    attributes = parse_lpoo(body, at, order)
    od = parse_od(body, at + attributes.known, order)
    options = attributes.record.open_options
    return Open(head, od, options, attributes, spi=header, spi_version=version)


def _put(head: CallHead, body: memoryview, more: Sequence[bytes], header: bytes) -> Call:
    descriptor, options, at, length, delay = read_spi_put_head(body, head.order)
    data, wanted = take_data(body, at, length, more), not options.record.options & ASYNC_RESPONSE
    return Put(head, descriptor, options, data, length, wanted=wanted, delay=delay, spi=header)


def _subscribe(head: CallHead, body: memoryview, header: bytes) -> Call:
    order = head.order
    parse_spi(SPBU, body, _AT, order)
    at = _AT + SPI_BASE_SIZE
    handles = parse_spi(SPBI, body, at, order)
    at += SPBI.size
    local = parse_lsd(body, at, order)
    sd = parse_sd(body, at + LSD.size, order)
    return Subscribe(head, sd, handles.subscription_handle, local=local, spi=header)
