"""Our implementation, or any other endpoint, beside recorded traffic: the same input, and the answers side by side.

:class:`Comparison` pairs recorded answers with those given now, field by field, and puts what the server of now gave
into the recorded requests; a :class:`Mask` says what may differ and why; :class:`Tally` is the count.
"""

from __future__ import annotations

from mqbridge.captures.differential.answers import Answer, Assembler, Kind, in_words
from mqbridge.captures.differential.comparison import KINDS, Comparison, Difference
from mqbridge.captures.differential.given_values import GIVEN, GivenValues
from mqbridge.captures.differential.masks import GIVEN_REASONS, Mask, Tally, exactly, judge, tally
from mqbridge.captures.differential.wire_fields import WireField, fields_of, segments_of, shown_value

__all__ = [
    "GIVEN",
    "GIVEN_REASONS",
    "KINDS",
    "Answer",
    "Assembler",
    "Comparison",
    "Difference",
    "GivenValues",
    "Kind",
    "Mask",
    "Tally",
    "WireField",
    "exactly",
    "fields_of",
    "in_words",
    "judge",
    "segments_of",
    "shown_value",
    "tally",
]
