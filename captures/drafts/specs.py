"""Fields of a draft in terms of the template language: what the learner's claims become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from mqbridge.captures.learning import Claim
from mqbridge.captures.learning.claims import (
    ADDRESS,
    CHECKSUM,
    CONNECTION,
    CONSTANT,
    COUNT,
    DECIMAL,
    ECHO,
    ENUMERATION,
    FLAGS,
    FLOAT,
    ID,
    LENGTH,
    LIST,
    NUMBER,
    OFFSET,
    OPAQUE,
    SEQUENCE,
    TEXT,
    TIME,
    UNKNOWN,
)

CCSIDS: Final = {"ascii": 819, "ebcdic": 1047, "utf-16-big": 1201, "utf-16-little": 1202}
"""Character sets of the learner's alphabets; that of ASCII has a character for every byte."""
_FORMATS: Final = {
    "%Y%m%d%H%M%S": "CCYYMMDDhhmmss",
    "%Y%m%d": "CCYYMMDD",
    "%Y-%m-%dT%H:%M:%S": "CCYY-MM-DDThh:mm:ss",
    "%Y-%m-%d %H:%M:%S": "CCYY-MM-DD hh:mm:ss",
    "%y%m%d%H%M%S": "YYMMDDhhmmss",
}
_TICKS: Final = ("seconds", "milliseconds", "microseconds")
_METHODS: Final = {
    "sum8": "sum8", "xor8": "xor", "sum16": "sum16", "internet": "internet", "crc32": "crc32", "md5": "md5",
    "md5 in digits": "md5",
}  # fmt: skip
_WIDEST: Final = 8
_MOST_STEP: Final = 1 << 31
_CLOCK: Final = 5.0
"""Seconds from the packets' time within which a time is that of sending."""
_MOST_NAMED: Final = 16
"""Values of an enumeration that get names."""


class SizedBy(NamedTuple):
    """A length that the field of this name gives."""

    field: str
    unit: int = 1
    plus: int = 0


@dataclass(slots=True)
class Spec:
    """A field. ``start``: its offset where that is the same in all messages, else None. ``length``: bytes, `SizedBy`,
    ``"rest"`` or ``"own"`` (of a number in base 128). ``keys``: of the template language, beside name, place and
    length. ``claim``: on which it rests. ``says``: what the claim says, in words. ``blanked``: why values of it are not
    shown or written, or empty."""

    name: str
    start: int | None
    length: int | str | SizedBy
    keys: dict[str, Any]
    claim: Claim
    says: str = ""
    blanked: str = ""
    most: bytes = b""
    """The value that comes most often."""
    values: list[tuple[bytes, int]] = field(default_factory=list)
    """Values with how often they come, where there are few."""

    @property
    def is_constant(self) -> bool:
        """Whether it is bytes of the template."""
        return self.claim.what == CONSTANT and self.start is not None


def spec_of(claim: Claim, start: int | None, width: int | None) -> Spec:
    """Return the field of a claim. ``width``: bytes; None where it goes to the end."""
    make = _KINDS.get(claim.what, _bytes)
    keys, says = make(claim, width)
    return Spec(_BASE_NAMES.get(claim.what, claim.what), start, "rest" if width is None else width, keys, claim, says)


def _order(claim: Claim) -> str:
    return "little" if claim.detail.get("order") == "little" else "big"


def _integer(claim: Claim, width: int | None) -> dict[str, Any] | None:
    """Keys of a whole number; None where it is too wide for one."""
    if width is None or not 1 <= width <= _WIDEST:
        return None
    keys: dict[str, Any] = {"type": "unsigned"}
    if width > 1:
        keys["order"] = _order(claim)
    return keys


_Kind = tuple[dict[str, Any], str]


def _bytes(claim: Claim, _width: int | None) -> _Kind:
    about = claim.detail.get("part")
    return {"type": "bytes"}, f"{about} of a list" if claim.what == LIST and about else ""


def _constant(claim: Claim, _width: int | None) -> _Kind:
    return {"type": "bytes", "value": claim.detail["value"].hex(" ")}, "always the same"


