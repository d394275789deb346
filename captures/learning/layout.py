"""The layout of a kind: blocks of fixed fields, ranges that a length measures, lists, and what goes to the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from .claims import LENGTH, LIST, Claim

MOST_DEPTH: Final = 4
"""Ranges inside ranges."""


class Field(NamedTuple):
    """One field of one message: its bytes, by offsets, and what it is."""

    start: int
    end: int
    claim: Claim


class Block(Protocol):
    """A part of a layout."""

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """Return the fields from ``at`` on and where the block ends; None where it does not fit before ``end``."""
        ...


class Fixed(NamedTuple):
    """Fields of constant width."""

    width: int
    claims: tuple[Claim, ...]

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        if at + self.width > end:
            return None
        return [
            Field(at + claim.start, at + (self.width if claim.end is None else claim.end), claim)
            for claim in self.claims
        ], at + self.width


class Sized(NamedTuple):
    """A range that a number measures: ``unit`` times its value and ``add`` bytes.

    The number of ``width`` bytes is a field of the `Fixed` before, and ends ``back`` bytes before the range. Where
    ``order`` is ``base128`` it stands here itself, in ``width`` bytes at most, and ``claim`` is its own.
    """

    width: int
    order: str
    content: Layout
    back: int = 0
    unit: int = 1
    add: int = 0
    claim: Claim | None = None

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        fields: list[Field] = []
        if self.claim is not None:
            number = base128(data, at, min(at + self.width, end))
            if number is None:
                return None
            value, behind = number
            fields.append(Field(at, behind, self.claim))
            at = behind
        else:
            value = number_before(data, at - self.back, self.width, self.order)
        stop = at + value * self.unit + self.add
        if not at <= stop <= end:
            return None
        inside = self.content.read(data, at, stop)
        return None if inside is None else (fields + inside, stop)


class Counted(NamedTuple):
    """As many items, one behind the other, as a number says that ends ``back`` bytes before the first; each is read by
    ``item``, of which no block goes to the end."""

    width: int
    order: str
    item: Layout
    back: int = 0

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        count = number_before(data, at - self.back, self.width, self.order)
        fields: list[Field] = []
        for _ in range(min(count, end - at + 1)):
            part = self.item.part(data, at, end)
            if part is None:
                return None
            fields += part[0]
            at = part[1]
        return fields, at


class Ended(NamedTuple):
    """Bytes up to a delimiter; ``claims``: of both."""

    delimiter: bytes
    claims: tuple[Claim, Claim]

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        found = data.find(self.delimiter, at, end)
        if found < 0:
            return None
        stop = found + len(self.delimiter)
        content, delimiter = self.claims
        return ([Field(at, found, content)] if found > at else []) + [Field(found, stop, delimiter)], stop


def number_before(data: bytes, end: int, width: int, order: str) -> int:
    """Return the number of ``width`` bytes that ends at a place."""
    return int.from_bytes(data[end - width : end], "big" if order == "big" else "little")


def base128(data: bytes, at: int, end: int) -> tuple[int, int] | None:
    """Return a number of seven bits a byte, the lowest first, and where it ends; None where it does not before
    ``end``."""
    value = 0
    for place in range(at, end):
        value |= (data[place] & 0x7F) << 7 * (place - at)
        if data[place] < 0x80:
            return value, place + 1
    return None


class Items(NamedTuple):
    """Items to the end, each of a tag of ``tag`` bytes, a length of ``length`` and a value.

    ``counts_all``: the length is that of the whole item; ``multiple``: each begins at a multiple of so many bytes from
    the first. ``zero``: an item whose length is zero is the last one, and has neither tag nor value; others may follow.
    """

    tag: int
    length: int
    order: str
    counts_all: bool
    multiple: int
    claims: tuple[Claim, Claim, Claim]
    """Of tag, length and value."""
    zero: bool = False

    def item(self, data: bytes, at: int, end: int) -> int | None:
        """Return where the item at ``at`` ends, without padding; None where none can begin there."""
        head = at + self.tag + self.length
        if head > end:
            return None
        size = int.from_bytes(data[at + self.tag : head], "big" if self.order == "big" else "little")
        stop = at + size if self.counts_all else head + size
        return stop if head <= stop <= end else None

    def items_in(self, data: bytes, at: int, end: int) -> int:
        """Return how many items begin between two places."""
        first, found = at, 0
        while at < end:
            stop = self.item(data, at, end)
            if stop is None:
                break
            found += 1
            at = min(stop + -(stop - first) % self.multiple, end)
        return found

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        found = []
        first = at
        tag, length, value = self.claims
        while at < end or self.zero:
            if self.zero and at < end and not any(data[at : at + self.length]):
                found.append(Field(at, at + self.length, length))
                return found, at + self.length
            stop = self.item(data, at, end)
            if stop is None:
                return None
            head = at + self.tag
            if self.tag:
                found.append(Field(at, head, tag))
            found.append(Field(head, head + self.length, length))
            if stop > head + self.length:
                found.append(Field(head + self.length, stop, value))
            at = min(stop + -(stop - first) % self.multiple, end)
        return found, at


class Tail(NamedTuple):
    """Everything to the end but the last ``leave`` bytes, as one field."""

    claim: Claim
    leave: int = 0

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        stop = end - self.leave
        if stop < at:
            return None
        return ([Field(at, stop, self.claim)] if stop > at else []), stop


class Layout(NamedTuple):
    """Blocks, one behind the other."""

    blocks: tuple[Block, ...]

    def read(self, data: bytes, at: int, end: int) -> list[Field] | None:
        """Return the fields of ``data`` between two places; None where the layout does not end at the second."""
        found = self.part(data, at, end)
        return found[0] if found is not None and found[1] == end else None

    def part(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """Return the fields from ``at`` on and where they end; None where they do not fit before ``end``."""
        found = []
        for block in self.blocks:
            read = block.read(data, at, end)
            if read is None:
                return None
            fields, at = read
            found += fields
        return found, at

    def claims(self) -> Iterator[Claim]:
        """Yield the claims of all blocks, those of ranges too."""
        for block in self.blocks:
            if isinstance(block, Fixed):
                yield from block.claims
            elif isinstance(block, Tail):
                yield block.claim
            elif isinstance(block, (Items, Ended)):
                yield from block.claims
            elif isinstance(block, Counted):
                yield from block.item.claims()
            elif isinstance(block, Sized):
                if block.claim is not None:
                    yield block.claim
                yield from block.content.claims()


def item_claims(tag: int, length: int, rows: int, chance: float) -> tuple[Claim, Claim, Claim]:
    """Return the claims of the parts of an item."""
    return (
        Claim(0, tag, LIST, 0.0, {"part": "tag"}, rows, rows, chance),
        Claim(tag, tag + length, LENGTH, 0.0, {"of": "value"}, rows, rows, chance),
        Claim(tag + length, None, LIST, 0.0, {"part": "value"}, rows, rows, chance),
    )
