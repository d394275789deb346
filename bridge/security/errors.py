"""Errors of users and of the file of users."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class UserError(MQBridgeError):
    """A user, a password or a file of users is invalid; the text says what and where."""
