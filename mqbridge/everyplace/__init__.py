"""A queue manager for devices: messages are on disk when a put returns, and reach MQ once when there is a network.

::

    from mqbridge.everyplace import QueueManager

    with QueueManager.open("moon.mqe") as moon:
        moon.put("ORDERS@SATURN", "two apples")

The standard library is all that it needs; names are imported on first use. ``python -m mqbridge.everyplace`` is the
program.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.device.queue_manager import QueueManager, unique_value
    from mqbridge.bridge.everyplace.device.starting import start
    from mqbridge.bridge.everyplace.security.program_keys import PublicKeys
    from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
    from mqbridge.protocol.everyplace.field_types import FieldType
    from mqbridge.protocol.everyplace.fields import Fields
    from mqbridge.protocol.everyplace.jms_fields import JmsKind
    from mqbridge.protocol.everyplace.jms_message import JmsMessage
    from mqbridge.protocol.everyplace.jms_selector import selecting
    from mqbridge.protocol.everyplace.message import Message, Style
    from mqbridge.protocol.everyplace.mq_style import text_message, text_of
    from mqbridge.protocol.everyplace.names import Address
    from mqbridge.protocol.everyplace.uid import MessageUid

__all__ = [
    "Address",
    "Code",
    "EveryplaceError",
    "FieldType",
    "Fields",
    "JmsKind",
    "JmsMessage",
    "Message",
    "MessageUid",
    "NoMatchingMessage",
    "PublicKeys",
    "QueueManager",
    "Style",
    "selecting",
    "start",
    "text_message",
    "text_of",
    "unique_value",
]

_PROTOCOL = "mqbridge.protocol.everyplace"
_HOMES = {
    "Address": f"{_PROTOCOL}.names",
    "Code": f"{_PROTOCOL}.errors",
    "EveryplaceError": f"{_PROTOCOL}.errors",
    "FieldType": f"{_PROTOCOL}.field_types",
    "Fields": f"{_PROTOCOL}.fields",
    "JmsKind": f"{_PROTOCOL}.jms_fields",
    "JmsMessage": f"{_PROTOCOL}.jms_message",
    "Message": f"{_PROTOCOL}.message",
    "MessageUid": f"{_PROTOCOL}.uid",
    "NoMatchingMessage": f"{_PROTOCOL}.errors",
    "PublicKeys": "mqbridge.bridge.everyplace.security.program_keys",
    "QueueManager": "mqbridge.bridge.everyplace.device.queue_manager",
    "Style": f"{_PROTOCOL}.message",
    "selecting": f"{_PROTOCOL}.jms_selector",
    "start": "mqbridge.bridge.everyplace.device.starting",
    "text_message": f"{_PROTOCOL}.mq_style",
    "text_of": f"{_PROTOCOL}.mq_style",
    "unique_value": "mqbridge.bridge.everyplace.device.queue_manager",
}


if not TYPE_CHECKING:  # a type checker would take every name for one that is here

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
