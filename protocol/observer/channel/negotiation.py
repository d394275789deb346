"""INITIAL_DATA of both ends until they agree (channels.md 4, mq-wire.md 7.2)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment

from .observations import ChannelAgreed, FieldSeen, ProposalAnswered, Proposed, SegmentUnreadable
from .values import ChannelValues, Values, agree, read_values

_ID_STARTS: Final = (b"ID  ", b"\xc9\xc4\x40\x40")
_RESERVED: Final = (("reserved", "Reserved"), ("reserved1", "Reserved1"), ("reserved2", "Reserved2"))


@final
class ChannelNegotiationObserver:
    """Rounds of INITIAL_DATA.

    ``proposal``, ``answer``: the latest statements. ``agreed``: None until both ends have the same values.
    """

    __slots__ = ("_log", "_overview", "_rounds", "_sure", "agreed", "answer", "proposal")

    def __init__(self, log: ObservationLog, overview: Overview) -> None:
        self._log, self._overview = log, overview
        self.proposal: Values | None = None
        self.answer: Values | None = None
        self.agreed: ChannelValues | None = None
        self._rounds = 0
        self._sure = True  # the latest statement is answered by the next one

    def lose(self) -> None:
        """Note lost bytes: the next statement may answer another."""
        self._sure = False

    def receive(self, segment: Segment) -> None:
        """Take an INITIAL_DATA."""
        log, overview = self._log, self._overview
        try:
            values = read_values(segment)
        except StructureError as error:
            seen = f"{segment.body_length} bytes: {error}"
            log.add(SegmentUnreadable, "INITIAL_DATA", "at least 44 bytes behind the header", seen)
            return
        self._look_at_fields(values)
        if log.direction is Direction.INITIATOR:
            self._rounds += 1
            log.add(Proposed, values, self.answer if self._sure else None, self._rounds)
            self.proposal, self._sure = values, True
        else:
            log.add(ProposalAnswered, values, self.proposal if self._sure else None)
            self.answer = values
            if self.proposal is not None and not values.error:
                self.agreed = agree(self.proposal, values)
                log.add(ChannelAgreed, self.agreed, self.proposal, values, self._rounds)
        known = self.answer or values
        overview.channel, overview.queue_manager = known.channel_name, known.queue_manager

    def _look_at_fields(self, values: Values) -> None:
        """Report fields with invalid values."""
        body = values.body
        if body.record.struc_id not in _ID_STARTS:
            self._log.add(FieldSeen, "ID", "StrucId", "ID and two blanks", body.record.struc_id.hex())
        for key, name in _RESERVED:
            if body.has(key) and getattr(body.record, key):
                self._log.add(FieldSeen, "ID", name, "0", str(getattr(body.record, key)))
