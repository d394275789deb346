"""Ways in which a stream is cut into messages: each says where the message that begins at a place ends."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

MAX_MESSAGE: Final = 64 << 20
"""Longest message in bytes; a length beyond it is none."""
IMPOSSIBLE: Final = -1


class FramingRule(Protocol):
    """A way to cut."""

    @property
    def text(self) -> str:
        """What the rule is, in words."""
        ...

    def size(self, data: bytes, at: int) -> int | None:
        """Return the bytes of the message at ``at``; None where more of it must be there to know; `IMPOSSIBLE` where no
        message can begin there."""
        ...


class LengthField(NamedTuple):
    """A number that says how long the message is: ``unit`` times its value and ``add`` bytes.

    ``position`` and ``width`` in bytes. ``encoding``: ``big``, ``little``, ``digits`` (decimal, of ASCII), ``base128``
    (seven bits a byte, the lowest first; ``width`` is then the most bytes, and ``add`` counts from behind the field).
    """

    position: int
    width: int
    encoding: str
    unit: int = 1
    add: int = 0

    @property
    def text(self) -> str:
        """See `FramingRule.text`."""
        last = self.position + self.width - 1
        place = f"bytes {self.position}-{last}" if self.width > 1 else f"byte {self.position}"
        if self.encoding == "base128":
            place = f"base 128 from byte {self.position}"
        order = {"big": ", big-endian", "little": ", little-endian", "digits": ", decimal digits"}
        unit = f" in units of {self.unit} bytes" if self.unit > 1 else ""
        return f"length in {place}{order.get(self.encoding, '') if self.width > 1 else ''}{unit}, {self.counted}"

    @property
    def counted(self) -> str:
        """What the length counts."""
        behind = self.position + self.width
        if self.encoding == "base128":
            return "of what follows" if not self.add else f"of what follows, less {self.add}"
        if not self.add:
            return "of all"
        if self.add == behind:
            return "of what follows"
        if self.add > 0:
            return f"of what follows byte {self.add - 1}"
        return f"of all and {-self.add} more"

    def value(self, field: bytes) -> int:
        """Return the number in a field that is not in base 128. Raises `ValueError` where digits are wanted."""
        if self.encoding == "digits":
            return int(field.strip(b" \0"))
        return int.from_bytes(field, "big" if self.encoding == "big" else "little")

    def size(self, data: bytes, at: int) -> int | None:
        """See `FramingRule.size`."""
        begin = at + self.position
        end = begin + self.width
        if self.encoding == "base128":
            return self._base128(data, at, begin, end)
        if end > len(data):
            return None
        field = data[begin:end]
        if self.encoding == "digits" and not field.strip(b" \0").isdigit():
            return IMPOSSIBLE
        value = self.value(field)
        size = value * self.unit + self.add
        return size if self.position + self.width <= size <= MAX_MESSAGE else IMPOSSIBLE

    def _base128(self, data: bytes, at: int, begin: int, end: int) -> int | None:
        value = 0
        for shift, place in enumerate(range(begin, end)):
            if place >= len(data):
                return None
            value |= (data[place] & 0x7F) << 7 * shift
            if data[place] < 0x80:
                size = place + 1 - at + value - self.add
                return size if place + 1 - at <= size <= MAX_MESSAGE else IMPOSSIBLE
        return IMPOSSIBLE


class Delimiter(NamedTuple):
    """Bytes that end each message, and are a part of it."""

    value: bytes

    @property
    def text(self) -> str:
        """See `FramingRule.text`."""
        return f"each message ends with {self.value.hex(' ')}"

    def size(self, data: bytes, at: int) -> int | None:
        """See `FramingRule.size`."""
        found = data.find(self.value, at)
        return None if found < 0 else found + len(self.value) - at


class ConstantSize(NamedTuple):
    """Messages of one length."""

    length: int

    @property
    def text(self) -> str:
        """See `FramingRule.text`."""
        return f"each message has {self.length} bytes"

    def size(self, data: bytes, at: int) -> int | None:
        """See `FramingRule.size`."""
        return self.length if at + self.length <= len(data) else None


class StartMark(NamedTuple):
    """Bytes that begin each message; it ends where they come again, or the stream ends."""

    value: bytes

    @property
    def text(self) -> str:
        """See `FramingRule.text`."""
        return f"each message begins with {self.value.hex(' ')}"

    def size(self, data: bytes, at: int) -> int | None:
        """See `FramingRule.size`."""
        if not data.startswith(self.value, at):
            return IMPOSSIBLE if at + len(self.value) <= len(data) else None
        found = data.find(self.value, at + len(self.value))
        return (found if found >= 0 else len(data)) - at


class UntilClose(NamedTuple):
    """Everything that a side sends in a connection is one message."""

    @property
    def text(self) -> str:
        """See `FramingRule.text`."""
        return "one message in each direction of a connection, to its end"

    def size(self, data: bytes, at: int) -> int | None:
        """See `FramingRule.size`."""
        return len(data) - at


class Framing(NamedTuple):
    """How the two sides cut, most often alike. ``messages``: that were cut; ``chance``: log10 of the probability that
    random bytes would have been cut to their ends like this."""

    rules: tuple[FramingRule, FramingRule]
    messages: int
    chance: float

    @property
    def text(self) -> str:
        """The rules in words."""
        ours, theirs = (each.text for each in self.rules)
        return ours if ours == theirs else f"initiator: {ours}; responder: {theirs}"
