"""The exchange of INITIAL_DATA with a live endpoint, which may want other values than the recorded one did.

A recorded initiator that was told values repeated them; the player repeats those that it is told now. So one round or
several may become several or one, and only the answers that end the exchange are compared (channels.md 4).
"""

from __future__ import annotations

from typing import Final

from mqbridge.captures.differential import fields_of
from mqbridge.captures.differential.recorded_flows import Step
from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import Segment

_ERROR: Final = int(ControlFlags1.ERROR)

ADOPTED: Final = frozenset(
    {
        *("ID.FapLevel", "ID.CapFlags1", "ID.CapFlags2", "ID.CapFlags3", "ID.MaxMsgsPerBatch"),
        *("ID.MaxTransmissionSize", "ID.MaxMessageSize", "ID.HeartbeatInterval", "ID.ConvPerSocket", "ID.PAL"),
        *("ID.HdrCompList", "ID.MsgCompList"),
    }
)
"""What an initiator takes over from the answer to its proposal."""


class Agreement:
    """The rounds with the live endpoint. ``proposals``: the recorded initiator's, in their order."""

    def __init__(self, proposals: list[Segment]) -> None:
        self._proposals = proposals
        self.answers: list[Segment] = []

    def first(self) -> Segment:
        """The proposal that begins."""
        return self._proposals[0]

    def receive(self, answer: Segment) -> Segment | bytes | None:
        """Take an answer; give the next proposal, or None where the exchange is over."""
        self.answers.append(answer)
        if not answer.flags1 & _ERROR or len(self.answers) >= inferred.MAX_NEGOTIATION_ROUNDS:
            return None
        place = min(len(self.answers), len(self._proposals) - 1)
        return adopt(self._proposals[place], answer)

    @property
    def shares(self) -> bool:
        """Whether the endpoint lets conversations share the connection."""
        return bool(self.answers) and told_value(self.answers[-1], "ID.ConvPerSocket") > 0


def told_value(segment: Segment, key: str) -> int:
    """A number of a segment; 0 where it is absent."""
    return next((int(found.value) for found in fields_of(segment) if found.key == key), 0)


def adopt(proposal: Segment, answer: Segment) -> bytes:
    """A proposal with the values of an answer."""
    told = {found.key: found.value for found in fields_of(answer)}
    data = bytearray(proposal.data)
    for found in fields_of(proposal):
        value = told.get(found.key) if found.key in ADOPTED else None
        if isinstance(value, int):
            value = value.to_bytes(found.size, proposal.order, signed=value < 0)
        if isinstance(value, bytes) and len(value) == found.size:
            data[found.offset : found.offset + found.size] = value
    return bytes(data)


def split_agreement(steps: list[Step]) -> tuple[list[Step], list[Step]]:
    """The steps of a recorded flow up to the last INITIAL_DATA of its beginning, and those behind."""
    end = 0
    while end < len(steps) and steps[end].segment.type == SegmentType.INITIAL_DATA:
        end += 1
    return steps[:end], steps[end:]


def sent_by(steps: list[Step], direction: Direction) -> list[Segment]:
    """The segments of one direction."""
    return [step.segment for step in steps if step.direction is direction]
