"""Traffic of which every boundary is known, for the bench of the learner: our own channels and clients."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, channel_conversation, client_conversation
from mqbridge.captures.generate.conversation import MadeConversation
from mqbridge.captures.learning import INITIATOR, RESPONDER, Piece, Stream
from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.dissection import Findings, dissect_segments
from mqbridge.protocol.grammar import Structure

BEGUN = 1_700_000_000.0
_STRUCTURES = {each.name: each for each in vars(structures).values() if isinstance(each, Structure)}


class Traffic(NamedTuple):
    """Connections, and for the bytes of each message where its fields begin but the first."""

    name: str
    streams: list[Stream]
    boundaries: dict[bytes, frozenset[int]]


def mq_channels(connections: int = 8, messages: int = 60) -> Traffic:
    """Message channels to several queues, messages of up to 400 bytes."""
    dice = Random(3)
    made = [
        channel_conversation(
            ChannelTraffic(
                channel=f"TO.{dice.choice(['VENUS', 'MARS'])}",
                queue=dice.choice(["ORDERS", "TARGET", "X.Y.Z"]),
                sizes=[dice.randrange(1, 400) for _ in range(messages)],
                interval=0.1,
            ),
            Random(number),
            BEGUN + 100 * number,
        )
        for number in range(connections)
    ]
    return _traffic("MQ channels", made)


def mq_clients(connections: int = 8, messages: int = 25) -> Traffic:
    """Client programs that put, get and inquire."""
    dice = Random(4)
    made = [
        client_conversation(
            ClientTraffic(
                user=dice.choice(["app", "joe", "mary"]),
                queue=f"Q.{dice.randrange(5)}",
                puts=[dice.randrange(1, 300) for _ in range(messages)],
                gets=messages // 2,
                inquiries=2,
                empty_gets=2,
                syncpoint=dice.random() < 0.5,
            ),
            Random(number),
            BEGUN + 100 * number,
        )
        for number in range(connections)
    ]
    return _traffic("MQ clients", made)


def _traffic(name: str, made: Iterable[MadeConversation]) -> Traffic:
    streams = []
    boundaries = {}
    for number, conversation in enumerate(made):
        pieces = []
        for line in conversation.lines:
            side = INITIATOR if line.direction is Direction.INITIATOR else RESPONDER
            pieces.append(Piece(side, line.time, line.data))
            boundaries[line.data] = fields_of_segment(line.data)
        streams.append(Stream(number, tuple(pieces)))
    return Traffic(name, streams, boundaries)


def fields_of_segment(data: bytes) -> frozenset[int]:
    """Return where fields of a segment begin, by the grammars, but the first."""
    found = set()
    for segment in dissect_segments(data, Findings()):
        for shown in segment["structures"]:
            at = shown["offset"]
            end = at + shown["length"]
            found |= {at, end}
            structure = _STRUCTURES.get(shown["structure"].split(" ")[0])
            for _, size, _ in structure.leading(ByteOrder.BIG) if structure is not None else ():
                at += size
                if at <= end:
                    found.add(at)
    return frozenset(each for each in found if 0 < each < len(data))
