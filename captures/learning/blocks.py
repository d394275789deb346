"""From the messages of a kind to its layout: where fixed fields end, what measures what is behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from .bits import Array, adaptive, of_columns
from .claims import CONSTANT, COUNT, LENGTH, OPAQUE, TEXT, UNKNOWN, Claim
from .columns import Columns, Known
from .fields import fields_of
from .fields.checksums import trailing
from .fields.texts import ALPHABETS, LEAST_WIDTH
from .layout import MOST_DEPTH, Block, Counted, Fixed, Items, Layout, Sized, Tail, base128
from .lists import find_items

_LEAST_GAIN: Final = 24.0
_LEAST_SHARE: Final = 0.1
_TEXT, _NO_TEXT = 0.97, 0.5
_LEAST_ENDS: Final = 12
_MOST_END: Final = 4
_MOST_ITEMS: Final = 400
_COMPARED: Final = 512
"""Bytes behind a range that are compared."""
_FITTING: Final = 0.97
"""Share of the messages that a length must fit; the others are read by no layout."""


class _Measured(NamedTuple):
    """A number at ``start`` that measures what is directly behind it."""

    start: int
    width: int
    order: str
    gain: float


def layout_of(
    rows: Sequence[bytes], known: Known, settled: Sequence[Claim], begin: int | None = 0, depth: int = 0
) -> Layout:
    """Return the layout of messages that are alike. ``settled``: claims that stand already, by offsets in the rows."""
    blocks: list[Block] = []
    while True:
        columns = Columns(rows, known, begin)
        sizes = columns.sizes
        if columns.width == int(sizes.max()):
            if columns.width:
                blocks.append(_fixed(columns, settled, columns.width))
            return Layout(tuple(blocks))
        listed = _find_list(columns, settled)
        measured = _find_measured(columns, settled) if depth < MOST_DEPTH else None
        if measured is not None and (listed is None or measured.start + measured.width <= listed[0]):
            keep = _kept(columns, measured)
            rows, known = [rows[each] for each in keep], known.chosen(keep)
            end = measured.start + measured.width
            detail = {"order": measured.order, "of": "range"}
            claim = Claim(measured.start, end, LENGTH, 0.0, detail, len(rows), len(columns), -measured.gain * 0.301)
            columns = Columns(rows, known, begin)
            blocks.append(
                _fixed(columns, [*(each for each in settled if (each.end or 0) <= measured.start), claim], end)
            )
            values = columns.numbers(measured.start, measured.width, measured.order).astype(np.int64)
            content = [row[end : end + value] for row, value in zip(rows, values.tolist(), strict=True)]
            blocks.append(Sized(measured.width, measured.order, _content(content, known, depth)))
            rows = [row[end + value :] for row, value in zip(rows, values.tolist(), strict=True)]
            settled, begin = [], None
            if not any(rows):
                return Layout(tuple(blocks))
            continue
        if listed is not None:
            start, items = listed
            if start:
                before = [each for each in settled if (each.end or 0) <= start]
                blocks.append(_fixed(columns, sorted([*before, *_counting(columns, items, start, before)]), start))
            blocks.append(items)
            return Layout(tuple(blocks))
        return Layout((*blocks, *_with_tail(columns, settled)))


def layout_behind_base128(
    rows: Sequence[bytes], known: Known, settled: Sequence[Claim], length: Claim, position: int, width: int
) -> Layout:
    """Return the layout of messages of which a length in base 128, of ``width`` bytes at most, counts what follows.

    ``length``: its claim; ``position``: where it begins.
    """
    numbers = [base128(row, position, min(position + width, len(row))) for row in rows]
    ends = [number[1] if number is not None else len(row) for number, row in zip(numbers, rows, strict=True)]
    alike = len(set(ends)) == 1
    content = [row[end:] for row, end in zip(rows, ends, strict=True)]
    inner = Layout((Tail(Claim(0, None, UNKNOWN, 0.0)),))
    if any(content):
        moved = [
            claim._replace(start=claim.start - ends[0], end=(claim.end or 0) - ends[0])
            for claim in settled
            if alike and claim.start >= ends[0]
        ]
        inner = layout_of(content, known, moved, ends[0] if alike else None, 1)
    sized = Sized(width, "base128", inner, add=-int(length.detail["less"]), claim=length)
    head = Columns([row[:position] for row in rows], known)
    before = [claim for claim in settled if (claim.end or 0) <= position]
    return Layout((*((_fixed(head, before, position),) if position else ()), sized))


def plain_layout(rows: Sequence[bytes], known: Known, settled: Sequence[Claim]) -> Layout:
    """Return fixed fields, as far as all messages reach, and what goes to the end."""
    return Layout(_with_tail(Columns(rows, known), settled))


def _fixed(columns: Columns, settled: Sequence[Claim], width: int) -> Fixed:
    rows = [row[:width] for row in columns.rows]
    part = Columns(rows, columns.known, columns.begin)
    edges = [claim.detail["less"] for claim in settled if claim.what == LENGTH and "less" in claim.detail]
    return Fixed(width, tuple(fields_of(part, [each for each in settled if (each.end or 0) <= width], edges)))


def _content(rows: Sequence[bytes], known: Known, depth: int) -> Layout:
    """The inside of a range: text as a whole, or a layout of its own."""
    filled = [number for number, row in enumerate(rows) if row]
    if not filled:
        return Layout((Tail(Claim(0, None, UNKNOWN, 0.0)),))
    text = text_claim(rows)
    if text is not None or len(filled) < 8:
        return Layout((Tail(text or Claim(0, None, OPAQUE, 0.0)),))
    chosen = [rows[each] for each in filled]
    inner = layout_of(chosen, known.chosen(filled), (), None, depth + 1)
    if len(filled) < len(rows) and isinstance(inner.blocks[0], Fixed):
        return Layout((Tail(Claim(0, None, OPAQUE, 0.0)),))
    return inner


def _with_tail(columns: Columns, settled: Sequence[Claim]) -> tuple[Block, ...]:
    """Fixed fields, and a field that goes to the end: behind what a length does not count, or where the fields end."""
    rows = columns.rows
    own = _fixed(columns, settled, columns.width)
    starts = [
        claim.detail["less"]
        for claim in own.claims
        if (claim.what == LENGTH and claim.detail.get("of") == "message" and claim.detail.get("unit", 1) == 1)
        or (claim.what == COUNT and columns.begin == 0)
    ]
    start = max((each for each in starts if 0 < each <= columns.width), default=None)
    if start is None or start < max(((each.end or 0) for each in settled), default=0):
        start = _trimmed(own)
    if start != columns.width:
        own = _fixed(columns, [each for each in settled if (each.end or 0) <= start], start)
    if any(claim.what == COUNT and claim.detail["less"] == start for claim in own.claims):
        return own, _counted(columns, own)
    tail = [row[start:] for row in rows]
    last = _trailer(tail, rows if columns.begin == 0 else [])
    width = last.width if last is not None else 0
    claim = text_claim([row[: len(row) - width] for row in tail]) or Claim(
        0, None, OPAQUE, 0.0, {}, len(rows), len(rows)
    )
    return (*((own,) if own.width else ()), Tail(claim, width), *((last,) if last is not None else ()))


def _counted(columns: Columns, own: Fixed) -> Counted:
    """Return the items of one size that a number in the fixed fields counts, learnt as messages of their own."""
    claim = next(each for each in own.claims if each.what == COUNT and each.detail["less"] == own.width)
    unit = int(claim.detail["unit"])
    items, owners = [], []
    for number, row in enumerate(columns.rows):
        for at in range(own.width, len(row) - unit + 1, unit):
            items.append(row[at : at + unit])
            owners.append(number)
    part = Columns(items[:_MOST_ITEMS], columns.known.chosen(owners[:_MOST_ITEMS]), None)
    end = claim.end or 0
    return Counted(end - claim.start, str(claim.detail["order"]), Layout((_fixed(part, [], unit),)), own.width - end)


def _trailer(tail: Sequence[bytes], rows: Sequence[bytes]) -> Fixed | None:
    """Return what ends messages of varying length: a checksum over the whole of them, or bytes that never vary."""
    checksum = trailing(rows)
    if checksum is not None and min(map(len, tail)) >= (checksum.end or 0):
        return Fixed(checksum.end or 0, (checksum,))
    if len(tail) < _LEAST_ENDS:
        return None
    width = 0
    while width < _MOST_END and width < min(map(len, tail)) and len({row[-width - 1] for row in tail}) == 1:
        width += 1
    if not width or width == _MOST_END:
        return None
    value = tail[0][len(tail[0]) - width :]
    chance = -2.4 * width * (len(tail) - 1)
    return Fixed(width, (Claim(0, width, CONSTANT, 0.0, {"value": value}, len(tail), len(tail), chance),))


def _trimmed(own: Fixed) -> int:
    """Return where the last fields of a block begin that are a part of what goes to the end."""
    start = own.width
    for claim in reversed(own.claims):
        if claim.what not in (OPAQUE, TEXT, UNKNOWN) or (claim.end or 0) != start:
            break
        start = claim.start
    return start


def text_claim(rows: Sequence[bytes]) -> Claim | None:
    """Return a claim of text where the rows are, as a whole."""
    joined = np.frombuffer(b"".join(rows), np.uint8)
    if len(joined) < LEAST_WIDTH * 3:
        return None
    for alphabet in ALPHABETS:
        share = float(alphabet.table[joined].mean())
        if share >= 0.97 and not (alphabet.name == "ascii" and bool((joined == alphabet.blank).all())):
            odds = float(np.log10(len(alphabet.letters) / 256)) * len(joined)
            return Claim(0, None, TEXT, 0.0, {"alphabet": alphabet.name}, len(rows), len(rows), odds)
    return None


def _find_list(columns: Columns, settled: Sequence[Claim]) -> tuple[int, Items] | None:
    least = max((each.end or 0 for each in settled), default=0)
    sample = columns.rows[:: max(len(columns) // 150, 1)][:150]
    for start in range(least, columns.width + 1):
        items = find_items(sample, start)
        if items is not None:
            whole = find_items(columns.rows, start)
            if whole is not None:
                return start, whole
    return None


def _counting(columns: Columns, items: Items, start: int, taken: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the number, at most one, of the items of a list before it."""
    rows = len(columns)
    counts = np.array([items.items_in(row, start, len(row)) for row in columns.rows])
    if len(np.unique(counts)) < 2:
        return
    for width in (4, 2, 1):
        for at in range(start - width, -1, -1):
            for order in ("big", "little") if width > 1 else ("big",):
                right = int((columns.numbers(at, width, order) == counts).sum())
                if right < _FITTING * rows or any(at < (each.end or 0) and each.start < at + width for each in taken):
                    continue
                detail = {"order": order, "of": "items", "unit": 0, "less": start}
                yield Claim(at, at + width, COUNT, 0.0, detail, right, rows, -right * 0.3)
                return


