"""Plays with a server connection: "the client says, we answer".

:class:`ClientPlay` holds our machine, a clock and the client's lines; the client speaks little-endian, CCSID 819, as
IBM's Java client does after it has adopted our values. :func:`connected` gives a play in which conversation 1 (or 0,
not shared) has done MQCONN, with nothing of that left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqbridge.protocol.channel import ChannelRequested, Closed, Responder
from mqbridge.protocol.constants import MQAT, MQMODE, ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentReader, SegmentWriter
from mqbridge.protocol.mqi import (
    Connect,
    Delivery,
    Event,
    MessagesWanted,
    Open,
    ServerConnection,
    ServerParameters,
    Started,
)
from mqbridge.protocol.structures import (
    API,
    ASYNC,
    CONN,
    ID,
    NOTIF,
    REQMSG_SELECTION,
    SOCKET,
    UID,
    Body,
    initial_data_size,
    make_od,
    parse_initial_data,
    parse_status_data,
    status_data,
)
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from support.wire.on_the_wire import OnTheWire

CHANNEL = "DEV.APP.SVRCONN"
CONNECTION_ID = b"AMQCQM1".ljust(24, b"\x01")
WRITER = SegmentWriter(ByteOrder.LITTLE, 819)


def parameters(**changes: Any) -> ServerParameters:
    return ServerParameters(**{"channel_name": CHANNEL, "queue_manager": "QM1", **changes})


def initial_data(writer: SegmentWriter = WRITER, *, conversation: int | None = None, **changes: Any) -> bytes:
    """What IBM's Java client 9.4 states, values that agree with :func:`parameters` (client-observed.md O-001)."""
    values: dict[str, Any] = {
        "fap_level": 17,
        "cap_flags1": 0x26,
        "cap_flags2": 0x51,
        "cap_flags3": 0x20,
        "max_transmission_size": 32748,
        "max_message_size": 4194304,
        "heartbeat_interval": 300,
        "conv_per_socket": 10,
        "ccsid": writer.ccsid,
        "channel_name": CHANNEL,
        "q_mgr_name": "QM1",
        "product_id": "MQJM09040300",
        "q_mgr_identifier": "CANNED_DATA",
    } | changes
    size = values.pop("size", None) or initial_data_size(values["fap_level"])
    codec = "cp500" if writer.ccsid == 500 else "ascii"
    for key, width in (("channel_name", 20), ("q_mgr_name", 48), ("product_id", 12), ("q_mgr_identifier", 48)):
        values[key] = values[key].ljust(width).encode(codec)
    body = Body(ID.codec(writer.order)(**values), size).build()
    if conversation is None:
        return writer.build(SegmentType.INITIAL_DATA, body, flags1=0x31)
    return writer.build_shared(conversation, 0, SegmentType.INITIAL_DATA, body, flags1=0x31)


@dataclass(slots=True)
class Answer:
    """A segment of ours."""

    type: SegmentType
    struc_id: bytes
    conversation: int
    request: int
    flags: int
    body: bytes
    length: int
    order: Any
    ccsid: int

    @property
    def api(self) -> Any:
        return API.codec(self.order).parse(self.body)

    @property
    def outcome(self) -> tuple[int, int]:
        """Completion code and reason."""
        return self.api.comp_code, self.api.reason

    @property
    def id(self) -> Body:
        return parse_initial_data(self.body, self.order)

    @property
    def code(self) -> StatusCode | None:
        body = parse_status_data(self.body, self.order)
        return None if body is None else StatusCode(body.record.code)

    @property
    def notification(self) -> tuple[int, int, int]:
        """Handle, code, value."""
        body = NOTIF.codec(self.order).parse(self.body)
        return body.object_handle, body.code, body.value

    @property
    def stream(self) -> Any:
        """The long ASYNC header."""
        return ASYNC.codec(self.order).parse(self.body)

    @property
    def socket(self) -> Any:
        return SOCKET.codec(self.order).parse(self.body)


