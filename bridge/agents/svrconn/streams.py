"""Messages that stream to a client as it asks for them (client-observed.md 5)."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.agents.gateway.unsent import MAX_UNSENT, UNCOUNTED
from mqbridge.bridge.agents.svrconn.descriptors import ORDER, as_version, for_client, status_of
from mqbridge.bridge.agents.svrconn.waits import ProgramWait, check_wait
from mqbridge.bridge.queue_manager import GetOptions, Got, MQError, SearchGoesOn, Waiter
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQRC, NotificationCode, RequestFlags
from mqbridge.protocol.inferred import GETS_ALLOWED_VALUE, REQUESTS_OF_GETS, TOO_LONG_IS_ASKED_FOR_AGAIN
from mqbridge.protocol.mqi import Delivery

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn

_WAITS: Final = int(MQGMO.WAIT)
_SYNCPOINT: Final = int(MQGMO.SYNCPOINT)
_SYNCPOINTS: Final = int(MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT)
_SINGLE: Final = int(RequestFlags.SINGLE)
_CALLED: Final = int(REQUESTS_OF_GETS)
_GETS_ALLOWED: Final = int(MQRC.GET_ENABLED)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)
_UNLOCKS: Final = int(MQGMO.UNLOCK)
_BROWSES: Final = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT)


class Stream(ProgramWait):
    """The messages of one handle."""

    __slots__ = (
        "_from_first", "_inhibited", "_requests", "_sent", "_waiter", "delivery", "paused", "program", "stalled",
    )  # fmt: skip

    def __init__(self, program: Hconn, delivery: Delivery) -> None:
        super().__init__()
        self.program = program
        self.delivery = delivery
        self.stalled = False
        """More may go when the transport has taken what waits."""
        self.paused = False
        """What was sent last is part of the unit of work: what is sent ahead of its end would be committed with it."""
        self._waiter: Waiter | None = None
        self._sent: deque[tuple[int, Got]] = deque()
        self._from_first = True
        self._inhibited = False  # the client knows, and waits for the news that gets are allowed
        self._requests = 0

    @property
    def called(self) -> bool:
        """Whether the client's last request was made by a get."""
        return self.delivery.flags & _CALLED != 0

    def wanted(self, now: float) -> None:
        """The client asks, or asks again."""
        self.forget_wait()
        if self._requests != self.delivery.requests:  # else its listeners have started
            self._requests, self.paused = self.delivery.requests, False
        self._from_first = not self.delivery.message_index or not self.delivery.read_ahead
        self.confirm(now)
        self.fill(now)

    def fill(self, now: float) -> None:
        """Sends messages while they are wanted, and waits for more where there are none."""
        self.stalled = False
        connection, machine, delivery = self.program.connection, self.program.end.machine, self.delivery
        unsent = self.program.end.channel_manager.unsent
        if connection is None or self._waiter is not None:
            return
        try:
            check_wait(delivery.options, delivery.wait_interval)
            while delivery.ready and not self.paused:
                waiting = machine.link.wire.unsent
                if waiting > UNCOUNTED and (waiting >= MAX_UNSENT or not unsent.allows(machine.link.wire.buffered)):
                    self.stalled = self.program.end.stalled = True
                    break
                options = self._options()
                if options.options & _UNLOCKS:
                    options.options |= delivery.options & _WAITS
                    self._tell(connection.unlock(delivery.handle, options, now))
                    machine.deliveries.no_message(delivery)
                    break
                got = connection.get(delivery.handle, options, now, held=True)
                self.search.end()
                if self._inhibited:
                    self._allowed()
                if got is None:
                    machine.deliveries.no_message(delivery)
                    if delivery.ready:
                        self._waiter = connection.wait(delivery.handle, options, None, self, now)
                    break
                self._deliver(got, now)
            if self.paused:
                machine.deliveries.no_message(delivery)
        except SearchGoesOn:
            self.program.end.searches.add(self, self.program, now)
        except MQError as error:
            self.search.end()
            self._failed(error)
        self.program.end.answered()

    def search_on(self, now: float) -> None:
        """It is our turn again, if the client has not lost patience."""
        self.fill(now)

    def search_ended(self, reason: int) -> None:
        """The client does not want it any more."""
        self._failed(MQError(reason))
        self.program.end.answered()

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """A message came, or the wait ended otherwise."""
        connection, delivery = self.program.connection, self.delivery
        if connection is None or waiter is not self._waiter:
            return
        if reason == _GETS_ALLOWED:
            self.forget_wait()
            self._allowed()
            self.fill(now)
            return
        if not delivery.ready:
            self.forget_wait()
            return
        try:
            got = connection.awakened(waiter, reason, now, held=True)
            self.search.end()
            if got is None:
                return
            self._waiter = None
            self._deliver(got, now)
        except SearchGoesOn:
            self._waiter = None
            self.program.end.searches.add(self, self.program, now)
            return
        except MQError as error:
            self.search.end()
            self._waiter = None
            self._failed(error)
            self.program.end.answered()
            return
        self.fill(now)

    def forget_wait(self) -> None:
        """Waits no longer."""
        self.program.end.searches.drop(self)
        waiter, self._waiter = self._waiter, None
        if waiter is not None and self.program.connection is not None:
            self.program.connection.cancel_wait(waiter)

    def closed(self, unreceived: list[Got], now: float) -> None:
        """The handle is being closed: what was not received goes back, the rest has arrived."""
        self.forget_wait()
        connection = self.program.connection
        if connection is None:
            return
        back = {id(got) for got in unreceived}
        connection.arrived([got for _, got in self._sent if id(got) not in back], now)
        self._sent.clear()
        if unreceived:
            self.program.on_their_way.let_go(unreceived)
            connection.put_back(unreceived, now)

    def _options(self) -> GetOptions:
        delivery, selection = self.delivery, self.delivery.selection
        bits = delivery.options & ~_WAITS
        if bits & _BROWSES == _BROWSES:
            # IBM's client asks so for the first message; where it reads ahead, for those behind it too.
            bits &= ~int(MQGMO.BROWSE_NEXT if self._from_first else MQGMO.BROWSE_FIRST)
        return GetOptions(
            bits,
            selection.match_options,
            selection.msg_id,
            selection.correl_id,
            selection.group_id,
            selection.msg_seq_number,
            selection.offset,
            selection.msg_token,
            max_length=delivery.max_length,
            application=self.program.application,
            md_version=selection.md_version,
            encoding=selection.encoding,
            ccsid=selection.ccsid,
            asks_again=TOO_LONG_IS_ASKED_FOR_AGAIN,
            in_turns=self.program.end.manager.turns,
            search=self.search,
        )

    def _deliver(self, got: Got, now: float) -> None:
        machine, delivery = self.program.end.machine, self.delivery
        raw, message = for_client(got.message, delivery.selection.md_version, machine.parameters.ccsid)
        browsed = bool(delivery.options & BROWSE_OPTIONS)
        taken = not browsed and got.reason != _TRUNCATED_FAILED
        single = taken and delivery.flags & _SINGLE
        read = partial(self.program.has, got) if single else _nothing
        try:
            data = self.program.on_their_way.data(message.body, got, stays=taken, read=read)
        except MQError:
            if taken and self.program.connection is not None:
                self.program.connection.put_back([got], now)
            raise
        self._from_first = False
        machine.deliveries.send(
            delivery,
            raw,
            data,
            full_length=got.length,
            reason=got.reason,
            token=got.token,
            queue=got.queue.name.encode("ascii", "replace"),
            status=status_of(got),
            reference=got if taken else None,
        )
        if not taken:
            return
        self.paused = delivery.requested > 1 and self._in_unit(got)
        if not single:
            self._sent.append((delivery.last_sent, got))

    def _in_unit(self, got: Got) -> bool:
        """Whether a message that is one of several was got under syncpoint."""
        bits = self.delivery.options
        if self.delivery.flags & _SINGLE or not bits & _SYNCPOINTS:
            return False
        return bool(bits & _SYNCPOINT or got.message.md.persistence)

    def confirm(self, now: float) -> None:
        """What the client says that it has received is gone for good."""
        sent, confirmed, arrived = self._sent, self.delivery.confirmed, []
        while sent and sent[0][0] <= confirmed:
            arrived.append(sent.popleft()[1])
        if arrived and self.program.connection is not None:
            self.program.connection.arrived(arrived, now)

    def _failed(self, error: MQError) -> None:
        """A get failed: the client is told as far as the protocol lets us."""
        machine, delivery = self.program.end.machine, self.delivery
        if error.reason == MQRC.GET_INHIBITED:
            called = self.called
            if called or not self._inhibited:
                # Without the reason as its value the thread of IBM's client that calls listeners dies of it.
                machine.deliveries.notify(delivery, NotificationCode.GET_INHIBITED, int(error.reason))
            if not called and self.program.connection is not None:
                self._inhibited = True
                self._waiter = self.program.connection.wait_for_gets(delivery.handle, self._options(), self)
        elif error.reason in (MQRC.Q_MGR_QUIESCING, MQRC.CONNECTION_QUIESCING):
            machine.deliveries.notify(delivery, NotificationCode.QM_QUIESCING, int(error.reason))
        elif delivery.ready:
            self._tell(error.reason)
        machine.deliveries.no_message(delivery)

    def _allowed(self) -> None:
        """Who counts on messages is told that they come again; also one whose delivery is stopped just now."""
        self._inhibited = False
        self.program.end.machine.deliveries.notify(self.delivery, NotificationCode.GET_ALLOWED, GETS_ALLOWED_VALUE)

    def _tell(self, reason: int) -> None:
        """A reason code with no message (O-089). An unlock that went well has none, and is told the same way: without
        anything the client would say that there is no message."""
        machine, delivery = self.program.end.machine, self.delivery
        empty = Message.build(ccsid=machine.parameters.ccsid)
        descriptor = as_version(empty.raw_md, delivery.selection.md_version, ORDER)
        machine.deliveries.send(delivery, descriptor, b"", reason=reason)


