"""Errors of the MQI: a completion code with a reason code."""

from __future__ import annotations

from mqbridge.protocol.constants import MQCC, MQRC
from mqbridge.protocol.errors import MQBridgeError


class MQError(MQBridgeError):
    """A call that has not ended with MQCC_OK (mqi.md 20).

    ``reason``: MQRC value. ``completion``: MQCC_FAILED, or MQCC_WARNING. ``detail``: the subject (a queue name, a
    limit), for logs.
    """

    def __init__(self, reason: int, detail: str = "", *, completion: int = MQCC.FAILED) -> None:
        super().__init__(reason, detail)
        self.reason = int(reason)
        self.completion = int(completion)
        self.detail = detail

    def __str__(self) -> str:
        name = f"{MQRC(self.reason)} ({self.reason})"
        return f"{name}: {self.detail}" if self.detail else name


class SearchYielded(MQBridgeError):
    """The turn of a get with `GetOptions.in_turns` ended before its search: nothing was got; call again in a later
    turn."""
