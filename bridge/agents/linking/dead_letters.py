"""Messages that a link or a partner cannot deliver: on the dead-letter queue, with properties that say why."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.linking.outgoing import reason_of
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQTYPE
from mqbridge.protocol.errors import MQBridgeError

CONDITION: Final = "amqp_condition"
DESCRIPTION: Final = "amqp_description"
MAX_DESCRIPTION: Final = 200
"""Most characters of a provider's text that are kept."""


def dispose(
    program: ChannelProgram,
    message: Message,
    destination: tuple[str, str],
    condition: str,
    description: str,
    user: str,
    now: Time,
    *,
    reason: int = 0,
    described_as: str = DESCRIPTION,
) -> MQError | None:
    """Put a message to the dead-letter queue in the unit of work of a session, or what else its report options ask for
    (channels.md 7.2).

    ``destination``: queue and queue manager for the MQDLH. ``reason``: for the MQDLH; 0: by the condition.
    ``described_as``: the property with the description. Returns why that failed, or None.
    """
    marked = _marked(message, condition, description, described_as)
    request = DisposeUndelivered(
        0,
        destination[0][:48],
        destination[1],
        marked.raw_md,
        marked.body,
        marked.order,
        marked.ccsid,
        reason or reason_of(condition),
        use_dead_letter_queue=True,
        fast=False,
        user=user,
    )
    try:
        program.do(request, now)
    except MQError as error:
        return error
    return None


def _marked(message: Message, condition: str, description: str, described_as: str) -> Message:
    """The message with the condition as properties; as it is if its own properties cannot be read."""
    properties = [Property(CONDITION, MQTYPE.STRING, condition)] if condition else []
    if description:
        properties.append(Property(described_as, MQTYPE.STRING, description[:MAX_DESCRIPTION]))
    try:
        return with_properties(message, properties)
    except MQBridgeError:
        return message
