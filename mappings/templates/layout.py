"""Where everything is in a packet of one transaction: pieces in order, from fields and template (M-161, M-162, M-166).

::

    head    pieces of fixed length from the start
    middle  fields of which one at least has no fixed length, each behind the one before
    tail    pieces of fixed length up to the end
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .fields import At, Behind, Field, Size, SizeFrom


class Piece(NamedTuple):
    """A part of a packet: a field, or bytes of the template.

    ``offset``: from the start, of the tail from the start of the tail, of the middle -1. ``size``: in bytes; 0 where it
    is not fixed. ``bytes``: what the template has there, empty if nothing. ``key``: the name under which it is kept.
    ``blank``: ranges of it in which any bytes are expected (M-176), from its start.
    """

    offset: int
    size: int
    key: str
    field: Field | None
    bytes: bytes = b""
    blank: tuple[tuple[int, int], ...] = ()


class Layout(NamedTuple):
    """The pieces of a transaction. ``head_size``, ``tail_size``: in bytes. ``rest``: whether a field takes the rest."""

    head: tuple[Piece, ...]
    middle: tuple[Piece, ...]
    tail: tuple[Piece, ...]
    head_size: int
    tail_size: int

    @property
    def fixed(self) -> int | None:
        """The length of every packet; None if it varies."""
        return None if self.middle else self.head_size

    @property
    def rest(self) -> bool:
        """Whether a field takes what the others leave."""
        return any(piece.field is not None and piece.field.length is Size.REST for piece in self.middle)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces in order."""
        return self.head + self.middle + self.tail


class LayoutError(ValueError):
    """The fields do not make a packet. ``field``: the name of the one concerned, empty for the template."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field


def lay_out(
    fields: Sequence[Field],
    template: bytes,
    blank: Sequence[tuple[int, int]] = (),
    extends: frozenset[str] = frozenset(),
) -> Layout:
    """Return the layout of fields.

    ``template``: from offset 0, empty if there is none. ``blank``: ranges of it where any bytes are expected.
    ``extends``: fields of fixed length that may reach beyond the template. Raises `LayoutError` for overlap, gaps,
    fields out of the template, lengths that nothing gives.
    """
    order = _Order(fields)
    order.place()
    head, head_end = _tile(order.fixed, template, blank, extends, order.first_variable)
    middle = tuple(Piece(-1, _size(each), each.name, each) for each in order.variable)
    if middle and len(template) > head_end:
        if len(middle) > 1 or order.ends or middle[0].field is None or middle[0].field.length is not Size.REST:
            raise LayoutError("", f"the template goes on behind {head_end}, where the length is not fixed")
        middle = (middle[0]._replace(bytes=template[head_end:]),)
    tail, tail_size = _tail(order.ends)
    if tail and not middle:
        raise LayoutError(tail[0].key, "a field from the end needs one of no fixed length before it")
    _check_lengths(order, middle)
    return Layout(head, middle, tail, head_end, tail_size)


def _size(field: Field) -> int:
    return field.length if isinstance(field.length, int) else 0


class _Order:
    """Fields sorted into those at offsets, those that follow a field of no fixed length, those before the end."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.fields = fields
        self.indexes = {field.name: index for index, field in enumerate(fields)}
        self.fixed: list[tuple[int, Field]] = []
        self.variable: list[Field] = []
        self.ends: list[tuple[int, Field]] = []
        self.first_variable: int | None = None
        self._after_rest: list[Field] = []
        self._offsets: dict[str, int] = {}

    def place(self) -> None:
        for index, field in enumerate(self.fields):
            if isinstance(field.position, At) and field.position.from_end:
                self._place_before_end(field, field.position.offset)
            else:
                self._place_one(index, field)
        distance = 0
        for field in reversed(self._after_rest):
            if not isinstance(field.length, int):
                raise LayoutError(field.name, f"{field.name!r} is behind the rest, so its length must be fixed")
            distance += field.length
            self.ends.append((distance, field))

    def _place_before_end(self, field: Field, distance: int) -> None:
        if not isinstance(field.length, int):
            raise LayoutError(field.name, f"{field.name!r} is placed from the end, so its length must be fixed")
        if distance < field.length:
            raise LayoutError(field.name, f"{field.name!r} reaches beyond the end")
        self.ends.append((distance, field))

    def _place_one(self, index: int, field: Field) -> None:
        offset = self._offset(index, field)
        if offset is None:
            self._append(field)
        elif isinstance(field.length, int):
            self.fixed.append((offset, field))
            self._offsets[field.name] = offset
        elif self.variable:
            raise LayoutError(
                field.name, f"{field.name!r}: {self.variable[0].name!r}, of no fixed length, is before it"
            )
        else:
            self.first_variable = offset
            self.variable.append(field)

    def _offset(self, index: int, field: Field) -> int | None:
        """The offset of a field from the start; None if it is behind one of no fixed length."""
        if isinstance(field.position, At):
            return field.position.offset
        assert isinstance(field.position, Behind)
        name = field.position.field or (self.fields[index - 1].name if index else "")
        if not name:
            return field.position.gap
        before = self.indexes.get(name)
        if before is None or before >= index:
            raise LayoutError(field.name, f"{field.name!r} is behind {name!r}, which is no field above it")
        if name in self._offsets:
            return self._offsets[name] + _size(self.fields[before]) + field.position.gap
        if field.position.gap:
            raise LayoutError(field.name, f"{field.name!r}: there can be no gap behind a field of no fixed length")
        last = (self._after_rest or self.variable)[-1:]
        if not last or last[0].name != name:
            raise LayoutError(field.name, f"{field.name!r} is behind {name!r}, and so is another")
        return None

    def _append(self, field: Field) -> None:
        if any(each.length is Size.REST for each in self.variable):
            self._after_rest.append(field)
        else:
            self.variable.append(field)


