"""Why users, or the file of users, are refused."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class UserError(MQBridgeError):
    """A user, a password or a file of users is not as it must be; the text says what and where."""
