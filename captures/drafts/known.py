"""Values that a user knows to pass: where they stand in the messages, and the fields that are named after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mqbridge.captures.learning import Claim
from mqbridge.captures.learning.claims import CONSTANT, TEXT
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.text import codec_for

from .kind_drafts import KindDraft, count_values
from .specs import CCSIDS, Spec, spec_of

_LEAST: Final = 2
"""Bytes of a value that is looked for: a single byte stands everywhere."""


class KnownValueError(MQBridgeError):
    """``NAME=VALUE`` is not what it should be."""


def read_known(text: str) -> tuple[str, str]:
    """Return name and value of ``NAME=VALUE``. Raises `KnownValueError`."""
    name, equals, value = text.partition("=")
    if not equals or not value or not name[:1].isalpha() or not name.replace("-", "").replace("_", "").isalnum():
        raise KnownValueError(f"{text!r} is not NAME=VALUE, with a name of letters, digits, - and _")
    return name, value


def name_known(kinds: list[KindDraft], known: Mapping[str, str]) -> list[str]:
    """Name fields after values that stand in them; return what was found where, a line each."""
    said = []
    for name, value in known.items():
        places = []
        for each in kinds:
            found = _place(each, value)
            if found is not None:
                start, form, data = found
                _claim(each, name, start, form, data)
                places.append(f"{each.name} at {start} ({form})")
        said.append(f"{name}: " + (", ".join(places) if places else "its value stands nowhere in the messages"))
    return said


def _place(each: KindDraft, value: str) -> tuple[int, str, bytes] | None:
    """Return where most messages that have a value have it, before the first field of no fixed length."""
    limit = sum(spec.length for spec in each.specs if spec.start is not None and isinstance(spec.length, int))
    best: tuple[int, int, str, bytes] | None = None
    for form, data in _forms(value):
        counts: dict[int, int] = {}
        for row in each.rows:
            at = row.find(data, 0, limit)
            while at >= 0:
                counts[at] = counts.get(at, 0) + 1
                at = row.find(data, at + 1, limit)
        if counts:
            start = max(counts, key=lambda place: (counts[place], -place))
            if best is None or counts[start] > best[0]:
                best = counts[start], start, form, data
    return None if best is None else best[1:]


def _forms(value: str) -> Iterator[tuple[str, bytes]]:
    """Yield how a value may be written."""
    for form, ccsid in CCSIDS.items():
        try:
            data = value.encode(codec_for(ccsid))
        except UnicodeError:
            continue
        if len(data) >= _LEAST:
            yield form, data
    if value.isdecimal() and value.isascii():
        number = int(value)
        for width in (8, 4, 2):
            if number >> 8 * width == 0 and number > 255:
                yield f"unsigned-{width}-big", number.to_bytes(width, "big")
                yield f"unsigned-{width}-little", number.to_bytes(width, "little")
    try:
        digits = bytes.fromhex(value)
    except ValueError:
        return
    if len(digits) >= _LEAST:
        yield "bytes", digits


def _claim(each: KindDraft, name: str, start: int, form: str, data: bytes) -> None:
    """Let the field that begins where a value stands have its name; from constant bytes one is cut out."""
    if any(spec.name == name for spec in each.specs):
        name = f"{name}-{start}"
    for number, spec in enumerate(each.specs):
        if spec.start is None or not isinstance(spec.length, int):
            return
        if spec.start == start and not spec.is_constant and spec.length >= len(data):
            _rename(each, spec, name)
            return
        if spec.is_constant and spec.start <= start and start + len(data) <= spec.start + spec.length:
            each.specs[number : number + 1] = _cut_out(spec, name, start, form, len(data))
            count_values(each)
            return


def _rename(each: KindDraft, spec: Spec, name: str) -> None:
    old, spec.name = spec.name, name
    for other in each.specs:
        if not isinstance(other.length, (int, str)) and other.length.field == old:
            other.length = other.length._replace(field=name)


def _cut_out(spec: Spec, name: str, start: int, form: str, width: int) -> list[Spec]:
    value: bytes = spec.claim.detail["value"]
    assert spec.start is not None, "a constant has a place"
    end = start + width
    pad = b"\x40" if form == "ebcdic" else b" "
    if form in ("ascii", "ebcdic"):
        while end < spec.start + len(value) and value[end - spec.start : end - spec.start + 1] == pad:
            end += 1
    claim = Claim(start, end, TEXT, 0.0, {"alphabet": form}, spec.claim.support, spec.claim.tried)
    known = spec_of(claim, start, end - start)
    known.name, known.says = name, "a known value"
    known.keys = _keys(form)
    return [
        part
        for part in (_constant(spec, spec.start, start), known, _constant(spec, end, spec.start + len(value)))
        if part is not None
    ]


def _keys(form: str) -> dict[str, Any]:
    if form in CCSIDS:
        return {"type": "text", "ccsid": CCSIDS[form]}
    if form.startswith("unsigned"):
        return {"type": "unsigned", "order": form.rpartition("-")[2]}
    return {"type": "bytes"}


def _constant(spec: Spec, start: int, end: int) -> Spec | None:
    if start == end:
        return None
    assert spec.start is not None, "a constant has a place"
    value = spec.claim.detail["value"][start - spec.start : end - spec.start]
    claim = spec.claim._replace(start=start, end=end, what=CONSTANT, detail={**spec.claim.detail, "value": value})
    return spec_of(claim, start, end - start)
