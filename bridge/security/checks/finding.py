"""One thing that an operator should do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """``subject``: what it is about. ``text``: what is wrong. ``action``: what to do, a command where there is one."""

    subject: str
    text: str
    action: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}; {self.action}"
