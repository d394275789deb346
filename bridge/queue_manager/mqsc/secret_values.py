"""Passwords in the text of commands: where they are, so that no event and no error shows them."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from mqbridge.bridge.queue_manager.objects import KINDS
from mqbridge.bridge.queue_manager.objects.values import Text

STARS: Final = "'********'"
_VALUE: Final = r"\s*\((?:\s*'(?:[^']|'')*'\s*|[^)]*)\)"
_BEGUN: Final = r"\s*\((?:[^')]|'(?:[^']|'')*')*'?\Z"


@cache
def secret_keywords() -> frozenset[str]:
    """Attributes whose values are never shown."""
    tables = (table for info in KINDS.values() for table in info.tables.values())
    return frozenset(
        name for table in tables for name, each in table.items() if isinstance(each.type, Text) and each.type.secret
    )


def without_secrets(text: str) -> str:
    """The text of a command with asterisks for passwords."""
    return re.sub(rf"\b({_keywords()}){_VALUE}", rf"\1({STARS})", text, flags=re.IGNORECASE)


def is_secret(text: str, offset: int) -> bool:
    """Whether a character of a command is in the value of such an attribute."""
    return re.search(rf"\b({_keywords()}){_BEGUN}", text[:offset], re.IGNORECASE) is not None


@cache
def _keywords() -> str:
    return "|".join(sorted(secret_keywords()))
