"""What is wrong with a selector."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class SelectorError(MQBridgeError):
    """A selection string that cannot be used.

    ``reason``: 2551 MQRC_SELECTION_NOT_AVAILABLE for its syntax or a name in it (2459 MQRC_SELECTOR_SYNTAX_ERROR is
    what one who resumes a subscription is told), 2519 MQRC_SELECTION_STRING_ERROR for its length, 2504
    MQRC_SELECTOR_ALWAYS_FALSE where it asks for no property and can select nothing (mqi.md 18.2).
    """

    def __init__(self, message: str, reason: int = MQRC.SELECTION_NOT_AVAILABLE) -> None:
        super().__init__(message)
        self.reason = int(reason)
