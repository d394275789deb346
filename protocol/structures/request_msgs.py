"""REQMSG, the body of REQUEST_MSGS: a client's request for messages of a queue, mq-wire.md 5.11.

40 bytes; with a bit of RequestFlags also a selection part of 24 bytes and the match values that MatchOptions names.
"""

from __future__ import annotations

from typing import Any, Final

from construct import If, Struct, this

from mqbridge.protocol.constants import MQENC, MQGMO, MQMO, ByteOrder, RequestFlags
from mqbridge.protocol.fields import Numbers, part, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.request_msgs import ReqmsgBig, ReqmsgLittle, ReqmsgSelectionBig, ReqmsgSelectionLittle
from mqbridge.protocol.records import Buffer

_HAS_SELECTION: Final = int(RequestFlags.SELECTION)


def _fixed(n: Numbers) -> tuple[Any, ...]:
    return (
        n.u32("Version", "1", default=1),
        n.i32("ObjectHandle", "queue handle"),
        n.u32("ReceivedBytes", "bytes that have arrived since the request before"),
        n.u32("RequestedBytes", "room that is left for messages; 1 for one message"),
        n.i32("MaxMsgLength", "longest message wanted, -1 for any"),
        n.u32("GetMsgOptions", "options of the get", names=MQGMO),
        n.i32("WaitInterval", "milliseconds, -1 for unlimited"),
        n.u32("QueueStatus", "1 with read-ahead"),
        n.u32("RequestFlags", "what is asked for", names=RequestFlags),
        n.u32("GlobalMessageIndex", "last message that has arrived on the conversation"),
    )


def _selection(n: Numbers) -> tuple[Any, ...]:
    return (
        n.u16("SelectionIndex", "number of this selection, repeated by messages", since="flag 0x10"),
        n.u16("MQMDVersion", "version of MD wanted", since="flag 0x10", default=1),
        n.i32("CCSID", "code page wanted", since="flag 0x10"),
        n.u32("Encoding", "numbers wanted", since="flag 0x10", names=MQENC),
        n.u32("MsgSeqNumber", "match value", since="flag 0x10"),
        n.u32("Offset", "match value", since="flag 0x10"),
        n.u32("MatchOptions", "what is matched", since="flag 0x10", names=MQMO),
    )


def _match(name: str, size: int, option: MQMO) -> Any:
    return part(
        name,
        If(this.match_options & int(option), raw(name, size, "match value").subcon),
        "match value",
        kind="bytes",
        since=f"MQMO {int(option):#04x}",
    )


REQMSG = Structure("REQMSG", lambda n: Struct(*_fixed(n)), ReqmsgBig, ReqmsgLittle, spec="mq-wire.md 5.11")
"""The fixed part of every request, 40 bytes."""

REQMSG_SELECTION = Structure(
    "REQMSG",
    lambda n: Struct(*_fixed(n), *_selection(n)),
    ReqmsgSelectionBig,
    ReqmsgSelectionLittle,
    spec="mq-wire.md 5.11",
)
"""With the fixed selection part, 64 bytes."""

REQMSG_SELECTED = Structure(
    "REQMSG",
    lambda n: Struct(
        *_fixed(n),
        *_selection(n),
        _match("MsgId", 24, MQMO.MATCH_MSG_ID),
        _match("CorrelId", 24, MQMO.MATCH_CORREL_ID),
        _match("GroupId", 24, MQMO.MATCH_GROUP_ID),
        _match("MsgToken", 16, MQMO.MATCH_MSG_TOKEN),
    ),
    spec="mq-wire.md 5.11",
)
"""With the match values that MatchOptions names; those that are absent read as None."""


def parse_request_msgs(body: Buffer, order: ByteOrder) -> Any:
    """Read the body of REQUEST_MSGS: a ``Container`` with a selection, a ``Record`` without one.

    Raises ``StructureError`` when bytes are missing.
    """
    request = REQMSG.codec(order).parse(body)
    if request.request_flags & _HAS_SELECTION:
        return REQMSG_SELECTED.parse(body, 0, order)
    return request