def _find_measured(columns: Columns, settled: Sequence[Claim]) -> _Measured | None:
    """Return the first number that measures a part of what differs in length."""
    sizes = columns.sizes
    base = _entropy(sizes)
    best: _Measured | None = None
    for start in range(columns.width):
        for width in (1, 2, 4):
            end = start + width
            if end > columns.width or any(start < (each.end or 0) and each.start < end for each in settled):
                continue
            for order in ("big", "little") if width > 1 else ("big",):
                values = columns.numbers(start, width, order)
                if values.max() == values.min() or values.max() > 1 << 31:
                    continue
                rest = sizes - end - values.astype(np.int64)
                inside = rest >= 0
                if inside.mean() < _FITTING or (rest == 0).mean() > 0.995:
                    continue
                gain = base - _entropy(rest[inside]) + _shown_inside(columns, end, values)
                shown = _shown_behind(columns, end, values, rest) if gain > 0 else None
                if shown is None or gain + shown < _LEAST_GAIN + _LEAST_SHARE * base:
                    continue
                gain += shown
                if best is None or gain > 1.1 * best.gain or (gain > 0.95 * best.gain and start == best.start - 1):
                    best = _Measured(start, width, order, gain)
    return best


def _shown_inside(columns: Columns, end: int, values: Array) -> float:
    """Return the bits that show that a number measures text: what it measures is letters, and what follows is none."""
    ends = (end + values.astype(np.int64)).tolist()
    inside = np.frombuffer(b"".join(row[end:stop] for row, stop in zip(columns.rows, ends, strict=True)), np.uint8)
    behind = np.frombuffer(
        b"".join(row[stop : stop + 1] for row, stop in zip(columns.rows, ends, strict=True)), np.uint8
    )
    if len(inside) < 2 * len(columns) or not len(behind):
        return 0.0
    for alphabet in ALPHABETS:
        if alphabet.table[inside].mean() > _TEXT and alphabet.table[behind].mean() < _NO_TEXT:
            return 2.0 * len(columns)
    return 0.0


