"""The error of the message queue interface: a completion code with a reason code."""

from __future__ import annotations

from mqbridge.protocol.constants import MQCC, MQRC
from mqbridge.protocol.errors import MQBridgeError


class MQError(MQBridgeError):
    """A call that did not end with MQCC_OK (mqi.md 20).

    ``reason`` is the MQRC value, ``completion`` MQCC_FAILED unless a warning is raised, ``detail`` says in a few
    words what it was about (a queue name, a limit) for logs.
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
    """A get with `GetOptions.in_turns` has not come to an end when the turn was over: nothing was got, and the call is
    to be made again after others had their turn."""
