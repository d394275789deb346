"""Error of JMS messages."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class JmsFormatError(MQBridgeError):
    """Content that is no JMS message, or a value that a JMS message cannot have; the text says which part."""
