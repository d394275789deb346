"""Claims compete for bytes: of all ways to divide a block into claims the one that takes the fewest bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqbridge.captures.learning.claims import OPAQUE, UNKNOWN, Claim

FIELD: Final = 6.0
"""Bits that a field costs by being one."""


def divide(width: int, claims: Iterable[Claim]) -> list[Claim]:
    """Return claims that cover ``width`` bytes without overlap and together take the fewest bits.

    There must be a claim for each byte alone. All have an end.
    """
    starting: list[list[Claim]] = [[] for _ in range(width)]
    for claim in claims:
        if claim.end is not None and claim.end <= width:
            starting[claim.start].append(claim)
    best: list[float] = [0.0] * (width + 1)
    chosen: list[Claim | None] = [None] * width
    for start in range(width - 1, -1, -1):
        lowest = float("inf")
        for claim in starting[start]:
            assert claim.end is not None
            cost = claim.bits + FIELD + best[claim.end]
            if cost < lowest:
                lowest, chosen[start] = cost, claim
        best[start] = lowest
    found = []
    at = 0
    while at < width:
        claim_ = chosen[at]
        assert claim_ is not None, "each byte has a claim of its own"
        assert claim_.end is not None, "claims that compete have an end"
        found.append(claim_)
        at = claim_.end
    return list(_joined(found))


def _joined(claims: list[Claim]) -> Iterator[Claim]:
    """Yield the claims, with single bytes beside each other of which nothing is known as one field."""
    run: list[Claim] = []
    for claim in [*claims, None]:
        if claim is not None and claim.what == OPAQUE and claim.end == claim.start + 1:
            run.append(claim)
            continue
        if len(run) > 1:
            bits = sum(each.bits for each in run)
            yield Claim(run[0].start, run[-1].end, UNKNOWN, bits, {}, run[0].support, run[0].tried)
        else:
            yield from run
        run = []
        if claim is not None:
            yield claim
