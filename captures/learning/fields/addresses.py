"""Addresses of the ends of the connection: host and port, in bytes or in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from mqbridge.captures.learning.bits import BYTE, Array
from mqbridge.captures.learning.claims import ADDRESS, Claim
from mqbridge.captures.learning.columns import Columns

_MODEL: Final = 14.0
_LEAST: Final = 0.95
_LEAST_CHANCE: Final = -9.0
_PER_BYTE: Final = 2.4


def addresses(columns: Columns) -> Iterator[Claim]:
    """Yield ranges that hold the address or the port of an end of their connection."""
    ends = columns.known.addresses
    for side in (0, 1):
        parts = [each[side].rpartition(":") for each in ends]
        hosts = [_host(host) for host, _, _ in parts]
        ports = [
            int(port).to_bytes(2, "big") if port.isdigit() and int(port) < 1 << 16 else b"" for _, _, port in parts
        ]
        texts = [host.encode() for host, _, _ in parts]
        for part, form, values in (
            ("host", "big", hosts),
            ("host", "little", [each[::-1] for each in hosts]),
            ("host", "text", texts),
            ("port", "big", ports),
            ("port", "little", [each[::-1] for each in ports]),
        ):
            yield from _standing(columns, values, {"end": side, "part": part, "form": form})


def _host(text: str) -> bytes:
    numbers = text.split(".")
    if len(numbers) != 4 or not all(each.isdigit() and int(each) < 256 for each in numbers):
        return b""
    return bytes(int(each) for each in numbers)


def _port(text: str) -> bytes:
    return int(text).to_bytes(2, "big") if text.isdigit() and int(text) < 1 << 16 else b""


def _standing(columns: Columns, values: Sequence[bytes], detail: dict[str, object]) -> Iterator[Claim]:
    width = len(values[0])
    if not width or any(len(each) != width for each in values) or width > columns.width:
        return
    wanted = np.frombuffer(b"".join(values), np.uint8).reshape(len(values), width)
    different = len(set(values))
    chance = -_PER_BYTE * width * different
    if chance > _LEAST_CHANCE or values[0] in (bytes(width), b"\xff" * width):
        return
    for start in _places(columns, wanted):
        right = int((columns.matrix[:, start : start + width] == wanted).all(axis=1).sum())
        if right >= _LEAST * len(columns):
            bits = _MODEL + (len(columns) - right) * BYTE * width
            yield Claim(start, start + width, ADDRESS, bits, detail, right, len(columns), chance)


def _places(columns: Columns, wanted: Array) -> list[int]:
    """Return where a few of the messages have what is wanted."""
    width = wanted.shape[1]
    some = np.unique(np.linspace(0, len(columns) - 1, 5).astype(np.int64))
    windows = np.lib.stride_tricks.sliding_window_view(columns.matrix[some], width, axis=1)
    equal = (windows == wanted[some][:, None, :]).all(axis=2).mean(axis=0) >= 0.8
    return [int(each) for each in np.flatnonzero(equal)]
