"""What the Python step of `routes.py` calls."""

from __future__ import annotations

from mqbridge import Message


def same(message: Message) -> Message:
    return message
