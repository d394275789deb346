"""The base transformer: MQ-style messages by the table of E-435, every other one as its dump (E-428 to E-439)."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.mappings.inferred import DUMP_FORMAT, DUMP_MSG_TYPE
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.errors import ConversionError, LocalProtocolError, StructureError
from mqbridge.protocol.everyplace.dump import HEAD, dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE, data_of, is_mq_style
from mqbridge.protocol.everyplace.names import Address

from .descriptor_fields import DescriptorValues, common_values, read_common, read_own, style_values
from .transformer import Outgoing


class BaseTransformer:
    """The transformer that is used where none is named. It has no parameters."""

    def activate(self, parameters: Sequence[str]) -> None:
        """See `Transformer`."""
        if any(parameters):
            raise EveryplaceError(Code.ADMIN_INVALID_FIELD, f"transformer {type(self).__name__} has no parameters")

    def to_mq(self, message: EveryplaceMessage, queue: Address, options: MQPMO, now: float) -> Outgoing:
        """Map an MQ-style message; funnel any other.

        Raises `EveryplaceError` BRIDGE_ID_TOO_LONG for ids of more than 24 bytes, SYNTAX or TOO_LONG for names and
        texts that do not fit, TYPE for a field of a wrong type.
        """
        return Outgoing(style_message(message, now) if is_mq_style(message) else funnelled(message, now), options)

    def from_mq(self, message: Message, target: Address, now: float) -> EveryplaceMessage:
        """Restore a funnelled message; make an MQ-style one of any other. Raises `EveryplaceError` DATA."""
        found = restored(message)
        return style_object(message, now) if found is None else found


def style_message(message: EveryplaceMessage, now: float) -> Message:
    """Return the message for MQ that an MQ-style one is, field by field (E-428)."""
    return build(data_of(message), {**common_values(message, now), **style_values(message)})


def funnelled(message: EveryplaceMessage, now: float) -> Message:
    """Return a message for MQ whose data are the dump of a message, marked twice (E-429, E-431)."""
    values = {**common_values(message, now), "msg_type": DUMP_MSG_TYPE, "format": DUMP_FORMAT}
    return build(dump(message), values)


def restored(message: Message) -> EveryplaceMessage | None:
    """Return the message whose dump a marked one is, with its UID (E-430, E-439); None if it is not marked.

    Raises `EveryplaceError` DATA for a marked one whose data are no dump of a message.
    """
    descriptor = message.md
    by_format = descriptor.format.rstrip() == DUMP_FORMAT
    if not by_format and descriptor.msg_type != DUMP_MSG_TYPE:
        return None
    data = message.data
    # A program may use our MsgType for something of its own; our format nobody uses by chance.
    if not by_format and not data.startswith(HEAD):
        return None
    try:
        found = EveryplaceMessage.of(restore(data))
        found.check()
    except EveryplaceError as error:
        raise EveryplaceError(Code.DATA, f"a message of format {DUMP_FORMAT} is no dump: {error.text}") from None
    return found


def style_object(message: Message, now: float) -> EveryplaceMessage:
    """Return the MQ-style message that a message of MQ is: values that differ from the default, and data (E-430).

    Raises `EveryplaceError` DATA for a descriptor that is none.
    """
    found = EveryplaceMessage(MQ_STYLE)
    try:
        descriptor = message.md
        read_common(found, descriptor, now)
        read_own(found, descriptor)
    except (ConversionError, StructureError) as error:
        raise EveryplaceError(Code.DATA, f"the descriptor cannot be read: {error}") from None
    data = message.data
    if data:
        found.put(DATA, data, FieldType.BYTE_ARRAY)
    return found


def build(data: bytes, values: DescriptorValues) -> Message:
    """Return a message of MQ. Raises `EveryplaceError` TOO_LONG for values that do not fit the descriptor."""
    try:
        return Message.build(data, **values)
    except (ConversionError, LocalProtocolError) as error:
        raise EveryplaceError(Code.TOO_LONG, f"an MQMD cannot have it: {error}") from None
