"""Errors in PCF commands."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class RequestError(MQBridgeError):
    """A PCF command is not valid. ``reason``: MQRC or MQRCCF; ``parameter``: the one at fault, 0 for none."""

    def __init__(self, reason: int, detail: str, parameter: int = 0) -> None:
        super().__init__(detail)
        self.reason = int(reason)
        self.parameter = int(parameter)
