"""Dialogues read by the description of their protocol (docs/partners.md): messages with their fields, and how much of a
capture the description explains."""

from __future__ import annotations

from .check import Check, check
from .messages import DescribedMessages, ReadMessage, Unread
from .shown import message_json, message_lines, shown_value

__all__ = [
    "Check",
    "DescribedMessages",
    "ReadMessage",
    "Unread",
    "check",
    "message_json",
    "message_lines",
    "shown_value",
]
