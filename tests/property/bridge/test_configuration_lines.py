"""The scanner of key lines agrees with :mod:`tomllib` about what a document holds, and with the eye about where."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.config import ConfigError, parse_configuration
from mqbridge.mappings.key_lines import KeyPath, key_lines

# Values hold every character that can mislead a scanner, and never the letter of the keys.
_RISKY = st.text(alphabet="a=#[]{},.\"' \t:é", max_size=6)
_BASIC = _RISKY.map(lambda text: '"' + text.replace('"', '\\"') + '"')
_LITERAL = _RISKY.map(lambda text: "'" + text.replace("'", "") + "'")
_LONG_BASIC = st.lists(_RISKY, max_size=3).map(lambda rows: '"""\n' + "\n".join(rows).replace('"', '\\"') + '"""')
_LONG_LITERAL = st.lists(_RISKY, max_size=3).map(lambda rows: "'''" + "\n".join(rows).replace("'", "") + "'''")
_QUOTED_END = st.sampled_from(['"""a""""', '"""a"""""', "'''a''''", "'''a'''''", '""""a"""', '"""\\""""'])
_PLAIN = st.sampled_from(["1", "-2.5e3", "true", "2026-11-21", "2026-11-21 10:00:00", "inf", "0x1F"])
_VALUE = _BASIC | _LITERAL | _LONG_BASIC | _LONG_LITERAL | _QUOTED_END | _PLAIN
_GAP = st.sampled_from(["", "\n", " # ] } ''' \n", "\n\t\n"])
_KEY_FORM = st.sampled_from(["{}", '"{}"', "'{}'"])


class Names:
    """Hands out keys that stand once in a document each."""

    def __init__(self) -> None:
        self.count = 0

    def next(self, draw: Any) -> str:
        self.count += 1
        return draw(_KEY_FORM).format(f"k{self.count}k")


def value(draw: Any, names: Names, depth: int) -> str:
    kind = draw(st.sampled_from(["plain", "plain", "array", "inline"])) if depth else "plain"
    if kind == "array":
        elements = [draw(_GAP) + value(draw, names, depth - 1) + draw(_GAP) for _ in range(draw(st.integers(0, 3)))]
        return "[" + ",".join(elements) + ("," if elements and draw(st.booleans()) else "") + draw(_GAP) + "]"
    if kind == "inline":
        return "{" + ", ".join(pair(draw, names, depth - 1) for _ in range(draw(st.integers(0, 2)))) + " }"
    return draw(_VALUE)


def pair(draw: Any, names: Names, depth: int) -> str:
    keys = " . ".join(names.next(draw) for _ in range(draw(st.integers(1, 2))))
    return f"{keys} = {value(draw, names, depth)}"


@st.composite
def documents(draw: Any) -> str:
    names = Names()
    rows = [pair(draw, names, 2) for _ in range(draw(st.integers(0, 2)))]
    arrays: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        form = draw(st.sampled_from(["[{}]", "[[{}]]", "again", "below"]))
        if form == "again" and arrays:
            rows.append(f"[[{arrays[-1]}]]")
        elif form == "below" and arrays:
            rows.append(f"[{arrays[-1]} . {names.next(draw)}]")
        else:
            form = "[[{}]]" if form == "again" else "[{}]" if form == "below" else form
            header = ".".join(names.next(draw) for _ in range(draw(st.integers(1, 2))))
            if form == "[[{}]]":
                arrays.append(header)
            rows.append(f"  {form.format(header)} # [no]")
        rows += [pair(draw, names, 2) for _ in range(draw(st.integers(0, 2)))]
    return "".join(row + "\n" + draw(_GAP) for row in rows)


def paths(content: Any, path: KeyPath = ()) -> set[KeyPath]:
    """Every key and array element of a document."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return {found for key, inner in pairs for found in {(*path, key)} | paths(inner, (*path, key))}


@given(documents(), st.sampled_from(["\n", "\r\n"]))
def test_every_key_is_found_on_its_line(text: str, line_end: str) -> None:
    lines = key_lines(text.replace("\n", line_end))
    assert set(lines) == paths(tomllib.loads(text))
    for path, line in lines.items():
        if isinstance(path[-1], str):
            assert line == text.count("\n", 0, text.index(path[-1])) + 1
        elif len(path) > 1:
            assert line >= lines[path[:-1]]


@given(st.text(max_size=60) | documents())
def test_any_text_is_a_configuration_or_a_configuration_error(text: str) -> None:
    try:
        parse_configuration(text, Path("any.toml"))
        line: int | None = 1
    except ConfigError as error:
        line = error.line
    assert line is not None
    assert 1 <= line <= text.count("\n") + 1
