"""Negotiation with a live endpoint, which may require other values than the recorded one.

A recorded initiator repeated the values that it was sent; the player repeats those that it is sent now. The number of
rounds may therefore differ, and only the final answers are compared (channels.md 4).
"""

from __future__ import annotations

from typing import Final

from mqbridge.captures.differential import fields_of, values_of
from mqbridge.captures.differential.recorded_flows import Step
from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import Segment

ADOPTED: Final = frozenset(
    {
        *("ID.FapLevel", "ID.CapFlags1", "ID.CapFlags2", "ID.CapFlags3", "ID.MaxMsgsPerBatch"),
        *("ID.MaxTransmissionSize", "ID.MaxMessageSize", "ID.HeartbeatInterval", "ID.ConvPerSocket", "ID.PAL"),
        *("ID.HdrCompList", "ID.MsgCompList"),
    }
)
"""Fields that an initiator adopts from the answer to its proposal."""


class Agreement:
    """The negotiation with the live endpoint. ``proposals``: the recorded initiator's, in order."""

    def __init__(self, proposals: list[Segment]) -> None:
        self._proposals = proposals
        self.answers: list[Segment] = []

    def first(self) -> Segment:
        """Return the first proposal."""
        return self._proposals[0]

    def receive(self, answer: Segment) -> Segment | bytes | None:
        """Take an answer; return the next proposal, or None at the end of the negotiation."""
        self.answers.append(answer)
        if not answer.flags1 & ControlFlags1.ERROR or len(self.answers) >= inferred.MAX_NEGOTIATION_ROUNDS:
            return None
        place = min(len(self.answers), len(self._proposals) - 1)
        return adopt(self._proposals[place], answer)

    @property
    def shares(self) -> bool:
        """Return whether the endpoint allows shared conversations."""
        return bool(self.answers) and number_in(self.answers[-1], "ID.ConvPerSocket") > 0


def number_in(segment: Segment, key: str) -> int:
    """Return a number in a segment; 0 if absent."""
    return int(values_of(segment).get(key, 0))


def adopt(proposal: Segment, answer: Segment) -> bytes:
    """Return a proposal with the values of an answer."""
    values = values_of(answer)
    data = bytearray(proposal.data)
    for found in fields_of(proposal):
        value = values.get(found.key) if found.key in ADOPTED else None
        if isinstance(value, int):
            value = value.to_bytes(found.size, proposal.order.endian, signed=value < 0)
        if isinstance(value, bytes) and len(value) == found.size:
            data[found.place] = value
    return bytes(data)


def split_agreement(steps: list[Step]) -> tuple[list[Step], list[Step]]:
    """Split the steps of a recorded flow behind the last INITIAL_DATA of its negotiation."""
    end = 0
    while end < len(steps) and steps[end].segment.type == SegmentType.INITIAL_DATA:
        end += 1
    return steps[:end], steps[end:]


def sent_by(steps: list[Step], direction: Direction) -> list[Segment]:
    """Return the segments of one direction."""
    return [step.segment for step in steps if step.direction is direction]
