"""Errors and warnings of a dissection, and its optional reader of folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

FolderReader = Callable[[str], list[dict[str, Any]]]
"""Takes the text of an RFH2 folder; returns ``[{"name", "type", "value"}, …]``. Raises ``MQBridgeError`` for malformed
text."""


@dataclass(slots=True)
class Findings:
    """Errors (something could not be parsed) and warnings (it states something untrue), one line each with the offset
    in front. ``read_folder``: without it, folders of an RFH2 are shown as text only."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    read_folder: FolderReader | None = None

    def error(self, offset: int, what: str) -> None:
        """Record that something at an offset could not be parsed."""
        self.errors.append(f"offset {offset}: {what}")

    def warn(self, offset: int, what: str) -> None:
        """Record that something at an offset states something untrue."""
        self.warnings.append(f"offset {offset}: {what}")

    def take(self, other: Findings, place: str) -> None:
        """Add the lines of another, each with a place in front."""
        self.errors += (f"{place}, {line}" for line in other.errors)
        self.warnings += (f"{place}, {line}" for line in other.warnings)
