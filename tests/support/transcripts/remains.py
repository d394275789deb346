"""What earlier programs had left behind when a recorded conversation began: messages, and branches in doubt.

Messages are known by their having been delivered although nobody had put them, branches by the answers to XA_RECOVER.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.xa import Xid
from mqbridge.captures.differential import fields_of, segments_of
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQOO, MQPMO, SegmentType, TMFlags
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import XA, XA_COUNT, parse_xid
from mqbridge.protocol.structures.md import MD, MD1
from mqbridge.protocol.text import decode_field
from support.clients.program_line import AgentScene
from support.queue_manager.mq_calls import MqCalls
from support.transcripts.client_transcripts import Recorded


def leave(scene: AgentScene, recorded: list[Recorded]) -> None:
    """Leave it behind at our queue manager."""
    for message, queue in left_behind(recorded):
        put(scene, message, queue)
    for xid in in_doubt(recorded):
        prepare(scene, xid)


def left_behind(recorded: Iterable[Recorded]) -> list[tuple[Message, str]]:
    """Messages that the recorded server delivered although nobody had put them, and their queues."""
    names: dict[tuple[int, int, int], str] = {}
    put_ids: set[bytes] = set()
    delivered: dict[bytes, tuple[Message, str]] = {}
    for one in recorded:
        for segment in segments_of(one.data):
            values = {field.key: field.value for field in fields_of(segment)}
            handle = values.get("ASYNC.ObjectHandle", values.get("API.ObjectHandle", 0))
            place, message_id = (one.socket, segment.conversation_id, handle), values.get("MD.MsgId", b"")
            if segment.type in _PUTS or (segment.type == SegmentType.SPI_REPLY and message_id):
                put_ids.add(message_id)
            elif one.side == "server" and "OD.ObjectName" in values and handle > 0:
                names[place] = decode_field(values["OD.ObjectName"], segment.ccsid)
            elif names.get(place) in _QUEUES and _brings(segment, values):
                delivered.setdefault(message_id, (_message(segment, values), names[place]))
    return [found for message_id, found in delivered.items() if message_id not in put_ids]


_QUEUES: Final = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "BO.Q", "RA.Q", "ASYNC.Q")
_PUTS: Final = frozenset(
    {SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.MQPUT_REPLY, SegmentType.MQPUT1_REPLY, SegmentType.SPI}
)


def _brings(segment: Segment, values: dict[str, Any]) -> bool:
    """Whether it is the beginning of a message for a client."""
    if segment.type == SegmentType.ASYNC_MESSAGE:
        return "MD.MsgId" in values and not values["ASYNC.ReasonCode"]
    return segment.type == SegmentType.MQGET_REPLY and not values["API.CompCode"]


def _message(segment: Segment, values: dict[str, Any]) -> Message:
    version = values["MD.Version"]
    at = next(field.offset for field in fields_of(segment) if field.key == "MD.StrucId")
    start = at - (segment.length - len(segment.body))
    size = MD.size if version > 1 else MD1.size
    raw = segment.body[start : start + size]
    return Message(raw, values.get("data.bytes", b""), order=segment.order, ccsid=segment.ccsid)


def put(scene: AgentScene, message: Message, queue: str) -> None:
    """A message lies on a queue, as it is."""
    station = scene.station
    options = PutOptions(int(MQPMO.SET_ALL_CONTEXT))
    station.call(
        lambda: station.manager.put(station.manager.resolve(queue), message, options, None, scene.now, lambda _: None)
    )
    scene.settle()


# Branches


def in_doubt(recorded: Iterable[Recorded]) -> list[Xid]:
    """The branches that a transaction manager was told of, each once."""
    found: dict[Xid, None] = {}
    for one in recorded:
        for segment in segments_of(one.data):
            if segment.type == SegmentType.XA_RECOVER_REPLY:
                at = XA.size
                for _ in range(XA_COUNT.parse(segment.body, at, segment.order).count):
                    at += XA_COUNT.size if at == XA.size else 0
                    xid = parse_xid(segment.body, at, segment.order)
                    found[Xid(*xid.key)] = None
                    at += -(-(6 + sum(map(len, xid.key[1:]))) // 4) * 4
    return list(found)


def prepare(scene: AgentScene, xid: Xid) -> None:
    """A program has put a message in a branch, prepared it, and gone."""
    station = scene.station
    program = MqCalls(station.manager, ConnectOptions(), scene.now)
    outcome: list[int] = []

    def work() -> None:
        assert program.xa.open() == program.xa.start(xid, 0, scene.now) == 0
        handle = program.open("DEV.QUEUE.3", options=int(MQOO.OUTPUT), now=scene.now)
        message = Message.build(b"in doubt")
        program.put(handle, message, PutOptions(int(MQPMO.SYNCPOINT | MQPMO.NEW_MSG_ID)), scene.now)
        assert program.xa.end(xid, int(TMFlags.SUCCESS)) == 0
        decision = program.xa.prepare(xid, 0, scene.now)
        decision.pending.then = lambda error: outcome.append(decision.answered(error))

    station.call(work)
    scene.settle()
    assert outcome == [0]
    station.call(lambda: program.disconnect(scene.now))
