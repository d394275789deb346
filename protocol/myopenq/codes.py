"""Codes of refusals and the error that carries one (M-035, M-040 to M-050)."""

from __future__ import annotations

from enum import IntEnum, unique

from mqbridge.protocol.errors import MQBridgeError


@unique
class Code(IntEnum):
    """Why a command is refused. 1005, 1006 and what M-049 names are ours."""

    NAME_INVALID = 1001
    SIZE_INVALID = 1002
    UNKNOWN_QUEUE = 1003
    QUEUE_EXISTS = 1004
    LENGTH_INVALID = 1005
    TYPE_INVALID = 1006
    NOT_FOUND = 1007
    TOO_LONG = 2001
    WRONG_DIGEST = 2002
    MALFORMED = 2003
    TOO_MANY_QUEUES = 3001
    QUEUE_FULL = 3002
    NOT_PERMITTED = 4001
    NOT_AUTHENTICATED = 4002
    INTERNAL = 9001

    @property
    def phrase(self) -> str:
        """What the code means, in the words of an answer."""
        return _PHRASES[self]

    @property
    def text(self) -> str:
        """The answer in plain mode: ``MOQ-1007 message not found``."""
        return f"{self.word} {self.phrase}"

    @property
    def word(self) -> str:
        """The status of a framed answer: ``MOQ-1007``."""
        return f"MOQ-{self:d}"


_PHRASES = {
    Code.NAME_INVALID: "queue name invalid",
    Code.SIZE_INVALID: "maximum number of messages invalid",
    Code.UNKNOWN_QUEUE: "queue does not exist",
    Code.QUEUE_EXISTS: "a queue of that name exists",
    Code.LENGTH_INVALID: "maximum length of messages invalid",
    Code.TYPE_INVALID: "type or remote address invalid",
    Code.NOT_FOUND: "message not found",
    Code.TOO_LONG: "message longer than the queue allows",
    Code.WRONG_DIGEST: "digest does not match",
    Code.MALFORMED: "malformed packet",
    Code.TOO_MANY_QUEUES: "maximum number of queues reached",
    Code.QUEUE_FULL: "queue full",
    Code.NOT_PERMITTED: "no permission",
    Code.NOT_AUTHENTICATED: "not authenticated",
    Code.INTERNAL: "internal error",
}


class MoqError(MQBridgeError):
    """A refusal with its code. ``code`` may be a number that `Code` does not know, where a partner sent it."""

    def __init__(self, code: int, text: str = "") -> None:
        known = code in _PHRASES
        self.code = Code(code) if known else code
        self.phrase = text or (Code(code).phrase if known else "")
        super().__init__(f"MOQ-{code:d} {self.phrase}".rstrip())
