"""Plug-ins that fail in every way: their code raises, returns rubbish, or reads beyond the end."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from construct import Adapter, Array, Computed, Struct, this

from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.fields import Numbers, char, part, raw
from mqbridge.protocol.formats import Format, Formats
from mqbridge.protocol.grammar import Structure

BODY, HEADER, LETTER, LIST = "HOSTILE", "HOSTHDR", "HOSTLET", "HOSTLIST"


class Unspeakable(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


class Lazy(Mapping[str, Any]):
    """Values that fail when they are asked for."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getitem__(self, name: str) -> Any:
        raise self._error

    def __iter__(self) -> Iterator[str]:
        return iter(("one", "two"))

    def __len__(self) -> int:
        return 2


class Endless(Mapping[str, Any]):
    """Names without end."""

    def __getitem__(self, name: str) -> Any:
        return 1

    def __iter__(self) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"name{number}"

    def __len__(self) -> int:
        return 1 << 40


def _deep() -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(20_000):
        value = {"in": value}
    return value


def _in_itself() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = [value]
    return value


ERRORS: tuple[Callable[[], BaseException], ...] = (
    lambda: ValueError("no such thing"),
    lambda: KeyError("name"),
    lambda: RecursionError("too deep"),
    lambda: MemoryError(),
    lambda: StopIteration(),
    lambda: AssertionError(),
    lambda: SystemExit(3),
    lambda: StructureError("OTHER", 5, "wrong"),
    lambda: ConversionError("not mine"),
    lambda: UnicodeDecodeError("utf-8", b"x", 0, 1, "why"),
    lambda: ValueError("long " * 100_000),
    Unspeakable,
)
RUBBISH: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: 5,
    lambda: "text",
    lambda: b"",
    dict,
    lambda: [("a", 1)],
    lambda: {"a": object()},
    lambda: {1: 2, None: 3},
    lambda: {"": ""},
    lambda: {"a": {"b": [1, {"c": (b"\0", 1.5, float("nan"))}]}},
    lambda: {"a": "\ud800"},
    lambda: {"a": {1, 2}},
    lambda: {"a": 1 << 5000},
    lambda: Lazy(ValueError("later")),
    lambda: Lazy(Unspeakable()),
    Endless,
    _deep,
    _in_itself,
    lambda: bytearray(b"abc"),
    lambda: memoryview(b"abc"),
    lambda: b"x" * 1000,
    lambda: {"parsed": "well"},
)


class Hostile:
    """An object for a format: what it does is drawn at each call."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def _act(self, data: bytes) -> Any:
        drawn = self._random.randrange(5)
        if drawn < 2:
            raise self._random.choice(ERRORS)()
        if drawn == 2:
            return struct.unpack_from(">I", data, len(data) + 1)
        return self._random.choice(RUBBISH)()

    def parse(self, data: bytes, encoding: int, ccsid: int) -> Any:
        """Fail."""
        return self._act(data)

    def build(self, values: Mapping[str, Any], encoding: int, ccsid: int) -> Any:
        """Fail."""
        return self._act(b"")

    def convert(self, data: bytes, source: tuple[int, int], target: tuple[int, int]) -> Any:
        """Fail."""
        return self._act(data)


def formats(random: Random) -> Formats:
    """A table of hostile formats: bodies BODY and LIST, headers HEADER and LETTER."""

    class Failing(Adapter):
        def _decode(self, obj: Any, context: Any, path: Any) -> Any:
            if random.randrange(2):
                raise random.choice(ERRORS)()
            return obj

        _encode = _decode

    def failing(*_: Any) -> Any:
        if random.randrange(2):
            raise random.choice(ERRORS)()
        return random.choice((-1, 0, 3, 1 << 30, None, "x"))

    def what_follows(n: Numbers) -> list[Any]:
        return [n.i32("Encoding", "", default=546), n.i32("CodedCharSetId", "", default=1208), char("Format", 8, "")]

    def header(n: Numbers) -> Any:
        return Struct(
            char("StrucId", 4, "", default=b"HOST"), *what_follows(n), n.u16("StrucLength", ""), raw("X", 2, "")
        )

    def letter(n: Numbers) -> Any:
        return Struct(*what_follows(n), n.u16("Length", ""), char("Text", failing, ""))

    def listed(n: Numbers) -> Any:
        item = Struct(n.u16("Length", ""), char("Text", this.length, ""))
        return Struct(
            n.u16("Count", ""), part("Items", Array(this.count, item), ""), part("More", Failing(Computed(1)), "")
        )

    made = [Format(BODY, Hostile(random), "hostile:BODY")]  # type: ignore[arg-type]
    for name, builder in ((HEADER, header), (LETTER, letter), (LIST, listed)):
        made.append(Format(name, Structure(name[:4] + "X", builder), f"hostile:{name}"))
    return Formats(made)
