"""Real clients with our machine: each segment that IBM's clients sent gets an answer of the right kind.

The recorded server's handles are given out again; all other values are the machine's. Compared are type, header,
conversation, request and flags of each answer; what streams has tests of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import pytest

from mqbridge.protocol.channel import ChannelRequested, Closed, Responder
from mqbridge.protocol.constants import SegmentType, SpiVerb
from mqbridge.protocol.framing import Segment, SegmentReader
from mqbridge.protocol.mqi import (
    Call,
    CallRefused,
    Connect,
    Get,
    Inquire,
    MessagesWanted,
    Open,
    Reserve,
    ServerConnection,
    ServerParameters,
    Subscribe,
    Xa,
)
from mqbridge.protocol.structures import API, parse_initial_data
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.text import decode_field
from support.clients.playbook import CONNECTION_ID
from support.transcripts.client_transcripts import Recorded, transcript, transcript_names

MISBEHAVED = {
    "auth-reject": "answers CONAUTH_INFO wrong",
    "compress-accepted-by-silence": "does not refuse compression",
    "connect-ccsid-500": "names its channel in ASCII in an EBCDIC segment",
    "connect-limits": "agrees to capabilities that it does not have",
    "connect-one-round": "agrees to values that differ",
    "connect-one-round-mt": "agrees to values that differ",
    "hb-noanswer": "does not answer heartbeats",
    "reject-flags": "refuses before the agreement",
    "reject-mqconn": "refuses MQCONN",
    "reject-status": "refuses before the agreement",
    "tls-pal0": "states what is not said here to be inside TLS",
}
UNASKED = ("inject-", "late-", "hb-server", "hb-sharecnv0", "sockact-")
"""The recorded server said something of its own accord: only what it was asked for is compared."""
SPOKEN_UNASKED = {SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION, SegmentType.MQGET_REPLY}

NAMES = [name for name in transcript_names() if name not in MISBEHAVED]


def segment(data: bytes) -> Segment:
    (one,) = SegmentReader(1 << 24).feed(data)
    return one


def parameters_of(answer: Segment) -> ServerParameters:
    """The configuration of the recorded server, from its first answer."""
    body = parse_initial_data(answer.body, answer.order)
    return ServerParameters(
        channel_name=decode_field(body.record.channel_name, answer.ccsid),
        queue_manager="QM1",
        fap_level=body.record.fap_level,
        shared_conversations=body.record.conv_per_socket,
        ccsid=answer.ccsid,
        order=answer.order,
        heartbeat_interval=body.record.heartbeat_interval,
        max_message_length=body.record.max_message_size,
        transmission_size=body.record.max_transmission_size,
    )


class Canned:
    """An agent that gives the recorded handles and an empty message to everyone who asks."""

    def __init__(self, replies: Iterable[Segment]) -> None:
        self.recorded: dict[tuple[int, int], deque[Segment]] = {}
        for reply in replies:
            spi = reply.type == SegmentType.SPI_REPLY
            if spi and int.from_bytes(reply.body[16:20], reply.order.endian) not in (SpiVerb.OPEN, SpiVerb.SUBSCRIBE):
                continue
            self.recorded.setdefault((reply.conversation_id, reply.type), deque()).append(reply)
        self.refused: list[CallRefused] = []
        self.closed: Closed | None = None

    def answer(self, machine: ServerConnection, event: Any) -> None:
        if isinstance(event, Connect):
            machine.replies.connect(event, connection_id=CONNECTION_ID, tag=b"MQCT1")
        elif isinstance(event, Open | Subscribe):
            reply = self.recorded[event.conversation, event.type + 0x10].popleft()
            api = API.codec(reply.order).parse(reply.body)
            if api.comp_code == 2:
                machine.replies.refuse(event, api.reason)
            elif isinstance(event, Open):
                machine.replies.open(event, api.object_handle, put_response=1)
            else:
                place = 16 + (36 if event.spi else 0)
                handle = int.from_bytes(reply.body[place : place + 4], reply.order.endian, signed=True)
                machine.replies.subscribe(event, handle=api.object_handle, subscription=handle)
        elif isinstance(event, Inquire):
            machine.replies.inquire(event, [0] * event.int_attr_count, b" " * event.char_attr_length)
        elif isinstance(event, Get):
            machine.replies.refuse(event, 2033)
        elif isinstance(event, Reserve):
            machine.replies.reserve(event, count=100, position=20, first_id=bytes(24))
        elif isinstance(event, Xa):
            machine.replies.xa(event, 0)
        elif isinstance(event, Call):
            machine.replies.answer(event)
        elif isinstance(event, MessagesWanted):
            if not event.delivery.listener:
                machine.deliveries.send(
                    event.delivery, MD.codec(machine.link.wire.writer.order)().build(), b"hello", queue=b"Q"
                )
            machine.deliveries.no_message(event.delivery)
        elif isinstance(event, CallRefused):
            self.refused.append(event)
        elif isinstance(event, Closed):
            self.closed = event


def play(socket: list[Recorded]) -> tuple[list[Segment], list[Segment], Canned]:
    """Our segments, the recorded ones, and the agent."""
    recorded = [segment(one.data) for one in socket if one.side == "server"]
    definition, agent = parameters_of(recorded[0]), Canned(recorded)
    responder = Responder(0.0)
    machine: Any = responder
    sent: list[bytes] = []
    for one in socket:
        if one.side == "server":
            continue
        events = machine.link.receive_data(one.data, one.time)
        if events and isinstance(events[0], ChannelRequested):
            machine, events = ServerConnection.answering(responder, definition, one.time)
        for event in events:
            agent.answer(machine, event)
        while part := machine.link.wire.take():
            sent += part
    return list(SegmentReader(1 << 24).feed(b"".join(sent))), recorded, agent


@pytest.mark.spec("mq-wire.md 8.1", "mq-wire.md 8.2", "mq-wire.md 8.3", "client-observed.md O-080")
@pytest.mark.parametrize("name", NAMES)
def test_what_a_real_client_says_is_answered(name: str) -> None:
    for socket in transcript(name).sockets():
        ours, recorded, agent = play(socket)
        assert agent.refused == []
        assert agent.closed is None or agent.closed.normal, agent.closed
        unasked = set()
        if name.startswith(UNASKED):
            unasked = {SegmentType.HEARTBEAT, SegmentType.SOCKET_ACTION, SegmentType.STATUS_DATA}
        passed = SPOKEN_UNASKED | unasked
        kinds = [
            [(one.type, one.struc_id, one.conversation_id, one.request_id, one.flags1) for one in side]
            for side in (
                [one for one in ours if one.type not in passed],
                [one for one in recorded if one.type not in passed],
            )
        ]
        assert kinds[0] == kinds[1]


def test_most_transcripts_are_played() -> None:
    assert len(NAMES) > 115
    assert set(MISBEHAVED) <= set(transcript_names())
