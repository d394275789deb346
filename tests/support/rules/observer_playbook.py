"""Plays in front of an observer: "the one who called sends, the other answers, time passes", and what it makes of it.

:class:`Watch` takes bytes of both directions with their times, as a capture would give them, and keeps observations
and findings::

    watch = Watch()
    watch.caller(initial_data())                 # bytes of the end that opened the connection
    watch.called(initial_data(flags=0))          # of the other; each call is one packet, a millisecond later
    watch.after(400)                             # seconds without a packet
    watch.end()                                  # both ends close
    assert watch.rules() == ["C-301"]

:func:`overheard` puts one in front of a play with a live machine of :mod:`channels.playbook` or
:mod:`clients.playbook`.
"""

from __future__ import annotations

from typing import Any, TypeVar

from mqbridge.captures.rules import Finding, Judge, load
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.observer import Ending, Observation, Observer, Overview, Place

Seen = TypeVar("Seen", bound=Observation)

INITIATOR, RESPONDER = Direction.INITIATOR, Direction.RESPONDER
JUDGE = Judge(load().values())
LONGEST_SEGMENT = 1 << 24


class Watch:
    """An observer and all rules, fed by a play. ``judge``: other rules than all of the catalogue."""

    def __init__(self, whole: bool = True, now: float = 1000.0, judge: Judge = JUDGE) -> None:
        self.observer = Observer(whole)
        self.judge = judge
        self.now = now
        self.packets = 0
        self.observations: list[Observation] = []
        self.findings: list[Finding] = []
        self._readers = {direction: SegmentReader(LONGEST_SEGMENT) for direction in Direction}
        self._bases = dict.fromkeys(Direction, 0)

    def caller(self, *data: bytes) -> list[Observation]:
        """The end that opened the connection sends; what the observer tells of it."""
        return self.passes(INITIATOR, *data)

    def called(self, *data: bytes) -> list[Observation]:
        """The end that was called sends."""
        return self.passes(RESPONDER, *data)

    def passes(self, direction: Direction, *data: bytes) -> list[Observation]:
        """One packet; bytes that make no segment count as lost, as the cutter of captures has it."""
        self.now += 0.001
        self.packets += 1
        told: list[Observation] = []
        reader = self._readers[direction]
        try:
            for segment in reader.feed(b"".join(data)):
                offset = self._bases[direction] + reader.offset - segment.length
                told += self.observer.receive(direction, segment, Place(self.now, self.packets, offset))
        except FramingError as error:
            told += self.observer.lose(direction, len(reader.rest), self._place(direction), str(error))
            self._start_again(direction, len(reader.rest))
        return self._heard(told)

    def loses(self, direction: Direction, length: int) -> list[Observation]:
        """The capture lacks so many bytes of a direction, and with them what was there of a segment."""
        self.packets += 1
        length += len(self._readers[direction].rest)
        told = self.observer.lose(direction, length, self._place(direction))
        self._start_again(direction, length)
        return self._heard(told)

    def after(self, seconds: float) -> Watch:
        """Time passes without a packet."""
        self.now += seconds
        return self

    def end(self, ending: Ending = Ending.CLOSED, direction: Direction = INITIATOR) -> list[Observation]:
        """The connection is over, or the capture is (``Ending.OPEN``)."""
        self.now += 0.001
        self.packets += 1
        return self._heard(self.observer.close(ending, self._place(direction), direction))

    @property
    def part(self) -> Any:
        """The observer of the connection's protocol."""
        return self.observer.part

    @property
    def overview(self) -> Overview:
        """What is known of the connection as a whole."""
        return self.observer.overview

    def seen(self, kind: type[Seen]) -> list[Seen]:
        """All observations of one class so far."""
        return [one for one in self.observations if isinstance(one, kind)]

    def rules(self, *severities: str) -> list[str]:
        """Numbers of the rules that found something, in the order of the findings; of these severities only."""
        return [one.rule for one in self.findings if not severities or one.severity.value in severities]

    def finding(self, rule: str) -> Finding:
        """The one finding of a rule."""
        (found,) = [one for one in self.findings if one.rule == rule]
        return found

    def _place(self, direction: Direction) -> Place:
        return Place(self.now, self.packets, self._bases[direction] + self._readers[direction].offset)

    def _start_again(self, direction: Direction, length: int) -> None:
        self._bases[direction] += self._readers[direction].offset + length
        self._readers[direction] = SegmentReader(LONGEST_SEGMENT)

    def _heard(self, told: list[Observation]) -> list[Observation]:
        self.observations += told
        self.findings += self.judge.judge(told, self.observer, 1)
        return told


def overheard(play: Any, watch: Watch, we: Direction, hook: str = "says") -> Any:
    """Let ``watch`` hear all that passes in a play from now on.

    ``we``: the direction of the live machine. ``hook``: what the play calls with all that passes ("says" of plays
    with channels, "passes" of those with clients).
    """

    def listen(who: str, data: bytes) -> None:
        watch.now = max(watch.now, play.now)
        if data:
            watch.passes(we if who == "we" else we.other, data)

    setattr(play, hook, listen)
    return play
