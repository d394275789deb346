"""How a receiving end puts what arrives (channels.md 7): in the batch's unit of work, or at once if it is fast."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.message_channel.application import application_of
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.program import ChannelProgram, Told
from mqbridge.bridge.agents.message_channel.receiver.arriving import ArrivingBody
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import Undeliverable
from mqbridge.bridge.queue_manager.calls.outcomes import Disposed, Failed
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.body import Body, Pieces
from mqbridge.mappings.descriptor import place
from mqbridge.protocol.channel import MessagePart, MessageReceived
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.text import decode_field

_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
_PUT_FOR_USER: Final = _PUT | int(MQPMO.ALTERNATE_USER_AUTHORITY)
_USER: Final = place("user_identifier")
_MAX_NAMES: Final = 1000
"""Destinations whose names are remembered as text."""


class Delivery:
    """The messages of one connection on their way to their queues, with the authority of ``user``.

    Those of a batch are put in one session, fast ones, which are part of no batch, in another. Fast messages of the
    same bytes read from the socket become visible together: `publish` when these bytes are through, and before anything
    is answered.
    """

    __slots__ = (
        "_arriving",
        "_batch",
        "_by_context",
        "_fast",
        "_fast_open",
        "_host",
        "_names",
        "_options",
        "_put",
        "_put_fast",
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
        self._put = self._batch.session.submit
        self._put_fast = self._fast.session.submit
        self._by_context = definition.get("PUTAUT") == "CTX"
        self._options = _PUT_FOR_USER if self._by_context else _PUT
        self._use_dead_letters = definition.text("USEDLQ") == "YES"
        self._names: dict[tuple[bytes, bytes, int], tuple[str, str]] = {}
        self._arriving: ArrivingBody | None = None
        self._fast_open = False
        self.user = application.user
        """Who the channel runs as. With PUTAUT(CTX) the user in each message must be allowed to put, and this one to
        stand in for it."""
        self.holds = False
        """The open batch holds messages; else it has had fast ones alone."""
        self.dlq_used = False
        """A message of the open batch went to the dead-letter queue."""

    def part(self, event: MessagePart) -> None:
        """Writes part of a long message ahead. Raises `MQError` when the store does not take it; may be repeated."""
        data, arriving = event.message.data, self._arriving
        assert isinstance(data, list)
        if arriving is None:
            writer = self._batch.session.body_writer(persistent=event.message.persistent)
            arriving = self._arriving = ArrivingBody(writer)
        arriving.take(data)

    def put(self, event: MessageReceived, now: float) -> Failed | None:
        """Puts one message, resolved by the names of its MQXQH, all context kept; why it cannot be put, or None."""
        ccsid = event.ccsid
        names = self._names.get((event.remote_q_name, event.remote_q_mgr_name, ccsid)) or self._destination(event)
        data = event.data
        if type(data) is bytes:
            body: Body = data
        else:
            try:
                body = self._body(event)
            except MQError as error:
                return Failed(int(error.completion), int(error.reason), error.detail)
        request = PutOne(
            0,
            names[0],
            names[1],
            event.descriptor,
            body,
            self._options,
            "big" if event.big_endian else "little",
            ccsid,
            0,
            0,
            self._user_of(event) if self._by_context else "",
        )
        if event.fast:
            self._fast_open = True
            outcome = self._put_fast(request, now)
        else:
            self.holds = True
            outcome = self._put(request, now)
        if type(outcome) is Failed:
            return outcome
        if self._arriving is not None:
            self._arrived()
        return None

    def dispose_undelivered(self, event: MessageReceived, reason: int, channel: str, now: float) -> None:
        """Steps 2 to 6 of channels.md 7.2. Raises `MQError` where the batch must be backed out (step 5)."""
        queue, manager_name = self._destination(event)
        if not event.fast:
            self.holds = True
        request = Undeliverable(
            0,
            queue,
            manager_name,
            event.descriptor,
            self._body(event),
            "big" if event.big_endian else "little",
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

    def publish(self, now: float) -> None:
        """Makes fast messages visible."""
        if self._fast_open:
            self._fast_open = False
            self._fast.session.submit(Commit(0), now)

    def commit(self, rows: tuple[Operation, ...], then: Told, now: float) -> None:
        """Commits the open batch, with rows of the channel's own."""
        self.holds = False
        self._batch.commit(Commit(self._batch.next_tag(), rows), then, now)

    def write(self, rows: tuple[Operation, ...], then: Told, now: float) -> None:
        """Makes rows of the channel's own durable, whatever becomes of the open batch. Fast messages were published."""
        self._fast.commit(Commit(self._fast.next_tag(), rows), then, now)

    def back_out(self, now: float) -> None:
        """The open batch came to nothing; fast messages stay."""
        self.publish(now)
        self._arrived()
        self.dlq_used = self.holds = False
        self._batch.session.submit(Backout(0), now)

    def _body(self, event: MessageReceived) -> Body:
        data = event.data
        if isinstance(data, bytes):
            return data
        return self._arriving.finish(data) if self._arriving is not None else Pieces(data)

    def _user_of(self, event: MessageReceived) -> str:
        """The user in a message."""
        return decode_field(event.descriptor[_USER], event.ccsid) or EVERYBODY_ELSE

    def _arrived(self) -> None:
        """The message that was written ahead has found its place, or will not come."""
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
