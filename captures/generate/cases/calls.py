"""Cases of the rules for calls of clients, their replies, handles and deliveries (C-5nn)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    CALLER,
    FLAGS_1,
    FLAGS_2,
    Edit,
    answered,
    both_say,
    case,
    client,
    field,
    header,
    marked,
    resized,
)
from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.protocol.constants import MQRC, ByteOrder, ControlFlags1, SegmentType, XAReturn
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.mqi import Inquire, Open, Put
from mqbridge.protocol.segment import HEADER_SIZES
from mqbridge.protocol.structures import API, MD, REQMSG, TSH, XA, make_xid

_INQ: Final = SegmentType.MQINQ
_INQ_REPLY: Final = SegmentType.MQINQ_REPLY
_PUT: Final = SegmentType.MQPUT
_PUT_REPLY: Final = SegmentType.MQPUT_REPLY
_STREAM: Final = SegmentType.ASYNC_MESSAGE
_FIRST: Final = bytes((ControlFlags1.FIRST,))
_INQUIRING: Final[dict[str, Any]] = {"inquiries": 2}
_GETTING: Final[dict[str, Any]] = {"gets": 2}
_LONG: Final[dict[str, Any]] = {"puts": (80_000,)}
_LIMIT: Final = both_say("max_message_size", 100)
_PLAIN: Final = client()


def like(data: bytes, kind: int, body: bytes = b"", *, flags: int = 0x30) -> bytes:
    """Return a segment of the same conversation with another type and body."""
    out = bytearray(resized(data, body))
    more = HEADER_SIZES[data[:4]] - TSH.size
    out[9 + more], out[10 + more] = kind, flags
    return bytes(out)


def said(behind: int, direction: Direction, kind: int, body: bytes, *, nth: int = 0, mark: bool = True) -> Edit:
    """Insert a segment behind another one."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(behind, nth=nth)
        data = like(conversation.lines[place].data, kind, body)
        conversation.insert(place + 1, direction, data, mark=mark)

    return edit


def _without_reply(end: End) -> Edit:
    """End the connection with the first put."""

    def edit(conversation: MadeConversation) -> None:
        conversation.stop_after(conversation.find(_PUT), end).mark_end()

    return edit


def _early_open(conversation: MadeConversation) -> None:
    """Send MQOPEN before MQCONN."""
    data = conversation.lines[conversation.find(SegmentType.MQOPEN)].data
    conversation.insert(conversation.find(SegmentType.MQCONN), CALLER, data)


def _again(behind: int) -> Edit:
    """Repeat the last delivery behind a later segment."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(_STREAM, nth=-1)
        data = conversation.lines[place].data
        conversation.insert(conversation.find(behind, nth=-1) + 1, CALLED, data)

    return edit


def _xa(value: XAReturn) -> tuple[Edit, Edit]:
    """Commit a branch, with this outcome."""
    xid = make_xid(ByteOrder.LITTLE, 1, b"global", b"branch").build()

    def body(outcome: int) -> bytes:
        return (
            XA.codec(ByteOrder.LITTLE)(length=TSH.size + XA.size + len(xid), return_value=outcome, rm_id=1).build()
            + xid
        )

    ask = said(SegmentType.MQOPEN_REPLY, CALLER, SegmentType.XA_COMMIT, body(0), mark=False)
    reply = said(SegmentType.XA_COMMIT, CALLED, SegmentType.XA_COMMIT_REPLY, body(int(value)), mark=value < 0)
    return ask, reply


def _wanted(longest: int, *, mark: bool) -> tuple[Edit, ...]:
    """The client wants no messages longer than that."""
    edits: tuple[Edit, ...] = (field(SegmentType.REQUEST_MSGS, REQMSG, "max_msg_length", longest, mark=False),)
    return (*edits, marked(_STREAM)) if mark else edits


def _warning(reason: int) -> tuple[Edit, Edit]:
    return (
        field(_INQ_REPLY, API, "comp_code", 1, nth=1),
        field(_INQ_REPLY, API, "reason", reason, nth=1),
    )


case("C-501", client(field(_PUT, MD, "struc_id", b"XX  ", at=API.size)), _PLAIN)
case("C-502", client(header(_INQ_REPLY, 9, bytes((_PUT_REPLY,))), **_INQUIRING), client(**_INQUIRING))
case("C-503", client(said(_INQ, CALLER, SegmentType.MQCMIT, bytes(16)), **_INQUIRING), client(**_INQUIRING))
case("C-504", client(_early_open), _PLAIN)
case("C-505", client(header(_PUT, FLAGS_1, _FIRST, nth=1), **_LONG), client(**_LONG))
case("C-506", client(_without_reply(End.CLOSED)), client(_without_reply(End.OPEN)))
case("C-507", client(_without_reply(End.OPEN)), client(_without_reply(End.CLOSED)))
case("C-508", client(field(_INQ_REPLY, API, "reply_length", 400), **_INQUIRING), client(**_INQUIRING))
case("C-509", client(field(_PUT, API, "reply_length", 400, mark=False), marked(_PUT_REPLY)), _PLAIN)
case(
    "C-510",
    client(marked(SegmentType.MQOPEN_REPLY), refuse={Open: MQRC.UNKNOWN_OBJECT_NAME}),
    client(gets=1, empty_gets=1),
)
case(
    "C-511",
    client(marked(_INQ_REPLY), inquiries=1, refuse={Inquire: MQRC.NOT_OPEN_FOR_INQUIRE}),
    client(inquiries=1, refuse={Inquire: MQRC.OBJECT_CHANGED}),
)
case(
    "C-512",
    client(marked(_PUT_REPLY), refuse={Put: MQRC.Q_FULL}),
    client(refuse={Put: MQRC.UNKNOWN_OBJECT_NAME}),
)
case("C-513", client(*_warning(MQRC.NOT_CONVERTED), **_INQUIRING), client(**_INQUIRING))
case("C-514", client(*_xa(XAReturn.NOTA)), client(*_xa(XAReturn(0))))
case(
    "C-520",
    client(field(_INQ, API, "object_handle", 99, mark=False), marked(_INQ_REPLY), **_INQUIRING),
    client(**_INQUIRING),
)
case("C-521", client(_again(SegmentType.MQCLOSE_REPLY), **_GETTING), client(**_GETTING))
case("C-522", client(_again(SegmentType.NOTIFICATION), **_GETTING), client(**_GETTING))
case(
    "C-523",
    client(*_wanted(50, mark=True), puts=(100,), gets=1),
    client(*_wanted(100, mark=False), puts=(100,), gets=1),
)
case(
    "C-530",
    client(answered("conv_per_socket", 20), marked(SegmentType.INITIAL_DATA, direction=CALLED)),
    client(client={"shared_conversations": 5}),
)
case("C-531", client(answered("max_transmission_size", 4_096)), _PLAIN)
case(
    "C-532",
    client(*_LIMIT, marked(_PUT, nth=1), puts=(50, 101)),
    client(*_LIMIT, puts=(50, 100)),
)
case("C-533", client(header(_PUT, FLAGS_2, b"\x02")), _PLAIN)
case("C-534", client(answered("heartbeat_interval", 60)), client(answered("heartbeat_interval", 0, mark=False)))
