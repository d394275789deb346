"""Tools for cases: traffic with edits, and edits of fields by name.

A case is two functions that add connections to a builder. Most take the traffic of a live pair and edit it; edited
segments are marked as the place of the finding. The negative side should differ from the positive only in what the rule
is about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.captures.generate.channels import ChannelTraffic
from mqbridge.captures.generate.clients import ClientTraffic
from mqbridge.captures.generate.conversation import MadeConversation
from mqbridge.captures.generate.scenario import Builder, Case, Make
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.segment import HEADER_SIZES, Segment
from mqbridge.protocol.structures import ID, TSH

Edit = Callable[[MadeConversation], Any]

CASES: Final[dict[str, Case]] = {}
"""Cases by number of their rule."""

CALLER: Final = Direction.INITIATOR
CALLED: Final = Direction.RESPONDER

BYTE_ORDER: Final = 8
SEGMENT_TYPE: Final = 9
FLAGS_1: Final = 10
FLAGS_2: Final = 11
LUWID: Final = 12
ENCODING: Final = 20
CCSID: Final = 24
RESERVED: Final = 26
"""Offsets in a TSH."""


def case(number: str, positive: Make, negative: Make) -> None:
    """Enter the case of a rule. Raises ``ValueError`` for a rule that has one."""
    if number in CASES:
        raise ValueError(f"rule {number} has a case already")
    CASES[number] = Case(positive, negative)


def channel(*edits: Edit, messages: int = 3, **traffic: Any) -> Make:
    """Return a message channel; ``messages`` of random size, larger in larger cases, unless ``sizes`` are given."""

    def make(builder: Builder) -> None:
        values = dict(traffic)
        values.setdefault("sizes", [builder.random.randrange(0, 400 * builder.size) for _ in range(messages)])
        conversation = builder.channel(ChannelTraffic(**values))
        for edit in edits:
            edit(conversation)

    return make


def client(*edits: Edit, **traffic: Any) -> Make:
    """Return a client, likewise; ``puts`` of random size unless given."""

    def make(builder: Builder) -> None:
        values = dict(traffic)
        values.setdefault("puts", [builder.random.randrange(0, 400 * builder.size) for _ in range(2)])
        conversation = builder.client(ClientTraffic(**values))
        for edit in edits:
            edit(conversation)

    return make


def spoiled(make: Make, edit: Callable[[bytes], bytes]) -> Make:
    """Return a capture with the file edited."""

    def spoil(builder: Builder) -> None:
        make(builder)
        builder.spoil(edit)

    return spoil


def both(*makes: Make) -> Make:
    """Return all of these in one capture."""

    def make(builder: Builder) -> None:
        for one in makes:
            one(builder)

    return make


# Edits


def header(kind: int, offset: int, value: bytes, *, direction: Direction | None = None, nth: int = 0) -> Edit:
    """Change bytes in the header of a segment, at the offset in a TSH; fields behind the ids of a TSHM are found as
    well."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(kind, direction, nth)
        data = conversation.lines[place].data
        more = HEADER_SIZES[data[:4]] - TSH.size if offset >= BYTE_ORDER else 0
        conversation.patch(place, offset + more, value)

    return edit


def field(
    kind: int,
    structure: Structure[Any],
    key: str,
    value: int | bytes,
    *,
    at: int = 0,
    direction: Direction | None = None,
    nth: int = 0,
    mark: bool = True,
) -> Edit:
    """Change a field of a structure at ``at`` in the body of a segment."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(kind, direction, nth)
        put_field(conversation, place, structure, key, value, at=at, mark=mark)

    return edit


def put_field(
    conversation: MadeConversation,
    place: int,
    structure: Structure[Any],
    key: str,
    value: int | bytes,
    *,
    at: int = 0,
    mark: bool = True,
) -> None:
    """Change a field of a structure in the segment at ``place``."""
    segment = conversation.lines[place].segment
    slot = next(slot for slot in structure.codec(segment.order).SLOTS if slot.field.key == key)
    if isinstance(value, bytes):
        data = value.ljust(slot.size)
    else:
        data = value.to_bytes(slot.size, "big" if slot.swapped else segment.order.endian, signed=value < 0)
    conversation.patch(place, segment.body_start + at + slot.offset, data, mark=mark)


def number_in(segment: Segment, structure: Structure[Any], key: str, at: int = 0) -> int:
    """Return an integer in the body of a segment."""
    slot = next(slot for slot in structure.slots if slot.field.key == key)
    begin = segment.body_start - segment.start + at + slot.offset
    return int.from_bytes(segment.data[begin : begin + slot.size], segment.order.endian)


def proposed(key: str, value: int | bytes, *, mark: bool = True) -> Edit:
    """Change the caller's first INITIAL_DATA."""
    return field(SegmentType.INITIAL_DATA, ID, key, value, direction=CALLER, mark=mark)


def answered(key: str, value: int | bytes, *, mark: bool = True) -> Edit:
    """Change the first answer to INITIAL_DATA."""
    return field(SegmentType.INITIAL_DATA, ID, key, value, direction=CALLED, mark=mark)


def both_say(key: str, value: int | bytes) -> tuple[Edit, Edit]:
    """Set a field in the first INITIAL_DATA of both ends."""
    return proposed(key, value, mark=False), answered(key, value, mark=False)


def resized(data: bytes, body: bytes) -> bytes:
    """Return a segment with another body and matching length."""
    size = HEADER_SIZES[data[:4]]
    return data[:4] + (size + len(body)).to_bytes(4, "big") + data[8:size] + body


def body_edit(kind: int, edit: Callable[[bytes], bytes], *, direction: Direction | None = None, nth: int = 0) -> Edit:
    """Change the body of a segment."""

    def change(conversation: MadeConversation) -> None:
        place = conversation.find(kind, direction, nth)
        segment = conversation.lines[place].segment
        conversation.change(place, lambda data: resized(data, edit(segment.body)))

    return change


def insert(
    behind: int,
    direction: Direction,
    kind: int,
    *body: bytes,
    flags: int = 0,
    luwid: bytes = bytes(8),
    nth: int = 0,
    of: Direction | None = None,
    mark: bool = True,
) -> Edit:
    """Insert a segment behind the ``nth`` of a type."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(behind, of, nth)
        speaker = next((line for line in conversation.lines if line.direction is direction), conversation.lines[place])
        like = speaker.segment
        writer = SegmentWriter(like.order, like.ccsid, like.encoding)
        conversation.insert(place + 1, direction, writer.build(kind, *body, flags1=flags, luwid=luwid), mark=mark)

    return edit


def delayed(kind: int, seconds: float, *, direction: Direction | None = None, nth: int = 0) -> Edit:
    """Delay a segment, and everything behind it."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(kind, direction, nth)
        conversation.delay(place, seconds).mark(place)

    return edit


def marked(kind: int, *, direction: Direction | None = None, nth: int = 0) -> Edit:
    """Mark a segment as the place of the finding."""
    return lambda conversation: conversation.mark(conversation.find(kind, direction, nth))


def removed(kind: int, *, direction: Direction | None = None, nth: int = 0) -> Edit:
    """Remove a segment."""
    return lambda conversation: conversation.remove(conversation.find(kind, direction, nth))


def end_marked(conversation: MadeConversation) -> None:
    """Mark the end of the connection as the place of the finding."""
    conversation.mark_end()
