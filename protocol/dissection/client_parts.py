"""Parts of client segments that begin with a structure id: their lengths, and the data behind them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from construct import Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures import (
    FCMI,
    FOPA,
    GMO,
    GMO_SIZES,
    LPOO,
    LSD,
    MD,
    OD,
    OD_SIZES,
    OR,
    PMO,
    PMO_SIZES,
    RR,
    SD,
    SHORT_FOPA_SIZE,
    SPAI,
    SPBI,
    SPBO,
    SPGI,
    SPGO,
    SPI_VERB,
    SPNI,
    SPPI,
    SPQO,
    SPRI,
    SPRO,
    SRO,
    STAT,
    STAT_SIZES,
    lpoo_size,
    put_message_record,
    spi_base,
)
from mqbridge.protocol.structures.spi_put import sppi_size


class Part(NamedTuple):
    """A run of bytes in the body of a segment: its name, its end (offset in the body), and its layout.

    ``structure``: None for data and unknown bytes. ``ccsid``: of its characters, if the segment states one for it.
    """

    name: str
    end: int
    structure: Structure[Any] | None = None
    ccsid: int | None = None


_VERSIONS: Final[dict[str, tuple[Structure[Any], dict[int, int]]]] = {
    "OD": (OD, OD_SIZES),
    "PMO": (PMO, PMO_SIZES),
    "GMO": (GMO, GMO_SIZES),
    "MD": (MD, {1: 324, 2: 364}),
    "STAT": (STAT, STAT_SIZES),
    "SPPI": (SPPI, {version: sppi_size(version) for version in (1, 2, 3)}),
    "FOPA": (FOPA, {1: SHORT_FOPA_SIZE, 2: FOPA.size}),
}
_FIXED: Final[dict[str, Structure[Any]]] = {
    structure.name: structure
    for structure in (FCMI, LSD, SD, SPAI, SPBI, SPBO, SPGI, SPGO, SPNI, SPQO, SPRI, SPRO, SRO)
}
_STRINGS: Final[dict[str, dict[str, int]]] = {
    structure.name: {
        slot.field.name.removesuffix("VSPtr"): slot.offset
        for slot in structure.slots
        if slot.field.name[-5:] == "VSPtr"
    }
    for structure in (OD, SD, STAT)
}
_SPI_LETTERS: Final = "UIO"
_FIRST_VERSION: Final = 1

MAX_LENGTHS: Final = 256
"""Maximum number of cached layouts of strings, one per length."""
MAX_NAMES: Final = 1024
"""Maximum number of cached structure ids."""
FILLER: Final = "filler"
"""Bytes between a structure and the records or strings that belong to it."""


class BodyReader:
    """The body of one segment, read from front to back. ``at``: current offset. ``parts``: parts read so far."""

    def __init__(self, data: bytes, order: ByteOrder) -> None:
        self.data = data
        self.order = order
        self.at = 0
        self.parts: list[Part] = []

    def left(self) -> int:
        """Return the number of bytes from here to the end."""
        return len(self.data) - self.at

    def number(self, offset: int) -> int:
        """Return the u32 at an offset from here; 0 if the body ends before it."""
        place = self.at + offset
        if not 0 <= place <= len(self.data) - 4:
            return 0
        return int.from_bytes(self.data[place : place + 4], self.order.endian)

    def struc_id(self) -> str:
        """Return the name of the structure that begins here, by its id; empty if that is unknown."""
        return _name_of(self.data[self.at : self.at + 4])

    def take(self, name: str, structure: Structure[Any] | None, size: int, ccsid: int | None = None) -> None:
        """Take the next ``size`` bytes, or as many as there are, as a part."""
        end = self.at + size
        if end > len(self.data):
            end = len(self.data)
        if end > self.at:
            self.at = end
            self.parts.append(Part(name, end, structure, ccsid))

    def known(self, *names: str) -> None:
        """Read all structures of these names from here on, each with the data behind it."""
        while (name := self.struc_id()) and name in names:
            take_known(self, name)


@lru_cache(MAX_NAMES)
def _name_of(word: bytes) -> str:
    if len(word) < 4:
        return ""
    name = word.decode("cp500" if word[0] >= 0x80 else "latin-1").rstrip(" ")
    spi = len(name) == 4 and name.startswith("SP") and name.isascii() and name.isalpha() and name[3] in _SPI_LETTERS
    return name if name in _VERSIONS or name in _FIXED or name == "LPOO" or spi else ""


def take_known(body: BodyReader, name: str) -> None:
    """Take the structure ``name`` that begins here, and the records and strings behind its fixed part."""
    begin = body.at
    behind = _behind(body, name)
    if name == "LPOO":
        size = lpoo_size(body.data, begin)
        body.take(name, LPOO.first(size), size)
    elif name in _VERSIONS:
        structure, sizes = _VERSIONS[name]
        size = sizes.get(body.number(4), sizes[_FIRST_VERSION])
        if name == "FOPA":
            size = FOPA.size if body.number(8) >= FOPA.size else SHORT_FOPA_SIZE
            behind = [(begin + size, begin + body.number(8), "FOPA rest", None, None)]
        body.take(name, structure.first(size), size)
    else:
        structure = _FIXED.get(name) or spi_base(name)
        body.take(name, structure, structure.size)
    behind.sort(key=lambda item: item[:2])
    for start, end, part_name, part_structure, ccsid in behind:
        body.take(FILLER, None, start - body.at)
        if start == body.at:
            body.take(part_name, part_structure, end - start, ccsid)


_Behind = list[tuple[int, int, str, Structure[Any] | None, int | None]]


def _behind(body: BodyReader, name: str) -> _Behind:
    """Return offsets, names, layouts and code pages of the data behind the structure that begins here."""
    found: _Behind = []
    if name in ("OD", "PMO"):
        found += _records(body, name)
    if name in _STRINGS:
        found += _strings(body, name)
    if name == "SPQO":
        start = body.at + SPQO.size
        count = min(body.number(12), max(body.number(8) - SPQO.size, 0) // SPI_VERB.size)
        found += _run(start, min(count, body.left() // SPI_VERB.size), SPI_VERB)
    return found


def _records(body: BodyReader, name: str) -> _Behind:
    """Return the records of a distribution list."""
    places: list[tuple[int, Structure[Any] | None]]
    if body.number(4) < 2:
        return []
    if name == "OD":
        count, places = body.number(168), [(body.number(184), OR), (body.number(188), RR)]
    else:
        fields = body.number(132) & 0x1F
        count = body.number(128)
        places = [(body.number(136), put_message_record(fields) if fields else None), (body.number(140), RR)]
    found: _Behind = []
    for start, structure in places:
        if start and structure is not None:
            found += _run(body.at + start, min(count, body.left() // structure.size), structure)
    return found


def _run(start: int, count: int, structure: Structure[Any]) -> _Behind:
    size = structure.size
    places = range(start, start + count * size, size)
    return [(place, place + size, structure.name, structure, None) for place in places]


def _strings(body: BodyReader, name: str) -> _Behind:
    """Return the strings behind a structure, each with its padding."""
    found: _Behind = []
    versions = _VERSIONS.get(name)
    size = versions[1].get(body.number(4), 0) if versions else SD.size
    for string, place in _STRINGS[name].items():
        start, length = body.number(place + 4), body.number(place + 12)
        if place >= size or not start or not length or length >> 31:
            continue
        end = min(-(-(start + length) // 4) * 4, body.left())
        if end > start:
            found.append((body.at + start, body.at + end, string, _text(end - start), body.number(place + 16)))
    return found


@lru_cache(MAX_LENGTHS)
def _text(size: int) -> Structure[Any]:
    def layout(_: Numbers) -> Any:
        return Struct(char("String", size, "characters"))

    return Structure("String", layout, spec="mq-wire.md 5.6")


def selectors_end(body: BodyReader) -> int:
    """Return the length of the INQ that begins here with its selectors, without values, in bytes."""
    return 12 + 4 * body.number(0)
