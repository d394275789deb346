"""What was recorded of a session: what one end said to each message of the other, and which values it took from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from mqbridge.captures.described import ReadMessage, Unread
from mqbridge.captures.described.messages import ROLES
from mqbridge.mappings.templates import Protocol, Role, Value, Values
from mqbridge.mappings.templates.fields import Sequence

MOST: Final = 100_000
"""Messages of a recording that are used."""
_COMPARED: Final = 500
"""Exchanges of a pair of kinds by which values that came back are found."""
Source: TypeAlias = tuple[str, str]
"""Transaction and field of the other end from which a value comes."""
Sources: TypeAlias = Mapping[str, Source]
"""Sources by field."""


class Said(NamedTuple):
    """A message of a recording. ``mine``: of the end that is played."""

    mine: bool
    values: Values
    packet: int


class Exchange(NamedTuple):
    """A message of the other end, and what was said to it. ``known``: the last message of each kind that the other end
    had sent by then. ``packet``: number of the message in the capture."""

    request: Values
    said: tuple[Values, ...]
    known: Mapping[str, Values]
    packet: int


class Recorded:
    """A recording of ``role``, the end that is played. ``dialogues``: messages by connection. ``opening``: what it said
    before the other end had said anything, most often. ``unread``: pieces that the description does not explain."""

    def __init__(self, protocol: Protocol, role: Role, found: Iterable[ReadMessage | Unread]) -> None:
        self.protocol = protocol
        self.role = role
        self.unread = 0
        connections: dict[int, list[Said]] = defaultdict(list)
        count = 0
        for each in found:
            if isinstance(each, Unread):
                self.unread += 1
            elif count < MOST:
                count += 1
                connections[each.connection].append(Said(ROLES[each.direction] == role, each.values, each.packet))
        self.dialogues = list(connections.values())
        self._by_kind: dict[str, list[Exchange]] = defaultdict(list)
        openings: Counter[tuple[str, ...]] = Counter()
        self._openings: dict[tuple[str, ...], tuple[Values, ...]] = {}
        for dialogue in self.dialogues:
            opening = self._exchanges(dialogue)
            kinds = tuple(each.transaction for each in opening)
            openings[kinds] += 1
            self._openings.setdefault(kinds, opening)
        self.opening = self._openings[openings.most_common(1)[0][0]] if openings else ()
        self._sources = self._find_sources()
        self._back: dict[str, set[str]] = defaultdict(set)
        for (kind, _), sources in self._sources.items():
            self._back[kind].update(field for source, field in sources.values() if source == kind)
        self._by_key: dict[tuple[object, ...], list[Exchange]] = defaultdict(list)
        for exchanges in self._by_kind.values():
            for exchange in exchanges:
                self._by_key[self.key(exchange.request)].append(exchange)

    def _exchanges(self, dialogue: list[Said]) -> tuple[Values, ...]:
        opening: list[Values] = []
        known: dict[str, Values] = {}
        request: Said | None = None
        said: list[Values] = []

        def close() -> None:
            if request is not None:
                made = Exchange(request.values, tuple(said), dict(known), request.packet)
                self._by_kind[request.values.transaction].append(made)

        for each in dialogue:
            if each.mine:
                (opening if request is None else said).append(each.values)
                continue
            close()
            request, said = each, []
            known[each.values.transaction] = each.values
        close()
        return tuple(opening)

    # Values that came back

    def _find_sources(self) -> dict[Source, dict[str, Source]]:
        """By kind of message and of what was said: the fields that always had a value of the other end."""
        pairs: dict[Source, list[tuple[Values, Mapping[str, Values]]]] = defaultdict(list)
        for kind, exchanges in self._by_kind.items():
            for exchange in exchanges:
                for values in exchange.said:
                    found = pairs[kind, values.transaction]
                    if len(found) < _COMPARED:
                        found.append((values, exchange.known))
        return {pair: _always_equal(pair[0], found) for pair, found in pairs.items()}

    def sources(self, request: str, said: str) -> Sources:
        """Where fields of what is said to a kind of message get their values."""
        return self._sources.get((request, said), {})

    def key(self, request: Values) -> tuple[object, ...]:
        """What identifies a message: its fields but those that are computed, ids, and values that only come back."""
        transaction = self.protocol.transactions[request.transaction]
        back = self._back.get(request.transaction, ())
        return request.transaction, *(
            (name, value)
            for name, value in request.fields.items()
            if transaction.fields[name].computed is None and not transaction.fields[name].identity and name not in back
        )

    # Choosing

    def like(self, request: Values) -> list[Exchange]:
        """The exchanges of messages that equal this one in what identifies it, in their order."""
        return self._by_key.get(self.key(request), [])

    def usual(self, kind: str) -> tuple[Exchange, int, int] | None:
        """The most frequent exchange of a kind, how often there is one like it, and how many there are in all."""
        exchanges = self._by_kind.get(kind, [])
        if not exchanges:
            return None
        shapes = [tuple(self._shape(kind, values) for values in exchange.said) for exchange in exchanges]
        kinds = Counter(tuple(each.transaction for each in exchange.said) for exchange in exchanges).most_common(1)[0][
            0
        ]
        mine = [
            shape
            for shape, exchange in zip(shapes, exchanges, strict=True)
            if tuple(each.transaction for each in exchange.said) == kinds
        ]
        best, count = Counter(mine).most_common(1)[0]
        return exchanges[shapes.index(best)], count, len(exchanges)

    def _shape(self, kind: str, values: Values) -> tuple[object, ...]:
        computed = self.protocol.transactions[values.transaction].computed
        taken = self.sources(kind, values.transaction)
        left = [(name, value) for name, value in values.fields.items() if name not in computed and name not in taken]
        return values.transaction, *left

    def first_numbers(self) -> dict[str, int]:
        """What counters were before the first number that was recorded of each."""
        found: dict[str, int] = {}
        for dialogue in self.dialogues:
            for each in dialogue:
                for name, value in each.values.fields.items() if each.mine else ():
                    computed = self.protocol.transactions[each.values.transaction].fields[name].computed
                    if isinstance(computed, Sequence) and isinstance(value, int):
                        found.setdefault(computed.counter, value - computed.step)
        return found


def _always_equal(request: str, pairs: list[tuple[Values, Mapping[str, Values]]]) -> dict[str, Source]:
    left: dict[str, set[Source]] = {}
    seen: dict[str, set[Value]] = defaultdict(set)
    for number, (values, known) in enumerate(pairs):
        places: dict[tuple[type, Value], set[Source]] = defaultdict(set)
        for kind, message in known.items():
            for name, value in message.fields.items():
                places[type(value), value].add((kind, name))
        for name, value in values.fields.items():
            there = places.get((type(value), value), set())
            left[name] = there if number == 0 else left.get(name, set()) & there
            seen[name].add(value)
    found: dict[str, Source] = {}
    for name, sources in left.items():
        if len(seen[name]) == 1:  # a value that never changed says little, but for a field of the same name
            sources = {each for each in sources if each[1] == name}
        if sources:
            found[name] = min(sources, key=lambda each: (each[0] != request, each[1] != name, each))
    return found
