"""Gets of a client whose connection is shared: REQUEST_MSGS and what it brings (client-observed.md 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQMO, MQRC, NotificationCode, RequestFlags, SegmentType
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import ASYNC, ASYNC_MORE, NOTIF, REQMSG_SELECTION, async_name_size
from mqbridge.protocol.structures.md import parse_md
from support.wire.calls import LAST, MD_VERSION, ORDER, STREAM_REQUEST, WHOLE, Exchange, Place, Taken, WireCalls

ANSWERED = 0x31
CHECK_REQUEST = 3
CHECK = int(RequestFlags.CHECK | RequestFlags.SINGLE | RequestFlags.WAITING | RequestFlags.SELECTION)
WAITING = int(RequestFlags.WAITING | RequestFlags.SELECTION)
_MATCHED = (
    (MQMO.MATCH_MSG_ID, "msg_id"), (MQMO.MATCH_CORREL_ID, "correl_id"), (MQMO.MATCH_GROUP_ID, "group_id"),
    (MQMO.MATCH_MSG_TOKEN, "msg_token"),
)  # fmt: skip
WITHOUT_MESSAGE = frozenset({0, int(MQRC.NO_MSG_LOCKED)})
"""What a call may end with well though it gives no message."""
_REASONS = {NotificationCode.GET_INHIBITED: MQRC.GET_INHIBITED, NotificationCode.QM_QUIESCING: MQRC.Q_MGR_QUIESCING}


@dataclass(slots=True)
class WireStreams(WireCalls):
    """A program whose messages stream to it."""

    def streamed(self, handle: int, options: int, match: int, length: int, fields: dict[str, Any]) -> Exchange[Taken]:
        """One message by a check: perhaps ASYNC_MESSAGE, then NOTIFICATION. Raises 2033."""
        came = yield self._request(handle, options, match, length, fields, CHECK)
        message: Taken | None = None
        while True:
            came = yield from self.of_type(came, SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION)
            if came.type == SegmentType.ASYNC_MESSAGE:
                message = yield from self._message(came, self.places[handle])
            elif self._told(came, handle) == NotificationCode.CHECK_MSG:
                break
            came = yield b""
        if message is None:
            raise MQError(MQRC.NO_MSG_AVAILABLE)
        return checked(message)

    def awaited(self, handle: int, options: int) -> Exchange[Taken]:
        """A message whenever it comes: the client has the clock. Raises what the queue manager says instead."""
        came = yield self._request(handle, options, 0, 1 << 20, {}, WAITING)
        while True:
            came = yield from self.of_type(came, SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION)
            if came.type == SegmentType.ASYNC_MESSAGE:
                return checked((yield from self._message(came, self.places[handle])))
            self._told(came, handle)
            came = yield b""

    def _request(self, handle: int, options: int, match: int, length: int, fields: dict[str, Any], flags: int) -> bytes:
        place = self.places.setdefault(handle, Place())
        place.selection = place.selection % 0xFFFF + 1
        values = {name: fields.pop(name, bytes(16 if name == "msg_token" else 24)) for _, name in _MATCHED}
        request = REQMSG_SELECTION.codec(ORDER)(
            object_handle=handle, received_bytes=0, requested_bytes=1, max_msg_length=length, get_msg_options=options,
            wait_interval=0, request_flags=flags, global_message_index=self.global_index,
            selection_index=place.selection, mqmd_version=MD_VERSION, match_options=match, **fields,
        )  # fmt: skip
        chosen = b"".join(values[name] for bit, name in _MATCHED if match & bit)
        checks = flags & RequestFlags.CHECK
        return self.segment(
            SegmentType.REQUEST_MSGS,
            request.build(),
            chosen,
            flags=ANSWERED if checks else WHOLE,
            request=CHECK_REQUEST if checks else STREAM_REQUEST,
        )

    @staticmethod
    def _told(came: Segment, handle: int) -> int | None:
        """The code of a notification about a handle; raises the reason that it stands for."""
        told = NOTIF.codec(came.order).parse(came.body)
        if told.object_handle not in (handle, -1):
            return None
        if told.code in _REASONS:
            raise MQError(_REASONS[told.code])
        return int(told.code)

    def _message(self, came: Segment, place: Place) -> Exchange[Taken]:
        body, order = came.body, came.order
        head = ASYNC.codec(order).parse(body)
        at = ASYNC.size + async_name_size(head.resolved_q_name_length)
        md = parse_md(body, at, order)
        at += md.SIZE
        data = body[at : at + head.segment_length]
        while not came.flags1 & LAST:
            came = yield b""
            more = ASYNC_MORE.codec(order).parse(came.body)
            data += came.body[ASYNC_MORE.size : ASYNC_MORE.size + more.segment_length]
        place.index, self.global_index = head.message_index, head.global_message_index
        return Taken(data, md, head.actual_msg_length, head.reason_code, head.msg_token)


def checked(message: Taken) -> Taken:
    """Raises the reason that came without a message (client-observed.md O-089)."""
    if not any(message.token) and message.reason not in WITHOUT_MESSAGE:
        raise MQError(message.reason)
    return message
