"""In which form a get gives the properties of a message: property options and PROPCTL (mqi.md 15.1, 15.2).

Properties travel in MQRFH2 headers, and a program that wants all of them gets these as they were put. Message handles
are a matter of the program's own side; a get that asks for them here has none to put the properties into.
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
    """Whether the descriptor announces an MQRFH2."""
    return _announces_properties(message.raw_md)


def in_form(message: Message, queue: LocalQueue, bits: int) -> Message:
    """A message that begins with an MQRFH2 as a get with these MQGMO bits gives it: the same or another one.

    Without a property option PROPCTL of the queue decides. What lies on a transmission queue is given as it is.
    """
    option = bits & _ANY
    if not option and not queue.is_transmission_queue:
        option = _OPTION_OF_PROPCTL.get(queue.definition.text("PROPCTL"), FORCE)
    if option == _NONE or (option == _COMPATIBILITY and not has_jms_properties(message)):
        return without_properties(message)
    return message


def require_no_handle(bits: int) -> None:
    """Raise 2460 for PROPERTIES_IN_HANDLE: there is no message handle."""
    if bits & IN_HANDLE:
        raise MQError(MQRC.HMSG_ERROR, "PROPERTIES_IN_HANDLE without a message handle")
