"""Blanks behind text are its padding, not a field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqbridge.captures.learning.claims import CONNECTION, CONSTANT, ECHO, ENUMERATION, OPAQUE, TEXT, UNKNOWN, Claim
from mqbridge.captures.learning.columns import Columns

from .texts import ALPHABETS, LEAST_WIDTH, Alphabet

_PADDED: Final = frozenset({CONNECTION, ECHO, ENUMERATION, OPAQUE, TEXT, UNKNOWN})
_LEAST: Final = 0.97


def padded(columns: Columns, claims: Iterable[Claim], edges: frozenset[int]) -> Iterator[Claim]:
    """Yield the claims, those of letters with the blanks behind them. ``edges``: where no claim may go on."""
    before: Claim | None = None
    for claim in claims:
        alphabet = _blank(claim)
        if (
            before is not None
            and alphabet is not None
            and claim.start not in edges
            and _is_text(columns, before, alphabet)
        ):
            detail = {**before.detail, "alphabet": alphabet.name, "pad": alphabet.blank}
            if before.what == CONSTANT:
                detail["value"] = before.detail["value"] + claim.detail["value"]
            before = before._replace(end=claim.end, bits=before.bits + claim.bits, detail=detail)
            continue
        if before is not None:
            yield before
        before = claim
    if before is not None:
        yield before


def _blank(claim: Claim) -> Alphabet | None:
    """Return the alphabet of which a constant is blanks; None for another claim."""
    value = claim.detail.get("value", b"") if claim.what == CONSTANT else b""
    return next((each for each in ALPHABETS if value and set(value) == {each.blank}), None)


def _is_text(columns: Columns, claim: Claim, alphabet: Alphabet) -> bool:
    if claim.what == CONSTANT:
        value = claim.detail["value"]
        return (
            len(value) >= LEAST_WIDTH
            and set(value) != {alphabet.blank}
            and alphabet.letters.issuperset(value)
            and not claim.detail.get("key")
        )
    part = columns.matrix[:, claim.start : claim.end]
    return claim.what in _PADDED and float((alphabet.table[part] | (part == 0)).mean()) >= _LEAST and bool(part.any())
