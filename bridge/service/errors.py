"""Why a queue manager does not start."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.errors import MQBridgeError

WRONG_CONFIGURATION: Final = 2
"""Exit status: the configuration or an MQSC script must be mended."""
CANNOT_START: Final = 3
"""Exit status: something outside is in the way: a port, a folder, a file."""


class StartError(MQBridgeError):
    """A queue manager cannot start. The text is for the one who started it: what is in the way and how to mend it.

    ``status`` is the exit status of the command.
    """

    def __init__(self, text: str, status: int = CANNOT_START) -> None:
        super().__init__(text)
        self.status = status
