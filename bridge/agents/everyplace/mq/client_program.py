"""A program at a queue manager elsewhere: a client connection over SVRCONN (E-392, E-393).

It joins the machine of `protocol.mqi_client` to a transport that its host makes: calls are made one after the other, as
soon as the connection is there; when it ends, all that wait fail.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from mqbridge.bridge.agents.everyplace.mq.client_calls import Answered, Make, MqTransport, failure_of, handle_of
from mqbridge.bridge.agents.everyplace.mq.descriptors import descriptor_in
from mqbridge.bridge.agents.everyplace.mq.disposing import Disposing
from mqbridge.bridge.agents.everyplace.mq.local_program import get_options, match_options, open_options
from mqbridge.bridge.agents.everyplace.mq.program import DONE, GetOutcome, GotMq, MqFailure, PutOutcome, Wanted
from mqbridge.bridge.agents.everyplace.mq.puts_ahead import PUT, PutsAhead
from mqbridge.bridge.agents.everyplace.mq.reasons import OUTAGE
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE, MQRC
from mqbridge.protocol.errors import LocalProtocolError, MQBridgeError
from mqbridge.protocol.mqi_client import (
    NO_ID,
    Call,
    ClientConnection,
    ClientParameters,
    Closed,
    Connected,
    Event,
    GetParameters,
    MessageTooLong,
    ObjectName,
    Refused,
)

APPLICATION: Final = "mqbridge everyplace"
DEAD_LETTER_QUEUE: Final = "SYSTEM.DEAD.LETTER.QUEUE"
"""Of a queue manager elsewhere, where the definition names none."""
_STAYS_OPEN: Final = frozenset({int(MQRC.NO_MSG_AVAILABLE), int(MQRC.NO_MSG_UNDER_CURSOR)})


class _Asked(NamedTuple):
    """A call that waits for its turn, or for its answer."""

    make: Make
    then: Answered


class ClientProgram:
    """One program. ``clock``: gives seconds that advance steadily. ``told``: gets why it cannot connect, or blank when
    it has."""

    takes_rows = False

    def __init__(
        self, parameters: ClientParameters, clock: Callable[[], float], told: Callable[[str], None] = lambda _: None
    ) -> None:
        self._parameters = parameters
        self._clock = clock
        self._told = told
        self._transport: MqTransport | None = None
        self._machine: ClientConnection | None = None
        self._ready: Connected | None = None
        self._refusal = 0
        self._ended: MqFailure | None = None
        self._calls: deque[_Asked] = deque()
        self._current: _Asked | None = None
        self._handles: dict[tuple[str, int], int] = {}
        self._puts_ahead = PutsAhead(lambda make, then: self._queue(_Asked(make, then), first=True))
        self._silent = False
        self._sent_away = False

    @property
    def broken(self) -> bool:
        """See `MqProgram`."""
        return self._ended is not None or self._sent_away

    @property
    def ahead(self) -> PutsAhead | None:
        """See `MqProgram`."""
        return self._puts_ahead if self._puts_ahead.works else None

    # The transport

    def connected(self, transport: MqTransport) -> None:
        """The transport is there."""
        if self._ended is not None:
            transport.close()
            return
        self._transport = transport
        self._machine = ClientConnection(self._parameters, self._clock())
        self._flush()

    def receive_data(self, data: bytes) -> None:
        """Take bytes."""
        if self._machine is not None and self._ended is None:
            self._take(self._machine.link.receive_data(data, self._clock()))

    def lost(self, why: str) -> None:
        """The transport is gone, or could not be made."""
        if self._machine is None:
            self.failed(MqFailure(int(MQRC.HOST_NOT_AVAILABLE), why))
        elif self._ended is None:
            self._take(self._machine.link.receive_eof(self._clock(), why))
            self.failed(MqFailure(int(MQRC.CONNECTION_BROKEN), why))

    @property
    def now(self) -> Time:
        """What its clock says."""
        return self._clock()

    def next_timeout(self) -> float | None:
        """When `timeout` is due, by the clock."""
        return None if self._machine is None or self._ended is not None else self._machine.link.next_timeout()

    def timeout(self) -> None:
        """Do what is due."""
        if self._machine is not None and self._ended is None:
            self._take(self._machine.link.timeout(self._clock()))

    # Calls

    def put(self, queue: str, queue_manager: str, message: Message, then: Callable[[PutOutcome], None]) -> None:
        """See `MqProgram`."""

        def make(machine: ClientConnection, now: Time) -> Call:
            assert self._ready is not None, "calls are made on a connection"
            descriptor = descriptor_in(message, self._ready.order, self._ready.ccsid)
            name = ObjectName(name=queue, queue_manager=queue_manager)
            return machine.calls.put1(name, descriptor, message.data, PUT, now)

        self._queue(_plain(make, then))

    def dispose(
        self,
        message: Message,
        reason: int,
        destination: tuple[str, str],
        dead_letter_queue: str,
        then: Callable[[PutOutcome], None],
    ) -> None:
        """See `MqProgram`; the authority is that of the connection."""
        queue, queue_manager = destination
        here = self._parameters.queue_manager
        try:
            disposing = Disposing(
                self.put,
                message,
                reason,
                (queue, queue_manager or here),
                dead_letter_queue or DEAD_LETTER_QUEUE,
                here,
                APPLICATION,
                self._clock(),
            )
        except MQBridgeError as error:
            then(MqFailure(int(MQRC.DLH_ERROR), str(error)))
            return
        disposing.begin(then)

    def get(self, wanted: Wanted, then: Callable[[GetOutcome], None]) -> None:
        """See `MqProgram`."""
        key = wanted.queue, open_options(wanted)
        parameters = GetParameters(
            options=get_options(wanted),
            wait=wanted.wait,
            match_options=match_options(wanted),
            msg_id=wanted.msg_id or NO_ID,
            correl_id=wanted.correl_id or NO_ID,
        )

        def got(call: Call | MqFailure) -> None:
            failure = failure_of(call)
            if failure is not None:
                if failure.reason not in _STAYS_OPEN:
                    self._close(key)
                then(failure)
                return
            assert isinstance(call, Call)
            found = call.message
            if found is None:
                then(MqFailure(int(MQRC.UNEXPECTED_ERROR), "a get without message"))
            else:
                then(GotMq(Message(found.descriptor, found.data, order=found.order, ccsid=found.ccsid)))

        def begin(failure: MqFailure | None) -> None:
            if failure is not None:
                then(failure)
            else:
                handle = self._handles[key]
                self._queue(_Asked(lambda machine, now: machine.calls.get(handle, parameters, now), got), first=True)

        if key in self._handles:
            begin(None)
        else:
            self._open(key, begin)

    def _open(self, key: tuple[str, int], then: Callable[[MqFailure | None], None]) -> None:
        def answered(call: Call | MqFailure) -> None:
            found = handle_of(call)
            if isinstance(found, MqFailure):
                then(found)
            else:
                self._handles[key] = found
                then(None)

        self._queue(_Asked(lambda machine, now: machine.calls.open(ObjectName(name=key[0]), key[1], now), answered))

    def _close(self, key: tuple[str, int]) -> None:
        handle = self._handles.pop(key, None)
        if handle is not None and self._ended is None:
            self._queue(_Asked(lambda machine, now: machine.calls.close_object(handle, 0, now), lambda _: None))

    def stop_waiting(self) -> None:
        """See `MqProgram`."""
        if self._machine is not None and self._current is not None and self._ended is None:
            self._machine.calls.stop_waiting(self._clock())
            self._flush()

    def commit(self, rows: Sequence[Operation], then: Callable[[PutOutcome], None]) -> None:
        """See `MqProgram`."""
        assert not rows, "rows of the store are none of this queue manager's"

        def committed(call: Call | MqFailure) -> None:
            if isinstance(call, Call) and not call.failed and call.reason == MQRC.BACKED_OUT:
                then(MqFailure(int(MQRC.BACKED_OUT)))
            else:
                then(failure_of(call) or DONE)

        self._queue(_Asked(lambda machine, now: machine.calls.commit(now), committed))

    def back_out(self, then: Callable[[PutOutcome], None]) -> None:
        """See `MqProgram`."""
        self._queue(_plain(lambda machine, now: machine.calls.backout(now), then))

    def end(self) -> None:
        """See `MqProgram`."""
        self._silent = True
        machine = self._machine
        if machine is not None and self._ended is None:
            if self._current is None and not self._calls and self._ready is not None:
                machine.calls.disconnect(self._clock())
                self._flush()
            else:
                self._take(machine.link.close(MQMODE.FORCE, self._clock()))
        self.failed(MqFailure(int(MQRC.HCONN_ERROR), "the program has ended"))

    # Parts

    def _queue(self, asked: _Asked, *, first: bool = False) -> None:
        """Make a call in its turn; ``first``: before those that wait, because it goes on with one that was made."""
        if first:
            self._calls.appendleft(asked)
        else:
            self._calls.append(asked)
        self._next()

    def _next(self) -> None:
        """Make the next call, if the connection is there and none is made."""
        while self._calls and self._current is None:
            if self._ended is not None:
                asked, failure = self._calls.popleft(), self._ended
                if not self._silent:
                    asked.then(failure)
                continue
            machine = self._machine
            if machine is None or self._ready is None:
                return
            self._current = asked = self._calls.popleft()
            try:
                call = asked.make(machine, self._clock())
            except MessageTooLong as error:
                self._answer(MqFailure(int(error.reason), str(error)))
                continue
            except (LocalProtocolError, MQBridgeError) as error:
                self._answer(MqFailure(int(MQRC.MD_ERROR), str(error)))
                continue
            self._flush()
            if call.done and self._current is asked:
                self._take(machine.link.receive_data(b"", self._clock()))

    def _answer(self, outcome: Call | MqFailure) -> None:
        asked, self._current = self._current, None
        failure = failure_of(outcome)
        if failure is not None and failure.reason in OUTAGE:
            self._sent_away = True
        if asked is not None and not self._silent:
            asked.then(outcome)

    def _take(self, events: list[Event]) -> None:
        """Take events; that it has ended counts before the calls that failed with it are answered."""
        self._flush()
        for event in events:
            if isinstance(event, Refused):
                self._refusal = event.reason
            elif isinstance(event, Closed) and self._ended is None:
                machine = self._machine
                assert machine is not None, "it has closed"
                reason = self._refusal or machine.ended or MQRC.CONNECTION_BROKEN
                self._ended = MqFailure(int(reason), event.reason)
        for event in events:
            if isinstance(event, Call):
                self._answer(event)
            elif isinstance(event, Connected):
                self._ready = event
                assert self._machine is not None, "it has connected"
                self._puts_ahead.connected(event, self._machine.agreed)
                self._told("")
        if self._ended is not None:
            self._let_go(self._ended)
        self._next()

    def failed(self, failure: MqFailure) -> None:
        """All that waits fails: the transport is gone, could not be made, or must not be used."""
        if self._ended is None:
            self._ended = failure
            self._let_go(failure)
            self._next()

    def _let_go(self, failure: MqFailure) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()
        if self._ready is None and not self._silent:
            self._told(f"reason {failure.reason}: {failure.text}")
        self._answer(failure)

    def _flush(self) -> None:
        machine, transport = self._machine, self._transport
        if machine is None or transport is None:
            return
        while pieces := machine.link.wire.take():
            transport.write(b"".join(pieces))


def _plain(make: Make, then: Callable[[PutOutcome], None]) -> _Asked:
    """Return a call of which only the outcome counts."""
    return _Asked(make, lambda call: then(failure_of(call) or DONE))
