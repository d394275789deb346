"""How streams are cut into messages: rules, and which of them a protocol has."""

from __future__ import annotations

from .finding import find_framing
from .rules import ConstantSize, Delimiter, Framing, FramingRule, LengthField, StartMark, UntilClose

__all__ = [
    "ConstantSize",
    "Delimiter",
    "Framing",
    "FramingRule",
    "LengthField",
    "StartMark",
    "UntilClose",
    "find_framing",
]
