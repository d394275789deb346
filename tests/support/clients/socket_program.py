"""A client program on a plain blocking socket: the calls of :class:`clients.program.ClientProgram`, byte by byte.

:func:`clients_welcome` gives a host of ``endpoint_host`` a channel for clients; :func:`program` is one that has
connected. :func:`split_put` cuts a put into segments as IBM's client does (client-observed.md O-059).
"""

from __future__ import annotations

import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mqbridge.bridge.queue_manager.objects import Kind, define_supplied
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.structures import XA, parse_xid
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from mqbridge.protocol.structures.xid import TransactionId, make_xid
from support.clients.playbook import Answer, initial_data
from support.clients.program import CHANNEL, ClientProgram
from support.processes.endpoint_host import LOCAL, EndpointHost
from support.processes.reactor_thread import PATIENCE

LONGEST_MESSAGE = 104_857_600
_RECEIVED_AT_ONCE = 1 << 18
_NO_LINGER = struct.pack("ii", 1, 0)
_FIRST, _LAST = 0x10, 0x20


def clients_welcome(host: EndpointHost, **attributes: Any) -> None:
    """What a new queue manager has, no limit for messages but that of the protocol, and a channel for clients."""

    def define() -> None:
        define_supplied(host.manager.objects, time.time())
        host.manager.objects.alter(Kind.QMGR, "MARS", {"MAXMSGL": LONGEST_MESSAGE}, time.time())

    host.call(define)
    values = {"CHLTYPE": "SVRCONN", "MCAUSER": "app", "MAXMSGL": LONGEST_MESSAGE, **attributes}
    host.define(Kind.CHANNEL, CHANNEL, **values)


def connected(place: int | Path | socket.socket) -> socket.socket:
    """A connection to a port of the loopback address, or to a Unix socket; one that is made already stays."""
    if isinstance(place, socket.socket):
        return place
    if isinstance(place, int):
        made = socket.create_connection((LOCAL, place), PATIENCE)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    else:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(PATIENCE)
        made.connect(str(place))
    return made


