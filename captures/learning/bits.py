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


def adaptive(counts: Array, alphabet: int, weight: float = 0.5) -> float:
    """Return the bits of values with these ``counts``, each coded by those before it.

    ``alphabet``: how many values there could be; ``weight``: what each of them counts for before it was seen.
    """
    seen = counts[counts > 0]
    total = float(seen.sum())
    if not total:
        return 0.0
    start = weight * alphabet
    own = sum(lgamma(count + weight) for count in seen.tolist()) - len(seen) * lgamma(weight)
    return (lgamma(total + start) - lgamma(start) - own) / _LN2


def of_values(values: Array, width: float) -> float:
    """Return the bits of ``values``, where each different one is written once, in ``width`` bits."""
    _, counts = np.unique(values, return_counts=True)
    kinds = len(counts)
    return kinds * width + adaptive(counts, kinds) if kinds > 1 else width


def of_columns(matrix: Array) -> Array:
    """Return for each column of bytes the bits that it takes by itself."""
    rows, columns = matrix.shape
    costs = np.empty(columns)
    for column in range(columns):
        costs[column] = adaptive(np.bincount(matrix[:, column], minlength=256), 256, 1 / 16)
    return costs if rows else np.zeros(columns)


def of_exceptions(right: int, tried: int, width: float) -> float:
    """Return the bits of a rule that was right so often: which messages it fails, and the ``width`` bits of each."""
    counts = np.array([right, tried - right])
    return adaptive(counts, 2) + (tried - right) * width


def of_numbers(values: Array, width: int) -> float:
    """Return the bits of unsigned numbers of ``width`` bytes: how long each is, and what it is."""
    lengths = bit_lengths(values)
    counts = np.bincount(lengths, minlength=8 * width + 1)
    return adaptive(counts, 8 * width + 1, 1 / 8) + float(np.maximum(lengths - 1, 0).sum())


def bit_lengths(values: Array) -> Array:
    """Return how many bits each unsigned number has; 0 has none."""
    high = (values >> np.uint64(32)).astype(np.float64)
    low = (values & np.uint64(0xFFFFFFFF)).astype(np.float64)
    upper = np.frexp(high)[1]
    lower = np.frexp(low)[1]
    return np.where(high > 0, upper + 32, lower).astype(np.int64)
