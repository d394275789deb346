"""Lists of tagged items: chains of lengths that reach the end of every message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10
from typing import Final

from .layout import Items, item_claims

_TAGS: Final = (0, 1, 2, 3, 4, 5)
_LENGTHS: Final = (1, 2, 3, 4)
_FAIL_FAST: Final = 60
LEAST_CHANCE: Final = -6.0


def find_items(rows: Sequence[bytes], start: int) -> Items | None:
    """Return the form of the items that fill each row from ``start`` to its end; None without enough evidence.

    A row may have none; half of those that have some must have several.
    """
    best: tuple[float, Items] | None = None
    varied = len({len(row) for row in rows}) > 1
    if not varied:
        return None
    for form in _forms():
        chance = _chance(form, rows, start)
        if chance is not None and chance < LEAST_CHANCE and (best is None or chance < best[0]):
            best = chance, form
    if best is None:
        return None
    chance, form = best
    return form._replace(claims=item_claims(form.tag, form.length, len(rows), chance))


def _forms() -> Iterator[Items]:
    nothing = item_claims(0, 1, 0, 0.0)
    for tag in _TAGS:
        for length in _LENGTHS:
            for order in ("big", "little") if length > 1 else ("big",):
                for counts_all in (False, True):
                    for multiple in (1, 4):
                        yield Items(tag, length, order, counts_all, multiple, nothing)


def _chance(form: Items, rows: Sequence[bytes], start: int) -> float | None:
    chance = 0.0
    several = 0
    items = filled_items = 0
    tags: set[bytes] = set()
    counts: set[int] = set()
    sizes: dict[int, set[int]] = {}
    for row in rows:
        at, end = start, len(row)
        count = 0
        while at < end:
            stop = form.item(row, at, end)
            if stop is None:
                return None
            tags.add(row[at : at + form.tag])
            sizes.setdefault(count, set()).add(stop - at)
            count += 1
            rest = end - at
            if stop - at > form.tag + form.length or form.counts_all:
                chance -= 0.3 if rest > 4 else 0.1
                filled_items += 1
            at = min(stop + -(stop - start) % form.multiple, end)
        if end > start:
            chance -= log10(max((end - start) / max(count, 1), 1.0))
        items += count
        counts.add(count)
        several += count > 1
    filled = sum(len(row) > start for row in rows)
    if several < max(2, 0.5 * filled) or items < 1.5 * filled or 2 * filled_items < items:
        return None
    if len(counts) < 2 and sum(len(each) > 1 for each in sizes.values()) < 2:
        return None
    if form.tag and len(tags) * 2 > items + 2:
        return None
    if not form.tag and len({len(row) for row in rows}) < 3:
        return None
    return chance - 0.01 * form.multiple
