"""States and triggers of the transition tables."""

from __future__ import annotations

import enum


class Member(enum.Enum):
    """Hashed by identity: the tables are looked into for every segment and message."""

    __hash__ = object.__hash__