class SocketProgram(ClientProgram):
    """One connection to a port or a Unix socket, or one that is made already."""

    def __init__(self, place: int | Path | socket.socket) -> None:
        super().__init__(None, None, 0)  # type: ignore[arg-type]
        self.answers_heartbeats = False
        self.socket = connected(place)
        self.reader = SegmentReader(1 << 24)
        self.came: deque[Answer] = deque()

    def __enter__(self) -> SocketProgram:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *segments: bytes) -> None:
        self.socket.sendall(b"".join(segments))

    def hear(self) -> Answer:
        """The next segment. Raises ``ConnectionError`` at the end of the stream, ``TimeoutError`` where none comes."""
        while not self.came:
            data = self.socket.recv(_RECEIVED_AT_ONCE)
            if not data:
                raise ConnectionError("the connection has ended")
            self.received(data)
            self.came += self.hears()
        return self.came.popleft()

    def expects(self, kind: SegmentType) -> Answer:
        """The next segment, which is of this type."""
        answer = self.hear()
        assert answer.type == kind, f"{answer.type} instead of {kind}"
        return answer

    def is_silent(self, seconds: float = 0.05) -> bool:
        """Whether nothing comes for so long."""
        self.socket.settimeout(seconds)
        try:
            self.came.appendleft(self.hear())
        except TimeoutError:
            return True
        else:
            return False
        finally:
            self.socket.settimeout(PATIENCE)

    def sends(self, *segments: bytes, seconds: float = 0.0) -> list[Answer]:
        """Sends, and hears all up to the first segment that is no message."""
        del seconds
        self.send(*segments)
        heard = [self.hear()]
        while heard[-1].type == SegmentType.ASYNC_MESSAGE:
            heard.append(self.hear())
        return heard

    def vanishes(self) -> None:
        """The client's machine is gone: the connection is reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.socket.close()

    # Conversations, and what they say

    def joins(self, number: int) -> None:
        """One more conversation on this socket connects."""
        self.send(self.socket_action(number, 1))
        assert self.expects(SegmentType.SOCKET_ACTION).socket.type == 8
        self.send(self.mqconn("MARS", conversation=number))
        assert self.expects(SegmentType.MQCONN_REPLY).outcome == (0, 0)

    def waits(self, handle: int, index: int = 1, **header: Any) -> None:
        """A get with unlimited wait begins."""
        conversation, self.conversation = self.conversation, header.get("conversation", self.conversation)
        self.send(self.request_msgs(handle, 0x18, wait_interval=-1, selection_index=index, max_msg_length=-1))
        self.conversation = conversation

    # Two-phase commit

    def xa(self, kind: SegmentType, gtrid: bytes = b"", flags: int = 0) -> int:
        """An XA call about the branch of this global transaction; its value."""
        body = make_xid(self.writer.order, 7, gtrid, b"b").build() if gtrid else b"\3QM1".ljust(257, b"\0")
        return self._xa(kind, body, flags)[0]

    def in_doubt(self) -> list[bytes]:
        """XA_RECOVER: the global transactions of branches in doubt."""
        count, body = self._xa(SegmentType.XA_RECOVER, self.word(15), 0x01000000)
        at, found = XA.size + 4, []
        for _ in range(count):
            xid: TransactionId = parse_xid(body, at, self.writer.order)
            found.append(xid.gtrid)
            at += -(-(6 + len(xid.gtrid) + len(xid.bqual)) // 4) * 4
        return found

    def _xa(self, kind: SegmentType, body: bytes, flags: int) -> tuple[int, bytes]:
        order = self.writer.order
        header = XA.codec(order)(length=36 + XA.size + len(body), tm_flags=flags)
        answer = self.asks(self.segment(kind, header.build(), body))
        return int(XA.codec(order).parse(answer.body).return_value), answer.body


def program(
    host: EndpointHost,
    *,
    conversations: int = 10,
    heartbeat: int = 300,
    place: Path | None = None,
    inside: Callable[[socket.socket], Any] | None = None,
) -> SocketProgram:
    """A program that has connected, or has agreed on everything where there is no answer to hear. ``place``: a Unix
    socket to connect by, not the port of the host. ``inside``: puts TLS on the socket."""
    client = SocketProgram(place or host.port)
    if inside is not None:
        client.socket = inside(client.socket)
    values: dict[str, Any] = {"channel_name": CHANNEL, "q_mgr_name": "MARS", "conv_per_socket": conversations}
    values |= {"max_message_size": LONGEST_MESSAGE, "heartbeat_interval": heartbeat}
    try:
        answer = client.asks(initial_data(client.writer, **values))
        assert (answer.type, answer.flags) == (SegmentType.INITIAL_DATA, 0), answer
        client.shared = conversations > 0
        client.conversation = int(client.shared)
        assert client.asks(client.mqconn("MARS")).outcome == (0, 0)
    except BaseException:
        client.socket.close()
        raise
    return client


def split_put(client: SocketProgram, data: bytes, handle: int, size: int = 32748) -> Iterator[bytes]:
    """The segments of an MQPUT, each of at most ``size`` bytes."""
    order = client.writer.order
    fields = {"version": 2, "expiry": -1, "persistence": 0, "coded_char_set_id": 819, "encoding": 0x222}
    head = MD.codec(order)(**fields).build() + make_pmo(order, 2, options=0x40).build() + client.word(len(data))
    first = client.call(SegmentType.MQPUT, head, b"", handle=handle, flags=_FIRST)
    room = size - len(first)
    yield client.call(SegmentType.MQPUT, head, data[:room], handle=handle, flags=_FIRST)
    at, more = room, size - len(client.segment(SegmentType.MQPUT))
    while at < len(data):
        part, at = data[at : at + more], at + more
        yield client.segment(SegmentType.MQPUT, part, flags=_LAST if at >= len(data) else 0)


def joined(answers: Sequence[Answer] | Iterable[Answer]) -> tuple[Answer, bytes]:
    """The first segment of a message that streams, and the data of all."""
    first: Answer | None = None
    pieces = []
    for answer in answers:
        order = answer.order
        length = int.from_bytes(answer.body[16:20], order.endian)
        start = 24
        if first is None:
            first = answer
            start = answer.body.index(b"MD  ") + MD.size
        pieces.append(answer.body[start : start + length])
    assert first is not None
    return first, b"".join(pieces)
