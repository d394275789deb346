"""Messages with and without an MQRFH2, and what they say of their destinations."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import PropertyView
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import make_rfh2


def plain_message(data: bytes = b"hello", **fields: Any) -> Message:
    return Message.build(data, **{"encoding": 546, "coded_char_set_id": 819, "format": "MQSTR"} | fields)


def jms_message(*, dst: str | None = None, rto: str | None = None, data: bytes = b"hello", **fields: Any) -> Message:
    """A text message as IBM's JMS client writes it, with these URIs."""
    uris = "".join(
        f"<{name}>{escape(text)}</{name}>" for name, text in (("Dst", dst), ("Rto", rto)) if text is not None
    )
    folders = ["<mcd><Msd>jms_text</Msd></mcd>", f"<jms>{uris}<Tms>1700000000000</Tms><Dlv>2</Dlv></jms>"]
    padded = [text.encode() + b" " * (-len(text.encode()) % 4) for text in folders]
    header = make_rfh2(ByteOrder.LITTLE, padded, encoding=546, coded_char_set_id=1208, format=b"MQSTR   ").build()
    wanted = {"encoding": 546, "coded_char_set_id": 1208, "format": "MQHRF2"} | fields
    return Message.build(header + data, **wanted)


def destinations_in(message: Message) -> tuple[object, object, str, str]:
    """Dst, Rto, ReplyToQ, ReplyToQMgr."""
    view = PropertyView.of(message)
    return view.get("jms.Dst"), view.get("jms.Rto"), message.md.reply_to_q, message.md.reply_to_q_mgr
