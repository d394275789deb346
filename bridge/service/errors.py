"""Errors that prevent a queue manager's start."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.errors import MQBridgeError

WRONG_CONFIGURATION: Final = 2
"""Exit status: the configuration or an MQSC script must be corrected."""
CANNOT_START: Final = 3
"""Exit status: a port, folder or file is not available."""


class StartError(MQBridgeError):
    """A queue manager cannot start. The text tells the operator what is wrong and how to correct it.

    ``status``: exit status of the command.
    """

    def __init__(self, text: str, status: int = CANNOT_START) -> None:
        super().__init__(text)
        self.status = status
