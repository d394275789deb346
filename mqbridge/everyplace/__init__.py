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
    from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
    from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
    from mqbridge.bridge.everyplace.device.adapters.interface import Adapter, AdapterKind, ListeningAdapter, Place
    from mqbridge.bridge.everyplace.device.device_file import Gateway
    from mqbridge.bridge.everyplace.device.queue_manager import QueueManager, unique_value
    from mqbridge.bridge.everyplace.device.starting import start
    from mqbridge.bridge.everyplace.effects import Alarm
    from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
    from mqbridge.bridge.everyplace.rules.plug_ins import Kind, PlugIns
    from mqbridge.bridge.everyplace.rules.queue_manager_rule import QueueManagerRule
    from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
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
    "Adapter",
    "AdapterKind",
    "Address",
    "Alarm",
    "Code",
    "ConnectionDefinition",
    "EveryplaceError",
    "FieldType",
    "Fields",
    "Gateway",
    "JmsKind",
    "JmsMessage",
    "Kind",
    "ListenerDefinition",
    "ListeningAdapter",
    "Message",
    "MessageEvent",
    "MessageUid",
    "NoMatchingMessage",
    "Place",
    "PlugIns",
    "PublicKeys",
    "QueueManager",
    "QueueManagerRule",
    "QueueRule",
    "Style",
    "selecting",
    "start",
    "text_message",
    "text_of",
    "unique_value",
]

_PROTOCOL = "mqbridge.protocol.everyplace"
_BRIDGE = "mqbridge.bridge.everyplace"
_DEVICE = f"{_BRIDGE}.device"
_HOMES = {
    "Adapter": f"{_DEVICE}.adapters.interface",
    "AdapterKind": f"{_DEVICE}.adapters.interface",
    "Address": f"{_PROTOCOL}.names",
    "Alarm": f"{_BRIDGE}.effects",
    "Code": f"{_PROTOCOL}.errors",
    "ConnectionDefinition": f"{_BRIDGE}.definitions.connection_definition",
    "EveryplaceError": f"{_PROTOCOL}.errors",
    "FieldType": f"{_PROTOCOL}.field_types",
    "Fields": f"{_PROTOCOL}.fields",
    "Gateway": f"{_DEVICE}.device_file",
    "JmsKind": f"{_PROTOCOL}.jms_fields",
    "JmsMessage": f"{_PROTOCOL}.jms_message",
    "Kind": f"{_BRIDGE}.rules.plug_ins",
    "ListenerDefinition": f"{_BRIDGE}.definitions.listener_definition",
    "ListeningAdapter": f"{_DEVICE}.adapters.interface",
    "Message": f"{_PROTOCOL}.message",
    "MessageEvent": f"{_BRIDGE}.queues.message_event",
    "MessageUid": f"{_PROTOCOL}.uid",
    "NoMatchingMessage": f"{_PROTOCOL}.errors",
    "Place": f"{_DEVICE}.adapters.interface",
    "PlugIns": f"{_BRIDGE}.rules.plug_ins",
    "PublicKeys": f"{_BRIDGE}.security.program_keys",
    "QueueManager": f"{_DEVICE}.queue_manager",
    "QueueManagerRule": f"{_BRIDGE}.rules.queue_manager_rule",
    "QueueRule": f"{_BRIDGE}.rules.queue_rule",
    "Style": f"{_PROTOCOL}.message",
    "selecting": f"{_PROTOCOL}.jms_selector",
    "start": f"{_DEVICE}.starting",
    "text_message": f"{_PROTOCOL}.mq_style",
    "text_of": f"{_PROTOCOL}.mq_style",
    "unique_value": f"{_DEVICE}.queue_manager",
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
