"""What programs asked for and were told, and what is found afterwards: lost, doubled, phantom, out of order.

A `History` takes each put and get when it is asked for; its outcome is unknown until it is told done or refused. When
all is over, `judge` compares what lies on the queues with it::

    history = History()
    put = history.put("TARGET", b"one", source="first")
    put.done()                                   # acknowledged; `refused()` where it was not
    history.get("TARGET", b"one").refused()
    verdict = history.judge({"TARGET": [b"one"]})
    assert not verdict.problems, verdict

- **lost**: acknowledged, got by nobody who may have been told so, and not there; or a get was refused and it is gone.
- **doubled**: there more than once, there although its get was acknowledged, or got more than once.
- **phantom**: there or got, though its put was refused or never asked for.
- **order**: a message stands in front of another of the same source that was acknowledged before it was asked for.

An unknown put may be there or not; an unknown get may have taken its message or not. What is not persistent may be
missing. Messages are told apart by their data, which each put makes unique.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


class Fate(enum.Enum):
    """What its program was told of an operation."""

    UNKNOWN = "unknown"
    DONE = "done"
    REFUSED = "refused"


@dataclass(slots=True, eq=False)
class Operation:
    """A put or a get of one message. ``asked_at`` and ``answered_at`` count what happened in the whole history."""

    history: History = field(repr=False)
    place: str
    data: bytes
    asked_at: int
    source: str = ""
    persistent: bool = True
    fate: Fate = Fate.UNKNOWN
    answered_at: int | None = None

    def done(self) -> None:
        """It was acknowledged."""
        self._answered(Fate.DONE)

    def refused(self) -> None:
        """It was refused, or backed out: nothing of it may remain."""
        self._answered(Fate.REFUSED)

    def _answered(self, fate: Fate) -> None:
        self.fate = fate
        self.answered_at = self.history.tick()


@dataclass(slots=True)
class Verdict:
    """What is wrong, each in words that name the message."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    phantom: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """All of them."""
        return [*self.lost, *self.doubled, *self.phantom, *self.order]


class History:
    """Operations on the queues of one or several queue managers; a place is whatever its caller calls a queue."""

    def __init__(self) -> None:
        self.puts: list[Operation] = []
        self.gets: list[Operation] = []
        self._time = 0

    def tick(self) -> int:
        """The next moment."""
        self._time += 1
        return self._time

    def put(self, place: str, data: bytes, *, source: str = "", persistent: bool = True) -> Operation:
        """A put is asked for, whose message is to arrive at a place. With a ``source`` its order counts."""
        self.puts.append(Operation(self, place, data, self.tick(), source, persistent))
        return self.puts[-1]

    def get(self, place: str, data: bytes) -> Operation:
        """A destructive get has, or may have, taken this message."""
        self.gets.append(Operation(self, place, data, self.tick()))
        return self.gets[-1]

    def judge(self, found: Mapping[str, Sequence[bytes]], said: Collection[bytes] = ()) -> Verdict:
        """Compares with the messages that are found, in order, at each place.

        ``said``: data of messages whose loss somebody was told of: their absence is no loss.
        """
        verdict = Verdict()
        puts = _by_message(self.puts)
        gets = _by_message(self.gets)
        counts = Counter((place, data) for place, messages in found.items() for data in messages)
        for key in dict.fromkeys([*puts, *gets, *counts]):
            self._judge_one(verdict, _name(*key), puts.get(key, []), gets.get(key, []), counts[key], key[1] in said)
        for place, messages in found.items():
            verdict.order.extend(_disorder(place, messages, puts))
        return verdict

    def _judge_one(
        self, verdict: Verdict, name: str, puts: list[Operation], gets: list[Operation], count: int, is_said: bool
    ) -> None:
        got = sum(get.fate is Fate.DONE for get in gets)
        perhaps_got = any(get.fate is Fate.UNKNOWN for get in gets)
        put_done = sum(put.fate is Fate.DONE for put in puts)
        most = sum(put.fate is not Fate.REFUSED for put in puts)
        least = sum(put.fate is Fate.DONE and put.persistent for put in puts)
        if not most and count + got:
            verdict.phantom.append(f"{name}: {'refused' if puts else 'put by nobody'}, and there {count}, got {got}")
        elif count + got > most:
            verdict.doubled.append(f"{name}: put {put_done} of {most}, there {count}, got {got}")
        elif count + got < least and not perhaps_got and not is_said:
            verdict.lost.append(f"{name}: acknowledged, there {count}, got {got}")


def _by_message(operations: list[Operation]) -> dict[tuple[str, bytes], list[Operation]]:
    found: dict[tuple[str, bytes], list[Operation]] = {}
    for operation in operations:
        found.setdefault((operation.place, operation.data), []).append(operation)
    return found


def _disorder(
    place: str, messages: Sequence[bytes], puts: Mapping[tuple[str, bytes], list[Operation]]
) -> Iterator[str]:
    """One line for each source of which a message overtook another."""
    sources: dict[str, list[Operation]] = {}
    for data in messages:
        for put in puts.get((place, data), [])[:1]:
            if put.source:
                sources.setdefault(put.source, []).append(put)
    for own in sources.values():
        latest = own[0]
        for put in own:
            if put.answered_at is not None and put.answered_at < latest.asked_at:
                yield f"{_name(place, latest.data)} overtook {put.data[:40]!r}"
                break
            if put.asked_at > latest.asked_at:
                latest = put


def _name(place: str, data: bytes) -> str:
    return f"{place} {data[:40]!r}"
