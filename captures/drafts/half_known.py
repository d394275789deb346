"""A description that knows a part of a protocol: what it does not recognise is what is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mqbridge.captures.learning import Draft, Framing, Message, Stream
from mqbridge.captures.learning.framing import LengthField
from mqbridge.captures.learning.messages import SIDES
from mqbridge.mappings.templates import PacketError, Protocol, StreamError
from mqbridge.mappings.templates.framing import LengthFraming

from .kind_drafts import KindDraft
from .toml_form import transaction_lines
from .trying import ROLES


class HalfKnown(NamedTuple):
    """A description, as text and as what it says. Its templates stand in the text itself."""

    text: str
    protocol: Protocol

    def framing(self, messages: int) -> Framing | None:
        """Return its framing as the learner says it, where both ends have a length at the same place; else None."""
        first, second = (self.protocol.framing[role] for role in ROLES)
        if not isinstance(first, LengthFraming) or first != second or first.encoding == "base128":
            return None
        behind = first.position + first.width
        add = first.add + (behind if first.counts is None else first.counts)
        encoding = "digits" if first.encoding == "digits" else first.order
        rule = LengthField(first.position, first.width, encoding, first.unit, add)
        return Framing((rule, rule), messages, 0.0)

    def with_kinds(self, draft: Draft, kinds: Sequence[KindDraft]) -> str:
        """Return the description with further transactions, under names that it has not."""
        for each in kinds:
            if each.name in self.protocol.transactions:
                each.name = f"learnt-{each.name}"
        lines = [line for each in kinds for line in ("", *transaction_lines(each, draft.key))]
        return self.text.rstrip("\n") + "\n" + "\n".join(lines) + "\n"


class Cut(NamedTuple):
    """``messages``: all; ``rest``: those that the description does not know; ``notes``: what could not be cut."""

    messages: list[Message]
    rest: list[Message]
    notes: list[str]


def cut_streams(protocol: Protocol, streams: Sequence[Stream]) -> Cut:
    """Return the messages of streams by the framing of a description."""
    found = Cut([], [], [])
    broken = 0
    for stream in streams:
        framers = {side: protocol.framer(ROLES[side]) for side in SIDES}
        for piece in stream.pieces:
            if piece.side not in framers:
                continue
            try:
                for data in framers[piece.side].receive(piece.data):
                    message = Message(stream.number, piece.side, piece.time, data)
                    found.messages.append(message)
                    if not _is_known(protocol, message):
                        found.rest.append(message)
            except StreamError:
                del framers[piece.side]
                broken += 1
    if broken:
        found.notes.append(f"{broken} directions of connections cannot be cut to their end by the description")
    return found


def _is_known(protocol: Protocol, message: Message) -> bool:
    try:
        return protocol.read(message.data, ROLES[message.side]) is not None
    except PacketError:
        return False
