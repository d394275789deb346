"""How much of dialogues the description of a protocol explains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from .messages import Found, ReadMessage, Unread

MAX_SHOWN: Final = 20
"""Places that are shown of each kind of deviation; further ones are counted."""


@dataclass(slots=True)
class Deviations:
    """What is not as described: how often, how many bytes, and the first places."""

    count: int = 0
    length: int = 0
    first: list[Unread | ReadMessage] = field(default_factory=list)

    def take(self, found: Unread | ReadMessage, length: int) -> None:
        """Count one more."""
        self.count += 1
        self.length += length
        if len(self.first) < MAX_SHOWN:
            self.first.append(found)


@dataclass(slots=True)
class Check:
    """What a description explains. ``kinds``: messages of each; ``length``, ``explained``: bytes; ``unread``: what is
    not read, by reason; ``differing``: messages in which bytes are not the template's, by transaction."""

    kinds: dict[str, int] = field(default_factory=dict)
    messages: int = 0
    length: int = 0
    explained: int = 0
    unread: dict[str, Deviations] = field(default_factory=dict)
    differing: dict[str, Deviations] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Share of the bytes that is explained; 0 where there are none."""
        return self.explained / self.length if self.length else 0.0

    @property
    def complete(self) -> bool:
        """Whether everything is explained, and there is something."""
        return self.messages > 0 and self.explained == self.length and not self.notes

    def take(self, found: Found) -> None:
        """Count what was found next."""
        if isinstance(found, ReadMessage):
            self.messages += 1
            name = found.transaction.name
            self.kinds[name] = self.kinds.get(name, 0) + 1
            size = len(found.data)
            self.length += size
            wrong = 0
            if found.values.kept:
                wrong = sum(end - start for start, end in found.transaction.differing(found.values))
                if wrong:
                    self.differing.setdefault(name, Deviations()).take(found, wrong)
            self.explained += size - wrong
            return
        self.length += found.length
        self.messages += found.is_message
        reason = found.reason if found.is_message else f"{found.reason} (no message)"
        if reason not in self.unread and len(self.unread) >= MAX_SHOWN:
            reason = "other reasons"
        self.unread.setdefault(reason, Deviations()).take(found, found.length)

    def lines(self) -> list[str]:
        """Return the report."""
        width = max(map(len, self.kinds), default=0)
        lines = [f"{name:<{width}}  {count:>9,} messages" for name, count in sorted(self.kinds.items())]
        for name, each in sorted(self.differing.items()):
            lines.append(f"{name}: {each.count:,} messages have other bytes than the template; first {_places(each)}")
        for reason, each in self.unread.items():
            lines.append(f"not explained: {each.count:,} times, {each.length:,} bytes: {reason}; first {_places(each)}")
        lines += [f"note: {note}" for note in self.notes]
        lines.append(
            f"explained {100 * self.share:.1f} % of {self.length:,} bytes, "
            f"{sum(self.kinds.values()):,} of {self.messages:,} messages"
        )
        return lines

    def as_json(self) -> dict[str, Any]:
        """Return the report as one object."""
        return {
            "messages": self.messages,
            "bytes": self.length,
            "explained": self.explained,
            "complete": self.complete,
            "kinds": self.kinds,
            "differing": {name: _json(each) for name, each in self.differing.items()},
            "unexplained": {reason: _json(each) for reason, each in self.unread.items()},
            "notes": self.notes,
        }


def check(found: Iterable[Found]) -> Check:
    """Return what a description explains of dialogues; the notes of their source are the caller's to add."""
    result = Check()
    for each in found:
        result.take(each)
    return result


def _places(deviations: Deviations) -> str:
    return "; ".join(map(_place, deviations.first[:3]))


def _place(found: Unread | ReadMessage) -> str:
    place = f"connection {found.connection}, {found.direction.value}, offset {found.offset}"
    if found.packet:
        place += f", packet {found.packet}"
    if isinstance(found, Unread):
        return f"{place}: {found.extract[:16].hex(' ')}" if found.extract else place
    ranges = found.transaction.differing(found.values)
    return place + ": bytes " + ", ".join(f"{start}-{end - 1}" for start, end in ranges[:4])


def _json(deviations: Deviations) -> dict[str, Any]:
    return {
        "count": deviations.count,
        "bytes": deviations.length,
        "first": [
            {
                "connection": each.connection,
                "direction": each.direction.value,
                "offset": each.offset,
                "packet": each.packet,
            }
            | ({"extract": each.extract.hex()} if isinstance(each, Unread) else {})
            for each in deviations.first
        ],
    }
