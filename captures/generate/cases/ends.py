"""Cases of the rules for heartbeats, statuses and ends of message channels (C-300 to C-349)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    CALLER,
    Edit,
    both,
    case,
    channel,
    delayed,
    insert,
    marked,
    removed,
)
from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.structures import status_data

_ID: Final = SegmentType.INITIAL_DATA
_MESSAGE: Final = SegmentType.MESSAGE_DATA
_STATUS: Final = SegmentType.STATUS_DATA
_HEARTBEAT: Final = SegmentType.HEARTBEAT
_PING: Final = SegmentType.PING_DATA
_ERROR: Final = 0x0A
_QUIET: Final[dict[str, Any]] = {"quiet": 700.0}
_PLAIN: Final = channel()


def _error(code: int, value: int | None = None) -> Edit:
    """Let the receiving end send an error in place of its confirmation, and close."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(_STATUS, CALLED)
        removed(_STATUS, direction=CALLED)(conversation)
        insert(_STATUS, CALLED, _STATUS, status_data(ByteOrder.LITTLE, code, value).build(), flags=_ERROR)(conversation)
        conversation.stop_after(place, End.CLOSED, CALLED)

    return edit


def _ends(kind: int, direction: object, nth: int, end: End, *, mark: bool = False) -> Edit:
    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(kind, CALLER if direction is CALLER else CALLED, nth)
        conversation.stop_after(place, end)
        conversation.end_marked = mark

    return edit


def _heartbeat_of_receiver(conversation: MadeConversation) -> None:
    insert(_STATUS, CALLED, _HEARTBEAT, flags=1, of=CALLED)(conversation)
    insert(_HEARTBEAT, CALLER, _HEARTBEAT, of=CALLED, mark=False)(conversation)


def _two_heartbeats(conversation: MadeConversation) -> None:
    removed(_HEARTBEAT, direction=CALLED)(conversation)
    marked(_HEARTBEAT, direction=CALLER, nth=1)(conversation)


def _unanswered(end: End) -> Edit:
    """End the connection 70 seconds after a heartbeat, without an answer."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(_HEARTBEAT, CALLER)
        conversation.stop_after(place, end)
        conversation.ended += 70.0
        conversation.end_marked = True

    return edit


def _changed_ping(conversation: MadeConversation) -> None:
    place = conversation.find(_PING, CALLED)
    conversation.patch(place, -1, b"!")


case("C-301", channel(delayed(_HEARTBEAT, 30.0), **_QUIET), channel(**_QUIET))
case("C-302", channel(delayed(_HEARTBEAT, 100.0), **_QUIET), channel(delayed(_HEARTBEAT, 30.0), **_QUIET))
case("C-303", channel(_unanswered(End.CLOSED), **_QUIET), channel(_unanswered(End.OPEN), **_QUIET))
case(
    "C-304",
    channel(delayed(_HEARTBEAT, 400.0, direction=CALLED), **_QUIET),
    channel(delayed(_HEARTBEAT, 300.0, direction=CALLED), **_QUIET),
)
case("C-305", channel(_heartbeat_of_receiver), channel(**_QUIET))
case("C-306", channel(_two_heartbeats, **_QUIET), channel(**_QUIET))
case(
    "C-307",
    channel(_error(StatusCode.MSG_SEQUENCE_ERROR, 8)),
    channel(_error(StatusCode.USER_CLOSED)),
)
case(
    "C-308",
    channel(marked(_STATUS, direction=CALLED), refused=StatusCode.NO_CHANNEL),
    channel(_error(StatusCode.NO_CHANNEL)),
)
case("C-309", channel(_error(0x77)), channel(_error(StatusCode.STANDBY_Q_MGR)))
case("C-310", channel(_error(StatusCode.USER_CLOSED)), channel(_error(StatusCode.MSG_SEQUENCE_ERROR, 8)))
case("C-311", channel(_ends(_STATUS, CALLED, 0, End.CLOSED, mark=True)), _PLAIN)
case(
    "C-312",
    channel(_ends(_STATUS, CALLED, 0, End.RESET, mark=True)),
    both(_PLAIN, channel(_ends(_STATUS, CALLER, -1, End.RESET))),
)
case("C-313", channel(insert(_STATUS, CALLER, _STATUS, flags=8, of=CALLER, nth=-1)), _PLAIN)
case("C-314", channel(marked(_HEARTBEAT, direction=CALLED), stopped=True, quiet=400.0), _PLAIN)
case("C-315", channel(_changed_ping, ping=b"p" * 64), channel(ping=b"p" * 64))
