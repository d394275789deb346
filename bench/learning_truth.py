"""Traffic of which every boundary is known, for the bench of the learner: our own channels and clients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, channel_conversation, client_conversation
from mqbridge.captures.generate.conversation import MadeConversation
from mqbridge.captures.learning import INITIATOR, RESPONDER, Piece, Stream
from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.dissection import Findings, dissect_segments
from mqbridge.protocol.grammar import Field, Structure
from mqbridge.protocol.myopenq.answers import SUCCESS, Answer
from mqbridge.protocol.myopenq.packets import Command, build_packet
from mqbridge.protocol.myopenq.requests import Browse, Create, Get, NamedRequest, Put, QueueType, write_request

BEGUN = 1_700_000_000.0
_VARIABLE = {Command.CREATE: [32, 5, 5, 1], Command.PUT: [32, 5], Command.BROWSE: [32, 5]}
"""Widths of the fields behind the fixed part (M-021 to M-029); of others a name alone."""
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


def myopenq(connections: int = 160) -> Traffic:
    """Packets of MyOpenQ in plain mode: a request and its answer in each connection."""
    dice = Random(5)
    boundaries: dict[bytes, frozenset[int]] = {}
    streams = []
    for number in range(connections):
        queue = dice.choice(["ORDERS", "STOCK", "INVOICES.EAST"])
        text = bytes(dice.choice(b"abcdefgh ijk") for _ in range(dice.randrange(1, 200)))
        request, answer = dice.choice(
            [
                (Create(queue, dice.randrange(1, 999), dice.randrange(1, 9999), QueueType.LOCAL), SUCCESS),
                (Put(queue, text), SUCCESS),
                (Put(queue, text), SUCCESS),
                (Get(queue), Answer(0, text)),
                (Browse(queue, dice.randrange(1, 9)), Answer(0, text)),
                (NamedRequest(Command.COUNT, queue), Answer(0, b"%d" % dice.randrange(50))),
            ]
        )
        command, variable = write_request(request, framed=False)
        asked = build_packet(command, variable, int(BEGUN) + number)
        ends = [0, 32, 42, 52]
        for each in _VARIABLE.get(command, [32]):
            ends.append(ends[-1] + each)
        boundaries[asked] = frozenset(each for each in ends if 0 < each < len(asked))
        boundaries[answer.plain()] = frozenset()
        time = BEGUN + number
        pieces = (Piece(INITIATOR, time, asked), Piece(RESPONDER, time + 0.01, answer.plain()))
        streams.append(Stream(number, pieces))
    return Traffic("MyOpenQ", streams, boundaries)


def named_fields(data: bytes) -> Iterator[tuple[int, int, Field | None]]:
    """Yield the fields of a segment by the grammars: where each begins and ends; None for bytes that none describes."""
    for segment in dissect_segments(data, Findings()):
        for shown in segment["structures"]:
            at = shown["offset"]
            end = at + shown["length"]
            structure = _STRUCTURES.get(shown["structure"].split(" ")[0])
            for _, size, field in structure.leading(ByteOrder.BIG) if structure is not None else ():
                if at + size > end:
                    break
                yield at, at + size, field
                at += size
            if at < end:
                yield at, end, None
            yield end, end, None


def fields_of_segment(data: bytes) -> frozenset[int]:
    """Return where fields of a segment begin, by the grammars, but the first."""
    found = {start for start, _, _ in named_fields(data)}
    return frozenset(each for each in found if 0 < each < len(data))
