"""Errors of requests to the admin endpoint."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.errors import MQBridgeError


class EndpointNotReachable(MQBridgeError):
    """No queue manager answers. The reason is 2059."""

    reason = 2059

    def __str__(self) -> str:
        return f"MQRC_Q_MGR_NOT_AVAILABLE ({self.reason}): {super().__str__()}"


class RestFailure(MQBridgeError):
    """The queue manager answered with an error: HTTP ``status``, ``reason`` (MQRC, 0 for none) and text."""

    def __init__(self, status: int, reason: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.reason = reason


def failure_of(status: int, document: Any) -> RestFailure:
    """Return the error in the body of a response."""
    try:
        first = document["error"][0]
        reason, text = int(first["reasonCode"]), str(first["message"])
    except (KeyError, IndexError, TypeError, ValueError):
        return RestFailure(status, 0, f"HTTP status {status}")
    return RestFailure(status, reason, text.partition(": ")[2] or text)
