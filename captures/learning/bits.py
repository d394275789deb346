"""Bits that it takes to write down values under a model: the measure by which claims compete.

Each model is charged for its own parameters, so that one which fits by chance costs more than it saves.
"""

from __future__ import annotations

from math import lgamma, log
from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"
_LN2: Final = log(2.0)
BYTE: Final = 8.0
_LENGTHS: Final = 24
"""Lengths that a number may have, for what its length costs: the same for all widths."""
_MOST_TABLES: Final = 4096


def adaptive(counts: Array, alphabet: int, weight: float = 0.5) -> float:
    """Return the bits of values with these ``counts``, each coded by those before it.

    ``alphabet``: how many values there could be; ``weight``: what each of them counts for before it was seen.
    """
    seen = counts[counts > 0]
    total = int(seen.sum())
    if not total:
        return 0.0
    start = weight * alphabet
    own = float(_table(weight, total)[seen].sum()) - len(seen) * lgamma(weight)
    return (lgamma(total + start) - lgamma(start) - own) / _LN2


def adaptive_each(counts: Array, alphabet: int, weight: float = 0.5) -> Array:
    """Return for each row of ``counts`` what `adaptive` says of it."""
    totals = counts.sum(axis=1)
    most = int(totals.max(initial=0))
    table = _table(weight, most) - lgamma(weight)
    start = weight * alphabet
    return np.asarray((_table(start, most)[totals] - lgamma(start) - table[counts].sum(axis=1)) / _LN2)


def log_gammas(weight: float, counts: Array) -> Array:
    """Return lgamma of each count and a ``weight``."""
    return np.asarray(_table(weight, int(counts.max(initial=0)))[counts])


_tables: dict[float, Array] = {}


def _table(weight: float, most: int) -> Array:
    """Return lgamma of every count to ``most`` and a ``weight``."""
    table = _tables.get(weight)
    if table is None or len(table) <= most:
        table = np.array([lgamma(count + weight) for count in range(max(2 * most, 1024))])
        if len(_tables) > _MOST_TABLES:
            _tables.clear()
        _tables[weight] = table
    return table


def of_values(values: Array, width: int) -> float:
    """Return the bits of numbers of ``width`` bytes, where each different one is written once: by its length from
    either end, as a number of bytes where that takes no fewer."""
    kinds, counts = np.unique(values, return_counts=True)
    turned = kinds.astype(">u8").view(np.uint8).reshape(-1, 8)[:, ::-1][:, :width]
    other = np.zeros(len(kinds), np.uint64)
    for column in range(width):
        other = (other << np.uint64(8)) | turned[:, column]
    lengths = np.minimum(bit_lengths(kinds), bit_lengths(other))
    written = float(np.minimum(lengths + log(8 * width) / _LN2, BYTE * width).sum())
    return written + adaptive(counts, len(kinds)) if len(kinds) > 1 else written


def of_columns(matrix: Array) -> Array:
    """Return for each column of bytes the bits that it takes by itself."""
    rows, columns = matrix.shape
    if not rows or not columns:
        return np.zeros(columns)
    return adaptive_each(histograms(matrix, 256), 256, 1 / 16)


def histograms(matrix: Array, alphabet: int) -> Array:
    """Return for each column how often each number below ``alphabet`` stands in it."""
    columns = matrix.shape[1]
    index = matrix + np.arange(columns) * alphabet
    return np.bincount(index.ravel(), minlength=columns * alphabet).reshape(columns, alphabet)


def of_exceptions(right: int, tried: int, width: float) -> float:
    """Return the bits of a rule that was right so often: which messages it fails, and the ``width`` bits of each."""
    counts = np.array([right, tried - right])
    return adaptive(counts, 2) + (tried - right) * width


def of_numbers(values: Array, width: int) -> float:
    """Return the bits of unsigned numbers of ``width`` bytes: how long each is, and what it is."""
    return float(of_numbers_each(values[:, None], width)[0])


def of_numbers_each(values: Array, width: int) -> Array:
    """Return for each column of numbers what `of_numbers` says of it."""
    lengths = bit_lengths(values)
    counts = histograms(lengths, 8 * width + 1)
    by_length = adaptive_each(counts, _LENGTHS, 1 / 8) + np.maximum(lengths - 1, 0).sum(axis=0)
    lowest, highest = values.min(axis=0), values.max(axis=0)
    span = np.log2((highest - lowest).astype(np.float64) + 1.0)
    ends = 1.0 * bit_lengths(highest) + 8.0
    return np.asarray(np.minimum(by_length, ends + len(values) * span))


def bit_lengths(values: Array) -> Array:
    """Return how many bits each unsigned number has; 0 has none."""
    high = values >> np.uint64(32)
    low = (values & np.uint64(0xFFFFFFFF)).astype(np.float64)
    lower = np.frexp(low)[1]
    if not high.any():
        return lower.astype(np.int64)
    return np.where(high > 0, np.frexp(high.astype(np.float64))[1] + 32, lower).astype(np.int64)
