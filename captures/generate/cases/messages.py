"""Cases of the rules for descriptors, lengths and headers of messages (C-4nn)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    Edit,
    both_say,
    case,
    channel,
    client,
    field,
    marked,
)
from mqbridge.captures.generate.conversation import MadeConversation
from mqbridge.protocol.constants import MQMT, ByteOrder, SegmentType
from mqbridge.protocol.structures import API, MD, MSH, RFH2, XQH, make_rfh2

_MESSAGE: Final = SegmentType.MESSAGE_DATA
_DESCRIPTOR_AT: Final = MSH.size + XQH.size
_LIMIT: Final = both_say("max_message_size", 100)
_PLAIN: Final = channel()
_LONG: Final[dict[str, Any]] = {"sizes": (80_000, 10)}
_FOLDER: Final = b"<usr><size>7</size></usr>"


def _md(key: str, value: int | bytes, *, mark: bool = True) -> Edit:
    """Change the descriptor of the second message."""
    return field(_MESSAGE, MD, key, value, at=_DESCRIPTOR_AT, nth=1, mark=mark)


def _lengths(data: Callable[[int], int], whole: Callable[[int], int]) -> Edit:
    """Change the lengths in MSH of the second message, computed from the true ones."""

    def edit(conversation: MadeConversation) -> None:
        segment = conversation.lines[conversation.find(_MESSAGE, nth=1)].segment
        true = segment.body_length - _DESCRIPTOR_AT - 324
        field(_MESSAGE, MSH, "data_length", data(true), nth=1)(conversation)
        field(_MESSAGE, MSH, "message_length", whole(true), nth=1)(conversation)

    return edit


def _with_rfh2(data: bytes) -> dict[str, Any]:
    """Return traffic of format MQHRF2."""
    return {"format": "MQHRF2", "text": data, "sizes": (0, 0)}


def _rfh2(ccsid: int = 819, folder: bytes = _FOLDER.ljust(28)) -> bytes:
    head = RFH2.codec(ByteOrder.LITTLE)(
        struc_length=RFH2.size + 4 + len(folder),
        encoding=546,
        coded_char_set_id=ccsid,
        format=b"MQSTR   ",
        name_value_ccsid=1208,
    )
    return head.build() + len(folder).to_bytes(4, "little") + folder + b"body"


def _flags(value: int) -> tuple[Edit, Edit]:
    """Set MsgFlags of a put, and of its reply, which repeats them."""
    return (
        field(SegmentType.MQPUT, MD, "msg_flags", value, at=API.size, mark=False),
        field(SegmentType.MQPUT_REPLY, MD, "msg_flags", value, at=API.size, mark=False),
    )


case("C-401", channel(_md("struc_id", b"DM  ")), _PLAIN)
case("C-402", channel(_md("version", 3)), _PLAIN)
case("C-403", channel(_md("report", 0x1000_0000)), channel(_md("report", 0x0000_0700, mark=False)))
case("C-404", channel(_md("msg_type", 3)), channel(_md("msg_type", 65_536, mark=False)))
case("C-405", channel(_md("feedback", 4_711)), channel(_md("feedback", 2_053, mark=False)))
case("C-406", channel(_md("encoding", 0x777)), channel(_md("encoding", 0x311, mark=False)))
case("C-407", channel(_md("coded_char_set_id", 54_321)), channel(_md("coded_char_set_id", -4, mark=False)))
case("C-408", channel(_md("format", bytes(range(1, 9)))), channel(_md("format", b"MINE\0\0\0\0", mark=False)))
case("C-409", channel(_md("priority", -2)), channel(_md("priority", 10, mark=False)))
case("C-410", channel(_md("persistence", 5)), channel(_md("persistence", 0, mark=False)))
case("C-411", channel(_md("put_appl_type", 77)), channel(_md("put_appl_type", 65_536, mark=False)))
case("C-412", channel(_md("put_date", b"2003xx28")), channel(_md("put_date", b" " * 8, mark=False)))
case(
    "C-413",
    channel(_md("msg_type", MQMT.REQUEST)),
    channel(_md("msg_type", MQMT.REQUEST, mark=False), _md("reply_to_q", b"REPLIES".ljust(48), mark=False)),
)
case("C-414", client(*_flags(0x800), marked(SegmentType.MQPUT)), client(*_flags(0x08)))
case("C-415", channel(_md("expiry", 0)), channel(_md("expiry", 1, mark=False)))
case("C-416", channel(_md("priority", 10)), channel(_md("priority", 9, mark=False)))
case("C-420", channel(_lengths(lambda true: true + 9, lambda true: true + 437)), _PLAIN)
case(
    "C-421",
    channel(field(_MESSAGE, MSH, "data_length", 80_001, mark=False), marked(_MESSAGE, nth=2), **_LONG),
    channel(**_LONG),
)
case("C-422", channel(_lengths(lambda true: true, lambda true: true + 427)), _PLAIN)
case(
    "C-423",
    channel(*_LIMIT, marked(_MESSAGE, nth=1), sizes=(50, 101)),
    channel(*_LIMIT, sizes=(50, 100)),
)
case("C-424", channel(field(_MESSAGE, XQH, "remote_q_name", b" " * 48, at=MSH.size, nth=1)), _PLAIN)
case(
    "C-425",
    channel(_lengths(lambda true: true - 36, lambda true: true + 392), **_with_rfh2(_rfh2())),
    channel(**_with_rfh2(_rfh2())),
)
case(
    "C-430",
    channel(marked(_MESSAGE), **_with_rfh2(b"RFH1 is not what the format says")),
    channel(**_with_rfh2(make_rfh2(ByteOrder.LITTLE, [_FOLDER]).build() + b"body")),
)
case("C-431", channel(marked(_MESSAGE), **_with_rfh2(_rfh2(ccsid=54_321))), channel(**_with_rfh2(_rfh2())))
case("C-432", channel(marked(_MESSAGE), **_with_rfh2(_rfh2(folder=_FOLDER))), channel(**_with_rfh2(_rfh2())))
