"""Errors of selectors."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class SelectorError(MQBridgeError):
    """An invalid selection string.

    ``reason``: 2551 MQRC_SELECTION_NOT_AVAILABLE for its syntax or a name (2459 MQRC_SELECTOR_SYNTAX_ERROR when a
    subscription is resumed), 2519 MQRC_SELECTION_STRING_ERROR for its length, 2504 MQRC_SELECTOR_ALWAYS_FALSE if it
    uses no property and can select nothing (mqi.md 18.2).
    """

    def __init__(self, message: str, reason: int = MQRC.SELECTION_NOT_AVAILABLE) -> None:
        super().__init__(message)
        self.reason = int(reason)
