"""The rules of a service integration bus on one of its channels (jms-mapping.md 8)."""

from __future__ import annotations

from collections.abc import Mapping

from mqbridge.bridge.agents.message_channel.definitions import SENDING
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.objects import Objects
from mqbridge.mappings.body import joined, read_slice
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import TransmittedMessage, merge_extension, split_extension, unwrap
from mqbridge.mappings.service_integration import BusError, ChannelRules
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.constants.lengths import XQH_LENGTH
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.text import encode_field

_NAMES_AT, _NAMES_END = 8, 104
"""RemoteQName and RemoteQMgrName in MQXQH."""


class BusChannel:
    """Changes messages as the bus of a channel says."""

    __slots__ = ("_channel", "_host", "_rules")

    def __init__(self, host: MCAHost, channel: str, rules: ChannelRules) -> None:
        self._host = host
        self._channel = channel
        self._rules = rules

    def received(self, message: Message, queue: str, queue_manager: str) -> TransmittedMessage:
        """Return a received message and the queue to which it is put. Raises `MQError`."""
        try:
            return self._rules.received(TransmittedMessage(merge_extension(message), queue, queue_manager))
        except MQBridgeError as error:
            raise _failed(error) from error

    def sent(self, message: Message) -> Message:
        """Return a message of a transmission queue as it is sent. Raises `MQError`."""
        try:
            leaving = unwrap(message)
        except MQBridgeError as error:
            raise MQError(MQRC.XQH_ERROR, str(error)) from error
        try:
            changed = self._rules.sent(leaving)
            ccsid = message.md.coded_char_set_id
            names = b"".join(
                encode_field(name, 48, ccsid) for name in (changed.remote_q_name, changed.remote_q_mgr_name)
            )
        except MQBridgeError as error:
            raise _failed(error) from error
        front = read_slice(message.body, 0, XQH_LENGTH)
        if changed.message is leaving.message and names == front[_NAMES_AT:_NAMES_END]:
            return message
        inner = split_extension(changed.message)
        return message.copy(joined(front[:_NAMES_AT] + names + inner.raw_md, inner.body))

    def report(self, error: MQError) -> None:
        """Log why a message cannot pass."""
        self._host.log("AMQ5110", self._channel, str(error))


def _failed(error: MQBridgeError) -> MQError:
    return MQError(error.reason if isinstance(error, BusError) else MQRC.FORMAT_ERROR, str(error))


def bus_channel(host: MCAHost, channel: str) -> BusChannel | None:
    """Return the rules of a channel; None for one that belongs to no bus."""
    rules = host.buses.get(channel)
    return None if rules is None else BusChannel(host, channel, rules)


def explain_bus(
    buses: Mapping[str, ChannelRules], objects: Objects, transmission_queue: str, queue: str, queue_manager: str
) -> tuple[str, str] | None:
    """Return the bus of the channel that sends a message from a transmission queue, and what becomes of the names.

    ``queue``, ``queue_manager``: those in the MQXQH. The text says what is missing if the message cannot leave. None if
    no channel of a bus sends from the transmission queue.
    """
    for name, rules in buses.items():
        channel = objects.channel(name)
        if channel is None or channel.subtype not in SENDING or channel.text("XMITQ") != transmission_queue:
            continue
        try:
            return rules.bus.name, str(rules.explain(queue, queue_manager))
        except BusError as error:
            return rules.bus.name, str(error)
    return None
