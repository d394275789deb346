"""The table of bad input in docs/protocol.md: the page says what happens, the plays see that it does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mqbridge.protocol.constants import StatusCode

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``case`` is what stands before a colon, semicolon or comma-free explanation; ``state`` one word."""

    case: str
    at: str
    code: StatusCode | None
    flags: int | None
    amq: str
    state: str
    in_doubt: bool
    a_sender: str


def rows(at: str | None = None) -> list[Row]:
    """The rows, or those of one end: ``receiver`` or ``sender``."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("## Bad input") :]
    found = []
    for line in (line for line in table.splitlines() if line.startswith("|")):
        case, where, code, flags, amq, state, a_sender, _ = (cell.strip() for cell in line.strip("|").split("|"))
        if where in ("at", "---"):
            continue
        number = re.match(r"`([0-9A-F]{2})`", code)
        assert number or code == "none", line
        found.append(
            Row(
                re.split(r"[:;]", case)[0],
                where,
                StatusCode(int(number[1], 16)) if number else None,
                int(flags.strip("`"), 16) if flags else None,
                amq,
                state.split(",")[0],
                "in doubt" in state,
                a_sender,
            )
        )
    return [row for row in found if at in (None, row.at)]


@dataclass(frozen=True, slots=True)
class ClientRow:
    """One row of the table for clients. ``codes``: of the STATUS_DATA that ends the connection, any of them;
    ``reasons``: with which calls fail, in this order; neither where something else happens."""

    case: str
    told: str
    codes: tuple[StatusCode, ...]
    reasons: tuple[int, ...]
    amq: str


def client_rows() -> list[ClientRow]:
    """The rows of what a client is told."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("## What a client is told") : text.index("## Bad input")]
    found = []
    for line in [line for line in table.splitlines() if line.startswith("|")][2:]:
        case, told, amq, _ = (cell.strip() for cell in line.strip("|").split("|"))
        codes = tuple(StatusCode(int(code, 16)) for code in re.findall(r"`([0-9A-F]{2})` [A-Z]", told))
        reasons = tuple(int(reason) for reason in re.findall(r"(?:^|, )([26]\d{3})\b", told))
        found.append(ClientRow(re.split(r"[:;]", case)[0], told, codes, reasons, amq))
    return found
