"""Completion codes (MQCC), mq-wire.md 9.1."""

from __future__ import annotations

from .base import MQInt


class MQCC(MQInt):
    """Outcome of a call, mq-wire.md 9.1."""

    OK = 0
    WARNING = 1
    FAILED = 2
    UNKNOWN = -1
