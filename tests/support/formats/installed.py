"""A distribution with entry points, as small as one can be, in a folder of ``sys.path``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SHOP = """
from construct import Struct
from mqbridge.protocol.fields import char
from mqbridge.protocol.grammar import Structure

def _header(n):
    return Struct(
        char("StrucId", 4, "`SHOP`", default=b"SHOP"),
        n.i32("Encoding", "of what follows"),
        n.i32("CodedCharSetId", "of what follows"),
        char("Format", 8, "of what follows"),
        char("Branch", 8, "shop that sends"),
    )

HEADER = Structure("SHOP", _header, mq_name="SHOPHEADER")
ORDER = Structure("ORDER", lambda n: Struct(char("Item", 4, "part number"), n.i32("Count", "pieces")))
"""
ENTRIES = {"SHOPHDR": "shop_formats:HEADER", "SHOPORD": "shop_formats:ORDER"}


def install(
    folder: Path,
    entries: Mapping[str, str] = ENTRIES,
    *,
    source: str = SHOP,
    module: str = "shop_formats",
    name: str = "shop",
    group: str = "mqbridge.formats",
) -> None:
    """Write a module, and the metadata that offer its objects by name."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")


def shop_order(item: str, count: int, *, little: bool = True, codec: str = "ascii") -> bytes:
    """Data of format SHOPORD."""
    return item.ljust(4).encode(codec) + count.to_bytes(4, "little" if little else "big")


def shop_header(*, little: bool = True, branch: str = "London") -> bytes:
    """A header of format SHOPHDR in front of SHOPORD, in ASCII."""
    side = "little" if little else "big"
    encoding = 546 if little else 273
    numbers = encoding.to_bytes(4, side) + (1208).to_bytes(4, side)  # type: ignore[arg-type]
    return b"SHOP" + numbers + b"SHOPORD " + branch.ljust(8).encode()
