"""Messages of a queue made ready for the provider: mapped, addressed, and with ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.agents.linking.addressing import Addressing
from mqbridge.bridge.agents.linking.context import LinkContext
from mqbridge.bridge.agents.linking.in_doubt import InDoubtMessages, check_of
from mqbridge.bridge.agents.linking.message_ids import DUPLICATE_ID
from mqbridge.bridge.agents.linking.outgoing import NOT_MAPPED, Fate, OutgoingBatch, OutgoingMessage
from mqbridge.bridge.agents.linking.requesters import Requester
from mqbridge.bridge.agents.linking.settings import Duplicates
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager.calls.agent_requests import HoldMessages
from mqbridge.bridge.queue_manager.calls.outcomes import RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Settle
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQPER, ByteOrder
from mqbridge.protocol.errors import MQBridgeError

_PERSISTENCE: Final = {order: reader(order, "persistence") for order in ByteOrder}
_PERSISTENT: Final = (int(MQPER.PERSISTENT),)
_POSITION: Final = slice(8, 16)
"""Bytes of a token with the position of its message."""


class BatchMaker:
    """Makes batches of the messages of one queue."""

    __slots__ = ("_addressing", "_context", "_queue")

    def __init__(self, context: LinkContext, queue: str, addressing: Addressing) -> None:
        self._context = context
        self._queue = queue
        self._addressing = addressing

    def batch(self, got: RetrievedMany, now: Time) -> tuple[OutgoingBatch, list[Operation]]:
        """Make a batch of messages that were got. Returns it with the rows that must be on disk before it is sent."""
        rows: list[Operation] = []
        messages = []
        for message, token in zip(got.messages, got.tokens, strict=True):
            made, operations = self._outgoing(message, token, now)
            messages.append(made)
            rows += operations
        record = self._identify(messages)
        if record is not None:
            rows.append(record.put(self._context.settings.name, self._queue))
        return OutgoingBatch(messages, record), rows

    def held(
        self, record: InDoubtMessages, program: ChannelProgram, now: Time
    ) -> tuple[OutgoingBatch, list[Operation]] | None:
        """Hold the messages of a batch in doubt in a session, and make the batch again with the same ids. Returns it
        with rows to be written; they need not be on disk before it is sent.

        What is at its positions now and is not the same goes back. Returns None if messages cannot be read, which then
        stay hidden.
        """
        outcome = program.session.submit(HoldMessages(0, self._queue, record.positions, read=True), now)
        if not isinstance(outcome, RetrievedMany):
            return None
        expected = dict(zip(record.positions, zip(record.checks, record.ids(), strict=True), strict=True))
        rows: list[Operation] = []
        messages, others = [], []
        for message, token in zip(outcome.messages, outcome.tokens, strict=True):
            position = int.from_bytes(token[_POSITION], "big")
            check, identifier = expected[position]
            if check_of(message) != check:
                others.append(token)
                continue
            made, operations = self._outgoing(message, token, now, record.requesters.get(position))
            rows += operations
            _set_id(made, identifier)
            made.attempts = 1
            messages.append(made)
        if others:
            program.session.submit(Settle(0, back=tuple(others)), now)
        return OutgoingBatch(messages, record), rows

    def _outgoing(
        self, message: Message, token: bytes, now: Time, requester: Requester | None = None
    ) -> tuple[OutgoingMessage, Sequence[Operation]]:
        """Map a message and address it. Returns it with the rows that must be on disk before it is sent."""
        persistent = _PERSISTENCE[message.order](message.raw_md) == _PERSISTENT
        try:
            mapped = self._context.mapping.to_provider(message, self._addressing.address, now)
            addressed = self._addressing.address_message(message, mapped, now, requester)
        except MQBridgeError as error:
            made = OutgoingMessage(message, token, None, persistent=persistent)
            made.refuse(NOT_MAPPED, str(error))
            return made, ()
        made = OutgoingMessage(message, token, addressed.message, persistent=persistent)
        made.requester = addressed.requester
        if addressed.refusal is not None:
            made.refuse(*addressed.refusal)
        return made, addressed.rows

    def _identify(self, messages: Sequence[OutgoingMessage]) -> InDoubtMessages | None:
        """Give an id to each persistent message that is to be sent, and return the record; None without ids."""
        ids = self._context.ids
        doubtful = [each for each in messages if each.persistent and each.fate is Fate.UNDER_WAY]
        if not doubtful or self._context.settings.duplicates is Duplicates.NONE:
            return None
        positions = [int.from_bytes(each.token[_POSITION], "big") for each in doubtful]
        record = InDoubtMessages(
            ids.mark,
            ids.take(len(doubtful)),
            tuple(positions),
            tuple([check_of(each.message) for each in doubtful]),
            {at: each.requester for at, each in zip(positions, doubtful, strict=True) if each.requester is not None},
        )
        for each, identifier in zip(doubtful, record.ids(), strict=True):
            _set_id(each, identifier)
        return record


def _set_id(message: OutgoingMessage, identifier: str) -> None:
    """Set the application property by which the provider knows the message."""
    if message.amqp is not None:
        properties = {**message.amqp.application_properties, DUPLICATE_ID: identifier}
        message.amqp = message.amqp._replace(application_properties=properties)
