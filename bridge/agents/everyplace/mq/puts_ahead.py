"""Puts of a client that are sent ahead of their answers: MQPUT with MQPMO_ASYNC_RESPONSE, then MQSTAT.

A queue manager answers no such put (client-observed.md O-063) and counts what has become of them (O-067). A count that
is not ours, or an MQSTAT that is refused, ends it for this connection: its puts wait for their answers from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mqbridge.bridge.agents.everyplace.mq.client_calls import Answered, Make, failure_of, handle_of
from mqbridge.bridge.agents.everyplace.mq.descriptors import descriptor_in
from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqFailure, MqPut, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import OUTAGE
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQOO, MQPMO, MQRC
from mqbridge.protocol.errors import LocalProtocolError, MQBridgeError, ProtocolError
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi_client import (
    Call,
    ClientConnection,
    Connected,
    MessageTooLong,
    ObjectName,
    put_status,
)

PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.FAIL_IF_QUIESCING)
"""Options of every put."""
MOST_OPEN: Final = 16
"""Queues that a connection has open for puts, or as many as one batch has; one that was used long ago is closed for
another."""
LOWEST_LEVEL: Final = 9
"""FAP level from which a queue has a default put response, and MQSTAT is there."""
_AHEAD: Final = PUT | int(MQPMO.ASYNC_RESPONSE)
_OPEN: Final = int(MQOO.OUTPUT | MQOO.BIND_NOT_FIXED | MQOO.FAIL_IF_QUIESCING)
"""As MQPUT1 does: of a queue in a cluster each message may go elsewhere."""
_NOTHING: Final = 0

Ask: TypeAlias = Callable[[Make, Answered], None]
_Then: TypeAlias = Callable[[PutOutcome], None]
_Name: TypeAlias = tuple[str, str]


class PutsAhead:
    """Those of one connection. ``ask``: makes a call as the next one, and gives it back when it is answered."""

    __slots__ = ("_ask", "_ready", "_trusted", "_usable", "_used")

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._ready: Connected | None = None
        self._usable = False
        self._trusted = True
        self._used: dict[_Name, int] = {}

    @property
    def works(self) -> bool:
        """Whether the connection is there, and its queue manager can do it."""
        return self._usable and self._trusted

    def connected(self, ready: Connected, agreed: ClientNegotiated | None) -> None:
        """The connection is there."""
        self._ready = ready
        self._usable = agreed is not None and agreed.fap_level >= LOWEST_LEVEL

    def put(self, puts: Sequence[MqPut], then: _Then) -> None:
        """See `AheadPuts`."""
        names = _names(puts)
        missing = next((name for name in names if name not in self._used), None)
        spare = next((name for name in self._used if name not in names), None)
        if missing is None:
            self._send(puts, then)
        elif spare is not None and len(self._used) >= MOST_OPEN:
            self._close(spare, lambda: self.put(puts, then))
        else:
            self._open(missing, puts, then)

    # Queues

    def _open(self, name: _Name, puts: Sequence[MqPut], then: _Then) -> None:
        def answered(call: Call | MqFailure) -> None:
            found = handle_of(call)
            if isinstance(found, MqFailure):
                then(found)
            else:
                self._used[name] = found
                self.put(puts, then)

        queue, queue_manager = name
        wanted = ObjectName(name=queue, queue_manager=queue_manager)
        self._ask(lambda machine, now: machine.calls.open(wanted, _OPEN, now), answered)

    def _close(self, name: _Name, then: Callable[[], None]) -> None:
        handle = self._used.pop(name)
        self._ask(lambda machine, now: machine.calls.close_object(handle, _NOTHING, now), lambda _: then())

    def _close_all(self, names: list[_Name], then: Callable[[], None]) -> None:
        """Close queues that may have been altered since they were opened."""
        if names:
            self._close(names[0], lambda: self._close_all(names[1:], then))
        else:
            then()

    # Messages

    def _send(self, puts: Sequence[MqPut], then: _Then) -> None:
        unsent: list[MqFailure] = []

        def make(machine: ClientConnection, now: Time) -> Call:
            for each in puts:
                failure = self._put(machine, each, now)
                if failure is not None:
                    unsent.append(failure)
                    break
            return machine.calls.ask_status(now)

        def answered(call: Call | MqFailure) -> None:
            outcome = self._outcome(call, len(puts), unsent)
            if isinstance(outcome, MqFailure) and outcome.reason not in OUTAGE:
                self._close_all(_names(puts), lambda: then(outcome))
            else:
                then(outcome)

        for name in _names(puts):
            self._used[name] = self._used.pop(name)
        self._ask(make, answered)

    def _put(self, machine: ClientConnection, wanted: MqPut, now: Time) -> MqFailure | None:
        """Send a put. Returns why it cannot be sent."""
        assert self._ready is not None, "calls are made on a connection"
        message = wanted.message
        try:
            descriptor = descriptor_in(message, self._ready.order, self._ready.ccsid)
            call = machine.calls.put(self._used[wanted[:2]], descriptor, message.data, _AHEAD, now)
        except MessageTooLong as error:
            return MqFailure(int(error.reason), str(error))
        except (LocalProtocolError, MQBridgeError) as error:
            return MqFailure(int(MQRC.MD_ERROR), str(error))
        return failure_of(call)

    def _outcome(self, call: Call | MqFailure, count: int, unsent: Sequence[MqFailure]) -> PutOutcome:
        """Return what MQSTAT says about puts."""
        failure = failure_of(call)
        if failure is not None or not isinstance(call, Call):
            self._trusted = False
            return failure or MqFailure(int(MQRC.UNEXPECTED_ERROR))
        if unsent:
            return unsent[0]
        try:
            status = put_status(call)
        except ProtocolError as error:
            self._trusted = False
            return MqFailure(int(MQRC.UNEXPECTED_ERROR), str(error))
        if status.failed or status.comp_code >= MQCC.FAILED:
            return MqFailure(status.reason)
        if status.succeeded + status.warned != count:
            self._trusted = False
            text = f"MQSTAT counts {status.succeeded + status.warned} of {count} puts"
            return MqFailure(int(MQRC.UNEXPECTED_ERROR), text)
        return DONE


def _names(puts: Sequence[MqPut]) -> list[_Name]:
    """Return the queues of puts, each once."""
    return list(dict.fromkeys((each.queue, each.queue_manager) for each in puts))
