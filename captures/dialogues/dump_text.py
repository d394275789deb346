"""Printed dumps: rows of a label, bytes and perhaps their characters, as tcpdump -x and -X, hexdump -C, xxd, Wireshark
and printed documents have them.

A label is the offset of its row, so that a row with too many bytes shows: it is named, and the surplus is cut off (or
the byte is found by which a TCP checksum comes right, see `dumps`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import nan
from typing import Final, NamedTuple

_ROW: Final = re.compile(r"(?P<indent>\s*)(?:0x)?(?P<label>[0-9A-Fa-f]{4,8}):?(?P<gap>\s+)(?P<rest>\S.*)\Z")
_CLOCK: Final = re.compile(r"\s*(?:\d{4}-\d\d-\d\d )?(\d\d):(\d\d):(\d\d\.\d+)\b")
_BYTES: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){1,8}\Z")
_RESPONDER_INDENT: Final = 4
"""Blanks before the rows of the responder, where Wireshark follows a stream."""


class Row(NamedTuple):
    """A row: its ``line`` from 1, ``label`` and bytes. ``indented``: as those of the responder are."""

    line: int
    label: int
    data: bytes
    indented: bool


class Block(NamedTuple):
    """Rows that belong together. ``time``: seconds of the day that stand above it, or ``nan``. ``surplus``: the rows
    that have too many bytes, by index in ``rows``, with how many."""

    rows: tuple[Row, ...]
    time: float
    surplus: dict[int, int]

    @property
    def data(self) -> bytes:
        """The bytes, without what rows have too many."""
        return b"".join(row.data[: len(row.data) - self.surplus.get(number, 0)] for number, row in enumerate(self.rows))


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a dump; none where the text is no dump."""
    blocks: list[Block] = []
    rows: list[Row] = []
    time = next_time = nan
    for number, line in enumerate(text.splitlines(), 1):
        row = _row(number, line)
        if row is None:
            if clock := _CLOCK.match(line):
                next_time = int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3])
            continue
        if rows and (row.label <= rows[-1].label or row.indented is not rows[-1].indented):
            blocks.append(_block(rows, time))
            rows = []
        if not rows:
            time, next_time = next_time, nan
        rows.append(row)
    if rows:
        blocks.append(_block(rows, time))
    return blocks if _holds(blocks) else []


def _row(number: int, line: str) -> Row | None:
    found = _ROW.match(line.expandtabs())
    if found is None:
        return None
    data = b"".join(_leading_bytes(found["rest"]))
    return Row(number, int(found["label"], 16), data, len(found["indent"]) >= _RESPONDER_INDENT) if data else None


def _leading_bytes(rest: str) -> Iterator[bytes]:
    """Yield the bytes in front of the characters: groups of digits up to the first wide gap, but for the one in the
    middle of a row."""
    count = 0
    for group in re.finditer(r"(\s*)(\S+)", rest.partition("|")[0]):
        if count and len(group[1]) > 1 and not (count == 8 and len(group[1]) == 2):
            return
        if not _BYTES.match(group[2]):
            return
        data = bytes.fromhex(group[2])
        count += len(data)
        yield data


def _block(rows: list[Row], time: float) -> Block:
    """Return a block in which labels say how many bytes a row may have."""
    steps = Counter(after.label - before.label for before, after in pairwise(rows))
    usual = steps.most_common(1)[0][0] if steps else 16
    surplus = {}
    kept: list[Row] = []
    for number, row in enumerate(rows):
        last = number + 1 == len(rows)
        wanted = max(usual, 16) if last else rows[number + 1].label - row.label
        if not last and wanted > len(row.data) and wanted % max(len(row.data), 1) == 0 and len(row.data) == usual:
            row = row._replace(data=row.data * (wanted // len(row.data)))  # hexdump's asterisk: rows that are alike
        if len(row.data) > wanted:
            surplus[number] = len(row.data) - wanted
        kept.append(row)
    return Block(tuple(kept), time, surplus)


def _holds(blocks: list[Block]) -> bool:
    """Whether labels go with the bytes: then it is a dump, and not other text."""
    rows = right = 0
    ends = {False: 0, True: 0}
    for block in blocks:
        first = block.rows[0]
        right += first.label in (0, ends[first.indented])
        right += sum(after.label - before.label <= len(before.data) for before, after in pairwise(block.rows))
        rows += len(block.rows)
        ends[first.indented] = first.label + len(block.data)
    return rows > 0 and 2 * right > rows


def missing_rows(block: Block) -> list[int]:
    """Return the lines of rows that have too few bytes."""
    return [before.line for before, after in pairwise(block.rows) if after.label - before.label > len(before.data)]
