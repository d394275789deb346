"""Messages whose trees tests read: an XML order behind an MQRFH2, and others of the same making."""

from __future__ import annotations

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import make_rfh, make_rfh2

ORDER = b'<Order id="7"><Item><Price>1</Price></Item><Item><Price cur="EUR">2.5</Price></Item></Order>'
USER = "<usr><colour>blue</colour><n dt='i4'>5</n></usr>"


def with_rfh2(
    body: bytes = ORDER, *folders: str, format: str = "", encoding: int = 546, ccsid: int = 1208, **fields: object
) -> Message:
    """A message with one MQRFH2, little-endian in UTF-8, that says ``format``, ``encoding``, ``ccsid`` of the body."""
    header = make_rfh2(
        ByteOrder.LITTLE,
        [folder.encode() for folder in folders],
        format=format.encode().ljust(8),
        encoding=encoding,
        coded_char_set_id=ccsid,
    )
    values = {"format": "MQHRF2", "encoding": 546, "coded_char_set_id": 1208, **fields}
    return Message.build(header.build() + body, **values)


def order(body: bytes = ORDER, domain: str = "XMLNSC") -> Message:
    """An order with user properties, of a domain that folder ``mcd`` names."""
    return with_rfh2(body, f"<mcd><Msd>{domain}</Msd></mcd>", USER)


def with_rfh(body: bytes, text: str, format: str = "") -> Message:
    """A message with one MQRFH of version 1."""
    header = make_rfh(
        ByteOrder.LITTLE,
        text.encode().ljust(-len(text) % 4 + len(text)),
        format=format.encode().ljust(8),
        encoding=546,
        coded_char_set_id=1208,
    )
    return Message.build(header.build() + body, format="MQHRF", encoding=546, coded_char_set_id=1208)


def bare(body: bytes, **fields: object) -> Message:
    """A message without headers."""
    return Message.build(body, **{"format": "MQSTR", "encoding": 546, "coded_char_set_id": 1208, **fields})
