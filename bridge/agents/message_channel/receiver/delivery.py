"""Putting received messages (channels.md 7): in the unit of work of the batch, or at once if they are fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.message_channel.application import application_of
from mqbridge.bridge.agents.message_channel.bus_channel import bus_channel
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram, OnStored
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.receiver.incoming_body import IncomingBody
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered, PutReceived
from mqbridge.bridge.queue_manager.calls.outcomes import Disposed, Failed, Outcome, PlacedMany, failed
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.body import Body, BodyPieces
from mqbridge.mappings.descriptor import bounds
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import MessagePart, MessageReceived
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.text import decode_field

_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
_PUT_FOR_USER: Final = _PUT | int(MQPMO.ALTERNATE_USER_AUTHORITY)
_USER, _BEHIND_USER = bounds("user_identifier")
_MAX_NAMES: Final = 1000
"""Number of destinations whose decoded names are cached."""


class ReceivedMessagePuts:
    """The puts of received messages of one connection, with the authority of ``user``.

    Messages of a batch are put in one session; fast messages, which belong to no batch, in another. Fast messages read
    from the socket together become visible together: `publish` is called when all these bytes are processed, and before
    anything is answered.
    """

    __slots__ = (
        "_arriving",
        "_batch",
        "_bus",
        "_by_context",
        "_fast",
        "_fast_open",
        "_host",
        "_names",
        "_singly",
        "_use_dead_letters",
        "dlq_used",
        "holds",
        "user",
    )

    def __init__(self, host: MCAHost, definition: Definition, connection: PartnerConnection) -> None:
        self._host = host
        application = application_of(host.manager.name, definition, connection)
        self._batch = ChannelProgram(host.manager, application)
        self._fast = ChannelProgram(host.manager, application)
        self._by_context = definition.get("PUTAUT") == "CTX"
        self._bus = bus_channel(host, definition.name)
        self._singly = self._by_context or self._bus is not None
        self._use_dead_letters = definition.text("USEDLQ") == "YES"
        self._names: dict[tuple[bytes, bytes, int], tuple[str, str]] = {}
        self._arriving: IncomingBody | None = None
        self._fast_open = False
        self.user = application.user
        """The user that the channel runs as. With PUTAUT(CTX) the user in each message needs authority to put, and this
        one authority to act for others."""
        self.holds = False
        """The open batch has messages in the unit of work, not only fast ones."""
        self.dlq_used = False
        """A message of the open batch went to the dead-letter queue."""

    def part(self, event: MessagePart) -> None:
        """Stage a part of a long message. Raises `MQError` if the store refuses it; may be repeated."""
        pieces, arriving = event.message.pieces, self._arriving
        assert pieces is not None
        if arriving is None:
            writer = self._batch.session.body_writer(persistent=event.message.persistent)
            arriving = self._arriving = IncomingBody(writer)
        arriving.take(pieces)

    def put(self, events: Sequence[MessageReceived], now: Time) -> tuple[int, Failed | None]:
        """Put messages in order, to the names in their MQXQH, with all context. Returns how many were put, and why the
        next one could not be."""
        count = 0
        while count < len(events):
            if self._singly or events[count].pieces is not None:
                failure = self._put_one(events[count], now)
                count += failure is None
            else:
                placed, failure = self._put_many(events, count, now)
                count += placed
            if failure is not None:
                return count, failure
        return count, None

    def _put_many(self, events: Sequence[MessageReceived], start: int, now: Time) -> PlacedMany:
        """Put the messages from ``start`` on that have the same names and form."""
        event, messages = events[start], _same_destination(events, start)
        queue, manager_name = self._destination(event)
        request = PutReceived(0, queue, manager_name, messages, event.order, event.ccsid)
        outcome = self._submit(event, request, now)
        assert isinstance(outcome, PlacedMany)
        return outcome

    def _put_one(self, event: MessageReceived, now: Time) -> Failed | None:
        """Put a message that arrived in pieces, with the authority of the user in it, or from a bus. Returns why it
        could not be put, or None."""
        queue, manager_name = self._destination(event)
        descriptor = event.descriptor
        try:
            body = self._body(event)
            if self._bus is not None:
                arrived = Message(descriptor, body, order=event.order, ccsid=event.ccsid)
                changed = self._bus.received(arrived, queue, manager_name)
                queue, manager_name = changed.remote_q_name, changed.remote_q_mgr_name
                descriptor, body = changed.message.raw_md, changed.message.body
        except MQError as error:
            if self._bus is not None:
                self._bus.report(error)
            return failed(error)
        request = PutOne(
            0,
            queue,
            manager_name,
            descriptor,
            body,
            _PUT_FOR_USER if self._by_context else _PUT,
            event.order,
            event.ccsid,
            alternate_user=self._user_of(event) if self._by_context else "",
        )
        outcome = self._submit(event, request, now)
        if type(outcome) is Failed:
            return outcome
        self._arrived()
        return None

    def _submit(self, event: MessageReceived, request: PutReceived | PutOne, now: Time) -> Outcome | None:
        if event.fast:
            self._fast_open = True
            return self._fast.session.submit(request, now)
        self.holds = True
        return self._batch.session.submit(request, now)

    def dispose_undelivered(self, event: MessageReceived, reason: int, channel: str, now: Time) -> None:
        """Steps 2 to 6 of channels.md 7.2. Raises `MQError` if the batch must be backed out (step 5)."""
        queue, manager_name = self._destination(event)
        if not event.fast:
            self.holds = True
        request = DisposeUndelivered(
            0,
            queue,
            manager_name,
            event.descriptor,
            self._body(event),
            event.order,
            event.ccsid,
            reason,
            self._use_dead_letters,
            event.fast,
            self._user_of(event) if self._by_context else self.user,
        )
        outcome = self._batch.do(request, now)
        self._arrived()
        assert isinstance(outcome, Disposed)
        if outcome.disposal.dead_lettered:
            self.dlq_used = True
            self._host.log("AMQ9548", channel, queue, manager_name, reason)

    def publish(self, now: Time) -> None:
        """Make fast messages visible."""
        if self._fast_open:
            self._fast_open = False
            self._fast.session.submit(Commit(0), now)

    def commit(self, rows: tuple[Operation, ...], then: OnStored, now: Time) -> None:
        """Commit the open batch, with rows of the channel."""
        self.holds = False
        self._batch.commit(Commit(self._batch.next_tag(), rows), then, now)

    def write(self, rows: tuple[Operation, ...], then: OnStored, now: Time) -> None:
        """Write rows of the channel, independent of the open batch. Fast messages must have been published."""
        self._fast.commit(Commit(self._fast.next_tag(), rows), then, now)

    def back_out(self, now: Time) -> None:
        """Back out the open batch; fast messages stay."""
        self.publish(now)
        self._arrived()
        self.dlq_used = self.holds = False
        self._batch.session.submit(Backout(0), now)

    def _body(self, event: MessageReceived) -> Body:
        data = event.data
        if isinstance(data, bytes):
            return data
        return self._arriving.finish(data) if self._arriving is not None else BodyPieces(data)

    def _user_of(self, event: MessageReceived) -> str:
        """The user identifier in a message."""
        return decode_field(event.descriptor[_USER:_BEHIND_USER], event.ccsid) or EVERYBODY_ELSE

    def _arrived(self) -> None:
        """The staged message has been put or discarded."""
        if self._arriving is not None:
            arriving, self._arriving = self._arriving, None
            arriving.give_back()

    def _destination(self, event: MessageReceived) -> tuple[str, str]:
        key = (event.remote_q_name, event.remote_q_mgr_name, event.ccsid)
        names = self._names.get(key)
        if names is None:
            if len(self._names) >= _MAX_NAMES:
                self._names.clear()
            names = (decode_field(key[0], event.ccsid), decode_field(key[1], event.ccsid))
            self._names[key] = names
        return names


def _same_destination(events: Sequence[MessageReceived], start: int) -> list[bytes]:
    """Descriptor and data of the messages from ``start`` on that arrived in one piece and have the same names and
    form."""
    first = events[start]
    name, manager_name = first.remote_q_name, first.remote_q_mgr_name
    order, ccsid, fast = first.order, first.ccsid, first.fast
    found = []
    for index in range(start, len(events)):
        event = events[index]
        if (
            event.pieces is not None
            or event.remote_q_name != name
            or event.remote_q_mgr_name != manager_name
            or event.fast is not fast
            or event.ccsid != ccsid
            or event.order is not order
        ):
            break
        found.append(event.content)
    return found
