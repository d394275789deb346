"""Every row of the layout tables of mq-wire.md: each field is read from its bytes, in the byte order of its type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import snake_case
from support.project.citations import load_notes

NOT_STRUCTURES = {("5.6", "VSPtr"), ("5.12", "StrucId")}
"""Section and first field of tables that describe parts: a CHARV, what every structure of the SPI begins with."""

LAYOUTS = Path(__file__).with_name("layouts.txt")
Rows = list[tuple[int, int, str, str]]
"""Offset, size, type, name."""


def layout_tables() -> dict[tuple[str, str], Rows]:
    """Section and structure → its fields."""
    tables: dict[tuple[str, str], Rows] = {}
    for line in LAYOUTS.read_text(encoding="ascii").splitlines():
        if line[:1].isdigit():
            section, structure = line.split()
            rows = tables[section, structure] = []
        elif line.startswith(" "):
            for piece in line.strip(", ").split(", "):
                offset, size, type_, name = piece.split()
                rows.append((int(offset), int(size), type_, name))
    return tables


TABLES = layout_tables()
EVERY_STRUCTURE = pytest.mark.parametrize(
    ("structure", "rows"),
    [
        pytest.param(structure, rows, id=structure, marks=pytest.mark.spec(f"mq-wire.md {section}"))
        for (section, structure), rows in TABLES.items()
    ],
)


def expected(raw: bytes, type_: str, order: ByteOrder) -> int | bytes:
    """What stands in the bytes of a field of this type."""
    if type_ in ("char", "bytes"):
        return raw
    return int.from_bytes(raw, "big" if type_.endswith("be") else order.endian, signed=type_.startswith("i"))


@EVERY_STRUCTURE
@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
def test_every_field_is_read_from_its_place(structure: str, rows: Rows, order: ByteOrder) -> None:
    raw = bytes(0x80 ^ number * 7 & 0xFF for number in range(sum(size for _, size, _, _ in rows)))
    if structure == "CAUT":  # its lengths must fit, and no codec is made of what is not fixed
        raw = b"CAUT" + b"".join(number.to_bytes(4, order.endian) for number in (1, 12, 34, 2, 3)) + b"meyou"
        read = structures.CAUT.parse(raw, 0, order)
    else:
        read = getattr(structures, structure).codec(order).parse(raw)
    found = {name: getattr(read, snake_case(name)) for _, _, _, name in rows}
    assert found == {name: expected(raw[at : at + size], type_, order) for at, size, type_, name in rows}


@EVERY_STRUCTURE
def test_the_fields_are_these_and_leave_no_gap(structure: str, rows: Rows) -> None:
    fields = [field.name for field in getattr(structures, structure).fields]
    assert fields[: len(rows)] == [name for _, _, _, name in rows]
    assert [at for at, _, _, _ in rows] == [sum(size for _, size, _, _ in rows[:number]) for number in range(len(rows))]


def tables_of_the_notes() -> Iterator[tuple[str, list[list[str]]]]:
    """Number of a section, and the rows of each of its tables of fields with the head in front."""
    for section in load_notes()["mq-wire.md"].values():
        if section.number.startswith("5.") or section.number in ("2.1", "2.2"):
            for block in section.text.split("\n\n"):
                rows = [[cell.strip() for cell in row.strip()[1:-1].split("|")] for row in block.splitlines()]
                if rows[0][0].startswith("Offset") and {"Size", "Type", "Name"} <= set(rows[0]):
                    yield section.number, rows


def fields_of(rows: list[list[str]]) -> Rows:
    """The fields of a table of the notes without optional ones and those of other versions; a CHARV as its parts."""
    head, _, *rest = rows
    size, type_, name = (head.index(each) for each in ("Size", "Type", "Name"))
    fields: Rows = []
    for row in rest:
        if row[type_] == "CHARV":
            parts = zip(
                ("VSPtr", "VSOffset", "VSBufSize", "VSLength", "VSCCSID"), ("u32",) * 3 + ("i32",) * 2, strict=True
            )
            at = int(row[0])
            fields += [(at + 4 * place, 4, kind, row[name] + part) for place, (part, kind) in enumerate(parts)]
        elif row[0] != "-" and not ("Since" in head and row[head.index("Since")].startswith("MQMO")):
            fields.append((int(row[0]), int(row[size]), row[type_].replace(" BE", "be"), row[name]))
    return fields


def test_each_table_of_the_notes_is_a_layout() -> None:
    compared = 0
    for section, rows in tables_of_the_notes():
        fields = fields_of(rows)
        if (section, fields[0][3]) in NOT_STRUCTURES and len(fields) <= 5:
            continue
        layouts = [layout for (place, _), layout in TABLES.items() if place == section]
        assert fields in layouts, (section, rows[2])
        compared += 1
    assert compared >= 35