def _number(claim: Claim, width: int | None) -> _Kind:
    keys = _integer(claim, width)
    low, high = claim.detail.get("lowest"), claim.detail.get("highest")
    return keys or {"type": "bytes"}, f"{low:,} to {high:,}" if isinstance(low, int) and isinstance(high, int) else ""


def _enumeration(claim: Claim, width: int | None) -> _Kind:
    keys = _integer(claim, width)
    if keys is None:
        return {"type": "bytes"}, ""
    shares: Mapping[bytes, float] = claim.detail.get("values", {})
    numbers = sorted(int.from_bytes(value, "big" if _order(claim) == "big" else "little") for value in shares)
    if claim.what == FLAGS:
        bits = 0
        for number in numbers:
            bits |= number
        keys["flags"] = {f"bit-{place}": 1 << place for place in range(bits.bit_length()) if bits >> place & 1}
    elif len(numbers) <= _MOST_NAMED:
        keys["values"] = {f"value-{number:x}": number for number in numbers}
    return keys, f"{len(numbers)} values"


def _length(claim: Claim, width: int | None) -> _Kind:
    keys = _integer(claim, width)
    of, unit, less = claim.detail.get("of"), claim.detail.get("unit", 1), claim.detail.get("less", 0)
    if claim.detail.get("order") == "base128":
        keys = {"type": "base128"}
    elif claim.detail.get("order") == "digits":
        keys = {"type": "decimal"}
    if keys is None or of != "message":
        return keys or {"type": "bytes"}, f"length of what follows ({of})" if of else "a length"
    if less >= 0:
        range_: Any = {"from": less} if less else "packet"
        keys["compute"] = {"kind": "length", "of": range_} | ({"unit": unit} if unit > 1 else {})
        return keys, f"length of what follows byte {less - 1}" if less else "length of the message"
    if unit == 1:
        keys["compute"] = {"kind": "length", "of": "packet", "plus": -less}
    return keys, f"length of the message and {-less} more"


def _sequence(claim: Claim, width: int | None) -> _Kind:
    keys = _integer(claim, width)
    step, scope = claim.detail.get("step"), claim.detail.get("in")
    where = "in each connection" if scope == "connection" else "over all connections"
    if keys is None:
        return {"type": "bytes"}, ""
    if not isinstance(step, int) or 0 < step <= _MOST_STEP:
        compute: dict[str, Any] = {"kind": "sequence"}
        if isinstance(step, int) and step > 1:
            compute["step"] = step
        if scope == "connection":
            compute["restarts"] = True
        keys["compute"] = compute
    return keys, f"{step:+} a message {where}" if isinstance(step, int) else f"rises {where}"


def _echo(claim: Claim, width: int | None) -> _Kind:
    place = claim.detail.get("of", 0)
    last = place + (width or 1) - 1
    whose = "its own last message" if claim.detail.get("own") else "the other side's last message"
    return {"type": "bytes"}, f"bytes {place}-{last} of {whose}" if last > place else f"byte {place} of {whose}"


def _id(claim: Claim, _width: int | None) -> _Kind:
    back = claim.detail.get("comes_back")
    says = (
        "different in each message" if back is None else f"comes back at byte {back} of the other side's next message"
    )
    return {"type": "bytes", "compute": "random"}, says


def _connection(_claim: Claim, _width: int | None) -> _Kind:
    return {"type": "bytes"}, "one value in each connection"


def _time(claim: Claim, width: int | None) -> _Kind:
    detail = claim.detail
    form, within = detail.get("form"), detail.get("within")
    near = f", within {within} s of the packets" if within is not None else ""
    keys: dict[str, Any] = {"type": "time"}
    if within is not None and within <= _CLOCK:
        keys["compute"] = "time"
    if form in _TICKS:
        if detail.get("epoch", "unix") != "unix":
            return _integer(claim, width) or {"type": "bytes"}, f"{form} since the epoch of {detail['epoch']}{near}"
        return {**keys, "form": form, "order": _order(claim)}, f"{form} since 1970{near}"
    written = str(detail.get("format", ""))
    format_ = written if written.startswith("CCYY") else _FORMATS.get(written)
    if format_ is None:
        return {"type": "bytes"}, f"time {detail.get('format') or form}{near}"
    keys["form"] = "packed" if form == "packed" else "digits"
    keys["format"] = format_
    if form in CCSIDS:
        keys["ccsid"] = CCSIDS[form]
    kind = {"packed": "packed decimal", "ebcdic": "EBCDIC digits"}.get(str(form), "digits")
    return keys, f"{kind} {format_}{near}"


