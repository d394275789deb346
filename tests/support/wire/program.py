"""A program of a client as bytes, without sockets: calls are generators that give what to send and take what came.

::

    outcome = transport.perform(program.put(handle, b"data", MQPMO.SYNCPOINT))

A generator yields the bytes to send (none to go on listening) and is sent the next segment. Unshared (``SHARECNV`` 0)
a get is MQGET; shared it is REQUEST_MSGS and what that brings, as IBM's client has it (client-observed.md 5). A call
that fails raises `MQError` with the reason that came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQGMO, MQOT, MQPMO, MQRC, SegmentType, SocketAction
from mqbridge.protocol.structures import (
    API,
    CONN,
    SOCKET,
    XA,
    make_gmo,
    make_od,
    make_xid,
    parse_gmo,
    parse_initial_data,
    parse_od,
    parse_xid,
)
from mqbridge.protocol.structures.md import parse_md
from mqbridge.protocol.structures.pmo import make_pmo
from mqbridge.protocol.structures.sd import make_sd
from mqbridge.protocol.structures.sub import SUB
from support.clients.playbook import CHANNEL, initial_data
from support.wire.calls import (
    ORDER,
    ROOM,
    WHOLE,
    WORD,
    WRITER,
    Answer,
    Exchange,
    Gone,
    Place,
    Taken,
    descriptor,
    word,
)
from support.wire.streams import WireStreams

__all__ = ["CHANNEL", "Answer", "Exchange", "Gone", "Taken", "WireProgram"]

NO_HANDLE = -1
ADOPTED = (
    "fap_level", "cap_flags1", "cap_flags2", "cap_flags3", "max_transmission_size", "max_message_size",
    "heartbeat_interval", "conv_per_socket",
)  # fmt: skip
"""What a client takes over from the first answer (client-observed.md O-002)."""


@dataclass(slots=True)
class WireProgram(WireStreams):
    """One program: a connection with one conversation."""

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
        yield from self._connect()

    def join(self, number: int) -> Exchange[None]:
        """Begins one more conversation on a connection that is shared (client-observed.md O-040)."""
        self.conversation = number
        body = SOCKET.codec(ORDER)(conversation_id=number, type=int(SocketAction.START_CONVERSATION)).build()
        came = yield WRITER.build_common(SegmentType.SOCKET_ACTION, body, flags1=WHOLE)
        came = yield from self.of_type(came, SegmentType.SOCKET_ACTION)
        answer = SOCKET.codec(came.order).parse(came.body)
        assert (answer.conversation_id, answer.type) == (number, 8), answer
        yield from self._connect()

    def _connect(self) -> Exchange[None]:
        body = CONN.codec(ORDER)(
            q_mgr_name=self.queue_manager.ljust(48).encode(), appl_name=self.application.ljust(28).encode()
        )
        yield from self.call(SegmentType.MQCONN, body.build())

    def disconnect(self) -> Exchange[int]:
        """MQDISC; its warning. Then the connection is to be ended with `goodbye`."""
        return (yield from self.call(SegmentType.MQDISC)).reason

    def goodbye(self) -> bytes:
        """What a client says last."""
        if not self.conversation:
            return self.segment(SegmentType.STATUS_DATA, flags=0x38)
        body = SOCKET.codec(ORDER)(conversation_id=self.conversation, type=int(SocketAction.END_CONVERSATION)).build()
        return WRITER.build_common(SegmentType.SOCKET_ACTION, body, flags1=WHOLE)

    # Objects

    def open(self, name: str, options: int, **values: Any) -> Exchange[int]:
        """MQOPEN; the handle. ``values``: other fields of MQOD, ``strings`` for those of version 4."""
        return (yield from self.open_as(name, options, **values))[0]

    def open_as(self, name: str, options: int, version: int = 1, **values: Any) -> Exchange[tuple[int, Any]]:
        """MQOPEN; the handle and MQOD as it came back."""
        od = make_od(ORDER, version, object_name=name.ljust(48).encode(), **values)
        answer = yield from self.call(SegmentType.MQOPEN, od.build(), word(options))
        self.places[answer.handle] = Place()
        return answer.handle, parse_od(answer.body, 0, ORDER)

    def close(self, handle: int, options: int = 0) -> Exchange[int]:
        """MQCLOSE; its warning."""
        place = self.places.get(handle, Place())
        answer = yield from self.call(SegmentType.MQCLOSE, word(options), handle=handle, comp_code=place.index)
        return answer.reason

    def open_topic(self, topic: str, options: int) -> Exchange[int]:
        """MQOPEN of a topic string; the handle."""
        strings = {"object_string": topic.encode()}
        return (yield from self.open("", options, version=4, object_type=int(MQOT.TOPIC), strings=strings))

    def subscribe(self, topic: str, options: int, name: str = "") -> Exchange[tuple[int, int]]:
        """MQSUB with a managed queue; handles of the subscription and of its queue."""
        strings = {"object_string": topic.encode() or None, "sub_name": name.encode() or None}
        body = (
            SUB.codec(ORDER)(subscription_handle=NO_HANDLE).build()
            + make_sd(ORDER, options=options, strings=strings).build()
        )
        answer = yield from self.call(SegmentType.MQSUB, body)
        self.places[answer.handle] = Place()
        return SUB.codec(ORDER).parse(answer.body).subscription_handle, answer.handle

    # Messages

    def put(self, handle: int, data: bytes, options: int = 0, **fields: Any) -> Exchange[tuple[int, Any]]:
        """MQPUT; its warning and the descriptor as it came back. ``fields``: of MQMD, ``context`` of MQPMO."""
        pmo = make_pmo(ORDER, 2, options=options, context=fields.pop("context", 0)).build()
        head = descriptor(fields) + pmo + word(len(data))
        answer = yield from self.call(SegmentType.MQPUT, head, data, handle=handle)
        return answer.reason, parse_md(answer.body, 0, ORDER)

    def posted(self, handle: int, data: bytes, options: int = 0, **fields: Any) -> bytes:
        """MQPUT that nobody answers: MQCMIT and MQSTAT tell what became of it."""
        pmo = make_pmo(ORDER, 2, options=options | int(MQPMO.ASYNC_RESPONSE)).build()
        api = API.codec(ORDER)(reply_length=0, object_handle=handle).build()
        return self.segment(SegmentType.MQPUT, api, descriptor(fields), pmo, word(len(data)), data)

    def put1(self, name: str, data: bytes, options: int = 0, **fields: Any) -> Exchange[tuple[int, Any]]:
        """MQPUT1; as `put`."""
        od = make_od(ORDER, object_name=name.ljust(48).encode())
        head = od.build() + descriptor(fields) + make_pmo(ORDER, 2, options=options).build() + word(len(data))
        answer = yield from self.call(SegmentType.MQPUT1, head, data, handle=NO_HANDLE)
        return answer.reason, parse_md(answer.body, od.known, ORDER)

    def get(
        self, handle: int, options: int = 0, *, match: int = 0, length: int = 1 << 20, wait: int = 0, **fields: Any
    ) -> Exchange[Taken]:
        """MQGET. ``wait``: milliseconds; ``fields``: match values, of MQMD and ``msg_token``. Raises 2033."""
        if self.conversation:
            return (yield from self.streamed(handle, options, match, length, fields))
        token = fields.pop("msg_token", bytes(16))
        gmo = make_gmo(
            ORDER, 4, options=options, wait_interval=wait, match_options=match, msg_token=token, returned_length=-1
        )
        answer = yield from self.call(SegmentType.MQGET, descriptor(fields), gmo.build(), word(length), handle=handle)
        md = parse_md(answer.body, 0, ORDER)
        gmo = parse_gmo(answer.body, md.SIZE, ORDER)
        at = md.SIZE + gmo.known
        whole, data = int.from_bytes(answer.body[at : at + WORD], ORDER.endian), answer.body[at + WORD :]
        statuses = (gmo.record.group_status + gmo.record.segment_status).decode()
        return Taken(data[: min(whole, length)], md, whole, answer.reason, gmo.record.msg_token, statuses)

    def wait(self, handle: int, options: int = 0, wait: int = -1) -> Exchange[Taken]:
        """MQGET with MQGMO_WAIT; a client that shares its connection waits for ever here, as it has the clock."""
        if self.conversation:
            return (yield from self.awaited(handle, options | int(MQGMO.WAIT)))
        return (yield from self.get(handle, options | int(MQGMO.WAIT), wait=wait))

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

    # Units of work

    def commit(self) -> Exchange[int]:
        """MQCMIT; its warning."""
        return (yield from self.call(SegmentType.MQCMIT)).reason

    def backout(self) -> Exchange[int]:
        """MQBACK; its warning."""
        return (yield from self.call(SegmentType.MQBACK)).reason

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
        came = yield self.segment(kind, header.build(), body)
        came = yield from self.of_type(came, kind + 0x10)
        return XA.codec(came.order).parse(came.body).return_value, came.body[XA.size :]
