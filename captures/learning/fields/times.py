"""Times: seconds, milliseconds and microseconds in binary, digits, packed digits; compared with the packets' clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array
from mqbridge.captures.learning.claims import TIME, Claim
from mqbridge.captures.learning.columns import Columns

from .values import alignment, orders

_EPOCHS: Final = (("unix", 0.0), ("ntp", 2_208_988_800.0), ("windows", 11_644_473_600.0))
"""Seconds before 1970 at which a clock counts zero."""
_SCALES: Final = ((4, "seconds", 1.0), (8, "seconds", 1.0), (8, "milliseconds", 1e3), (8, "microseconds", 1e6),
                  (8, "nanoseconds", 1e9), (8, "100 nanoseconds", 1e7))  # fmt: skip
_NEAR: Final = 5.0
"""Seconds that a clock's time may differ from the packet's, beside a constant offset of a day at most."""
_DAY: Final = 86_400.0
_FORMATS: Final = (
    ("%Y%m%d%H%M%S", 14),
    ("%Y%m%d", 8),
    ("%Y-%m-%dT%H:%M:%S", 19),
    ("%Y-%m-%d %H:%M:%S", 19),
    ("%H%M%S", 6),
    ("%y%m%d%H%M%S", 12),
)
_DIGITS: Final = re.compile(r"[0-9T :.-]+")


def times(columns: Columns) -> Iterator[Claim]:
    """Yield numbers and digits that are times."""
    if np.isfinite(columns.known.time).all() and len(columns) > 2:
        yield from _binary(columns)
    for format_, width in _FORMATS:
        yield from _written(columns, format_, width)


def _binary(columns: Columns) -> Iterator[Claim]:
    clock = columns.known.time
    rows = len(columns)
    if float(np.ptp(clock)) == 0:
        return
    for width, unit, scale in _SCALES:
        for start in range(columns.width - width + 1):
            for order in orders(width):
                lowest = start + width - 1 if order == "big" else start
                if unit != "100 nanoseconds" and columns.constant[lowest]:
                    continue
                seconds = columns.numbers(start, width, order).astype(np.float64) / scale
                for epoch, zero in _EPOCHS:
                    away = seconds - zero - clock
                    middle = float(np.median(away))
                    spread = np.abs(away - middle)
                    if abs(middle) > _DAY or float((spread <= _NEAR).mean()) < 0.95:
                        continue
                    within = round(float(np.quantile(np.abs(away), 0.95)), 1)
                    right = int((spread <= _NEAR).sum())
                    bits = 12.0 + rows * np.log2(2 * min(_NEAR, max(within, 1e-3)) * scale + 2)
                    bits += alignment(columns, start, width) + (rows - right) * BYTE * width
                    detail = {"form": unit, "order": order, "epoch": epoch, "within": within}
                    chance = -right * (2.4 * width - np.log10(2 * _NEAR * scale))
                    yield Claim(start, start + width, TIME, bits, detail, right, rows, float(min(chance, 0.0)))
                    break


def _written(columns: Columns, format_: str, width: int) -> Iterator[Claim]:
    """Digits of ASCII and EBCDIC, and packed ones."""
    ascii_digits = _digits(columns.matrix, 0x30)
    ebcdic_digits = _digits(columns.matrix, 0xF0)
    packed = ((columns.matrix >> 4) < 10) & ((columns.matrix & 15) < 10)
    plain = re.sub(r"%.", "", format_) == ""
    for name, good, size in (
        ("ascii", ascii_digits, width),
        ("ebcdic", ebcdic_digits, width),
        ("packed", packed, width // 2),
    ):
        if name != "ascii" and not plain:
            continue
        ok = good.mean(axis=0) >= 0.95
        for start in range(columns.width - size + 1):
            part = ok[start : start + size]
            if columns.constant[start : start + size].all() or not (part.all() if plain else part[0] and part[-1]):
                continue
            claim = _read(columns, start, size, name, format_)
            if claim is not None:
                yield claim


def _digits(matrix: Array, zero: int) -> Array:
    return (matrix >= zero) & (matrix <= zero + 9)


def _read(columns: Columns, start: int, size: int, name: str, format_: str) -> Claim | None:
    rows = len(columns)
    right = 0
    found = []
    for row in columns.rows:
        moment = parse_time(row[start : start + size], name, format_)
        if moment is not None:
            right += 1
            found.append(moment)
    if right < 0.95 * rows or len(found) < 2:
        return None
    per_row = {14: 12.0, 8: 4.0, 19: 12.0, 6: 12.0, 12: 12.0}[len(datetime(2000, 1, 1, tzinfo=UTC).strftime(format_))]
    bits = 14.0 + rows * per_row + (rows - right) * BYTE * size
    odds = {"%Y%m%d%H%M%S": -6.0, "%Y%m%d": -3.3, "%H%M%S": -0.65, "%y%m%d%H%M%S": -2.2}.get(format_, -6.0)
    if right * odds > -6.0:
        return None
    detail = {"form": name, "format": format_}
    return Claim(start, start + size, TIME, bits, detail, right, rows, right * (odds - 0.4 * size))


def parse_time(field: bytes, form: str, format_: str) -> float | None:
    """Return seconds since 1970 of a written time between 1990 and 2060; None for what is none."""
    if form == "packed":
        text = field.hex()
    else:
        text = field.decode("latin-1") if form == "ascii" else bytes(byte & 0x3F for byte in field).decode("latin-1")
    if not _DIGITS.fullmatch(text):
        return None
    try:
        moment = datetime.strptime(text, format_).replace(tzinfo=UTC)
    except ValueError:
        return None
    if "Y" in format_ and not 1990 <= moment.year < 2060:
        return None
    return moment.timestamp()