class ClientPlay(OnTheWire):
    """Our machine and a client."""

    def __init__(self, machine: Any, now: float = 1000.0) -> None:
        self.machine = machine
        self.now = now
        self.events: list[Event] = []
        """What the last thing done gave."""
        self.conversation = 1
        self.shared = True
        self.writer = WRITER

    # The client's lines

    def says(self, *segments: bytes) -> list[Event]:
        self.passes("client", b"".join(segments))
        self.events = self.machine.link.receive_data(b"".join(segments), self.now)
        return self.events

    def hangs_up(self) -> list[Event]:
        self.events = self.machine.link.receive_eof(self.now)
        return self.events

    def segment(
        self, kind: int, *body: bytes, flags: int = 0x30, conversation: int | None = None, request: int = 0
    ) -> bytes:
        if not self.shared:
            return self.writer.build(kind, *body, flags1=flags)
        number = self.conversation if conversation is None else conversation
        return self.writer.build_shared(number, request, kind, *body, flags1=flags)

    def call(self, kind: int, *body: bytes, handle: int = 0, comp_code: int = 0, **header: Any) -> bytes:
        api = API.codec(self.writer.order)(reply_length=4096, object_handle=handle, comp_code=comp_code)
        return self.segment(kind, api.build(), *body, **header)

    def mqconn(self, queue_manager: str = "QM1", **header: Any) -> bytes:
        body = CONN.codec(self.writer.order)(
            q_mgr_name=queue_manager.ljust(48).encode(), appl_name=b"player".ljust(28), appl_type=MQAT.JAVA
        )
        return self.call(SegmentType.MQCONN, body.build(), **header)

    def mqopen(self, name: str = "DEV.QUEUE.1", options: int = 0x2010, **header: Any) -> bytes:
        od = make_od(self.writer.order, object_name=name.ljust(48).encode())
        return self.call(SegmentType.MQOPEN, od.build(), self.word(options), **header)

    def mqclose(self, handle: int, last_index: int = 0, **header: Any) -> bytes:
        return self.call(SegmentType.MQCLOSE, self.word(0), handle=handle, comp_code=last_index, **header)

    def mqput(
        self, data: bytes, handle: int = 2, options: int = 0x20000, length: int | None = None, **header: Any
    ) -> bytes:
        order = self.writer.order
        head = MD.codec(order)(version=2).build() + make_pmo(order, 2, options=options).build()
        stated = len(data) if length is None else length
        return self.call(SegmentType.MQPUT, head, self.word(stated), data, handle=handle, **header)

    def request_msgs(
        self,
        handle: int = 2,
        flags: int = 0x1E,
        *,
        received: int = 0,
        requested: int = 1,
        index: int = 0,
        request: int | None = None,
        **values: Any,
    ) -> bytes:
        """REQUEST_MSGS as IBM's client sends it: a check has request 3 and CONFIRM_REQUEST, others 1."""
        check = bool(flags & 0x02)
        body = REQMSG_SELECTION.codec(self.writer.order)(
            **{
                "object_handle": handle,
                "request_flags": flags,
                "received_bytes": received,
                "requested_bytes": requested,
                "global_message_index": index,
                "max_msg_length": 4096,
                "selection_index": 1,
                "mqmd_version": 2,
                **values,
            }
        ).build()
        return self.segment(
            SegmentType.REQUEST_MSGS,
            body if flags & 0x10 else body[:40],
            flags=0x31 if check else 0x30,
            request=request or (3 if check else 1),
        )

    def notification(self, code: int, value: int, handle: int = -1, *, confirm: bool = False) -> bytes:
        body = NOTIF.codec(self.writer.order)(object_handle=handle, code=code, value=value).build()
        request, flags = (3, 0x31) if confirm else (1, 0x30)
        return self.segment(SegmentType.NOTIFICATION, body, flags=flags, request=request)

    def socket_action(self, conversation: int, kind: int, flags: int = 0x30) -> bytes:
        body = SOCKET.codec(self.writer.order)(conversation_id=conversation, type=kind).build()
        return self.writer.build_common(SegmentType.SOCKET_ACTION, body, flags1=flags)

    def heartbeat(self, flags: int = 0x31) -> bytes:
        build = self.writer.build_common if self.shared else self.writer.build
        return build(SegmentType.HEARTBEAT, flags1=flags)

    def status(self, flags: int, code: StatusCode | None = None) -> bytes:
        body = b"" if code is None else status_data(self.writer.order, code).build()
        return self.writer.build(SegmentType.STATUS_DATA, body, flags1=flags)

    def user_id(self, **header: Any) -> bytes:
        body = UID.codec(self.writer.order)(user_id=b"APP".ljust(12), long_user_id=b"app".ljust(64)).build()
        return self.segment(SegmentType.USERID_DATA, body, **header)

    def word(self, number: int) -> bytes:
        return (number & 0xFFFFFFFF).to_bytes(4, self.writer.order.endian)

    # Our side

    def after(self, seconds: float) -> list[Event]:
        """Time passes, with a call whenever one is due."""
        end, self.events = self.now + seconds, []
        while (due := self.machine.link.next_timeout()) is not None and due <= end:
            self.now = max(self.now, due)
            self.events += self.machine.link.timeout(self.now)
        self.now = end
        return self.events

    def stop(self, mode: MQMODE = MQMODE.QUIESCE, status: StatusCode = StatusCode.USER_CLOSED) -> list[Event]:
        self.events = self.machine.link.close(mode, self.now, status)
        return self.events

    def we_sent(self) -> list[Answer]:
        """All that we sent since the last question."""
        pieces: list[bytes] = []
        while part := self.machine.link.wire.take():
            pieces += part
        if pieces:
            self.passes("we", b"".join(pieces))
        return [
            Answer(
                SegmentType(one.type),
                one.struc_id,
                one.conversation_id,
                one.request_id,
                one.flags1,
                one.body,
                one.length,
                one.order,
                one.ccsid,
            )
            for one in SegmentReader(1 << 24).feed(b"".join(pieces))
        ]

    def we_answer(self, kind: SegmentType) -> Answer:
        """The one segment that we sent."""
        (sent,) = self.we_sent()
        assert sent.type == kind, f"{sent.type} instead of {kind}"
        return sent

    def we_end(self, code: StatusCode | None, amq: str) -> Closed:
        """The machine has ended; with a code: the last segment of ours says so."""
        closed = self.events[-1]
        assert isinstance(closed, Closed), self.events
        assert self.machine.link.closed
        assert closed.amq == amq, closed
        sent = self.we_sent()
        if code is None:
            assert SegmentType.STATUS_DATA not in [one.type for one in sent]
        else:
            agreed = self.machine.agreed
            header = b"TSHC" if agreed is not None and agreed.shared else b"TSH "
            assert (sent[-1].type, sent[-1].struc_id, sent[-1].flags) == (SegmentType.STATUS_DATA, header, 0x0A)
            assert sent[-1].code == code
        assert self.machine.link.next_timeout() is None
        return closed

    def opened(self, handle: int = 2) -> None:
        """The client opens a queue and gets this handle."""
        (call,) = self.says(self.mqopen())
        assert isinstance(call, Open)
        self.machine.replies.open(call, handle, put_response=1)
        self.we_answer(SegmentType.MQOPEN_REPLY)

    def wants(self, *arguments: Any, **values: Any) -> Delivery:
        """The client asks for messages, and may be sent one."""
        (event,) = self.says(self.request_msgs(*arguments, **values))
        assert isinstance(event, MessagesWanted)
        return event.delivery

    def another(self, number: int = 3) -> None:
        """One more conversation is connected."""
        self.says(self.socket_action(number, 1))
        (call,) = self.says(self.mqconn(conversation=number))
        self.machine.replies.connect(call, connection_id=CONNECTION_ID)
        self.we_sent()


