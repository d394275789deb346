"""A client and a queue manager in front of an observer, said line by line: any wrong line can be said.

::

    watch = ClientWatch().started()              # negotiated, signed on, MQCONN answered
    watch.opens("Q1", handle=2)
    watch.asks(SegmentType.MQINQ, handle=2)
    watch.replies(SegmentType.MQINQ, handle=2)
    watch.leaves()
"""

from __future__ import annotations

from typing import Any, Self

from mqbridge.protocol.constants import MQOO, ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import (
    API,
    ASYNC,
    CAUT_13,
    CONN,
    NOTIF,
    REQMSG,
    SOCKET,
    UID,
    XA,
    async_name,
    make_gmo,
    make_od,
    make_pmo,
    make_xid,
    status_data,
)
from mqbridge.protocol.structures.md import MD
from support.clients.playbook import initial_data
from support.rules.observer_playbook import Watch

WHOLE = 0x30
REPLY = 0x10
MSG_ID = b"AMQ QM1".ljust(24, b"\1")


class ClientWatch(Watch):
    """``shared``: conversations on the socket; 0 keeps it to one, with TSH throughout."""

    def __init__(
        self, whole: bool = True, *, shared: int = 10, order: ByteOrder = ByteOrder.LITTLE, ccsid: int = 819
    ) -> None:
        super().__init__(whole)
        self.shared = shared
        self.order: Any = order
        self.writer = SegmentWriter(self.order, ccsid)
        self.conversation = 1 if shared else 0

    # Segments

    def segment(self, kind: int, *body: bytes, request: int = 0, flags: int = WHOLE, conversation: int = -1) -> bytes:
        number = self.conversation if conversation < 0 else conversation
        if not self.shared:
            return self.writer.build(kind, *body, flags1=flags)
        return self.writer.build_shared(number, request, kind, *body, flags1=flags)

    def api(self, handle: int = 0, comp_code: int = 0, reason: int = 0, length: int = 0) -> bytes:
        codec = API.codec(self.order)
        return codec(reply_length=length, comp_code=comp_code, reason=reason, object_handle=handle).build()

    # The beginning

    def negotiated(self, asked: dict[str, Any] | None = None, flags: int = 0, **told: Any) -> Self:
        """One round; ``asked`` and ``told`` are changes of what client and server state."""
        values = {"conv_per_socket": self.shared}
        self.caller(initial_data(self.writer, **{**values, **(asked or {})}))
        answer = bytearray(initial_data(self.writer, **{**values, **told}))
        answer[10] = flags
        self.called(bytes(answer))
        return self

    def user(self, name: str = "app", password: str = "") -> Self:
        codec = UID.codec(self.order)
        fields = {"user_id": (name.upper(), 12), "password": (password, 12), "long_user_id": (name, 64)}
        body = codec(**{key: text.ljust(size).encode() for key, (text, size) in fields.items()}).build()
        self.caller(self.segment(SegmentType.USERID_DATA, body))
        return self

    def credentials(self, name: str = "app", password: str = "secret", answer: int | None = 0x40) -> Self:
        """CONAUTH_INFO and its answer, a status with these flags; None for none."""
        user, word = name.encode(), password.encode()
        values = {
            "struc_id": b"CAUT", "auth_type": 1, "reserved": bytes(8), "user_id": user, "password": word,
            "user_id_max_length": len(user), "user_id_length": len(user), "password_max_length": len(word),
            "password_length": len(word), "padding": b"",
        }  # fmt: skip
        self.caller(self.segment(SegmentType.CONAUTH_INFO, CAUT_13.build(values, self.order)))
        if answer is not None:
            self.called(self.segment(SegmentType.STATUS_DATA, flags=answer))
        return self

    def connects(self, reason: int = 0, queue_manager: str = "QM1") -> Self:
        body = CONN.codec(self.order)(q_mgr_name=queue_manager.ljust(48).encode()).build()
        self.asks(SegmentType.MQCONN, body)
        self.replies(SegmentType.MQCONN, body, reason=reason)
        return self

    def started(self) -> Self:
        return self.negotiated().user().connects()

    # Calls

    def asks(self, kind: int, *body: bytes, handle: int = 0, request: int = 0, room: int = 1000, flags: int = WHOLE,
             word: int = 0) -> Self:  # fmt: skip
        self.caller(self.segment(kind, self.api(handle, word, 0, room), *body, request=request, flags=flags))
        return self

    def replies(self, kind: int, *body: bytes, handle: int = 0, request: int = 0, reason: int = 0, comp_code: int = -1,
                length: int = 0, flags: int = WHOLE) -> Self:  # fmt: skip
        comp_code = comp_code if comp_code >= 0 else 2 if reason else 0
        length = length or 28 + 16 + sum(map(len, body))
        head = self.api(handle, comp_code, reason, length)
        self.called(self.segment(kind + REPLY, head, *body, request=request, flags=flags))
        return self

    def does(self, kind: int, *body: bytes, handle: int = 0, reason: int = 0) -> Self:
        """A call and its reply, which repeats the body."""
        return self.asks(kind, *body, handle=handle).replies(kind, *body, handle=handle, reason=reason)

    def opens(self, name: str, handle: int = 2, options: int = int(MQOO.OUTPUT), reason: int = 0) -> Self:
        od = make_od(self.order, 1, object_name=name.ljust(48).encode()).build()
        body = od + options.to_bytes(4, self.order.endian)
        self.asks(SegmentType.MQOPEN, body)
        return self.replies(SegmentType.MQOPEN, body, handle=-1 if reason else handle, reason=reason)

    def closes(self, handle: int = 2, last_index: int = 0) -> Self:
        self.asks(SegmentType.MQCLOSE, bytes(4), handle=handle, word=last_index)
        return self.replies(SegmentType.MQCLOSE, handle=-1)

    def descriptor(self, **values: Any) -> bytes:
        values = {"version": 2, "msg_type": 8, "priority": 4, "persistence": 0, "ccsid": 819, **values}
        values["coded_char_set_id"] = values.pop("ccsid")
        return MD.codec(self.order)(**values).build()

    def put_body(self, data: bytes, options: int = 4) -> bytes:
        pmo = make_pmo(self.order, 2, options=options).build()
        return self.descriptor() + pmo + len(data).to_bytes(4, self.order.endian) + data

    def puts(self, data: bytes = b"hello", options: int = 4, handle: int = 2, reason: int = 0) -> Self:
        body = self.put_body(data, options)
        self.asks(SegmentType.MQPUT, body, handle=handle)
        answer = self.descriptor(msg_id=MSG_ID) + body[364 : len(body) - len(data)]
        return self.replies(SegmentType.MQPUT, answer, handle=handle, reason=reason)

    def get_body(self, options: int, wait: int) -> bytes:
        gmo = make_gmo(self.order, 2, options=options, wait_interval=wait).build()
        return self.descriptor() + gmo

    def asks_get(self, options: int = 4, wait: int = 0, handle: int = 2, size: int = 4096) -> Self:
        """MQGET, of connections that are not shared."""
        return self.asks(
            SegmentType.MQGET,
            self.get_body(options, wait) + size.to_bytes(4, self.order.endian),
            handle=handle,
            room=10_000,
        )

    def gets(self, data: bytes | None = b"hello", options: int = 4, handle: int = 2) -> Self:
        """MQGET and its reply; None for no message."""
        self.asks_get(options, handle=handle)
        length = len(data or b"").to_bytes(4, self.order.endian)
        body = self.get_body(options, 0) + length + (data or b"")
        return self.replies(SegmentType.MQGET, body, handle=handle, reason=0 if data is not None else 2033)

    def xa(self, kind: int, flags: int = 0, result: int = 0, name: bytes = b"branch") -> Self:
        xid = make_xid(self.order, 1, name, b"q").build()
        head = XA.codec(self.order)(length=28 + 16 + len(xid), tm_flags=flags, return_value=result).build()
        self.caller(self.segment(kind, head, xid))
        self.called(self.segment(kind + REPLY, head, xid))
        return self

    # Messages that stream

    def requests(self, handle: int = 2, *, check: bool = True, wait: int = 0, index: int = 0, options: int = 4,
                 limit: int = 4096) -> Self:  # fmt: skip
        body = REQMSG.codec(self.order)(
            object_handle=handle, requested_bytes=1, max_msg_length=limit, get_msg_options=options, wait_interval=wait,
            request_flags=0x0E if check else 0x08, global_message_index=index,
        ).build()  # fmt: skip
        flags, request = (0x31, 3) if check else (0x30, 1)
        self.caller(self.segment(SegmentType.REQUEST_MSGS, body, flags=flags, request=request))
        return self

    def delivers(self, data: bytes = b"hello", handle: int = 2, index: int = 1, reason: int = 0) -> Self:
        head = ASYNC.codec(self.order)(
            object_handle=handle, message_index=index, global_message_index=index, segment_length=len(data),
            total_msg_length=len(data), actual_msg_length=len(data), reason_code=reason, msg_token=bytes(16),
        ).build()  # fmt: skip
        body = head + async_name(b"") + self.descriptor(msg_id=MSG_ID) + data
        self.called(self.segment(SegmentType.ASYNC_MESSAGE, body, request=1))
        return self

    def notifies(self, code: int = 11, handle: int = 2) -> Self:
        body = NOTIF.codec(self.order)(object_handle=handle, code=code).build()
        self.called(self.segment(SegmentType.NOTIFICATION, body, request=3))
        return self

    # Conversations, heartbeats, the end

    def socket_action(self, kind: int, number: int = 1, flags: int = WHOLE, *, server: bool = False) -> Self:
        body = SOCKET.codec(self.order)(conversation_id=number, type=kind).build()
        (self.called if server else self.caller)(
            self.writer.build_common(SegmentType.SOCKET_ACTION, body, flags1=flags)
        )
        return self

    def heartbeat(self, flags: int = 0x31, *, server: bool = False) -> Self:
        build = self.writer.build_common if self.shared else self.writer.build
        (self.called if server else self.caller)(build(SegmentType.HEARTBEAT, flags1=flags))
        return self

    def status(self, code: int, flags: int = 0x0A) -> Self:
        """An error of the server, in TSH."""
        self.called(self.writer.build(SegmentType.STATUS_DATA, status_data(self.order, code).build(), flags1=flags))
        return self

    def leaves(self) -> Self:
        """MQDISC and all that follows."""
        self.asks(SegmentType.MQDISC).replies(SegmentType.MQDISC)
        if self.shared:
            self.socket_action(2, self.conversation, 0x38)
        else:
            self.caller(self.segment(SegmentType.STATUS_DATA, flags=0x38))
        self.end()
        return self
