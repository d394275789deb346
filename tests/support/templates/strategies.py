"""Descriptions of protocols for Hypothesis: packets of any fields, and streams of them."""

from __future__ import annotations

from hypothesis import strategies as st

TYPES = (
    ('type = "text", ccsid = 1047', 6),
    ('type = "text", side = "left", pad = "*"', 5),
    ('type = "text", ccsid = 1200, order_free', 8),
    ('type = "text", strip = "00"', 4),
    ('type = "bytes"', 3),
    ('type = "hex"', 8),
    ('type = "unsigned"', 1),
    ('type = "unsigned", order = "little"', 2),
    ('type = "signed"', 4),
    ('type = "signed", order = "little"', 8),
    ('type = "unsigned", order = "little"', 3),
    ('type = "decimal"', 4),
    ('type = "packed"', 4),
    ('type = "packed", sign = false', 3),
    ('type = "float"', 4),
    ('type = "float", order = "little"', 8),
    ('type = "base128"', 3),
    ('type = "time", form = "digits", format = "CCYYMMDDhhmmssth"', 16),
    ('type = "time", form = "packed", format = "YYDDDhhmmss"', 6),
    ('type = "time", form = "seconds"', 4),
    ('type = "time", form = "microseconds", order = "little"', 8),
)
CHECKSUMS = (("md5", 16), ("crc32", 4), ("sum8", 1), ("sum16", 2), ("xor", 1), ("internet", 2))


@st.composite
def fields(draw: st.DrawFn) -> str:
    """Fields behind a byte that recognises and a length of four bytes, with one of no fixed length at most."""
    parts = ['{ name = "kind", length = 1 }']
    parts.append('{ name = "size", length = 4, type = "unsigned", compute = { kind = "length", of = "packet" } }')
    number = draw(st.integers(0, 8))
    variable = draw(st.sampled_from(["none", "rest", "counted", "own", "text"]))
    at = draw(st.integers(0, number))
    for index in range(number + 1):
        if index == at and variable == "rest":
            parts.append('{ name = "data", length = "rest", type = "bytes" }')
        elif index == at and variable == "text":
            parts.append('{ name = "data", length = "rest", type = "text", ccsid = 1208 }')
        elif index == at and variable == "counted":
            parts.append('{ name = "count", length = 2, type = "decimal" }')
            parts.append('{ name = "data", length = { field = "count", unit = 2, plus = 2 } }')
        elif index == at and variable == "own":
            parts.append('{ name = "data", type = "base128" }')
        else:
            text, length = draw(st.sampled_from(TYPES))
            parts.append(f'{{ name = "f{index}", length = {length}, {text.replace(", order_free", "")} }}')
    return "\n".join(f"    {part}," for part in parts)


@st.composite
def descriptions(draw: st.DrawFn) -> str:
    """A protocol of one transaction."""
    head = '[protocol]\nname = "p"\nmost = 100000\n[framing]\nkind = "length"\nposition = 1\n'
    packet = '[[transaction]]\nname = "a"\nrecognise = [{ position = 0, value = "aa" }]\n'
    return f"{head}{packet}field = [\n{draw(fields())}\n]\n"