def asked(segment: bytes, now: float = 1000.0) -> Responder:
    """A client has named a channel; the responder waits for the agent."""
    responder = Responder(now)
    (request,) = responder.link.receive_data(segment, now)
    assert isinstance(request, ChannelRequested)
    assert request.client
    return responder


def answering(segment: bytes, definition: ServerParameters | None = None) -> ClientPlay:
    """The agent goes on; our first answer and the events are still to be looked at."""
    machine, events = ServerConnection.answering(asked(segment), definition or parameters(), 1000.0)
    play = ClientPlay(machine)
    play.passes("client", segment)
    play.events = events
    return play


def started(**changes: Any) -> ClientPlay:
    """Agreed in one round; nothing of the start is left."""
    definition = parameters(**changes)
    play = answering(
        initial_data(
            conv_per_socket=definition.shared_conversations,
            max_message_size=definition.message_limit,
            max_transmission_size=definition.transmission_size,
            heartbeat_interval=definition.heartbeat_interval,
        ),
        definition,
    )
    assert [type(event) for event in play.events] == [Started], play.events
    assert play.we_answer(SegmentType.INITIAL_DATA).flags == 0
    play.shared = definition.shared_conversations > 0
    play.conversation = int(play.shared)
    return play


def connected(**changes: Any) -> ClientPlay:
    """The first conversation is connected."""
    play = started(**changes)
    (call,) = play.says(play.mqconn())
    assert isinstance(call, Connect)
    play.machine.replies.connect(call, connection_id=CONNECTION_ID)
    assert play.we_answer(SegmentType.MQCONN_REPLY).outcome == (0, 0)
    return play
