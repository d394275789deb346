"""What is found beside the structures, and what one who dissects may bring along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

FolderReader = Callable[[str], list[dict[str, Any]]]
"""Takes the text of an RFH2 folder; gives ``[{"name", "type", "value"}, …]``. Raises ``MQBridgeError`` for bad text."""


@dataclass(slots=True)
class Findings:
    """Errors (something could not be taken apart) and warnings (it could, but states what is not so), one line each
    with the offset in front; and ``read_folder``, without which folders of an RFH2 are shown as text only."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    read_folder: FolderReader | None = None

    def error(self, offset: int, what: str) -> None:
        """Something at this offset could not be taken apart."""
        self.errors.append(f"offset {offset}: {what}")

    def warn(self, offset: int, what: str) -> None:
        """Something at this offset states what is not so."""
        self.warnings.append(f"offset {offset}: {what}")

    def take(self, other: Findings, place: str) -> None:
        """Add the lines of another, with a place in front of each."""
        self.errors += (f"{place}, {line}" for line in other.errors)
        self.warnings += (f"{place}, {line}" for line in other.warnings)
