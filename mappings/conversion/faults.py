"""Why data could not be converted."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class NotConvertedError(MQBridgeError):
    """``reason``: the MQRC of the warning that a get ends with: 2110 to 2119, 2150, 2190."""

    def __init__(self, reason: int, detail: str) -> None:
        super().__init__(f"{MQRC(reason)}: {detail}")
        self.reason = int(reason)
