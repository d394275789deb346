"""Comparison of an endpoint with recorded traffic: the same input, and the answers side by side.

:class:`AnswerComparison` pairs recorded with current answers, field by field, and puts values assigned by the current
server into the recorded requests; a :class:`Mask` defines allowed differences and their reason; :class:`Tally` is the
result.
"""

from __future__ import annotations

from mqbridge.captures.differential.answers import Assembler, ComparedAnswer, Kind, in_words
from mqbridge.captures.differential.comparison import KINDS, AnswerComparison, Difference
from mqbridge.captures.differential.given_values import GIVEN, GivenValues
from mqbridge.captures.differential.masks import GIVEN_REASONS, Mask, Tally, exactly, judge, tally
from mqbridge.captures.differential.wire_fields import WireField, fields_of, segments_of, shown_value, values_of

__all__ = [
    "GIVEN",
    "GIVEN_REASONS",
    "KINDS",
    "AnswerComparison",
    "Assembler",
    "ComparedAnswer",
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
    "values_of",
]
