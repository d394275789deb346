"""A draft as a description in TOML, to be edited by a person (docs/partners.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mqbridge.captures.learning import Framing, KindKey
from mqbridge.captures.learning.claims import ENUMERATION, FLAGS, LENGTH, TEXT
from mqbridge.captures.learning.few import MOST as MOST_COMPARED
from mqbridge.captures.learning.framing import ConstantSize, Delimiter, FramingRule, LengthField, UntilClose

from .kind_drafts import ROLES, KindDraft
from .specs import SizedBy, Spec

_ROW: Final = 16
_WITH_DEFAULT: Final = (ENUMERATION, FLAGS, TEXT)
_KEYS: Final = ("order", "ccsid", "pad", "form", "format", "sign", "value", "values", "flags", "compute", "map")


def description(
    name: str, framing: Framing | None, key: KindKey | None, kinds: Sequence[KindDraft], script: Sequence[str]
) -> str:
    """Return the text of a description. ``script``: lines of the session."""
    lines = [
        "# A draft by mqbridge protocol learn. Give fields and kinds their names, and map what messages carry;",
        "# docs/partners.md says what can stand here, report.html on what each field rests.",
        "",
        "[protocol]",
        f"name = {quoted(name)}",
        "",
        *framing_lines(framing),
    ]
    for each in kinds:
        lines += ["", *transaction_lines(each, key)]
    return "\n".join([*lines, *script, ""])


def framing_lines(framing: Framing | None) -> list[str]:
    """Return the tables of a framing."""
    if framing is None:
        return ["[framing]", "# No framing was found: each message was given as one.", 'kind = "close"']
    first, second = framing.rules
    if first == second:
        return ["[framing]", *_rule_lines(first)]
    return [
        line
        for role, rule in zip(ROLES, framing.rules, strict=True)
        for line in (f"[framing.{role}]", *_rule_lines(rule), "")
    ][:-1]


def _rule_lines(rule: FramingRule) -> list[str]:
    if isinstance(rule, LengthField):
        base128 = rule.encoding == "base128"
        lines = ['kind = "length"', f"position = {rule.position}", f"width = {rule.width}"]
        if rule.encoding in ("big", "little"):
            lines.append(f'order = "{rule.encoding}"')
        else:
            lines.append(f'encoding = "{rule.encoding}"')
        if rule.unit != 1:
            lines.append(f"unit = {rule.unit}")
        if base128 or rule.add == rule.position + rule.width:
            lines.append('counts = "rest"')
            if base128 and rule.add:
                lines.append(f"add = {-rule.add}")
        elif rule.add:
            lines.append(f"add = {rule.add}")
        return lines
    if isinstance(rule, Delimiter):
        return ['kind = "delimiter"', f'value = "{rule.value.hex()}"', "keep = true"]
    if isinstance(rule, ConstantSize):
        return ['kind = "fixed"', f"length = {rule.length}"]
    assert isinstance(rule, UntilClose), "no other framing is written"
    return ['kind = "close"']


def transaction_lines(each: KindDraft, key: KindKey | None) -> Iterator[str]:
    """Yield the table of a kind."""
    yield "[[transaction]]"
    yield f"name = {quoted(each.name)}"
    yield f'description = "{each.kind.count:,} messages of {_sizes(each.kind.sizes)} bytes"'
    yield f'from = "{each.role}"'
    if key is not None and each.kind.value:
        yield f'recognise = [{{ position = {key.position}, value = "{each.kind.value.hex(" ")}" }}]'
    template, blanks = _template(each.specs)
    if template:
        yield "template = ["
        yield from (f'    "{template[at : at + _ROW].hex(" ")}",' for at in range(0, len(template), _ROW))
        yield "]"
    if blanks:
        yield "blank = ["
        for start, length, what in blanks:
            yield f"    {{ position = {start}, length = {length}, what = {quoted(what)} }},"
        yield "]"
    fields = [spec for spec in each.specs if not spec.is_constant]
    if fields:
        yield "field = ["
        yield from (f"    {{ {field_text(spec)} }}," for spec in fields)
        yield "]"


def field_text(spec: Spec) -> str:
    """Return a field as an inline table, without braces."""
    parts = [f"name = {quoted(spec.name)}"]
    if spec.start is not None:
        parts.append(f"position = {spec.start}")
    if isinstance(spec.length, SizedBy):
        size: dict[str, Any] = {"field": spec.length.field}
        size |= {"unit": spec.length.unit} if spec.length.unit != 1 else {}
        size |= {"plus": spec.length.plus} if spec.length.plus else {}
        parts.append(f"length = {toml_value(size)}")
    elif spec.length != "own":
        parts.append(f"length = {toml_value(spec.length)}")
    parts.append(f"type = {quoted(spec.keys.get('type', 'bytes'))}")
    for key in _KEYS:
        if key in spec.keys and not (key == "value" and spec.blanked):
            parts.append(f"{key} = {toml_value(spec.keys[key])}")
    if spec.says and spec.claim.what != LENGTH:
        parts.append(f"description = {quoted(spec.says)}")
    return ", ".join(parts)


def _template(specs: Sequence[Spec]) -> tuple[bytes, list[tuple[int, int, str]]]:
    """Return the bytes of the fields at fixed places, and the ranges of them that are blanked."""
    template = bytearray()
    blanks = []
    for spec in specs:
        if spec.start is None or not isinstance(spec.length, int):
            break
        if spec.blanked and spec.is_constant:
            blanks.append((spec.start, spec.length, spec.blanked))
        template += _default(spec, spec.length)
    return bytes(template), blanks


def _default(spec: Spec, length: int) -> bytes:
    """Return what the template has of a field: of those that vary the usual value, where a few values mean something,
    else padding or zeros: no value of one message stands for all (M-177)."""
    if spec.is_constant and not spec.blanked:
        value: bytes = spec.claim.detail["value"]
        return value
    if spec.claim.what in _WITH_DEFAULT and spec.values and not spec.blanked and spec.claim.tried > MOST_COMPARED:
        return spec.most
    if spec.claim.what == TEXT:
        pad = spec.claim.detail.get("pad")
        return bytes((pad,)) * length if isinstance(pad, int) else bytes(length)
    return bytes(length)


def quoted(text: str) -> str:
    """Return text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(value: Any) -> str:
    """Return a value of TOML; tables are written in braces."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {toml_value(each)}" for name, each in value.items()) + " }"
    return quoted(value) if isinstance(value, str) else str(value)


def _sizes(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]}" if sizes[0] == sizes[1] else f"{sizes[0]} to {sizes[1]}"
