"""One captured connection: its kind, and the observer of its protocol.

Theory of operation. An observer sees what both ends send, in the order of the capture. It never answers and never
raises: where the traffic departs from the tables of the live machines it reports an observation with what was expected,
accepts the traffic, and continues from there. After lost bytes it is ``uncertain`` and reports nothing that the lost
bytes could explain, until the state is determined again.
"""

from __future__ import annotations

import struct
from typing import Any, Final

from mqbridge.protocol.chain import RAW_HEADER_FORMATS
from mqbridge.protocol.constants import CapFlags1, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.segment import HEADER_SIZES, Segment

from .channel import ChannelObserver, ChannelValues
from .client import ClientObserver, ClientProposed
from .observations import (
    BytesLost,
    ConnectionEnded,
    ConnectionKind,
    DescriptorSeen,
    Ending,
    HeadersSeen,
    MessageSeen,
    Observation,
    Place,
    SegmentSeen,
)
from .overview import Overview

MAX_VARIETIES: Final = 256
"""Varieties of segment headers per direction, and of descriptors, that are remembered; beyond it they are reported
again."""

MAX_LOSSES: Final = 64
"""Losses that are remembered until the kind of connection is known; more make no difference."""

_SHORTEST_DESCRIPTOR: Final = 324
_HEAD: Final = struct.Struct("16s4x28s52xs171x4s").unpack_from
"""The checked fields of a descriptor: StrucId to MsgType, Feedback to Persistence, first byte of ReplyToQ, PutApplType
(mq-wire.md 5.7)."""

_SHAPE: Final = slice(-6, -2)
"""Byte order, type and both flags among the words of a header."""

_CAP_FLAGS_1: Final = 5  # offset in the body of INITIAL_DATA, mq-wire.md 4
_OF_CHANNELS: Final = frozenset((SegmentType.MESSAGE_DATA, SegmentType.RESYNC_DATA, SegmentType.RESET_DATA))
_FIRST_CALL: Final = SegmentType.SOCKET_ACTION  # types from here on occur on client connections only
_SHARED: Final = frozenset(struc_id for struc_id, size in HEADER_SIZES.items() if size > HEADER_SIZES[b"TSH "])


