"""What was learnt of a protocol: its framing, its kinds of messages, their fields, and what is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .blocks import layout_behind_base128, layout_of, plain_layout
from .claims import CONSTANT, LENGTH, OPAQUE, UNKNOWN, Claim
from .columns import Known, Neighbours
from .few import LEAST, MOST, layout_of_few
from .framing import Framing, LengthField, find_framing
from .kinds import KindKey, find_key
from .layout import Field, Layout, Tail
from .messages import Message, Stream, in_order
from .session import KindName, Session, find_session

_RUN: Final = 20
"""Messages of a sample that follow each other, so that steps between them are seen."""
_LEAST_OF_KIND: Final = 40
_LEAST_READ: Final = 0.9
_UNEXPLAINED: Final = frozenset({OPAQUE, UNKNOWN})


class Options(NamedTuple):
    """``most_of_kind``: messages of a kind from which it is learnt, spread over all of them; ``most_messages``: of all
    kinds together; what is claimed is tried on all. ``most_kinds``: more are not learnt."""

    most_of_kind: int = 400
    most_kinds: int = 200
    most_messages: int = 4000


@dataclass(slots=True)
class Kind:
    """Messages of one kind: of one ``side`` with one ``value`` of the key. ``count``: of them; ``sizes``: shortest and
    longest in bytes; ``read``: how many the layout reads from end to end; ``explained``: bytes of them of which more is
    claimed than that they are unknown."""

    side: int
    value: bytes
    count: int
    sizes: tuple[int, int]
    layout: Layout
    read: int = 0
    explained: int = 0

    @property
    def name(self) -> KindName:
        """By which sessions name it."""
        return self.side, self.value

    def fields(self, data: bytes) -> list[Field]:
        """Return the fields of a message; one unknown field where the layout does not read it."""
        found = self.layout.read(data, 0, len(data))
        return [Field(0, len(data), Claim(0, None, UNKNOWN, 0.0))] if found is None else found


@dataclass(slots=True)
class Draft:
    """``key``: what tells the kinds, None where there is one for each side. ``notes``: what is missing, and why.
    ``explained``: share of all bytes that a claim other than unknown covers. ``session``: how messages follow each
    other, None where there is no framing."""

    framing: Framing | None
    key: KindKey | None
    kinds: list[Kind]
    messages: int
    notes: list[str]
    explained: float = 0.0
    session: Session | None = None

    def kind_of(self, message: Message) -> Kind | None:
        """Return the kind of a message; None for one that was not seen."""
        value = self.key.of(message.data) if self.key is not None else b""
        return next((kind for kind in self.kinds if (kind.side, kind.value) == (message.side, value)), None)


def learn(streams: Sequence[Stream], options: Options | None = None) -> Draft:
    """Return what the streams say of their protocol. Where there is too little, it claims nothing and notes why."""
    found = find_framing(streams)
    if found is None:
        return Draft(None, None, [], 0, ["no framing cuts every connection to its end: nothing is claimed"])
    framing, cuts = found
    return learn_messages(list(in_order(cuts)), streams, framing, options)


def learn_messages(
    messages: Sequence[Message],
    streams: Sequence[Stream],
    framing: Framing | None = None,
    options: Options | None = None,
) -> Draft:
    """Return what messages say of their protocol that are cut already: those of a stream together and in order.

    ``streams``: from which they are; ``framing``: that has cut them, None where something else has.
    """
    options = options or Options()
    if not messages:
        return Draft(framing, None, [], 0, ["there are no messages: nothing is claimed"])
    taken = _taken(framing) if framing is not None else []
    key = find_key(messages, [(claim.start, claim.end or 0) for claim in taken])
    draft = Draft(framing, key, [], len(messages), [])
    groups: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for number, message in enumerate(messages):
        groups[message.side, key.of(message.data) if key is not None else b""].append(number)
    neighbours = Neighbours(messages, {each.number: each.addresses for each in streams})
    most = min(options.most_of_kind, max(options.most_messages // len(groups), _LEAST_OF_KIND))
    explained = 0
    for number, ((side, value), members) in enumerate(sorted(groups.items())):
        if number == options.most_kinds:
            draft.notes.append(f"{len(groups)} kinds of messages; {options.most_kinds} are learnt")
            break
        kind = _learn_kind(messages, neighbours, side, value, members, framing, key, most)
        draft.kinds.append(kind)
        explained += kind.explained
        if kind.count < 4:
            draft.notes.append(f"kind {value.hex() or side}: {kind.count} messages are too few to tell its fields")
    names = [(message.side, key.of(message.data) if key is not None else b"") for message in messages]
    draft.session = find_session(messages, names, frozenset(each.number for each in streams if each.whole))
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
    neighbours: Neighbours,
    side: int,
    value: bytes,
    members: Sequence[int],
    framing: Framing | None,
    key: KindKey | None,
    most: int,
) -> Kind:
    places = _sample(len(members), most)
    sample = [members[each] for each in places]
    rows = [messages[each].data for each in sample]
    sizes = [len(messages[each].data) for each in members]
    settled = _taken(framing) if framing is not None else []
    if key is not None:
        count = len(members)
        settled.append(
            Claim(key.position, key.position + key.width, CONSTANT, 0.0, {"value": value, "key": True}, count, count)
        )
    settled = [claim for claim in settled if (claim.end or 0) <= min(map(len, rows))]
    if LEAST <= len(rows) <= MOST and len(set(rows)) > 1:
        layout = layout_of_few(rows)
    elif any(rows):
        layout = _layout(rows, neighbours.known_of(members, places), sorted(settled), framing)
    else:
        layout = Layout((Tail(Claim(0, None, UNKNOWN, 0.0)),))
    kind = Kind(side, value, len(members), (min(sizes), max(sizes)), layout)
    _try_on(kind, [messages[each].data for each in members])
    return kind


def _layout(rows: Sequence[bytes], known: Known, settled: Sequence[Claim], framing: Framing | None) -> Layout:
    """Return the layout of a kind; the plain one where another reads too few of the messages it was learnt from."""
    rule = framing.rules[0] if framing is not None else None
    if isinstance(rule, LengthField) and rule.encoding == "base128" and framing is not None:
        detail = {"of": "message", "order": "base128", "unit": 1, "less": rule.add}
        length = Claim(0, None, LENGTH, 0.0, detail, framing.messages, framing.messages, framing.chance)
        layout = layout_behind_base128(rows, known, settled, length, rule.position, rule.width)
    else:
        layout = layout_of(rows, known, settled)
    read = sum(layout.read(row, 0, len(row)) is not None for row in rows)
    return layout if read >= _LEAST_READ * len(rows) else plain_layout(rows, known, settled)


def _try_on(kind: Kind, rows: Sequence[bytes]) -> None:
    """Read all messages of a kind."""
    for data in rows:
        fields = kind.layout.read(data, 0, len(data))
        if fields is not None:
            kind.read += 1
            kind.explained += sum(end - start for start, end, claim in fields if claim.what not in _UNEXPLAINED)


def _sample(count: int, most: int) -> list[int]:
    """Return the places of some of so many messages, spread over all, in runs that follow each other."""
    if count <= most:
        return list(range(count))
    runs = max(most // _RUN, 2)
    begins = [each * (count - _RUN) // (runs - 1) for each in range(runs)]
    return sorted({begin + each for begin in begins for each in range(_RUN)})
