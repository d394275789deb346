"""The calls of a recorded client made by our own: what it sent next to what we send.

:class:`Replayed` goes through one connection of a transcript. The recorded server's segments are handed to our client
as they are; for each segment of the recorded client the same call is made, with the values that the program had given
it, and what we send is kept beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mqbridge.protocol.constants import MQGMO, MQPMO, RequestFlags, SegmentType, SocketAction
from mqbridge.protocol.dissection import Findings, dissect_segment
from mqbridge.protocol.framing import Segment, SegmentReader
from mqbridge.protocol.mqi_client import (
    ClientConnection,
    ClientParameters,
    GetParameters,
    ObjectName,
    SubscriptionName,
)
from mqbridge.protocol.structures import (
    API,
    CONN,
    SOCKET,
    parse_conauth,
    parse_initial_data,
    parse_inq,
    parse_md,
    parse_od,
    parse_request_msgs,
    parse_sd,
    parse_userid,
)
from mqbridge.protocol.structures.gmo import parse_gmo
from mqbridge.protocol.structures.pmo import parse_pmo
from mqbridge.protocol.structures.sub import SUB
from mqbridge.protocol.text import decode_field, decode_text
from support.transcripts.client_transcripts import Recorded

NOW = 1000.0
FORCED = int(MQGMO.PROPERTIES_FORCE_MQRFH2)


def one(data: bytes) -> Segment:
    (segment,) = SegmentReader(1 << 24).feed(data)
    return segment


def dissected(data: bytes) -> list[dict[str, Any]]:
    return dissect_segment(one(data), Findings())["structures"]


_BY_ITSELF = (
    SegmentType.INITIAL_DATA, SegmentType.USERID_DATA, SegmentType.CONAUTH_INFO, SegmentType.MQCONN,
    SegmentType.HEARTBEAT, SegmentType.STATUS_DATA,
)  # fmt: skip
"""What a client sends without being called."""
_SINGLE_GETS = (0x1E, 0x0E, 0x18, 0x08)
"""RequestFlags of gets; others are of listeners and read-ahead."""


@dataclass(slots=True)
class Replayed:
    """One connection of a transcript.

    ``pairs``: segments of the recorded client, and ours. ``skipped``: types of those that our client does not send, or
    sends otherwise: SPI calls, listeners, read-ahead, distribution lists, XA, further conversations.
    """

    segments: list[Recorded]
    pairs: list[tuple[bytes, bytes]] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    now: float = NOW
    _out: list[bytes] = field(default_factory=list)
    _wanted: dict[int, GetParameters] = field(default_factory=dict)

    def run(self) -> Replayed:
        client = ClientConnection(self._parameters(), self.now)
        for recorded in self.segments:
            segment = one(recorded.data)
            if segment.struc_id == b"TSHM" and segment.conversation_id != 1:
                continue
            if recorded.side == "server":
                if segment.type != SegmentType.SPI_REPLY:
                    client.link.receive_data(recorded.data, self.now)
                continue
            while pieces := client.link.wire.take():
                self._out += [each.data for each in SegmentReader(1 << 24).feed(b"".join(pieces))]
            if client.link.closed and not self._out:
                break
            if not self._speak(client, segment):
                self.skipped.append(segment.type)
                continue
            while pieces := client.link.wire.take():
                self._out += [each.data for each in SegmentReader(1 << 24).feed(b"".join(pieces))]
            self.pairs.append((recorded.data, self._out.pop(0)))
        return self

    def _parameters(self) -> ClientParameters:
        """What the program and its environment gave the recorded client."""
        spoken = [one(each.data) for each in self.segments if each.side == "client"]
        first = parse_initial_data(spoken[0].body_view, spoken[0].order)
        values: dict[str, Any] = {
            "channel_name": decode_field(first.record.channel_name, 819),
            "queue_manager": decode_field(first.record.q_mgr_name, 819),
            "max_message_length": first.record.max_message_size,
            "heartbeat_interval": first.record.heartbeat_interval,
            "shared_conversations": first.record.conv_per_socket,
            "process_id": first.record.process_id,
            "product_id": decode_field(first.record.product_id, 819),
            "nonce": first.record.r,
        }
        for segment in spoken:
            body, order, ccsid = segment.body_view, segment.order, segment.ccsid
            if segment.type == SegmentType.USERID_DATA:
                uid = parse_userid(body, order)
                name = decode_field(uid.record.long_user_id, ccsid) if uid.has("long_user_id") else ""
                values["system_user"] = name or decode_field(uid.user_id, ccsid).lower()
            elif segment.type == SegmentType.CONAUTH_INFO:
                caut = parse_conauth(body, order)
                values["user"] = decode_text(caut.user_id, ccsid)
                values["password"] = decode_text(caut.password, ccsid)
                values["secured"] = True  # every level is offered, as the recorded client did
            elif segment.type == SegmentType.MQCONN:
                conn = CONN.codec(order).parse(body, API.size)
                values["application"] = decode_field(conn.appl_name, ccsid)
                values["queue_manager"] = decode_field(conn.q_mgr_name, ccsid)
        return ClientParameters(**values)

    def _speak(self, client: ClientConnection, segment: Segment) -> bool:
        """Make the call of a recorded segment; False where our client does not make it."""
        kind, body, order = segment.type, segment.body_view, segment.order
        if kind == SegmentType.HEARTBEAT and not self._out:
            self.now = client.link.next_timeout() or self.now  # nothing was heard for an interval
            client.link.timeout(self.now)
        if kind in _BY_ITSELF:
            return True
        if kind == SegmentType.SOCKET_ACTION:
            action = SOCKET.codec(order).parse(body)
            return bool(action.type == SocketAction.END_CONVERSATION and action.conversation_id == 1)
        make = _CALLS.get(kind)
        if make is None or not segment.flags1 & 0x20:
            return False
        handle = API.codec(order).parse(body).object_handle
        return make(self, client, Recording(body, order, segment.ccsid, handle)) is not False

    # Calls

    def _open(self, client: ClientConnection, it: Recording) -> bool | None:
        od = parse_od(it.body, API.size, it.order)
        if od.record.recs_present:
            return False
        client.calls.open(it.named(od), it.word(API.size + od.known + len(od.rest)), self.now)
        return None

    def _close(self, client: ClientConnection, it: Recording) -> None:
        client.calls.close_object(it.handle, it.word(API.size), self.now)

    def _put(self, client: ClientConnection, it: Recording, at: int = API.size, od: Any = None) -> bool | None:
        md = parse_md(it.body, at, it.order)
        descriptor = bytes(it.body[at : at + md.SIZE])
        at += md.SIZE
        pmo = parse_pmo(it.body, at, it.order)
        options = pmo.record.options & ~int(MQPMO.SYNC_RESPONSE)
        if pmo.record.recs_present:
            return False
        at += pmo.known
        data = bytes(it.body[at + 4 : at + 4 + it.word(at)])
        if od is not None:
            client.calls.put1(it.named(od), descriptor, data, options, self.now)
        else:
            client.calls.put(it.handle, descriptor, data, options, self.now, context=pmo.record.context)
        return None

    def _put1(self, client: ClientConnection, it: Recording) -> bool | None:
        od = parse_od(it.body, API.size, it.order)
        return self._put(client, it, API.size + od.known + len(od.rest), od)

    def _get(self, client: ClientConnection, it: Recording) -> None:
        md = parse_md(it.body, API.size, it.order)
        gmo = parse_gmo(it.body, API.size + md.SIZE, it.order)
        wanted = GetParameters(
            options=gmo.record.options & ~FORCED,
            wait=None if gmo.record.wait_interval < 0 else gmo.record.wait_interval / 1000,
            max_length=it.word(API.size + md.SIZE + gmo.known),
            match_options=gmo.record.match_options,
            msg_id=md.msg_id,
            correl_id=md.correl_id,
            group_id=getattr(md, "group_id", bytes(24)),
            msg_token=gmo.record.msg_token if gmo.known > 80 else bytes(16),
            ccsid=md.coded_char_set_id,
            encoding=md.encoding,
        )
        client.calls.get(it.handle, wanted, self.now)

    def _request(self, client: ClientConnection, it: Recording) -> bool | None:
        request = parse_request_msgs(it.body, it.order)
        if request.request_flags not in _SINGLE_GETS:
            return False
        handle = request.object_handle
        if client.call is not None:
            self.now = client.link.next_timeout() or self.now  # the time of a get is up
            client.link.timeout(self.now)
            return None
        wait = None if request.wait_interval < 0 else request.wait_interval / 1000
        told: dict[str, Any] = {
            "options": request.get_msg_options & ~FORCED,
            "wait": 0 if request.request_flags & RequestFlags.CHECK else wait,
            "max_length": request.max_msg_length,
        }
        if request.request_flags & RequestFlags.SELECTION:
            told |= {
                "match_options": request.match_options,
                "md_version": request.mqmd_version,
                "ccsid": request.ccsid,
                "encoding": request.encoding,
                "msg_seq_number": request.msg_seq_number,
                "offset": request.offset,
                "msg_id": request.msg_id or bytes(24),
                "correl_id": request.correl_id or bytes(24),
                "group_id": request.group_id or bytes(24),
                "msg_token": request.msg_token or bytes(16),
            }
            self._wanted[handle] = GetParameters(**told)
        else:
            self._wanted[handle] = replace(self._wanted[handle], **told)
        client.calls.get(handle, self._wanted[handle], self.now)
        return None

    def _inquire(self, client: ClientConnection, it: Recording) -> None:
        inq = parse_inq(it.body, API.size, it.order, values=False)
        client.calls.inquire(it.handle, inq.selectors, inq.record.char_attr_length, self.now)

    def _set(self, client: ClientConnection, it: Recording) -> None:
        inq = parse_inq(it.body, API.size, it.order, values=True)
        client.calls.set(it.handle, inq.selectors, inq.int_attrs, inq.char_attrs, self.now)

    def _subscribe(self, client: ClientConnection, it: Recording) -> None:
        sd = parse_sd(it.body, API.size + SUB.size, it.order)
        strings = {name: text.decode() for name, text in sd.strings.items()}
        name = SubscriptionName(
            options=sd.record.options,
            topic=strings.get("object_string", ""),
            name=strings.get("sub_name", ""),
            user_data=strings.get("sub_user_data", ""),
            selector=strings.get("selection_string", ""),
            expiry=sd.record.sub_expiry,
        )
        client.calls.subscribe(name, it.handle, self.now)

    def _ask(self, client: ClientConnection, it: Recording) -> None:
        client.calls.request_publications(it.handle, it.word(API.size), self.now)


@dataclass(slots=True)
class Recording:
    """The body of a recorded call."""

    body: memoryview
    order: Any
    ccsid: int
    handle: int

    def word(self, at: int) -> int:
        return int.from_bytes(self.body[at : at + 4], self.order.endian)

    def named(self, od: Any) -> ObjectName:
        record = od.record
        texts = {name: text.decode() for name, text in od.strings.items()} if record.version > 3 else {}
        return ObjectName(
            type=record.object_type,
            name=decode_field(record.object_name, self.ccsid),
            queue_manager=decode_field(record.object_q_mgr_name, self.ccsid),
            dynamic_name=decode_field(record.dynamic_q_name, self.ccsid),
            alternate_user=decode_field(record.alternate_user_id, self.ccsid),
            string=texts.get("object_string"),
            selector=texts.get("selection_string"),
        )


_CALLS: dict[int, Any] = {
    SegmentType.MQOPEN: Replayed._open,
    SegmentType.MQCLOSE: Replayed._close,
    SegmentType.MQPUT: Replayed._put,
    SegmentType.MQPUT1: Replayed._put1,
    SegmentType.MQGET: Replayed._get,
    SegmentType.REQUEST_MSGS: Replayed._request,
    SegmentType.MQINQ: Replayed._inquire,
    SegmentType.MQSET: Replayed._set,
    SegmentType.MQCMIT: lambda self, client, _: client.calls.commit(self.now) and None,
    SegmentType.MQBACK: lambda self, client, _: client.calls.backout(self.now) and None,
    SegmentType.MQSTAT: lambda self, client, _: client.calls.ask_status(self.now) and None,
    SegmentType.MQDISC: lambda self, client, _: client.calls.disconnect(self.now) and None,
    SegmentType.MQSUB: Replayed._subscribe,
    SegmentType.MQSUBRQ: Replayed._ask,
}
