"""Times: seconds, milliseconds and microseconds in binary, digits, packed digits; compared with the packets' clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array, adaptive
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
_FEW: Final = 0.8
"""Share of a few messages that must show a time before all are looked at."""
_WRONG: Final = 1
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
    some = np.unique(np.linspace(0, rows - 1, 8).astype(np.int64))
    for width, unit, scale in _SCALES:
        for order in orders(width):
            table = columns.table(width, order)
            varies = columns.lowest_varies(width, order) | (unit == "100 nanoseconds")
            for epoch, zero in _EPOCHS:
                away = table[some] / scale - zero - clock[some, None]
                near = varies & ((np.abs(away) <= _DAY + _NEAR).mean(axis=0) >= _FEW)
                for start in np.flatnonzero(near).tolist():
                    claim = _at(columns, start, width, table[:, start] / scale - zero - clock, scale)
                    if claim is not None:
                        yield claim._replace(detail={"form": unit, "order": order, "epoch": epoch, **claim.detail})


def _at(columns: Columns, start: int, width: int, away: Array, scale: float) -> Claim | None:
    """Return the claim of a time that differs so from the packets'; None where it does not follow them."""
    rows = len(columns)
    middle = float(np.median(away))
    spread = np.abs(away - middle)
    if abs(middle) > _DAY or float((spread <= _NEAR).mean()) < 0.95:
        return None
    within = round(float(np.quantile(np.abs(away), 0.95)), 1)
    right = int((spread <= _NEAR).sum())
    bits = 12.0 + rows * np.log2(2 * min(_NEAR, max(within, 1e-3)) * scale + 2)
    bits += alignment(columns, start, width) + (rows - right) * BYTE * width
    chance = -right * (2.4 * width - np.log10(2 * _NEAR * scale))
    return Claim(start, start + width, TIME, bits, {"within": within}, right, rows, float(min(chance, 0.0)))


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
            if not (part.all() if plain else part[0] and part[-1]):
                continue
            if columns.constant[start : start + size].all() and not (
                _is_moment(format_) and parse_time(columns.rows[0][start : start + size], name, format_) is not None
            ):
                continue
            claim = _read(columns, start, size, name, format_)
            if claim is not None:
                yield claim


def _digits(matrix: Array, zero: int) -> Array:
    return (matrix >= zero) & (matrix <= zero + 9)


def _read(columns: Columns, start: int, size: int, name: str, format_: str) -> Claim | None:
    rows = len(columns)
    right = 0
    moments = []
    for number, row in enumerate(columns.rows):
        moment = parse_time(row[start : start + size], name, format_)
        moments.append(np.nan if moment is None else moment)
        right += moment is not None
        if right < number - _WRONG - 0.05 * rows:
            return None
    if right < 0.95 * rows or right < 2:
        return None
    per_row = {14: 12.0, 8: 4.0, 19: 12.0, 6: 12.0, 12: 12.0}[len(datetime(2000, 1, 1, tzinfo=UTC).strftime(format_))]
    bits = 14.0 + rows * per_row + (rows - right) * BYTE * size
    odds = {"%Y%m%d%H%M%S": -6.0, "%Y%m%d": -3.3, "%H%M%S": -0.65, "%y%m%d%H%M%S": -2.2}.get(format_, -6.0)
    if right * odds > -6.0:
        return None
    detail: dict[str, object] = {"form": name, "format": format_}
    followed = _following(columns, np.array(moments), size) if _is_moment(format_) else None
    if followed is None and columns.constant[start : start + size].all():
        return None
    if followed is not None and followed[0] < bits:
        bits, detail["within"] = followed
    return Claim(start, start + size, TIME, bits, detail, right, rows, right * (odds - 0.4 * size))


def _is_moment(format_: str) -> bool:
    """Whether a format has a day and a time of it, which can be compared with a clock."""
    return "%H" in format_ and "%d" in format_


def _following(columns: Columns, moments: Array, size: int) -> tuple[float, float] | None:
    """Return the bits of times in whole seconds that follow the packets' clock, where they are mostly its own second,
    and how far they are from it; None where they do not."""
    away = np.floor(columns.known.time) - moments
    if not np.isfinite(columns.known.time).all() or not np.isfinite(away).any():
        return None
    middle = float(np.nanmedian(away))
    near = np.abs(away - middle) <= _NEAR
    if abs(middle) > _DAY or near.mean() < 0.95:
        return None
    counts = np.unique((away - middle)[near], return_counts=True)[1]
    wrong = int((~near).sum())
    within = float(np.quantile(np.abs(columns.known.time - moments)[near], 0.95))
    return 14.0 + adaptive(counts, int(2 * _NEAR) + 1, 1 / 8) + wrong * BYTE * size, round(within, 1)


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
