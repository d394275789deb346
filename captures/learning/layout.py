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
    """A range, directly behind the number of ``width`` bytes that measures it."""

    width: int
    order: str
    content: Layout

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        value = int.from_bytes(data[at - self.width : at], "big" if self.order == "big" else "little")
        stop = at + value
        if not at <= stop <= end:
            return None
        fields = self.content.read(data, at, stop)
        return None if fields is None else (fields, stop)


class Items(NamedTuple):
    """Items to the end, each of a tag, a length and a value; see `lists.ItemForm`."""

    tag: int
    length: int
    order: str
    counts_all: bool
    multiple: int
    claims: tuple[Claim, Claim, Claim]
    """Of tag, length and value."""

    def item(self, data: bytes, at: int, end: int) -> int | None:
        """Return where the item at ``at`` ends, without padding; None where none can begin there."""
        head = at + self.tag + self.length
        if head > end:
            return None
        size = int.from_bytes(data[at + self.tag : head], "big" if self.order == "big" else "little")
        stop = at + size if self.counts_all else head + size
        return stop if head <= stop <= end else None

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        found = []
        first = at
        while at < end:
            stop = self.item(data, at, end)
            if stop is None:
                return None
            tag, length, value = self.claims
            head = at + self.tag
            if self.tag:
                found.append(Field(at, head, tag))
            found.append(Field(head, head + self.length, length))
            if stop > head + self.length:
                found.append(Field(head + self.length, stop, value))
            at = min(stop + -(stop - first) % self.multiple, end)
        return found, at


class Tail(NamedTuple):
    """Everything to the end, as one field."""

    claim: Claim

    def read(self, data: bytes, at: int, end: int) -> tuple[list[Field], int] | None:
        """See `Block.read`."""
        return ([Field(at, end, self.claim)] if end > at else []), end


class Layout(NamedTuple):
    """Blocks, one behind the other."""

    blocks: tuple[Block, ...]

    def read(self, data: bytes, at: int, end: int) -> list[Field] | None:
        """Return the fields of ``data`` between two places; None where the layout does not end at the second."""
        found = []
        for block in self.blocks:
            read = block.read(data, at, end)
            if read is None:
                return None
            fields, at = read
            found += fields
        return found if at == end else None

    def claims(self) -> Iterator[Claim]:
        """Yield the claims of all blocks, those of ranges too."""
        for block in self.blocks:
            if isinstance(block, Fixed):
                yield from block.claims
            elif isinstance(block, Tail):
                yield block.claim
            elif isinstance(block, Items):
                yield from block.claims
            elif isinstance(block, Sized):
                yield from block.content.claims()


def item_claims(tag: int, length: int, rows: int, chance: float) -> tuple[Claim, Claim, Claim]:
    """Return the claims of the parts of an item."""
    return (
        Claim(0, tag, LIST, 0.0, {"part": "tag"}, rows, rows, chance),
        Claim(tag, tag + length, LENGTH, 0.0, {"of": "value"}, rows, rows, chance),
        Claim(tag + length, None, LIST, 0.0, {"part": "value"}, rows, rows, chance),
    )
