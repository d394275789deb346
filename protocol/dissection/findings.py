"""Errors and warnings of a dissection, and what it is handed: a reader of folders, formats of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mqbridge.protocol.formats import NO_FORMATS, Formats

FolderReader = Callable[[str], list[dict[str, Any]]]
"""Takes the text of an RFH2 folder; returns ``[{"name", "type", "value"}, …]``. Raises ``MQBridgeError`` for malformed
text."""


@dataclass(slots=True)
class Findings:
    """Errors (something could not be parsed) and warnings (a stated value is wrong), one line each, beginning with the
    offset. ``read_folder``: parses folders of an RFH2; without it they are shown as text only. ``formats``: formats
    beside MQ's own."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    read_folder: FolderReader | None = None
    formats: Formats = NO_FORMATS

    def error(self, offset: int, what: str) -> None:
        """Add an error at an offset: something could not be parsed."""
        self.errors.append(f"offset {offset}: {what}")

    def warn(self, offset: int, what: str) -> None:
        """Add a warning at an offset: a stated value is wrong."""
        self.warnings.append(f"offset {offset}: {what}")

    def separate(self) -> Findings:
        """Return an empty instance with the same reader and formats."""
        return Findings(read_folder=self.read_folder, formats=self.formats)

    def take(self, other: Findings, place: str) -> None:
        """Add the lines of another instance, each prefixed with a place."""
        self.errors += (f"{place}, {line}" for line in other.errors)
        self.warnings += (f"{place}, {line}" for line in other.warnings)
