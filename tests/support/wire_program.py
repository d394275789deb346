"""A program of a client as bytes, without sockets: calls are generators that give what to send and take what came.

::

    outcome = transport.perform(program.put(handle, b"data", MQPMO.SYNCPOINT))

A generator yields the bytes to send (none to go on listening) and is sent the next segment. Unshared (``SHARECNV`` 0)
a get is MQGET; shared it is REQUEST_MSGS and what that brings, as IBM's client has it (client-observed.md 5). A call
that fails raises `MQError` with the reason that came.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from attrs import define, field
from client_playbook import CHANNEL, initial_data

from bridge.queue_manager import MQError
from protocol.constants import MQGMO, MQMO, MQRC, NotificationCode, RequestFlags, SegmentType
from protocol.framing import Segment, SegmentWriter
from protocol.structures import (
    API,
    ASYNC,
    ASYNC_MORE,
    CONN,
    NOTIF,
    REQMSG_SELECTION,
    SOCKET,
    XA,
    async_name_size,
    make_gmo,
    make_od,
    make_xid,
    parse_gmo,
    parse_initial_data,
    parse_od,
    parse_xid,
)
from protocol.structures.md import MD, parse_md
from protocol.structures.pmo import make_pmo

T = TypeVar("T")
Exchange = Generator[bytes, Segment, T]

ORDER = "little"
WRITER = SegmentWriter(ORDER, 819)
WORD = 4
WHOLE, FIRST, LAST = 0x30, 0x10, 0x20
ANSWERED = 0x31
ROOM = 1 << 20
CHECK_REQUEST, STREAM_REQUEST = 3, 1
CHECK = int(RequestFlags.CHECK | RequestFlags.SINGLE | RequestFlags.WAITING | RequestFlags.SELECTION)
WAIT = int(RequestFlags.WAITING | RequestFlags.SELECTION)
NO_HANDLE = -1
MD_VERSION = 2
ADOPTED = (
    "fap_level", "cap_flags1", "cap_flags2", "cap_flags3", "max_transmission_size", "max_message_size",
    "heartbeat_interval", "conv_per_socket",
)  # fmt: skip
"""What a client takes over from the first answer (client-observed O-002)."""
_MATCHED = (
    (MQMO.MATCH_MSG_ID, "msg_id"), (MQMO.MATCH_CORREL_ID, "correl_id"), (MQMO.MATCH_GROUP_ID, "group_id"),
    (MQMO.MATCH_MSG_TOKEN, "msg_token"),
)  # fmt: skip


class Gone(Exception):
    """The queue manager has ended the connection, or it broke."""


@define
class Answer:
    """A reply: what stands behind its API header."""

    handle: int
    reason: int
    body: bytes


@define
class Taken:
    """A message that was got. ``length``: of the whole message; ``reason``: 0 or a warning."""

    data: bytes
    md: Any
    length: int
    reason: int = 0
    token: bytes = b""
    statuses: str = ""
    """GroupStatus and SegmentStatus; only MQGET tells them."""


@define
class _Place:
    """Where the delivery of a handle stands."""

    selection: int = 0
    index: int = 0


@define
class WireProgram:
    """One connection with one conversation; ``shared``: conversations that the client wants on it."""

    shared: int = 0
    queue_manager: str = ""
    channel: str = CHANNEL
    application: str = "wire program"
    conversation: int = 0
    _global_index: int = 0
    _places: dict[int, _Place] = field(factory=dict)

    # Segments

    def _segment(self, kind: int, *body: bytes, flags: int = WHOLE, request: int = STREAM_REQUEST) -> bytes:
        if self.conversation:
            return WRITER.build_shared(self.conversation, request, kind, *body, flags1=flags)
        return WRITER.build(kind, *body, flags1=flags)

    def _call(self, kind: SegmentType, *body: bytes, handle: int = 0, comp_code: int = 0) -> Exchange[Answer]:
        """Makes a call. Raises `MQError` with its reason when it failed."""
        api = API.codec(ORDER)(reply_length=ROOM, object_handle=handle, comp_code=comp_code)
        came = yield self._segment(kind, api.build(), *body)
        came = yield from self._of_type(came, kind + 0x10)
        header = API.codec(came.order).parse(came.body)
        body_pieces = [came.body[API.size :]]
        while not came.flags1 & LAST:
            came = yield from self._of_type((yield b""), kind + 0x10)
            body_pieces.append(came.body)
        if header.comp_code > 1:
            raise MQError(header.reason)
        return Answer(header.object_handle, header.reason, b"".join(body_pieces))

    def _of_type(self, came: Segment, *kinds: int) -> Exchange[Segment]:
        """The next segment of a type; heartbeats are answered on the way."""
        while came.type not in kinds:
            if came.type == SegmentType.HEARTBEAT:
                came = yield (WRITER.build_common if self.conversation else WRITER.build)(
                    SegmentType.HEARTBEAT, flags1=WHOLE
                )
            elif came.type == SegmentType.STATUS_DATA:
                raise Gone(came.body.hex())
            elif came.type in (SegmentType.NOTIFICATION, SegmentType.ASYNC_MESSAGE):
                came = yield b""
            else:
                raise AssertionError(f"{SegmentType(came.type)} instead of {[SegmentType(kind) for kind in kinds]}")
        return came

    # The connection

    def connect(self) -> Exchange[None]:
        """Agrees with the channel and connects to the queue manager."""
        values: dict[str, Any] = {"conv_per_socket": self.shared, "channel_name": self.channel, "q_mgr_name": ""}
        came = yield initial_data(**values)
        conversation = None
        while True:
            if came.type != SegmentType.INITIAL_DATA:
                raise Gone(came.body.hex())
            told = parse_initial_data(came.body, came.order).record
            agreed = not came.flags1 & 0x02
            values |= {key: getattr(told, key) for key in ADOPTED}
            if told.fap_level >= 9 and told.conv_per_socket > 0:
                conversation = 1
            if agreed:
                break
            came = yield initial_data(conversation=conversation, **values)
        self.conversation = conversation or 0
        body = CONN.codec(ORDER)(
            q_mgr_name=self.queue_manager.ljust(48).encode(), appl_name=self.application.ljust(28).encode()
        )
        yield from self._call(SegmentType.MQCONN, body.build())

    def disconnect(self) -> Exchange[int]:
        """MQDISC; its warning. Then the connection is to be ended with `goodbye`."""
        return (yield from self._call(SegmentType.MQDISC)).reason

    def goodbye(self) -> bytes:
        """What a client says last."""
        if not self.conversation:
            return self._segment(SegmentType.STATUS_DATA, flags=0x38)
        body = SOCKET.codec(ORDER)(conversation_id=self.conversation, type=2).build()
        return WRITER.build_common(SegmentType.SOCKET_ACTION, body, flags1=WHOLE)

    # Objects

    def open(self, name: str, options: int, **values: Any) -> Exchange[int]:
        """MQOPEN; the handle. ``values``: other fields of MQOD, ``strings`` for those of version 4."""
        return (yield from self.open_as(name, options, **values))[0]

    def open_as(self, name: str, options: int, version: int = 1, **values: Any) -> Exchange[tuple[int, Any]]:
        """MQOPEN; the handle and MQOD as it came back."""
        od = make_od(ORDER, version, object_name=name.ljust(48).encode(), **values)
        answer = yield from self._call(SegmentType.MQOPEN, od.build(), word(options))
        self._places[answer.handle] = _Place()
        return answer.handle, parse_od(answer.body, 0, ORDER)

    def close(self, handle: int, options: int = 0) -> Exchange[int]:
        """MQCLOSE; its warning."""
        place = self._places.get(handle, _Place())
        answer = yield from self._call(SegmentType.MQCLOSE, word(options), handle=handle, comp_code=place.index)
        return answer.reason

    # Messages

    def put(self, handle: int, data: bytes, options: int = 0, **fields: Any) -> Exchange[tuple[int, Any]]:
        """MQPUT; its warning and the descriptor as it came back. ``fields``: of MQMD, ``context`` of MQPMO."""
        pmo = make_pmo(ORDER, 2, options=options, context=fields.pop("context", 0)).build()
        head = descriptor(fields) + pmo + word(len(data))
        answer = yield from self._call(SegmentType.MQPUT, head, data, handle=handle)
        return answer.reason, parse_md(answer.body, 0, ORDER)

    def put1(self, name: str, data: bytes, options: int = 0, **fields: Any) -> Exchange[tuple[int, Any]]:
        """MQPUT1; as `put`."""
        od = make_od(ORDER, object_name=name.ljust(48).encode())
        head = od.build() + descriptor(fields) + make_pmo(ORDER, 2, options=options).build() + word(len(data))
        answer = yield from self._call(SegmentType.MQPUT1, head, data, handle=NO_HANDLE)
        return answer.reason, parse_md(answer.body, od.known, ORDER)

    def get(
        self, handle: int, options: int = 0, *, match: int = 0, length: int = 1 << 16, wait: int = 0, **fields: Any
    ) -> Exchange[Taken]:
        """MQGET. ``wait``: milliseconds; ``fields``: match values, of MQMD and ``msg_token``. Raises 2033."""
        if self.conversation:
            return (yield from self._streamed(handle, options, match, length, fields))
        token = fields.pop("msg_token", bytes(16))
        gmo = make_gmo(
            ORDER, 4, options=options, wait_interval=wait, match_options=match, msg_token=token, returned_length=-1
        )
        answer = yield from self._call(SegmentType.MQGET, descriptor(fields), gmo.build(), word(length), handle=handle)
        md = parse_md(answer.body, 0, ORDER)
        gmo = parse_gmo(answer.body, md.SIZE, ORDER)
        at = md.SIZE + gmo.known
        whole, data = int.from_bytes(answer.body[at : at + WORD], ORDER), answer.body[at + WORD :]
        statuses = (gmo.record.group_status + gmo.record.segment_status).decode()
        return Taken(data[: min(whole, length)], md, whole, answer.reason, gmo.record.msg_token, statuses)

    def take(self, handle: int, options: int = 0, **more: Any) -> Exchange[Taken | None]:
        """MQGET; None for 2033."""
        try:
            return (yield from self.get(handle, options, **more))
        except MQError as error:
            if error.reason == MQRC.NO_MSG_AVAILABLE:
                return None
            raise

    def unlock(self, handle: int) -> Exchange[int]:
        """MQGET with MQGMO_UNLOCK: 0, or 2209 where nothing was locked."""
        return (yield from self.get(handle, int(MQGMO.UNLOCK))).reason

    def _streamed(self, handle: int, options: int, match: int, length: int, fields: dict[str, Any]) -> Exchange[Taken]:
        """One message by a check: REQUEST_MSGS, then perhaps ASYNC_MESSAGE, then NOTIFICATION."""
        place = self._places.setdefault(handle, _Place())
        place.selection = place.selection % 0xFFFF + 1
        values = {name: fields.pop(name, bytes(16 if name == "msg_token" else 24)) for _, name in _MATCHED}
        request = REQMSG_SELECTION.codec(ORDER)(
            object_handle=handle, received_bytes=0, requested_bytes=1, max_msg_length=length, get_msg_options=options,
            wait_interval=0, request_flags=CHECK, global_message_index=self._global_index,
            selection_index=place.selection, mqmd_version=MD_VERSION, match_options=match, **fields,
        )  # fmt: skip
        chosen = b"".join(values[name] for bit, name in _MATCHED if match & bit)
        came = yield self._segment(
            SegmentType.REQUEST_MSGS, request.build(), chosen, flags=ANSWERED, request=CHECK_REQUEST
        )
        message: Taken | None = None
        while True:
            if came.type == SegmentType.ASYNC_MESSAGE:
                message = yield from self._message(came, place)
                came = yield b""
            elif came.type == SegmentType.NOTIFICATION:
                told = NOTIF.codec(came.order).parse(came.body)
                if told.code == NotificationCode.CHECK_MSG and told.object_handle == handle:
                    break
                if told.code == NotificationCode.GET_INHIBITED:
                    raise MQError(2016)
                came = yield b""
            else:
                came = yield from self._of_type(came, SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION)
        if message is None:
            raise MQError(2033)
        if not any(message.token) and message.reason not in WITHOUT_MESSAGE:
            raise MQError(message.reason)  # no message goes with it (client-observed O-089)
        return message

    def _message(self, came: Segment, place: _Place) -> Exchange[Taken]:
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
        place.index, self._global_index = head.message_index, head.global_message_index
        return Taken(data, md, head.actual_msg_length, head.reason_code, head.msg_token)

    # Units of work

    def commit(self) -> Exchange[int]:
        """MQCMIT; its warning."""
        return (yield from self._call(SegmentType.MQCMIT)).reason

    def backout(self) -> Exchange[int]:
        """MQBACK; its warning."""
        return (yield from self._call(SegmentType.MQBACK)).reason

    def xa(self, kind: SegmentType, xid: tuple[int, bytes, bytes] | None = None, flags: int = 0) -> Exchange[int]:
        """An XA call; its return value. Without ``xid``: XA_OPEN or XA_CLOSE."""
        body = b"\0".ljust(257, b"\0") if xid is None else make_xid(ORDER, *xid).build()
        return (yield from self._xa(kind, flags, body))[0]

    def recover(self, count: int = 100, flags: int = 0x01000000) -> Exchange[list[tuple[int, bytes, bytes]]]:
        """XA_RECOVER; the branches in doubt."""
        number, body = yield from self._xa(SegmentType.XA_RECOVER, flags, word(count))
        at, found = WORD, []
        for _ in range(number):
            xid = parse_xid(body, at, ORDER)
            found.append(xid.key)
            at += len(xid.build())
        return found

    def _xa(self, kind: SegmentType, flags: int, body: bytes) -> Exchange[tuple[int, bytes]]:
        header = XA.codec(ORDER)(length=ROOM, tm_flags=flags, rm_id=1)
        came = yield self._segment(kind, header.build(), body)
        came = yield from self._of_type(came, kind + 0x10)
        return XA.codec(came.order).parse(came.body).return_value, came.body[XA.size :]


WITHOUT_MESSAGE = frozenset({0, int(MQRC.NO_MSG_LOCKED)})
"""What a call may end with well though it gives no message."""


def word(number: int) -> bytes:
    """A number as the client sends it."""
    return (number & 0xFFFFFFFF).to_bytes(WORD, ORDER)


def descriptor(fields: dict[str, Any]) -> bytes:
    """MQMD version 2; texts may be str."""
    values = {key: value.encode() if isinstance(value, str) else value for key, value in fields.items()}
    return bytes(MD.codec(ORDER)(**{"version": MD_VERSION, **values}).build())
