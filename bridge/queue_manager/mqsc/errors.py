"""Syntax errors: where in the text, and what was expected."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.protocol.errors import MQBridgeError


class MQSCSyntaxError(MQBridgeError):
    """A command breaks the rules of channels.md 17.1, or names what does not exist.

    `line` and `column` count from 1. `expected` says what would have been right, `found` what stands there.
    """

    amq = "AMQ8405"
    reason: int = MQRCCF.PARM_SYNTAX_ERROR

    def __init__(self, line: int, column: int, expected: str, found: str = "", *, reason: int | None = None) -> None:
        clause = f"expected {expected}" + (f", found {found}" if found else "")
        super().__init__(f"line {line}, column {column}: {clause}")
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found
        if reason is not None:
            self.reason = reason
