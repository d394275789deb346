"""Answers of one end of a connection; a message in several segments is one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from mqbridge.captures.differential.wire_fields import WireField, fields_of
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.framing import Segment

Kind = tuple[int, bytes, int, int, int]
"""Type, header, conversation, request and flags of an answer; an answer in several segments has those of the first."""

_SPLIT: Final = frozenset({SegmentType.MESSAGE_DATA, SegmentType.ASYNC_MESSAGE, *range(0x91, 0xA0)})
"""Types that come in several segments."""


@dataclass(slots=True)
class ComparedAnswer:
    """A segment with its fields, or several segments of one message. ``number``: of its first segment in the
    conversation, from 1; 0 if not counted."""

    kind: Kind
    segment: Segment
    fields: list[WireField]
    number: int = 0
    data: bytes = b""

    @property
    def values(self) -> dict[str, WireField]:
        """Fields by key; of repeated keys the first."""
        return {field.key: field for field in reversed(self.fields)}

    @property
    def places(self) -> dict[tuple[str, int], WireField]:
        """Fields by key and number of preceding fields with that key."""
        seen: Counter[str] = Counter()
        found = {}
        for field in self.fields:
            found[field.key, seen[field.key]] = field
            seen[field.key] += 1
        return found


class Assembler:
    """Combines the segments of one end into answers."""

    def __init__(self) -> None:
        self._begun: dict[tuple[int, int], ComparedAnswer] = {}

    def take(self, segments: Iterable[Segment], numbers: Iterable[int] | None = None) -> Iterator[ComparedAnswer]:
        """Yield the complete answers; ``numbers``: of each segment in its conversation."""
        counted = iter(numbers) if numbers is not None else None
        for one in segments:
            number = next(counted) if counted is not None else 0
            place, split = (one.type, one.conversation_id), one.type in _SPLIT
            fields = list(fields_of(one))
            data = next((field.value for field in fields if field.key == "data.bytes"), b"")
            if split and not one.flags1 & ControlFlags1.FIRST and place in self._begun:
                self._begun[place].data += data
            else:
                first = bool(one.flags1 & ControlFlags1.FIRST)
                flags = int(one.flags1 | ControlFlags1.LAST) if split and first else one.flags1
                kind = (one.type, one.struc_id, one.conversation_id, one.request_id, flags)
                self._begun[place] = ComparedAnswer(kind, one, fields, number, data)
            if not split or one.flags1 & ControlFlags1.LAST:
                answer = self._begun.pop(place)
                answer.fields = [
                    WireField("data", "bytes", field.offset, len(answer.data), answer.data)
                    if field.key == "data.bytes"
                    else field
                    for field in answer.fields
                ]
                yield answer


def in_words(kind: Kind) -> str:
    """Return a kind as text: ``MQOPEN_REPLY TSHM 1/3 0x30``."""
    return f"{SegmentType(kind[0])} {kind[1].decode('latin-1')} {kind[2]}/{kind[3]} {kind[4]:#04x}"
