"""What of captured values goes into no file: text that hardly varies, and what may be a secret (M-176)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.learning.claims import CONNECTION, CONSTANT, OPAQUE, TEXT

from .kind_drafts import KindDraft
from .specs import Spec

_SHORT: Final = 5
"""Letters of a mark, such as the start of a structure, which stays; longer constant text may name a host or user."""
_PADDED: Final = 4
"""Blanks behind text that make it a name: marks have none."""
_SECRET: Final = 8
"""Bytes from which what does not change, and is no text, may be a token."""
_SAME: Final = 0.9
"""Share of one value from which text hardly varies."""
_FEW_KINDS: Final = 5
"""Different bytes of a constant that is no more than numbers and zeros."""


def blank(kinds: list[KindDraft]) -> int:
    """Mark the fields that are to be blanked, with the reason; return how many."""
    count = 0
    for each in kinds:
        for spec in each.specs:
            spec.blanked = _reason(spec, len(each.rows))
            count += bool(spec.blanked)
    return count


def _reason(spec: Spec, rows: int) -> str:
    claim = spec.claim
    if claim.what == CONSTANT:
        value = claim.detail["value"]
        if claim.detail.get("key"):
            return ""
        if _is_text(value):
            padded = len(value) - len(value.rstrip(b" \0\x40")) >= _PADDED
            return "text that does not vary" if _letters(value) > _SHORT or padded else ""
        return "may be a token" if len(value) >= _SECRET and len(set(value)) > _FEW_KINDS else ""
    if claim.what == CONNECTION:
        return "one value in each connection" if spec.most and len(spec.most) > 2 else ""
    if claim.what == TEXT and spec.values and spec.values[0][1] >= _SAME * rows:
        return "text that hardly varies" if _letters(spec.most) > _SHORT else ""
    if claim.what == OPAQUE and spec.values and len(spec.most) >= _SECRET:
        return "may be a token"
    return ""


def _letters(value: bytes) -> int:
    return len(value.strip(b" \0\x40"))


def _is_text(value: bytes) -> bool:
    ascii_text = all(0x20 <= byte < 0x7F or not byte for byte in value)
    ebcdic = all(byte in (0, 0x40) or 0x81 <= byte <= 0xF9 for byte in value)
    return _letters(value) > 0 and len(value) > 2 and (ascii_text or ebcdic)