def _shown_behind(columns: Columns, end: int, values: Array, rest: Array) -> float | None:
    """Return the bits that show that what a number measures begins at ``end``: those behind it are more alike than
    those that stand at ``end``, and than the last ones of the messages. None where they are not."""
    keep = np.flatnonzero(rest >= 0)
    left = min(int(rest[keep].min()), _COMPARED)
    if not left:
        return 0.0 if (rest[keep] != 0).any() else None
    sizes = values.astype(np.int64)

    def cost(begins: Array) -> float:
        pieces = b"".join(
            columns.rows[each][at : at + left] for each, at in zip(keep.tolist(), begins.tolist(), strict=True)
        )
        return float(of_columns(np.frombuffer(pieces, np.uint8).reshape(len(keep), left)).sum())

    behind, here = cost(end + sizes[keep]), cost(np.full(len(keep), end))
    if behind >= 0.95 * here:
        return None
    constant = bool((rest[keep] == rest[keep[0]]).all())
    if constant:
        return here - behind
    last = cost(columns.sizes[keep] - left)
    return min(here, last) - behind if behind < last else None


def _entropy(values: Array) -> float:
    counts = np.array(list(Counter(values.tolist()).values()))
    return adaptive(counts, max(int(values.max()) - int(values.min()) + 1, 2), 1 / 8)


def _kept(columns: Columns, measured: _Measured) -> list[int]:
    """Return the rows that have what the number measures."""
    values = columns.numbers(measured.start, measured.width, measured.order).astype(np.int64)
    return np.flatnonzero(measured.start + measured.width + values <= columns.sizes).tolist()
