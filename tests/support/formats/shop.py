"""Formats of a shop that does not exist: what a plug-in's author would write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from construct import Array, Struct, this

from mqbridge.protocol.fields import Numbers, char, part, raw
from mqbridge.protocol.formats import Format, Formats
from mqbridge.protocol.grammar import Structure


def _header(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`SHOP`", default=b"SHOP"),
        n.i32("Encoding", "of what follows", default=546),
        n.i32("CodedCharSetId", "of what follows", default=1208),
        char("Format", 8, "of what follows"),
        char("Branch", 6, "shop that sends"),
        raw("Token", 2, "opaque"),
    )


def _letter(n: Numbers) -> Any:
    return Struct(
        n.i32("Encoding", "of what follows", default=546),
        n.i32("CodedCharSetId", "of what follows", default=1208),
        char("Format", 8, "of what follows"),
        n.u16("Length", "of the subject"),
        char("Subject", this.length, "what it is about"),
    )


def _order(n: Numbers) -> Any:
    item = Struct(char("Part", 4, "part number"), n.i16("Pieces", "how many"))
    return Struct(
        char("Customer", 8, "name"),
        n.u16("Count", "of the items"),
        part("Items", Array(this.count, item), "what is ordered"),
    )


HEADER = Structure("SHOP", _header)
LETTER = Structure("LETTER", _letter)
ORDER = Structure("ORDER", _order)


class Pairs:
    """An object in place of a structure: `key=value;…` in the message's character set."""

    def parse(self, data: bytes, encoding: int, ccsid: int) -> Mapping[str, Any]:
        """Return the pairs."""
        text = data.decode("cp500" if ccsid == 500 else "utf-8")
        return dict(each.split("=") for each in text.split(";"))  # a ValueError where there is no sign

    def build(self, values: Mapping[str, Any], encoding: int, ccsid: int) -> bytes:
        """Return the data."""
        text = ";".join(f"{name}={value}" for name, value in values.items())
        return text.encode("cp500" if ccsid == 500 else "utf-8")

    def convert(self, data: bytes, source: tuple[int, int], target: tuple[int, int]) -> bytes:
        """Return the data in the other character set."""
        return self.build(self.parse(data, *source), *target)


PAIRS = Pairs()
FORMATS = Formats(
    (
        Format("SHOPHDR", HEADER, "shop:HEADER"),
        Format("SHOPLET", LETTER, "shop:LETTER"),
        Format("SHOPORD", ORDER, "shop:ORDER"),
        Format("SHOPPAIR", PAIRS, "shop:PAIRS"),
    )
)