def _nothing() -> None:
    """It is not known yet that the client has the message."""


class Streams:
    """All streams of a program, by handle."""

    __slots__ = ("_program", "_streams")

    def __init__(self, program: Hconn) -> None:
        self._program = program
        self._streams: dict[int, Stream] = {}

    def wants(self, delivery: Delivery, now: float) -> None:
        """The client asks for messages of a handle."""
        stream = self._streams.get(delivery.handle)
        if stream is None or stream.delivery is not delivery:
            stream = self._streams[delivery.handle] = Stream(self._program, delivery)
        stream.wanted(now)

    def refuse(self, delivery: Delivery, reason: int) -> None:
        """The client asks for messages that it does not get any more."""
        Stream(self._program, delivery).search_ended(reason)

    def go_on(self, now: float) -> None:
        """The transport takes more."""
        for stream in list(self._streams.values()):
            if stream.stalled:
                stream.fill(now)

    def unit_ended(self, now: float) -> None:
        """The unit of work of the program has ended."""
        for stream in list(self._streams.values()):
            if stream.paused:
                stream.paused = False
                stream.fill(now)

    def closed(self, handle: int, unreceived: list[Got], now: float) -> None:
        """A handle is being closed."""
        stream = self._streams.pop(handle, None)
        if stream is not None:
            stream.closed(unreceived, now)

    def drop(self, now: float) -> None:
        """The program is gone: what it had said to have received has arrived."""
        for stream in self._streams.values():
            stream.forget_wait()
            stream.confirm(now)
        self._streams.clear()
