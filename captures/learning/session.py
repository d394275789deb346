"""The session: who begins, which kind answers which and how soon, in what order kinds follow, and heartbeats."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from .messages import Message

KindName: TypeAlias = tuple[int, bytes]
"""Side and value of the key."""

_ANSWERED: Final = 0.5
"""Share of a kind's messages that must be answered by one kind, or it is no request."""
_STEADY: Final = 0.1
"""Share of its period by which a heartbeat may come early or late."""
_LEAST_BEATS: Final = 4
_LEAST_PERIOD: Final = 0.5
_MOST_OPENING: Final = 16


class Exchange(NamedTuple):
    """A request and its answer: the next message of the other side before the first side speaks again.

    ``answered``: requests so answered, of ``tried`` that the capture shows; ``typical`` and ``within``: median and
    longest time to the answer in seconds, ``nan`` where no times are known.
    """

    request: KindName
    answer: KindName
    answered: int
    tried: int
    typical: float
    within: float


class Heartbeat(NamedTuple):
    """A kind that comes every ``period`` seconds: since the last of its kind, or, with ``silence``, since the last
    message of its side. ``kept``: of those that came so, of ``tried``."""

    kind: KindName
    period: float
    silence: bool
    kept: int
    tried: int


class Step(NamedTuple):
    """``after`` follows ``before`` in a connection ``times`` times; None for its begin and its seen end."""

    before: KindName | None
    after: KindName | None
    times: int


class Session(NamedTuple):
    """``begins``: the side that speaks first, and in ``begun`` of ``connections``; ``opening``: the kinds with which
    every connection begins; ``steps``: the most frequent first."""

    begins: int
    begun: int
    connections: int
    opening: tuple[KindName, ...]
    exchanges: tuple[Exchange, ...]
    heartbeats: tuple[Heartbeat, ...]
    steps: tuple[Step, ...]

    def answer(self, kind: KindName) -> Exchange | None:
        """Return the exchange that a kind begins; None for one that is not answered."""
        return next((each for each in self.exchanges if each.request == kind), None)


def find_session(messages: Sequence[Message], kinds: Sequence[KindName], whole: frozenset[int]) -> Session | None:
    """Return how sessions run; None where there are no messages.

    ``messages``: of all streams, those of a stream together and in order; ``kinds``: of each; ``whole``: numbers of the
    streams of which the end was seen.
    """
    if not messages:
        return None
    streams = [
        (number, list(part))
        for number, part in itertools.groupby(zip(messages, kinds, strict=True), lambda pair: pair[0].stream)
    ]
    firsts = Counter(part[0][0].side for _, part in streams)
    begins, begun = firsts.most_common(1)[0]
    exchanges = tuple(_exchanges([part for _, part in streams]))
    steps: Counter[tuple[KindName | None, KindName | None]] = Counter()
    for number, part in streams:
        names: list[KindName | None] = [None, *(name for _, name in part)]
        if number in whole:
            names.append(None)
        steps.update(itertools.pairwise(names))
    return Session(
        begins,
        begun,
        len(streams),
        _opening([[name for _, name in part[:_MOST_OPENING]] for _, part in streams]),
        exchanges,
        tuple(_heartbeats([part for _, part in streams], exchanges)),
        tuple(Step(before, after, count) for (before, after), count in steps.most_common()),
    )


def _opening(streams: Sequence[Sequence[KindName]]) -> tuple[KindName, ...]:
    """Return the kinds with which all begin, where they are enough to say so and some go on."""
    if len(streams) < 2:
        return ()
    same = itertools.takewhile(lambda names: len(set(names)) == 1, zip(*streams, strict=False))
    return tuple(names[0] for names in same)


_Part: TypeAlias = list[tuple[Message, KindName]]


def _exchanges(streams: Iterable[_Part]) -> Iterator[Exchange]:
    answers: defaultdict[KindName, Counter[KindName]] = defaultdict(Counter)
    times: defaultdict[tuple[KindName, KindName], list[float]] = defaultdict(list)
    tried: Counter[KindName] = Counter()
    for part in streams:
        for place, (message, name) in enumerate(part):
            if place + 1 == len(part):
                continue
            tried[name] += 1
            after, answer = part[place + 1]
            if after.side != message.side:
                answers[name][answer] += 1
                times[name, answer].append(after.time - message.time)
    for request, counter in sorted(answers.items()):
        answer, count = counter.most_common(1)[0]
        if count >= _ANSWERED * tried[request]:
            waits = np.array(times[request, answer])
            yield Exchange(request, answer, count, tried[request], float(np.median(waits)), float(waits.max()))


def _heartbeats(streams: Iterable[_Part], exchanges: Sequence[Exchange]) -> Iterator[Heartbeat]:
    """Yield what comes by the clock: not what answers, and not what comes in time with everything else."""
    since_kind: defaultdict[KindName, list[float]] = defaultdict(list)
    since_side: defaultdict[KindName, list[float]] = defaultdict(list)
    for part in streams:
        last_kind: dict[KindName, float] = {}
        last_side: dict[int, float] = {}
        for message, name in part:
            if name in last_kind:
                since_kind[name].append(message.time - last_kind[name])
            if message.side in last_side:
                since_side[name].append(message.time - last_side[message.side])
            last_kind[name] = last_side[message.side] = message.time
    prompt = {each.answer: each.within for each in exchanges if each.answered >= 0.9 * each.tried}
    for name, gaps in sorted(since_kind.items()):
        others = np.array([gap for other, list_ in since_side.items() if other[0] == name[0] and other != name
                           for gap in list_])  # fmt: skip
        for silence, found in ((False, gaps), (True, since_side[name])):
            beat = _steady(np.array(found))
            if beat is None or prompt.get(name, np.inf) < beat[0] / 2:
                continue
            period, count = beat
            if silence and len(others) and float((others > (1 + _STEADY) * period).mean()) > 0.05:
                continue
            if silence or not len(others) or float((np.abs(others - period) < _STEADY * period).mean()) < 0.5:
                yield Heartbeat(name, period, silence, count, len(found))
                break


def _steady(gaps: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, int] | None:
    """Return the period of gaps and how many keep it; None where they have none, or too few are known."""
    if len(gaps) < _LEAST_BEATS or not np.isfinite(gaps).all():
        return None
    period = float(np.median(gaps))
    right = int((np.abs(gaps - period) <= _STEADY * period).sum())
    return (period, right) if period >= _LEAST_PERIOD and right >= 0.8 * len(gaps) else None
