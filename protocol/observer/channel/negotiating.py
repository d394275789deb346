"""INITIAL_DATA of both ends until they agree (channels.md 4, mq-wire.md 7.2)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.observer.observations import Observation, Place
from mqbridge.protocol.segment import Segment

from .observations import Answered, ChannelAgreed, FieldSeen, Proposed, SegmentUnreadable
from .values import Agreed, Values, agree, read_values

_ID_STARTS: Final = (b"ID  ", b"\xc9\xc4\x40\x40")
_RESERVED: Final = (("reserved", "Reserved"), ("reserved1", "Reserved1"), ("reserved2", "Reserved2"))


class Negotiating:
    """``proposal``, ``answer``: what was stated last; ``agreed``: None until both have the same values."""

    def __init__(self) -> None:
        self.proposal: Values | None = None
        self.answer: Values | None = None
        self.agreed: Agreed | None = None
        self.rounds = 0
        self._sure = True  # what was stated last is what the next statement answers

    def lose(self) -> None:
        """Bytes were lost: what is stated next may answer something else."""
        self._sure = False

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take INITIAL_DATA."""
        try:
            values = read_values(segment)
        except StructureError as error:
            seen = f"{segment.body_length} bytes: {error}"
            return [SegmentUnreadable(direction, place, "INITIAL_DATA", "at least 44 bytes behind the header", seen)]
        told = _fields(values, direction, place)
        if direction is Direction.INITIATOR:
            self.rounds += 1
            told.append(Proposed(direction, place, values, self.answer if self._sure else None, self.rounds))
            self.proposal, self._sure = values, True
            return told
        told.append(Answered(direction, place, values, self.proposal if self._sure else None))
        self.answer = values
        if self.proposal is not None and not values.error:
            self.agreed = agree(self.proposal, values)
            told.append(ChannelAgreed(direction, place, self.agreed, self.proposal, values, self.rounds))
        return told


def _fields(values: Values, direction: Direction, place: Place) -> list[Observation]:
    """Fields that do not hold what they have to, whatever is being agreed on."""
    body = values.body
    told: list[Observation] = []
    if body.struc_id not in _ID_STARTS:
        told.append(FieldSeen(direction, place, "ID", "StrucId", "ID and two blanks", body.struc_id.hex()))
    for key, name in _RESERVED:
        if body.has(key) and getattr(body, key):
            told.append(FieldSeen(direction, place, "ID", name, "0", str(getattr(body, key))))
    return told