def _text(claim: Claim, width: int | None) -> _Kind:
    alphabet = claim.detail.get("alphabet", "ascii")
    keys: dict[str, Any] = {"type": "text", "ccsid": CCSIDS.get(alphabet, 819)}
    pad = claim.detail.get("pad")
    if width is None:
        return keys, f"{_alphabet(alphabet)}, to the end"
    if isinstance(pad, int) and not alphabet.startswith("utf"):
        blank = 0x40 if alphabet == "ebcdic" else 0x20
        if pad != blank:
            keys["pad"] = f"{pad:02x}"
        return keys, f"{_alphabet(alphabet)}, {'blanks' if pad == blank else f'padded with {pad:02x}'}"
    return keys, _alphabet(alphabet)


def _alphabet(name: str) -> str:
    return {"ascii": "ASCII", "ebcdic": "EBCDIC 1047"}.get(name, name.upper())


def _checksum(claim: Claim, width: int | None) -> _Kind:
    algorithm, over = claim.detail.get("algorithm", ""), claim.detail.get("over", "")
    says = f"{algorithm} over the bytes {over}" if over in ("before", "behind", "around") else f"{algorithm} over all"
    method = _METHODS.get(algorithm)
    ranges: dict[str, dict[str, Any]] = {
        "before": {"from": 0, "to": claim.start},
        "behind": {"from": claim.end},
        "zeroed": {"from": 0},
    }
    if over == "around" and algorithm in ("sum8", "xor8"):
        ranges["around"] = {"from": 0}
    if method is None or over not in ranges or width is None:
        return {"type": "bytes"}, says
    keys: dict[str, Any] = {"compute": {"kind": "checksum", "method": method, **ranges[over]}}
    if algorithm == "md5 in digits":
        return {"type": "hex", "ccsid": 819, **keys}, says
    if algorithm == "md5":
        return {"type": "bytes", **keys}, says
    return {**(_integer(claim, width) or {"type": "bytes"}), **keys}, says


def _float(claim: Claim, width: int | None) -> _Kind:
    return ({"type": "float", "order": _order(claim)} if width in (4, 8) else {"type": "bytes"}), "floating point"


def _decimal(claim: Claim, _width: int | None) -> _Kind:
    form = claim.detail.get("form")
    if form == "packed":
        return {"type": "packed"} | ({} if claim.detail.get("sign", True) else {"sign": False}), "packed decimal"
    return {"type": "decimal", "ccsid": CCSIDS.get(str(form), 819)}, "decimal digits"


def _count(claim: Claim, width: int | None) -> _Kind:
    return _integer(claim, width) or {"type": "bytes"}, f"number of {claim.detail.get('of', 'items')}"


def _offset(claim: Claim, width: int | None) -> _Kind:
    return _integer(claim, width) or {"type": "bytes"}, f"where {claim.detail.get('to', 'a field')} begins"


def _address(claim: Claim, width: int | None) -> _Kind:
    part, end = claim.detail.get("part", "host"), claim.detail.get("end")
    whose = {0: "the initiator", 1: "the responder"}.get(end, "an end") if isinstance(end, int) else "an end"
    return (_integer(claim, width) if part == "port" else None) or {"type": "bytes"}, f"{part} of {whose}"


_KINDS: Final[dict[str, Callable[[Claim, int | None], _Kind]]] = {
    CONSTANT: _constant, ENUMERATION: _enumeration, FLAGS: _enumeration, NUMBER: _number, LENGTH: _length,
    SEQUENCE: _sequence, ECHO: _echo, CONNECTION: _connection, TIME: _time, TEXT: _text, CHECKSUM: _checksum,
    FLOAT: _float, DECIMAL: _decimal, ID: _id, COUNT: _count, OFFSET: _offset, ADDRESS: _address,
}  # fmt: skip
_BASE_NAMES: Final = {
    ENUMERATION: "code",
    UNKNOWN: "unknown",
    OPAQUE: "data",
    CONNECTION: "connection-value",
    LIST: "items",
}
