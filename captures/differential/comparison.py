"""Two servers' answers to the same client, side by side: the recorded ones and those that are given now.

Answers pair by what they are (type, header, conversation, request, flags) and in their order; those of streams by
the handle too. Every field of a pair counts once: equal, allowed for a stated reason, or different.
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
"""Stands for a field's name where the answers themselves are others, or in another order."""


@dataclass(slots=True)
class Difference:
    """Where an answer is not the recorded one. ``field``: its key, or :data:`KINDS`; ``socket``: the connection;
    ``segment``: number of the recorded segment in it, 0 where there is none; ``where``: about which answer."""

    field: str
    where: str
    recorded: Any
    ours: Any
    socket: int = 0
    segment: int = 0
    proposed: Any = None
    """What the client had proposed in that field of INITIAL_DATA, if it is one of those."""
    secret: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.field} {_short(self.recorded)} recorded, {_short(self.ours)} ours"

    @property
    def structure(self) -> str:
        """Structure of the field; ``flow`` where whole answers differ."""
        return "flow" if self.field == KINDS else self.field.partition(".")[0]

    @property
    def name(self) -> str:
        """The field's own name; ``answers`` where whole answers differ."""
        return "answers" if self.field == KINDS else self.field.partition(".")[2]

    def as_row(self) -> dict[str, Any]:
        """The difference as ``replay --against --json`` shows it."""
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
    """The answers on one or more connections. ``fields``: keys of the fields that are compared; None for all.
    ``learns``: values that the other end gave out are taken as its own; not where what initiators say is compared.
    ``given``: those that are known already.

    ``compared`` counts fields by key, ``mapped`` those of them in which another value rightly stands;
    ``differences`` are those of fields, :meth:`order` gives those of answers.
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
        """What the recorded server said on a connection; returns the answers that are whole now."""
        answers = list(self._assemblers[socket, True].take(recorded, numbers))
        for answer in answers:
            self._recorded[socket, answer.kind].append(answer)
            self._kinds[socket][0].append(answer)
        return answers

    def hear(self, socket: int, said: Iterable[Segment]) -> list[ComparedAnswer]:
        """What the server of now says; returns the answers that are whole now."""
        answers = list(self._assemblers[socket, False].take(said))
        for answer in answers:
            self._kinds[socket][1].append(answer)
            self._heard(socket, answer)
        return answers

    def request(self, socket: int, segment: Segment) -> bytes:
        """What the client says, with the values that were given now."""
        return self.given.put_into(socket, segment)

    def order(self, passed: Set[int] = frozenset()) -> list[Difference]:
        """Where the answers of a conversation are others, or in another order; ``passed``: types left out."""
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
        """How many answers the recorded end gave."""
        return sum(len(recorded) for recorded, _ in self._kinds.values())

    def _counterpart(self, socket: int, ours: ComparedAnswer, told: dict[str, WireField]) -> ComparedAnswer | None:
        """The next recorded answer of the kind; of what streams, that of the same handle."""
        waiting = self._recorded[socket, ours.kind]
        if not waiting:
            return None
        handle = told.get(STREAM)
        if handle is not None:
            for answer in waiting:
                field = answer.values[STREAM]
                if self.given.get(self.given.key(socket, answer.segment, field)) == handle.value:
                    waiting.remove(answer)
                    return answer
        return waiting.popleft()

    def _heard(self, socket: int, ours: ComparedAnswer) -> None:
        told = ours.values
        theirs = self._counterpart(socket, ours, told)
        if theirs is None:
            return  # order() tells
        self.given.learn_length(socket, theirs, told)
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
    """Place of the first answer that is another one, or that only one side has; None where all are the same."""
    for place, (one, other) in enumerate(zip(recorded, ours, strict=False)):
        if one.kind != other.kind:
            return place
    return None if len(recorded) == len(ours) else min(len(recorded), len(ours))


def _run(answers: list[ComparedAnswer]) -> str:
    return ", ".join(in_words(answer.kind) for answer in answers) or "nothing"