class Observer:
    """Both directions of one connection.

    ``whole``: the capture holds the beginning. ``encrypted``: the connection is inside TLS, and the segments were
    decrypted. ``overview``: what is known so far. ``part``: the observer of its protocol, None until the kind of
    connection is known.
    """

    def __init__(self, whole: bool = True, *, encrypted: bool = False) -> None:
        self.whole = whole
        self.encrypted = encrypted
        self.kind = ConnectionKind.UNKNOWN
        self.overview = Overview(whole)
        self.part: ChannelObserver | ClientObserver | None = None
        self._headers: dict[Direction, set[tuple[object, ...]]] = {direction: set() for direction in Direction}
        self._codes: dict[Direction, set[tuple[int, bytes]]] = {direction: set() for direction in Direction}
        self._usual: dict[Direction, tuple[int, int] | None] = dict.fromkeys(Direction)
        self._descriptors: set[tuple[object, ...]] = set()
        self._lost: list[tuple[Direction, int, Place]] = []

    @property
    def agreed_channel(self) -> ChannelValues | None:
        """Negotiated values of a message channel; None before, and for other connections."""
        return self.part.negotiation.agreed if isinstance(self.part, ChannelObserver) else None

    @property
    def agreed_client(self) -> ClientProposed | None:
        """Negotiated values of a client connection; None before, and for other connections."""
        return self.part.negotiation.agreed if isinstance(self.part, ClientObserver) else None

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take the next segment of a direction; return what it shows."""
        shape = segment.byte_order, segment.type, segment.flags1, segment.flags2
        header = segment.struc_id, shape, segment.tail
        observations: list[Observation] = []
        known = self._headers[direction]
        if header not in known:
            codes = self._codes[direction]
            if len(known) >= MAX_VARIETIES:
                known.clear()
                codes.clear()
            known.add(header)
            code = segment.byte_order, segment.tail
            observations.append(SegmentSeen(direction, place, segment, self._usual[direction], code not in codes))
            codes.add(code)
            self._usual[direction] = segment.byte_order, segment.ccsid
        if self.part is None and not self._recognise(segment):
            return observations
        assert self.part is not None
        seen = self.part.receive(direction, segment, place)
        if seen:
            observations = observations + seen if observations else seen
            self._look_at_messages(observations)
        return observations

    def receive_in_run(
        self, direction: Direction, words: tuple[Any, ...], buffer: bytes, start: int, place: Place
    ) -> list[Observation] | None:
        """Take the next segment, given by its header (``protocol.segment.read_header``) and its position, if it
        continues a run: more of the same, with a header that was seen before.

        The observations are those that :meth:`receive` would return. None, with nothing changed, for other segments,
        which are to be passed to it.
        """
        part = self.part
        if part is None or (words[0], words[_SHAPE], words[-1]) not in self._headers[direction]:
            return None
        observations = part.receive_in_run(direction, words, buffer, start, place)
        if observations:
            self._look_at_messages(observations)
        return observations

    def lose(self, direction: Direction, length: int, place: Place, reason: str = "") -> list[Observation]:
        """Note ``length`` bytes of a direction that are not in the capture, or form no segments for a ``reason``."""
        if self.part is not None:
            self.part.lose(direction, length, place)
        elif len(self._lost) < MAX_LOSSES:
            self._lost.append((direction, length, place))
        return [BytesLost(direction, place, length, reason)]

    def close(self, ending: Ending, place: Place, direction: Direction = Direction.INITIATOR) -> list[Observation]:
        """Note the end of the connection; ``direction``: the end that closed first, if any."""
        observations: list[Observation] = [] if self.part is None else self.part.close(direction, ending, place)
        self._look_at_messages(observations)
        return [*observations, ConnectionEnded(direction, place, ending)]

    def _look_at_messages(self, observations: list[Observation]) -> None:
        """Report each variety of descriptor once, and messages with headers."""
        for seen in observations.copy():
            if type(seen) is not MessageSeen:
                continue
            message = seen.message
            raw = message.descriptor
            if len(raw) < _SHORTEST_DESCRIPTOR:
                continue
            variety = message.direction, message.order, message.ccsid, _HEAD(raw), raw[356:360]
            if variety not in self._descriptors:
                if len(self._descriptors) >= MAX_VARIETIES:
                    self._descriptors.clear()
                self._descriptors.add(variety)
                observations.append(DescriptorSeen(seen.direction, seen.place, message))
            chain = message.chain if raw[32:40] in RAW_HEADER_FORMATS and message.whole else None
            # The kept data of a long message may end within its headers, which are then not truncated.
            if chain is not None and (chain.stopped is None or len(message.data) == message.length):
                observations.append(HeadersSeen(seen.direction, seen.place, message, chain))

    def _recognise(self, segment: Segment) -> bool:
        """Determine the kind of connection from a segment; return whether it is known."""
        kind = _kind_of(segment)
        if kind is ConnectionKind.UNKNOWN:
            return False
        self.kind = kind
        channel = kind is ConnectionKind.MESSAGE_CHANNEL
        self.part = ChannelObserver(self.overview) if channel else ClientObserver(self.overview)
        for lost in self._lost:
            self.part.lose(*lost)
        self._lost.clear()
        return True


def _kind_of(segment: Segment) -> ConnectionKind:
    if segment.type == SegmentType.INITIAL_DATA:
        flags = segment.buffer[segment.body_start + _CAP_FLAGS_1 :][:1] if segment.body_length > _CAP_FLAGS_1 else b""
        if not flags:
            return ConnectionKind.UNKNOWN
        client = flags[0] & CapFlags1.MQREQUEST
        return ConnectionKind.CLIENT_CONNECTION if client else ConnectionKind.MESSAGE_CHANNEL
    if segment.type in _OF_CHANNELS:
        return ConnectionKind.MESSAGE_CHANNEL
    if segment.type >= _FIRST_CALL or segment.struc_id in _SHARED:
        return ConnectionKind.CLIENT_CONNECTION
    return ConnectionKind.UNKNOWN
