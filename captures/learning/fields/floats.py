"""Floating-point numbers of IEEE 754: of usual size, with exponents that vary a little."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import adaptive
from mqbridge.captures.learning.claims import FLOAT, Claim
from mqbridge.captures.learning.columns import Columns

from .values import alignment

_FORMS: Final = ((4, "f4", 8, 23), (8, "f8", 11, 52))
"""Width, type, and the bits of exponent and mantissa."""
_SMALLEST, _LARGEST = 1e-9, 1e12
_LEAST_EXPONENTS: Final = 3
_LEAST_CHANCE: Final = -6.0
_MODEL: Final = 16.0
_LETTERS: Final = 0.97


def floats(columns: Columns) -> Iterator[Claim]:
    """Yield numbers in binary floating point, in both byte orders."""
    rows = len(columns)
    printed = (columns.matrix >= 0x20) & (columns.matrix < 0x7F)
    for width, form, exponent_bits, mantissa_bits in _FORMS:
        for order, sign in (("big", ">"), ("little", "<")):
            high = 0 if order == "big" else width - 1
            for start in range(columns.width - width + 1):
                low = start + width - 1 - high
                second = start + 1 if order == "big" else start + width - 2
                if columns.constant[[start + high, second]].all():
                    continue
                if columns.different[start : start + width].max() < min(rows / 4, 16):
                    continue
                part = np.ascontiguousarray(columns.matrix[:, start : start + width])
                with np.errstate(all="ignore"):
                    values = part.view(sign + form)[:, 0].astype(np.float64)
                    size = np.abs(values)
                    usual = (size >= _SMALLEST) & (size <= _LARGEST)
                if not (usual | (size == 0)).all() or printed[:, start : start + width].mean() > _LETTERS:
                    continue
                exponents = np.frexp(values[usual])[1]
                kinds, counts = np.unique(exponents, return_counts=True)
                window = int(np.ptp(exponents)) + 1 if len(exponents) else 1
                chance = int(usual.sum()) * log10(window / (1 << exponent_bits))
                if len(kinds) < _LEAST_EXPONENTS or chance > _LEAST_CHANCE or 2 * usual.sum() < rows:
                    continue
                if width == 8 and columns.constant[low] and columns.constant[start + 3 : start + 5].all():
                    continue
                signs = np.array([(values < 0).sum(), (values >= 0).sum()])
                zero = np.array([usual.sum(), rows - usual.sum()])
                bits = _MODEL + adaptive(counts, window) + adaptive(signs, 2) + adaptive(zero, 2)
                bits += mantissa_bits * float(usual.sum()) * _varied(columns, start, width)
                detail = {"order": order, "lowest": float(values.min()), "highest": float(values.max())}
                bits += alignment(columns, start, width)
                yield Claim(start, start + width, FLOAT, bits, detail, rows, rows, chance)


def _varied(columns: Columns, start: int, width: int) -> float:
    """Return the share of bytes that vary: the last ones of round numbers do not."""
    return float((~columns.constant[start : start + width]).mean())
