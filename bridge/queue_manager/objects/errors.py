"""Errors of definitions and their changes, with the ids of MQSC and PCF replies."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError

from .reasons import MQRCCF


class ObjectError(MQBridgeError):
    """A definition is refused.

    `amq`: message id in MQSC. `reason`: MQRC or MQRCCF code of the reply. Each class has defaults of both.
    """

    amq = "AMQ8101"
    reason: int = MQRCCF.COMMAND_FAILED

    def __init__(self, message: str, *, amq: str | None = None, reason: int | None = None) -> None:
        super().__init__(message)
        if amq is not None:
            self.amq = amq
        if reason is not None:
            self.reason = reason


class ValueRefused(ObjectError):
    """A value is of the wrong type, out of range, too long or not one of the words allowed."""

    amq = "AMQ8405"
    reason = MQRCCF.ATTR_VALUE_ERROR


class AttributeUnknown(ObjectError):
    """The kind of object has no such attribute, or it cannot be set (by this verb)."""

    amq = "AMQ8405"
    reason = MQRCCF.PARM_SYNTAX_ERROR


class AttributeMissing(ObjectError):
    """An attribute that must be given was not."""

    amq = "AMQ8405"
    reason = MQRCCF.PARM_MISSING


class NameRefused(ObjectError):
    """An object name is empty, too long or has characters that names do not have (channels.md 16)."""

    amq = "AMQ8405"
    reason = MQRCCF.OBJECT_NAME_ERROR


class ObjectExists(ObjectError):
    """The name is taken, and the definition does not replace."""

    amq = "AMQ8150"
    reason = MQRCCF.OBJECT_ALREADY_EXISTS


class ObjectMissing(ObjectError):
    """No object of this kind has the name."""

    amq = "AMQ8147"
    reason = MQRC.UNKNOWN_OBJECT_NAME


class WrongType(ObjectError):
    """The name belongs to an object of another type in the same name space."""

    amq = "AMQ8151"
    reason = MQRCCF.OBJECT_WRONG_TYPE
