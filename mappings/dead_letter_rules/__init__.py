"""Rules tables of a dead-letter queue handler, as runmqdlq has them: read, matched, and what to do with each message.

`read_rules` reads a table; a `RulesHandler` decides about messages and counts attempts. Neither gets nor puts.
"""

from __future__ import annotations

from .entries import RulesError
from .facts import DeadLetter, dead_letter_of
from .handler import Decision, Discard, Leave, Move, RulesHandler
from .reading import read_rules
from .table import Action, Control, Rule, RulesTable

__all__ = [
    "Action",
    "Control",
    "DeadLetter",
    "Decision",
    "Discard",
    "Leave",
    "Move",
    "Rule",
    "RulesError",
    "RulesHandler",
    "RulesTable",
    "dead_letter_of",
    "read_rules",
]
