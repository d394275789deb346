"""The bodies of SPI replies behind the API header: the header of the call, SPxU, SPxO (mq-wire.md 5.12)."""

from __future__ import annotations

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.layouts.spi_subscribe import Lsd
from mqbridge.protocol.structures import Body
from mqbridge.protocol.structures.spi_base import SPBU, SPI_BASE_SIZE, SPNO, SPNU, SPOO, SPOU, SPPO, SPPU, SPQU, SPRU
from mqbridge.protocol.structures.spi_query import make_spqo
from mqbridge.protocol.structures.spi_reserve import SPRO
from mqbridge.protocol.structures.spi_subscribe import SPBO


def query_reply(header: bytes, order: ByteOrder) -> bytes:
    """Return the table of supported verbs, indexed by verb."""
    verbs = [(0, 0, 0, 0, 0)] * inferred.SPI_VERB_PLACES
    for verb, in_out, into, out in inferred.SPI_VERBS:
        verbs[verb - 1] = (verb, in_out, into, out, 1)
    return header + SPQU.codec(order)().build() + make_spqo(order, verbs).build()


def open_reply(header: bytes, order: ByteOrder, attributes: Body, od: Body) -> bytes:
    """Return SPOU, SPOO with LPOO, and OD, without extra data. SPOO has the version of the call, known from the
    LPOO."""
    version = 1
    if attributes.has("extra_length"):
        version = 2
        attributes.record.extra_offset = attributes.record.extra_length = 0
    described = attributes.build() + od.build()
    base = SPOO.codec(order)(version=version, length=SPI_BASE_SIZE + len(described))
    return b"".join((header, SPOU.codec(order)().build(), base.build(), described))


def put_reply(header: bytes, order: ByteOrder, descriptor: bytes, options: Body) -> bytes:
    """Return SPPU with MD and PMO, and SPPO."""
    described = descriptor + options.build()
    base = SPPU.codec(order)(length=SPI_BASE_SIZE + len(described))
    return b"".join((header, base.build(), described, SPPO.codec(order)().build()))


def subscribe_reply(header: bytes, order: ByteOrder, subscription: int, local: Lsd, sd: Body) -> bytes:
    """Return SPBU, and SPBO with subscription handle, LSD and SD."""
    described = local.build() + sd.build()
    base = SPBO.codec(order)(length=SPBO.size + len(described), subscription_handle=subscription)
    return b"".join((header, SPBU.codec(order)().build(), base.build(), described))


def reserve_reply(header: bytes, order: ByteOrder, count: int, position: int, first: bytes) -> bytes:
    """Return SPRU and SPRO."""
    granted = SPRO.codec(order)(count=count, increment_position=position, first_id=first)
    return header + SPRU.codec(order)().build() + granted.build()


def notify_reply(header: bytes, order: ByteOrder) -> bytes:
    """Return SPNU and SPNO."""
    return header + SPNU.codec(order)().build() + SPNO.codec(order)().build()
