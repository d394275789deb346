"""Errors of transformations."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class StepError(MQBridgeError):
    """A step of the configuration that cannot be. ``number``: its place in the list, from 1; 0 for the list itself."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(f"step {number}: {text}" if number else text)
        self.number = number


class TransformationError(MQBridgeError):
    """A step that cannot be applied to a message. ``reason``: the MQRC for the dead-letter header."""

    def __init__(self, text: str, reason: int = MQRC.FORMAT_ERROR) -> None:
        super().__init__(text)
        self.reason = int(reason)


def reason_of(error: MQBridgeError) -> int:
    """Return the MQRC that an error names, else 2110 MQRC_FORMAT_ERROR."""
    reason = getattr(error, "reason", None)
    return int(reason) if isinstance(reason, int) and reason > 0 else int(MQRC.FORMAT_ERROR)
