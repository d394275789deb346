"""The error of the JSON form."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class MessageFormError(MQBridgeError):
    """JSON that is no message; says which part, and what would have been right."""
