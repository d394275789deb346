"""Fields of a block of bytes: one file for each kind of claim, and the competition in which they are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mqbridge.captures.learning.claims import Claim
from mqbridge.captures.learning.columns import Columns

from .addresses import addresses
from .checksums import checksums
from .competition import divide
from .constants import constants
from .decimals import decimals
from .echoes import echoes, ids
from .floats import floats
from .offsets import offsets
from .padding import padded
from .relations import connections, lengths, sequences
from .texts import texts, wide_texts
from .times import times
from .values import enumerations, numbers, opaque

DETECTORS: Final = (
    constants,
    enumerations,
    numbers,
    opaque,
    sequences,
    echoes,
    ids,
    addresses,
    connections,
    lengths,
    offsets,
    times,
    decimals,
    floats,
    texts,
    wide_texts,
    checksums,
)

__all__ = ["DETECTORS", "fields_of"]


def fields_of(columns: Columns, settled: Sequence[Claim], edges: Iterable[int] = ()) -> list[Claim]:
    """Return the fields of a block: ``settled`` claims as they are, and between them and the ``edges`` those that
    explain the bytes best."""
    cuts = set(edges)
    taken = [(claim.start, claim.end if claim.end is not None else columns.width) for claim in settled]
    for begin, end in taken:
        cuts |= {begin, end}
    inner = sorted(cut for cut in cuts if 0 < cut < columns.width)
    claims = [
        claim
        for detector in DETECTORS
        for claim in detector(columns)
        if not any(claim.start < cut < (claim.end or 0) for cut in inner)
        and not any(claim.start < end and begin < (claim.end or 0) for begin, end in taken)
    ]
    return list(padded(columns, divide(columns.width, [*claims, *settled]), frozenset(inner)))
