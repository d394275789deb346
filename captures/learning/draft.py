"""What was learnt of a protocol: its framing, its kinds of messages, their fields, and what is missing."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .blocks import layout_of
from .claims import CONSTANT, LENGTH, OPAQUE, UNKNOWN, Claim
from .columns import known_of
from .framing import Framing, LengthField, find_framing
from .kinds import KindKey, find_key
from .layout import Field, Layout, Tail
from .messages import Message, Stream, in_order

_UNEXPLAINED: Final = frozenset({OPAQUE, UNKNOWN})


class Options(NamedTuple):
    """``most_of_kind``: messages of a kind from which it is learnt, spread over all of them; what is claimed is
    tried on all. ``most_kinds``: more are not learnt."""

    most_of_kind: int = 400
    most_kinds: int = 200


@dataclass(slots=True)
class Kind:
    """Messages of one kind: of one ``side`` with one ``value`` of the key. ``count``: of them; ``sizes``: shortest and
    longest in bytes; ``read``: how many the layout reads from end to end; ``explained``: bytes of them of which more is
    claimed than that they are unknown; ``reply``: the kind that most often follows
    from the other side, and in how many of 1."""

    side: int
    value: bytes
    count: int
    sizes: tuple[int, int]
    layout: Layout
    read: int = 0
    explained: int = 0
    reply: tuple[int, bytes] | None = None
    reply_share: float = 0.0

    def fields(self, data: bytes) -> list[Field]:
        """Return the fields of a message; one unknown field where the layout does not read it."""
        found = self.layout.read(data, 0, len(data))
        return [Field(0, len(data), Claim(0, None, UNKNOWN, 0.0))] if found is None else found


@dataclass(slots=True)
class Draft:
    """``key``: what tells the kinds, None where there is one for each side. ``notes``: what is missing, and why.
    ``explained``: share of all bytes that a claim other than unknown covers."""

    framing: Framing | None
    key: KindKey | None
    kinds: list[Kind]
    messages: int
    notes: list[str]
    explained: float = 0.0

    def kind_of(self, message: Message) -> Kind | None:
        """Return the kind of a message; None for one that was not seen."""
        value = self.key.of(message.data) if self.key is not None else b""
        return next((kind for kind in self.kinds if (kind.side, kind.value) == (message.side, value)), None)


def learn(streams: Sequence[Stream], options: Options | None = None) -> Draft:
    """Return what the streams say of their protocol. Where there is too little, it claims nothing and notes why."""
    options = options or Options()
    found = find_framing(streams)
    if found is None:
        return Draft(None, None, [], 0, ["no framing cuts every connection to its end: nothing is claimed"])
    framing, cuts = found
    messages = list(in_order(cuts))
    taken = _taken(framing)
    key = find_key(messages, [(claim.start, claim.end or 0) for claim in taken])
    draft = Draft(framing, key, [], len(messages), [])
    groups: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for number, message in enumerate(messages):
        groups[message.side, key.of(message.data) if key is not None else b""].append(number)
    explained = 0
    for number, ((side, value), members) in enumerate(sorted(groups.items())):
        if number == options.most_kinds:
            draft.notes.append(f"{len(groups)} kinds of messages; {options.most_kinds} are learnt")
            break
        kind = _learn_kind(messages, side, value, members, taken, key, options)
        draft.kinds.append(kind)
        explained += kind.explained
        if kind.count < 4:
            draft.notes.append(f"kind {value.hex() or side}: {kind.count} messages are too few to tell its fields")
    _find_replies(draft, messages)
    total = sum(len(message.data) for message in messages)
    draft.explained = explained / total if total else 0.0
    return draft


def _taken(framing: Framing) -> list[Claim]:
    first, second = framing.rules
    if not isinstance(first, LengthField) or first != second or first.encoding == "base128":
        return []
    detail = {"of": "message", "order": first.encoding, "unit": first.unit, "less": first.add}
    return [
        Claim(
            first.position,
            first.position + first.width,
            LENGTH,
            0.0,
            detail,
            framing.messages,
            framing.messages,
            framing.chance,
        )
    ]


def _learn_kind(
    messages: Sequence[Message],
    side: int,
    value: bytes,
    members: Sequence[int],
    taken: Sequence[Claim],
    key: KindKey | None,
    options: Options,
) -> Kind:
    step = max(len(members) // options.most_of_kind, 1)
    sample = members[::step][: options.most_of_kind]
    rows = [messages[each].data for each in sample]
    sizes = [len(messages[each].data) for each in members]
    settled = list(taken)
    if key is not None:
        count = len(members)
        settled.append(
            Claim(key.position, key.position + key.width, CONSTANT, 0.0, {"value": value, "key": True}, count, count)
        )
    settled = [claim for claim in settled if (claim.end or 0) <= min(map(len, rows))]
    if any(rows):
        layout = layout_of(rows, known_of(messages, sample), sorted(settled))
    else:
        layout = Layout((Tail(Claim(0, None, UNKNOWN, 0.0)),))
    kind = Kind(side, value, len(members), (min(sizes), max(sizes)), layout)
    for each in members:
        data = messages[each].data
        fields = layout.read(data, 0, len(data))
        if fields is not None:
            kind.read += 1
            kind.explained += sum(end - start for start, end, claim in fields if claim.what not in _UNEXPLAINED)
    return kind


def _find_replies(draft: Draft, messages: Sequence[Message]) -> None:
    """Find which kind answers which: the next message of the other side, before this side speaks again."""
    key = draft.key
    follows: dict[tuple[int, bytes], Counter[tuple[int, bytes]]] = defaultdict(Counter)
    for message, following in _neighbours(messages):
        if message.stream == following.stream and message.side != following.side:
            values = [key.of(each.data) if key is not None else b"" for each in (message, following)]
            follows[message.side, values[0]][following.side, values[1]] += 1
    for kind in draft.kinds:
        counter = follows.get((kind.side, kind.value))
        if counter:
            reply, count = counter.most_common(1)[0]
            kind.reply, kind.reply_share = reply, count / kind.count


def _neighbours(messages: Sequence[Message]) -> Iterator[tuple[Message, Message]]:
    yield from itertools.pairwise(messages)
