"""Errors of message trees."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class TreeError(MQBridgeError):
    """A path that leads nowhere, a value that does not fit, or a part that cannot be parsed or written.

    ``path``: of what was asked for, or of the part that is malformed. ``why``: one clause.
    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path[:200]}: {why}")
        self.path = path
        self.why = why

    def __reduce__(self) -> tuple[object, ...]:
        return TreeError, (self.path, self.why)


class ContentError(MQBridgeError):
    """What is wrong with the content of a part; the tree adds the path and raises `TreeError`."""
