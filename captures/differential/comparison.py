"""Comparison of two servers' answers to the same client: recorded and current ones.

Answers are paired by kind (type, header, conversation, request, flags) and order; those of streams also by handle.
Every field of a pair counts once: equal, allowed for a stated reason, or different.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.captures.differential.answers import Assembler, ComparedAnswer, Kind, in_words
from mqbridge.captures.differential.given_values import STREAM, GivenValues
from mqbridge.captures.differential.wire_fields import WireField, shown_value
from mqbridge.protocol.framing import Segment

KINDS: Final = "kinds"
"""Stands for a field's name if the answers themselves, or their order, differ."""


@dataclass(slots=True)
class Difference:
    """Deviation of an answer from the recorded one.

    ``field``: key of the field, or :data:`KINDS`. ``socket``: number of the connection. ``segment``: number of the
    recorded segment in it, 0 for none. ``where``: description of the answer.
    """

    field: str
    where: str
    recorded: Any
    ours: Any
    socket: int = 0
    segment: int = 0
    proposed: Any = None
    """Value that the client had proposed, for fields of INITIAL_DATA."""
    secret: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.field} {_short(self.recorded)} recorded, {_short(self.ours)} ours"

    @property
    def structure(self) -> str:
        """Structure of the field; ``flow`` if whole answers differ."""
        return "flow" if self.field == KINDS else self.field.partition(".")[0]

    @property
    def name(self) -> str:
        """Name of the field; ``answers`` if whole answers differ."""
        return "answers" if self.field == KINDS else self.field.partition(".")[2]

    def as_row(self) -> dict[str, Any]:
        """Return the difference as in ``replay --against --json``."""
        return {
            "flow": self.socket,
            "segment": self.segment,
            "structure": self.structure,
            "field": self.name,
            "recorded": shown_value(self.recorded, secret=self.secret),
            "seen": shown_value(self.ours, secret=self.secret),
            "answer": self.where,
        }


def _short(value: Any) -> str:
    text = value.hex() if isinstance(value, bytes) and not value[:40].isascii() else str(value)
    return text if len(text) < 200 else text[:200] + "…"


class AnswerComparison:
    """Comparison of the answers on one or more connections.

    ``fields``: keys of the fields to compare; None for all. ``learns``: whether values assigned by the current end are
    expected from then on; False to compare what initiators send. ``given``: values known already.

    ``compared`` counts fields by key, ``mapped`` those with a different but valid value; ``differences`` are those of
    fields, :meth:`order` returns those of answers.
    """

    def __init__(
        self, fields: Set[str] | None = None, *, learns: bool = True, given: GivenValues | None = None
    ) -> None:
        self.fields = fields
        self.learns = learns
        self.given = given or GivenValues()
        self.differences: list[Difference] = []
        self.compared: Counter[str] = Counter()
        self.mapped: Counter[str] = Counter()
        self.proposals: dict[int, dict[str, Any]] = {}
        self._recorded: dict[tuple[int, Kind], deque[ComparedAnswer]] = defaultdict(deque)
        self._kinds: dict[int, tuple[list[ComparedAnswer], list[ComparedAnswer]]] = defaultdict(lambda: ([], []))
        self._assemblers: dict[tuple[int, bool], Assembler] = defaultdict(Assembler)

    def expect(
        self, socket: int, recorded: Iterable[Segment], numbers: Iterable[int] | None = None
    ) -> list[ComparedAnswer]:
        """Take what the recorded server sent on a connection; return the complete answers."""
        answers = list(self._assemblers[socket, True].take(recorded, numbers))
        for answer in answers:
            self._recorded[socket, answer.kind].append(answer)
            self._kinds[socket][0].append(answer)
        return answers

    def hear(self, socket: int, said: Iterable[Segment]) -> list[ComparedAnswer]:
        """Take what the current server sends; return the complete answers."""
        answers = list(self._assemblers[socket, False].take(said))
        for answer in answers:
            self._kinds[socket][1].append(answer)
            self._heard(socket, answer)
        return answers

    def request(self, socket: int, segment: Segment) -> bytes:
        """Return a client's segment with the values assigned now."""
        return self.given.put_into(socket, segment)

    def order(self, passed: Set[int] = frozenset()) -> list[Difference]:
        """Return where the answers of a conversation, or their order, differ; ``passed``: types left out."""
        found = []
        for socket, both in self._kinds.items():
            for conversation in sorted({answer.kind[2] for side in both for answer in side}):
                sides = [
                    [each for each in side if each.kind[2] == conversation and each.kind[0] not in passed]
                    for side in both
                ]
                first = _first_unequal(*sides)
                if first is not None:
                    text = [_run(side[first : first + 3]) for side in sides]
                    number = sides[0][first].number if first < len(sides[0]) else 0
                    where = f"socket {socket}, answer {first}"
                    found.append(Difference(KINDS, where, text[0], text[1], socket, number))
        return found

    @property
    def answers(self) -> int:
        """Number of answers of the recorded end."""
        return sum(len(recorded) for recorded, _ in self._kinds.values())

    def _counterpart(self, socket: int, ours: ComparedAnswer, values: dict[str, WireField]) -> ComparedAnswer | None:
        """Return the next recorded answer of the kind; for streams, that of the same handle."""
        waiting = self._recorded[socket, ours.kind]
        if not waiting:
            return None
        handle = values.get(STREAM)
        if handle is not None:
            for answer in waiting:
                field = answer.values[STREAM]
                if self.given.get(self.given.key(socket, answer.segment, field)) == handle.value:
                    waiting.remove(answer)
                    return answer
        return waiting.popleft()

    def _heard(self, socket: int, ours: ComparedAnswer) -> None:
        values = ours.values
        theirs = self._counterpart(socket, ours, values)
        if theirs is None:
            return  # order() tells
        self.given.learn_length(socket, theirs, values)
        answers = ours.places
        for place, field in theirs.places.items():
            answer = answers.pop(place, None)
            key = self.given.key(socket, theirs.segment, field) if self.learns else None
            if key is not None and answer is not None:
                self.given.learn(key, answer.value, field, theirs)
            if self.fields is not None and field.key not in self.fields:
                continue
            self.compared[field.key] += 1
            expected = field.value if answer is None else self.given.expected(key, field)
            if answer is None or expected != answer.value:
                self._differs(socket, theirs, field, expected, None if answer is None else answer.value)
            elif answer.value != field.value:
                self.mapped[field.key] += 1
        if self.fields is None:
            for field in answers.values():
                self.compared[field.key] += 1
                self._differs(socket, theirs, field, None, field.value)

    def _differs(self, socket: int, theirs: ComparedAnswer, field: WireField, recorded: Any, ours: Any) -> None:
        where = f"socket {socket}, {in_words(theirs.kind)}"
        proposed = self.proposals.get(socket, {}).get(field.key)
        self.differences.append(
            Difference(field.key, where, recorded, ours, socket, theirs.number, proposed, field.secret)
        )


def _first_unequal(recorded: list[ComparedAnswer], ours: list[ComparedAnswer]) -> int | None:
    """Return the place of the first answer that differs or has no counterpart, or None."""
    for place, (one, other) in enumerate(zip(recorded, ours, strict=False)):
        if one.kind != other.kind:
            return place
    return None if len(recorded) == len(ours) else min(len(recorded), len(ours))


def _run(answers: list[ComparedAnswer]) -> str:
    return ", ".join(in_words(answer.kind) for answer in answers) or "nothing"
