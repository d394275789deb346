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
    """Who asks may not do this, or not now."""
    NOT_SUPPORTED = 104
    """The kind of queue does not have this operation (E-169)."""
    RULE = 105
    """A rule has refused the operation (E-490)."""
    STOPPED = 106
    """The queue manager is closing, or a wait has been ended (E-234)."""
    CLOSED = 107
    """The queue manager or connection is closed."""
    ACTIVE = 108
    """What is to be started, deleted or opened is at work."""
    BAD_REQUEST = 109
    """The request has no sense."""
    TOO_LONG = 110
    """Longer than a limit: message, frame, name, dump."""
    STORE = 111
    """The store cannot keep it: disk full, damaged, locked."""
    # Queues and messages
    Q_NO_MATCHING_MSG = 200
    """There is no message for a get; programs that read a queue empty end with it (E-569)."""
    Q_FULL = 201
    """The queue holds as many messages as it may."""
    Q_ALREADY_EXISTS = 202
    """The name is that of a queue, alias or entry."""
    Q_NOT_EMPTY = 203
    """The queue, or the queue manager, holds messages (E-282)."""
    Q_UNKNOWN = 204
    """No queue, alias, entry or connection leads there (E-319)."""
    Q_IN_USE = 205
    """The queue is active, or holds messages (E-139)."""
    DUPLICATE = 206
    """The queue holds a message with this UID (E-155)."""
    WRONG_LOCK = 207
    """The message is locked with another lock id."""
    EXPIRED = 208
    """The time of the message is over (E-079)."""
    ALIAS_CYCLE = 209
    """Aliases, or connections over others, lead back (E-311)."""
    # Connections
    AUTHENTICATE = 300
    """The other end has not proved who it is, or refuses our proof (E-484)."""
    CON_UNKNOWN = 301
    """There is no such connection, or none that leads there."""
    CON_ALREADY_EXISTS = 302
    """There is a connection of this name."""
    CON_ALIAS_ALREADY_EXISTS = 303
    """The alias is one already."""
    CON_ADAPTER_REQUIRED = 304
    """There is no such adapter."""
    CON_INVALID_NAME = 305
    """A connection cannot have this name."""
    CHNL_LIMIT = 306
    """The listener has as many connections as it may (E-257)."""
    CHNL_OVERRUN = 307
    """The other end sends more than it may."""
    CHNL_ID = 308
    """The channel is not known, or is another's."""
    CHNL_ATTRIBUTES = 309
    """The connection has not the protection that a queue demands (E-444)."""
    ADAPTER_EXCEPTION = 310
    """The line is gone, or nothing answers."""
    ADAPTER_MISSING_REMOTE_ADDRESS = 311
    """The connection does not say where the other end is."""
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
    """The class does not have this action (E-274)."""
    ADMIN_INVALID_FIELD = 401
    """A property cannot have this value."""
    ADMIN_NOT_ADMIN_MSG = 402
    """The message is no administration message."""
    # Registry
    REGISTRY_WRONG_PIN = 500
    """The PIN does not open the private registry."""
    REGISTRY_NEWER = 501
    """The registry, or the file, is of a newer release."""
    # Bridge
    BRIDGE_NOT_RUNNING = 600
    """A part of the bridge is stopped (E-396)."""
    BRIDGE_MQ_UNAVAILABLE = 601
    """MQ is not reached; it is tried again."""
    BRIDGE_MQ_REFUSED = 602
    """MQ refuses the message; the text has its reason code."""
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