def _tile(
    fixed: Sequence[tuple[int, Field]],
    template: bytes,
    blank: Sequence[tuple[int, int]],
    extends: frozenset[str],
    variable: int | None,
) -> tuple[tuple[Piece, ...], int]:
    """The head: fields at offsets, and the template between them. Returns it and its length."""
    ordered = sorted(enumerate(fixed), key=lambda each: each[1][0])
    end = variable if variable is not None else max([len(template), *(at + _size(field) for at, field in fixed)])
    pieces: list[Piece] = []
    position = 0
    previous = ""
    for _, (offset, field) in ordered:
        if offset < position:
            raise LayoutError(field.name, f"{field.name!r} at {offset} overlaps {previous!r}, which ends at {position}")
        pieces += _static(template, position, offset, blank, field.name)
        here = template[offset : offset + _size(field)]
        reach = offset + _size(field)
        if variable is not None and reach > variable:
            raise LayoutError(
                field.name,
                f"{field.name!r} at {offset} overlaps a field of no fixed length, which begins at {variable}",
            )
        if template and reach > len(template) and field.name not in extends:
            raise LayoutError(
                field.name,
                f"{field.name!r} ends at {reach}, the template at {len(template)}; extends = true allows it",
            )
        pieces.append(Piece(offset, _size(field), field.name, field, here if len(here) == _size(field) else b""))
        position, previous = reach, field.name
    pieces += _static(template, position, end, blank, "the end")
    return tuple(pieces), end


def _static(template: bytes, start: int, end: int, blank: Sequence[tuple[int, int]], before: str) -> list[Piece]:
    """The piece of the template between two fields, if there is any."""
    if start >= end:
        return []
    if end > len(template):
        raise LayoutError(
            "", f"bytes {max(start, len(template))} to {end - 1} (before {before}) are in no field or template"
        )
    inside = tuple(
        (max(low, start) - start, min(high, end) - start) for low, high in blank if low < end and high > start
    )
    return [Piece(start, end - start, f"@{start}", None, template[start:end], inside)]


def _tail(ends: Sequence[tuple[int, Field]]) -> tuple[tuple[Piece, ...], int]:
    """The tail: fields before the end, without gaps. Returns it and its length."""
    ordered = sorted(ends, key=lambda each: -each[0])
    size = ordered[0][0] if ordered else 0
    pieces = []
    left = size
    for distance, field in ordered:
        if distance > left:
            raise LayoutError(field.name, f"{field.name!r} overlaps another field before the end")
        if distance < left:
            raise LayoutError(field.name, f"bytes before {field.name!r} are neither template nor field")
        pieces.append(Piece(size - distance, _size(field), field.name, field))
        left = distance - _size(field)
    if left:
        raise LayoutError(ordered[-1][1].name, f"the last {left} bytes are neither template nor field")
    return tuple(pieces), size


def _check_lengths(order: _Order, middle: Sequence[Piece]) -> None:
    """Each length that another field gives is given by a number above it."""
    for piece in middle:
        field = piece.field
        assert field is not None, "the middle has fields alone"
        if not isinstance(field.length, SizeFrom):
            continue
        index = order.indexes[field.name]
        giver = order.indexes.get(field.length.field)
        if giver is None or giver >= index or order.fields[giver].length is Size.REST:
            raise LayoutError(field.name, f"no field {field.length.field!r} above gives the length of {field.name!r}")
        if order.fields[giver] in [each for _, each in order.ends]:
            raise LayoutError(field.name, f"the length of {field.name!r} stands behind it")
        if order.fields[giver].kind not in ("unsigned", "signed", "decimal", "packed", "base128"):
            raise LayoutError(field.name, f"the length of {field.name!r} is no number: {field.length.field!r}")
