"""Form of the message properties that a get returns: MQGMO property options and PROPCTL (mqi.md 15.1, 15.2).

Properties are in MQRFH2 headers; a program that asks for all of them gets these headers as they were put. Message
handles exist only in the client, so a get with PROPERTIES_IN_HANDLE is refused here.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.mappings.descriptor import format_test
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import has_jms_properties, without_properties
from mqbridge.protocol.constants import MQFMT, MQGMO, MQRC

FORCE: Final = int(MQGMO.PROPERTIES_FORCE_MQRFH2)
IN_HANDLE: Final = int(MQGMO.PROPERTIES_IN_HANDLE)
_NONE: Final = int(MQGMO.NO_PROPERTIES)
_COMPATIBILITY: Final = int(MQGMO.PROPERTIES_COMPATIBILITY)
_ANY: Final = FORCE | IN_HANDLE | _NONE | _COMPATIBILITY
_announces_properties: Final = format_test(MQFMT.RF_HEADER_2)
_OPTION_OF_PROPCTL: Final = {"COMPAT": _COMPATIBILITY, "NONE": _NONE}


def begins_with_properties(message: Message) -> bool:
    """Whether the Format of the descriptor is MQHRF2."""
    return _announces_properties(message.raw_md)


def in_form(message: Message, queue: LocalQueue, bits: int) -> Message:
    """Return a message that begins with an MQRFH2 in the form that MQGMO bits ask for: unchanged, or without
    properties.

    Without a property option the queue's PROPCTL decides. Messages on a transmission queue are returned unchanged.
    """
    option = bits & _ANY
    if not option and not queue.is_transmission_queue:
        option = _OPTION_OF_PROPCTL.get(queue.definition.text("PROPCTL"), FORCE)
    if option == _NONE or (option == _COMPATIBILITY and not has_jms_properties(message)):
        return without_properties(message)
    return message


def require_no_handle(bits: int) -> None:
    """Raise `MQError` 2460 for PROPERTIES_IN_HANDLE."""
    if bits & IN_HANDLE:
        raise MQError(MQRC.HMSG_ERROR, "PROPERTIES_IN_HANDLE without a message handle")
