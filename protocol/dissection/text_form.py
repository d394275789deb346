"""Dissected structures as text: an indented tree, one field per line, with the names of known values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .shown import Shown

LONGEST_VALUE: Final = 96
"""Characters of a value shown in one line."""
LONGEST_DUMP: Final = 256
"""Unparsed bytes shown in one dump."""
_DUMP_WIDTH: Final = 16
_INDENT: Final = "  "


def segment_lines(segment: Shown, number: int) -> Iterator[str]:
    """Yield the lines of a segment: a heading, then its structures."""
    about = [f"Segment {number}: offset {segment['offset']}, {segment['length']} bytes"]
    if segment.get("direction"):
        about.append(f"from the {segment['direction']}")
    if "flow" in segment:
        about.append(f"flow {segment['flow']}, packet {segment['packet']}, time {segment['time']:.6f}")
    header = next((shown for shown in segment["structures"] if "names" in shown), None)
    named = header["names"].get("SegmentType") if header else None
    yield ", ".join(about) + (f": {named}" if named else "")
    for structure in segment["structures"]:
        yield from structure_lines(structure, 1)


def message_lines(message: Shown) -> Iterator[str]:
    """Yield the lines of a message: its structures, then its body."""
    for structure in message["structures"]:
        yield from structure_lines(structure)
    body = message["body"]
    yield f"Body  (offset {body['offset']}, {body['length']} bytes)"
    yield from body_lines(body, 1)


def structure_lines(shown: Shown, depth: int = 0) -> Iterator[str]:
    """Yield the lines of a structure: its name and offset, then its fields, folders or bytes."""
    indent = _INDENT * depth
    yield f"{indent}{shown['structure']}  (offset {shown['offset']}, {shown['length']} bytes)"
    names = shown.get("names", {})
    fields = shown.get("fields", {})
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        beside = f"  {names[name]}" if name in names else ""
        yield f"{indent}{_INDENT}{name:{width}}  {_one_line(value)}{beside}".rstrip()
    for folder in shown.get("folders", ()):
        yield from _folder_lines(folder, indent + _INDENT)
    for record in shown.get("records", ()):
        yield from structure_lines(record, depth + 1)
    if "fields" not in shown:
        yield from body_lines(shown, depth + 1)


def _folder_lines(folder: dict[str, Any], indent: str) -> Iterator[str]:
    yield f"{indent}<{folder['name']}>"
    if "values" not in folder:
        yield f"{indent}{_INDENT}{_one_line(folder['text'])}"
    for value in folder.get("values", ()):
        kind = f"  ({value['type']})" if value.get("type", "string") != "string" else ""
        yield f"{indent}{_INDENT}{value['name']} = {_one_line(value['value'])}{kind}"


def body_lines(body: dict[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the lines of data: its text if it is text, otherwise a hex dump."""
    indent = _INDENT * depth
    if body.get("format") is not None:
        yield f"{indent}format {body['format'] or 'none'}, CCSID {body['ccsid']}"
    if "text" in body:
        lines = body["text"].splitlines() or [""]
        for line in lines[:LONGEST_DUMP]:
            yield f"{indent}{_one_line(line)}"
        return
    data = bytes.fromhex(body["hex"][: 2 * LONGEST_DUMP])
    for start in range(0, len(data), _DUMP_WIDTH):
        row = data[start : start + _DUMP_WIDTH]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"{indent}{body['offset'] + start:08x}  {row.hex(' '):{3 * _DUMP_WIDTH - 1}}  {text}".rstrip()
    more = len(body["hex"]) // 2 - len(data)
    if more:
        yield f"{indent}… {more} more bytes"


def _one_line(value: Any) -> str:
    text = str(value)
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return shown if len(shown) <= LONGEST_VALUE else f"{shown[:LONGEST_VALUE]}… ({len(shown)} characters)"
