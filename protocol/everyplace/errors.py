"""Errors of Everyplace: one exception with a code, mqe.md 23.

IBM's numbers are not public but for one (Data is 7); ours are stable: a number is never given twice.
"""

from __future__ import annotations

from enum import IntEnum, unique

from mqbridge.protocol.errors import MQBridgeError


@unique
class Code(IntEnum):
    """Why a call is refused (E-568, E-570); the names are IBM's where it has one."""

    # General
    DATA = 7
    """What was received or read cannot be understood."""
    SYNTAX = 100
    """A name, text or dump breaks the rules."""
    TYPE = 101
    """A field has another type than the accessor (E-013)."""
    NOT_FOUND = 102
    """There is no such field, message or object."""
    NOT_ALLOWED = 103
    NOT_SUPPORTED = 104
    """The kind of queue does not have this operation (E-169)."""
    RULE = 105
    """A rule has refused the operation (E-490)."""
    STOPPED = 106
    CLOSED = 107
    ACTIVE = 108
    BAD_REQUEST = 109
    TOO_LONG = 110
    """Longer than a limit: message, frame, name, dump."""
    STORE = 111
    """The store cannot keep it: disk full, damaged, locked."""
    # Queues and messages
    Q_NO_MATCHING_MSG = 200
    Q_FULL = 201
    Q_ALREADY_EXISTS = 202
    Q_NOT_EMPTY = 203
    Q_UNKNOWN = 204
    """No queue, alias, entry or connection leads there (E-319)."""
    Q_IN_USE = 205
    DUPLICATE = 206
    """The queue holds a message with this UID (E-155)."""
    WRONG_LOCK = 207
    EXPIRED = 208
    ALIAS_CYCLE = 209
    # Connections
    AUTHENTICATE = 300
    CON_UNKNOWN = 301
    CON_ALREADY_EXISTS = 302
    CON_ALIAS_ALREADY_EXISTS = 303
    CON_ADAPTER_REQUIRED = 304
    CON_INVALID_NAME = 305
    CHNL_LIMIT = 306
    CHNL_OVERRUN = 307
    CHNL_ID = 308
    CHNL_ATTRIBUTES = 309
    ADAPTER_EXCEPTION = 310
    """The line is gone, or nothing answers."""
    ADAPTER_MISSING_REMOTE_ADDRESS = 311
    REPLACED = 312
    """A newer connection of the same queue manager has taken over."""
    LANE_HELD = 313
    """The numbers of both ends fit no crash; an administrator must readmit the other end."""
    LATER = 314
    """Nothing is wrong with the message: it goes elsewhere than the others of its batch, and comes in a later one."""
    OUTCOME_UNKNOWN = 315
    """The connection was lost after the call was sent: it is not known whether it was done (E-195)."""
    # Administration
    ADMIN_ACTION_NOT_SUPPORTED = 400
    ADMIN_INVALID_FIELD = 401
    ADMIN_NOT_ADMIN_MSG = 402
    # Registry
    REGISTRY_WRONG_PIN = 500
    REGISTRY_NEWER = 501
    # Bridge
    BRIDGE_NOT_RUNNING = 600
    BRIDGE_MQ_UNAVAILABLE = 601
    BRIDGE_MQ_REFUSED = 602
    BRIDGE_ID_TOO_LONG = 603
    """A message or correlation id is longer than the 24 bytes of an MQMD."""


class EveryplaceError(MQBridgeError):
    """A refused call. ``code``: why. The text names object, operation and rule, and holds no secret (E-571)."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(f"{text} ({code.name}, {code:d})")
        self.code = code
        self.text = text

    def __reduce__(self) -> tuple[type[EveryplaceError], tuple[Code, str]]:
        return type(self), (self.code, self.text)


class NoMatchingMessage(EveryplaceError):
    """There is no message that a get may have; a program that reads a queue empty ends with it (E-569)."""

    def __init__(self, code: Code = Code.Q_NO_MATCHING_MSG, text: str = "no matching message") -> None:
        super().__init__(code, text)


class DumpError(EveryplaceError):
    """Bytes that are no dump (E-032). ``offset``: position of the fault, from 0."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(Code.SYNTAX, f"at offset {offset}: {text}")
        self.offset = offset
        self.reason = text

    def __reduce__(self) -> tuple[type[DumpError], tuple[int, str]]:  # type: ignore[override]
        return type(self), (self.offset, self.reason)
