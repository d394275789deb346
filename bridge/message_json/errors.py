"""Error of the JSON form."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class MessageFormError(MQBridgeError):
    """JSON that is not a message; the text says which part, and what would be right."""
