"""Dates and times in fields: digits, packed digits and binary seconds (M-163, M-164). The value is seconds since 1970
UTC, to the millisecond."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from mqbridge.mappings.templates.values import Value

from .characters import is_sure
from .numbers import Order

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = date(1970, 1, 1).toordinal()
_PART: Final = re.compile(r"CCYY|YY|MM|DDD|DD|hh|mm|ss|ttt|th|t|.", re.DOTALL)
_WIDTHS: Final = {"CCYY": 4, "YY": 2, "MM": 2, "DDD": 3, "DD": 2, "hh": 2, "mm": 2, "ss": 2, "ttt": 3, "th": 2, "t": 1}
_FRACTIONS: Final = {"t": 100, "th": 10, "ttt": 1}
TICKS: Final = {"seconds": 1, "milliseconds": 1000, "microseconds": 1_000_000}
_LAST: Final = 253_402_300_799
"""The last second of the year 9999."""


class TimeFormat:
    """A format such as ``CCYYMMDDhhmmssth``; see docs/partners.md. Raises ``ValueError`` for one without a day."""

    __slots__ = ("_parts", "_pattern", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = _PART.findall(text)
        digits = [part for part in self._parts if part in _WIDTHS]
        if len(set(digits)) != len(digits) or len({"t", "th", "ttt"} & set(digits)) > 1:
            raise ValueError("a part stands twice in the format")
        if len({"CCYY", "YY"} & set(digits)) != 1 or ("DDD" in digits) == ({"MM", "DD"} <= set(digits)):
            raise ValueError("a format has a year (CCYY or YY) and a day (MM and DD, or DDD)")
        pattern = "".join(
            f"(?P<{part}>[0-9]{{{_WIDTHS[part]}}})" if part in _WIDTHS else re.escape(part) for part in self._parts
        )
        self._pattern = re.compile(pattern, re.ASCII)

    @property
    def width(self) -> int:
        """How many characters it has."""
        return sum(_WIDTHS.get(part, 1) for part in self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimeFormat) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def read(self, text: str) -> float | None:
        """Return the time of a text; None if it is none."""
        found = self._pattern.fullmatch(text)
        if not found:
            return None
        parts = {name: int(digits) for name, digits in found.groupdict().items()}
        hours, minutes, seconds = parts.get("hh", 0), parts.get("mm", 0), parts.get("ss", 0)
        day = _day(parts)
        if day is None or hours > 23 or minutes > 59 or seconds > 59:
            return None
        thousandths = sum(parts[name] * unit for name, unit in _FRACTIONS.items() if name in parts)
        return day * 86_400 + hours * 3600 + minutes * 60 + seconds + thousandths / 1000

    def write(self, seconds: float) -> str:
        """Return the text of a time. Raises ``ValueError`` for one that the calendar does not have."""
        try:
            milliseconds = round(seconds * 1000)
            moment = _EPOCH + timedelta(seconds=milliseconds // 1000)
        except (ValueError, OverflowError):
            raise ValueError(f"{seconds} is no time of the calendar") from None
        thousandths = milliseconds % 1000
        parts = {
            "CCYY": moment.year, "YY": moment.year % 100, "MM": moment.month, "DD": moment.day,
            "DDD": moment.timetuple().tm_yday, "hh": moment.hour, "mm": moment.minute, "ss": moment.second,
            "t": thousandths // 100, "th": thousandths // 10, "ttt": thousandths,
        }  # fmt: skip
        return "".join(f"{parts[part]:0{_WIDTHS[part]}}" if part in _WIDTHS else part for part in self._parts)


def _day(parts: Mapping[str, int]) -> int | None:
    """The day of parts of a time, counted from 1970; None if the calendar has it not."""
    year = parts["CCYY"] if "CCYY" in parts else 1970 + (parts["YY"] - 70) % 100
    try:
        if "DDD" in parts:
            first = date(year, 1, 1).toordinal()
            last = date(year, 12, 31).toordinal()
            day = first + parts["DDD"] - 1
            return day - _FIRST if first <= day <= last else None
        return date(year, parts["MM"], parts["DD"]).toordinal() - _FIRST
    except ValueError:
        return None


class TimeText(NamedTuple):
    """A time in characters. ``codec``: Python's name of the character set."""

    codec: str
    format: TimeFormat

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the seconds."""
        try:
            found = self.format.read(str(raw, self.codec))
            if found is None:
                return raw, True
            return found, is_sure(self.codec) or self.write(found, len(raw)) == raw
        except ValueError:
            return raw, True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the characters."""
        raw = self.format.write(_seconds(value)).encode(self.codec)
        if size is not None and len(raw) != size:
            raise ValueError(f"a time of {len(raw)} bytes, but the field has {size}")
        return raw


class PackedTime(NamedTuple):
    """A time in packed digits without sign; an odd number of digits has a 0 in front."""

    format: TimeFormat

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the seconds."""
        found = self.format.read(raw.hex()[2 * len(raw) - self.format.width :])
        try:
            return (raw, True) if found is None else (found, self.write(found, len(raw)) == raw)
        except ValueError:
            return raw, True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the packed digits."""
        text = self.format.write(_seconds(value))
        return bytes.fromhex(text.zfill(2 * size if size is not None else len(text) + len(text) % 2))


class BinaryTime(NamedTuple):
    """Time as a number of ticks since 1970 UTC. ``ticks``: of a second."""

    order: Order
    ticks: int

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the seconds."""
        number = int.from_bytes(raw, self.order)
        if number // self.ticks > _LAST:
            return raw, True
        seconds = number / self.ticks
        return seconds, round(seconds * self.ticks) == number

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the number."""
        try:
            return round(_seconds(value) * self.ticks).to_bytes(size or 0, self.order)
        except OverflowError:
            raise ValueError(f"the time {value!r} does not fit into {size} bytes") from None


def _seconds(value: Value) -> float:
    if isinstance(value, str):
        raise ValueError(f"seconds since 1970 are needed, not {value!r:.80}")
    if isinstance(value, bytes) or not -1e12 < value < 1e12:
        raise ValueError(f"{value!r:.80} is no time")
    return value
