"""Base of the states and triggers of transition tables."""

from __future__ import annotations

import enum


class Member(enum.Enum):
    """A state or trigger; hashed by identity, because tables are consulted for every segment and message."""

    __hash__ = object.__hash__
