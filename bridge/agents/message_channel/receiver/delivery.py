"""How a receiving end puts what arrives (channels.md 7): in the batch's unit of work, or at once if it is fast."""

from __future__ import annotations

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.message_channel.application import application_of
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.receiver.arriving import ArrivingBody
from mqbridge.bridge.agents.message_channel.receiver.put_authority import PutAuthority
from mqbridge.bridge.queue_manager import PutOptions, UnitOfWork
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.mappings.body import Body, Pieces
from mqbridge.mappings.message import Message
from mqbridge.protocol.channel import MessagePart, MessageReceived
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.text import decode_field

_MAX_NAMES = 1000
"""Destinations whose names are remembered as text."""


class Delivery:
    """The messages of one connection on their way to their queues.

    Fast messages of the same bytes read from the socket become visible together: `publish` when these bytes are
    through, and before anything is answered.
    """

    __slots__ = (
        "_arriving",
        "_authority",
        "_fast",
        "_host",
        "_manager",
        "_names",
        "_options",
        "_use_dead_letters",
        "dlq_used",
        "unit",
    )

    def __init__(self, host: MCAHost, definition: Definition, connection: PartnerConnection) -> None:
        self._host = host
        self._manager = host.manager
        application = application_of(host.manager.name, definition, connection)
        self._options = PutOptions(MQPMO.SET_ALL_CONTEXT, application, direct=True, authority=application.user)
        self._authority = PutAuthority(host.manager, definition, application.user)
        self._use_dead_letters = definition.text("USEDLQ") == "YES"
        self._names: dict[tuple[bytes, bytes, int], tuple[str, str]] = {}
        self._arriving: ArrivingBody | None = None
        self._fast: UnitOfWork | None = None
        self.unit: UnitOfWork | None = None
        """Unit of work of the open batch; None while it holds nothing."""
        self.dlq_used = False
        """A message of the open batch went to the dead-letter queue."""

    @property
    def user(self) -> str:
        """Who the channel runs as."""
        return self._authority.user

    def part(self, event: MessagePart) -> None:
        """Writes part of a long message ahead. Raises `MQError` when the store does not take it; may be repeated."""
        data, arriving = event.message.data, self._arriving
        assert isinstance(data, list)
        if arriving is None:
            writer = self._manager.body_writer(persistent=event.message.persistent)
            arriving = self._arriving = ArrivingBody(writer)
        arriving.take(data)

    def put(self, event: MessageReceived, now: float) -> None:
        """Puts one message, resolved by the names of its MQXQH, all context kept. Raises `MQError`."""
        names = self._destination(event)
        target = self._manager.resolve(*names)
        authority = self._authority
        authority.require(event, target, names)
        if authority.by_context:
            self._options.authority = authority.user_of(event)
        if event.fast:
            unit = self._fast
            if unit is None:
                unit = self._fast = self._manager.begin(self)
        else:
            unit = self.unit or self._batch()
        self._manager.put(target, self._message(event), self._options, unit, now)
        if self._arriving is not None:
            self._arrived()

    def dispose_undelivered(self, event: MessageReceived, reason: int, channel: str, now: float) -> None:
        """Steps 2 to 6 of channels.md 7.2. Raises `MQError` where the batch must be backed out (step 5)."""
        queue, manager_name = self._destination(event)
        self._options.authority = self._authority.user_of(event)
        disposal = self._manager.dispose_undelivered(
            self._message(event),
            queue,
            manager_name,
            reason,
            self._options,
            None if event.fast else self._batch(),
            now,
            use_dead_letter_queue=self._use_dead_letters,
            fast=event.fast,
        )
        self._arrived()
        if disposal.dead_lettered:
            self.dlq_used = True
            self._host.log("AMQ9548", channel, queue, manager_name, reason)

    def publish(self, now: float) -> None:
        """Makes fast messages visible."""
        unit, self._fast = self._fast, None
        if unit is not None:
            self._manager.commit(unit, now)

    def take_unit(self) -> UnitOfWork | None:
        """The batch's unit of work, for its commit; None if the batch holds fast messages alone."""
        unit, self.unit = self.unit, None
        return unit

    def back_out(self, now: float) -> None:
        """The open batch came to nothing; fast messages stay."""
        self.publish(now)
        self._arrived()
        self.dlq_used = False
        unit = self.take_unit()
        if unit is not None:
            self._manager.backout(unit, now)

    def _message(self, event: MessageReceived) -> Message:
        data = event.data
        if isinstance(data, bytes):
            body: Body = data
        elif self._arriving is not None:
            body = self._arriving.finish(data)
        else:
            body = Pieces(data)
        return Message(event.descriptor, body, order="big" if event.big_endian else "little", ccsid=event.ccsid)

    def _arrived(self) -> None:
        """The message that was written ahead has found its place, or will not come."""
        if self._arriving is not None:
            arriving, self._arriving = self._arriving, None
            arriving.give_back()

    def _batch(self) -> UnitOfWork:
        if self.unit is None:
            self.unit = self._manager.begin(self)
        return self.unit

    def _destination(self, event: MessageReceived) -> tuple[str, str]:
        key = (event.remote_q_name, event.remote_q_mgr_name, event.ccsid)
        names = self._names.get(key)
        if names is None:
            if len(self._names) >= _MAX_NAMES:
                self._names.clear()
            names = (decode_field(key[0], event.ccsid), decode_field(key[1], event.ccsid))
            self._names[key] = names
        return names
