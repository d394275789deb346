"""From the messages of a kind to its layout: where fixed fields end, what measures what is behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from .bits import Array, adaptive, of_columns
from .claims import LENGTH, OPAQUE, TEXT, UNKNOWN, Claim
from .columns import Columns, Known
from .fields import fields_of
from .fields.texts import ALPHABETS, LEAST_WIDTH
from .layout import MOST_DEPTH, Block, Fixed, Items, Layout, Sized, Tail
from .lists import find_items

_LEAST_GAIN: Final = 24.0
_COMPARED: Final = 48
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
            rows, known = [rows[each] for each in keep], _chosen(known, keep)
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
                blocks.append(_fixed(columns, [each for each in settled if (each.end or 0) <= start], start))
            blocks.append(items)
            return Layout(tuple(blocks))
        return Layout((*blocks, *_with_tail(columns, settled)))


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
    inner = layout_of(chosen, _chosen(known, filled), (), None, depth + 1)
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
        if claim.what == LENGTH and claim.detail.get("of") == "message" and claim.detail.get("unit", 1) == 1
    ]
    start = max((each for each in starts if 0 < each <= columns.width), default=None)
    if start is None or start < max(((each.end or 0) for each in settled), default=0):
        start = _trimmed(own)
    if start != columns.width:
        own = _fixed(columns, [each for each in settled if (each.end or 0) <= start], start)
    tail = [row[start:] for row in rows]
    claim = text_claim(tail) or Claim(start, None, OPAQUE, 0.0, {}, len(rows), len(rows))
    return (*((own,) if own.width else ()), Tail(claim))


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
                if not _is_behind(columns, end, values, rest):
                    continue
                gain = base - _entropy(rest[inside])
                if gain < max(_LEAST_GAIN, 0.2 * base):
                    continue
                if best is None or gain > 1.1 * best.gain or (gain > 0.95 * best.gain and start == best.start - 1):
                    best = _Measured(start, width, order, gain)
    return best


def _is_behind(columns: Columns, end: int, values: Array, rest: Array) -> bool:
    """Whether the bytes that a number measures begin at ``end``: then those behind them are more alike than those that
    stand at ``end``, and than the last ones of the messages."""
    keep = np.flatnonzero(rest >= 0)
    left = min(int(rest[keep].min()), _COMPARED)
    if not left:
        return bool((rest[keep] != 0).any())
    sizes = values.astype(np.int64)

    def cost(begins: Array) -> float:
        pieces = b"".join(
            columns.rows[each][at : at + left] for each, at in zip(keep.tolist(), begins.tolist(), strict=True)
        )
        return float(of_columns(np.frombuffer(pieces, np.uint8).reshape(len(keep), left)).sum())

    behind = cost(end + sizes[keep])
    if behind >= 0.95 * cost(np.full(len(keep), end)):
        return False
    constant = bool((rest[keep] == rest[keep[0]]).all())
    return constant or behind < cost(columns.sizes[keep] - left)


def _entropy(values: Array) -> float:
    counts = np.array(list(Counter(values.tolist()).values()))
    return adaptive(counts, max(int(values.max()) - int(values.min()) + 1, 2), 1 / 8)


def _kept(columns: Columns, measured: _Measured) -> list[int]:
    """Return the rows that have what the number measures."""
    values = columns.numbers(measured.start, measured.width, measured.order).astype(np.int64)
    return np.flatnonzero(measured.start + measured.width + values <= columns.sizes).tolist()


def _chosen(known: Known, keep: Sequence[int]) -> Known:
    index = np.array(keep, np.int64)
    asked = tuple(known.asked[each] for each in keep)
    return Known(known.stream[index], known.number[index], known.time[index], known.size[index], asked)
