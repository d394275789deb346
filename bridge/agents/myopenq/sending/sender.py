"""The sender of a remote queue: each message arrives at the other manager once, in order (M-102).

It connects when there is something to send, and keeps the connection (M-005). Whatever is no SUCCESS leaves the message
where it is: it goes out again after a while with the same bytes. A refusal that does not pass by itself stops the
sender (M-103).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierState, CarrierStatus
from mqbridge.bridge.queue_manager import MQError
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.myopenq import Answer, Code, MoqError

from .connection import ManagerConnection
from .context import SendingContext
from .definition import RemoteQueue
from .outgoing import OutgoingMessages
from .stamps_on_disk import Stamped

PERMANENT: Final = frozenset({Code.UNKNOWN_QUEUE, Code.TOO_LONG, Code.NOT_PERMITTED})
"""Refusals that stop a sender (M-103)."""
NOT_STORED: Final = frozenset({Code.UNKNOWN_QUEUE, Code.TOO_LONG, Code.QUEUE_FULL})
"""Refusals by a manager that has looked for the digest and does not know it (M-053 before M-054). Others may come
before that, so what they refuse may have been stored when it came first."""


class Sender:
    """A `Carrier`. ``stamped``: what of its messages is on disk, which it holds at once, before any program can get it.

    ``sent``: messages that have arrived since the start. ``problem``: why it sends nothing; blank while it works.
    """

    kind = "sender"

    __slots__ = (
        "_again", "_back_off", "_connection", "_gone", "_host", "_in_turn", "_messages", "_queue", "_refused",
        "_retry_at", "_since", "_state", "problem", "sent",
    )  # fmt: skip

    def __init__(self, context: SendingContext, queue: RemoteQueue, stamped: list[Stamped]) -> None:
        self._host = host = context.host
        self._queue = queue
        self._messages = OutgoingMessages(context, queue, self.wake, self._stored)
        self._back_off = context.back_off()
        self._connection = ManagerConnection(host, queue, self)
        self._in_turn = self._again = False
        self._refused = False
        """Whether the store has refused the last commit."""
        self._retry_at: float | None = None
        self._gone = False
        self._state = CarrierState.STOPPED
        self._since = host.now
        self.sent = 0
        self.problem = ""
        if stamped:
            try:
                self._messages.hold(stamped, host.now)
            except MQError as error:
                host.log("AMQ5154", queue.name, str(error))

    # What the registry calls

    @property
    def name(self) -> str:
        """The queue."""
        return self._queue.name

    @property
    def quiet(self) -> bool:
        """See `Carrier.quiet`."""
        return self._state is CarrierState.STOPPED and not self._messages.committing

    def status(self, _now: Time) -> CarrierStatus:
        """See `Carrier.status`."""
        return CarrierStatus(
            name=self.name,
            kind=self.kind,
            state=self._state,
            source=self.name,
            target=self._queue.target,
            carried=self.sent,
            since=self._since,
            detail=self.problem,
        )

    def start(self, now: Time) -> None:
        """See `Carrier.start`."""
        if self._gone or self._state not in (CarrierState.STOPPED, CarrierState.STOPPING):
            return
        self._messages.go_on()
        self.problem = ""
        self._back_off.reset()
        self._become(CarrierState.RUNNING, now)
        self._turn(now)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """See `Carrier.stop`. What is in doubt stays hidden on its queue until the sender is started again."""
        if self._state is CarrierState.STOPPED:
            return
        if mode == MQMODE.QUIESCE and (self._connection.asked or self._messages.arrived or self._messages.committing):
            self._become(CarrierState.STOPPING, now)
            self._turn(now)
        else:
            self._stopped(now)

    def leave(self, now: Time) -> None:
        """The queue is being deleted: end at once, close it and give up what is held (M-062); what a commit that is
        being written would remove, when it is written."""
        self._gone = True
        if self._state is not CarrierState.STOPPED:
            self._stopped(now)
        self._messages.release(now, all_of_them=True)

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        if self._retry_at is not None and now >= self._retry_at:
            self._retry_at, self._refused = None, False
        self._connection.timeout(now)
        self._turn(now)

    # What the connection calls

    def connected(self, now: Time) -> None:
        """See `ConnectionUser.connected`."""
        if not self.problem:
            self._host.log("AMQ5150", self.name, self._queue.target)
        self._turn(now)

    def unanswered(self, reason: str, now: Time) -> None:
        """See `ConnectionUser.unanswered`."""
        self._pause(reason, now)
        self._turn(now)

    def answered(self, answer: Answer, now: Time) -> None:
        """See `ConnectionUser.answered`."""
        messages = self._messages
        refusal = MoqError(answer.code, answer.payload.decode("latin-1"))
        if not answer.code:
            messages.arrived.append(messages.ahead.popleft())
            self.sent += 1
            self._back_off.reset()
            self._works(now)
        else:
            first = messages.ahead[0]
            first.doubt = first.repeat and answer.code not in NOT_STORED
            if answer.code in PERMANENT:
                self._halt(refusal, now)
            else:
                self._pause(str(refusal), now)
        self._turn(now)

    def _works(self, now: Time) -> None:
        if self._state is CarrierState.RETRYING:
            self._become(CarrierState.RUNNING, now)
        if self.problem:
            self.problem = ""
            self._host.log("AMQ5150", self.name, self._queue.target)

    def _halt(self, refusal: MoqError, now: Time) -> None:
        """It makes no sense to go on (M-103)."""
        self._host.log("AMQ5152", self.name, self._queue.target, str(refusal))
        self._stopped(now)
        self.problem = str(refusal)

    def _pause(self, problem: str, now: Time) -> None:
        """Try again after a while."""
        if self._state is CarrierState.STOPPING:
            self._stopped(now)
            return
        wait = self._back_off.wait()
        self._retry_at = now + wait
        if problem != self.problem:
            self._host.log("AMQ5151", self.name, self._queue.target, problem, round(wait))
        self.problem = problem
        self._messages.release(now)
        self._messages.rest(now)
        self._become(CarrierState.RETRYING, now)

    def _stopped(self, now: Time) -> None:
        self._connection.leave()
        self._retry_at, self._refused = None, False
        self._messages.release(now)
        self._messages.close(now)
        self._messages.pause()
        self._become(CarrierState.STOPPED, now)
        self._host.timers.set(self, None)
        self._host.log("AMQ5153", self.name)

    def _become(self, state: CarrierState, now: Time) -> None:
        if state is not self._state:
            self._state, self._since = state, now

    # Turns

    def wake(self) -> None:
        """A message may be there, or there is room in the window to the other manager."""
        self._turn(self._host.now)

    def _stored(self, error: MQError | None) -> None:
        """A commit has ended."""
        now, self._refused = self._host.now, error is not None
        if self._gone:
            self._messages.release(now, all_of_them=True)
        elif self._state is CarrierState.STOPPED:
            self._messages.release(now)
            self._messages.pause()
        elif error is not None:
            self._pause(str(error), now)
        self._turn(now)

    def _turn(self, now: Time) -> None:
        """Do what can be done, until nothing can."""
        self._again = True
        if self._in_turn:
            return
        self._in_turn = True
        try:
            while self._again:
                self._again = False
                if self._state is not CarrierState.STOPPED and not (
                    self._connection.asked or self._messages.committing
                ):
                    self._step(now)
        finally:
            self._in_turn = False
        if self._state is not CarrierState.STOPPED:
            times = self._retry_at, self._connection.next_timeout
            self._host.timers.set(self, min((each for each in times if each is not None), default=None))

    def _step(self, now: Time) -> None:
        messages, stopping = self._messages, self._state is CarrierState.STOPPING
        if stopping or self._retry_at is not None:
            if messages.arrived and not self._refused:
                self._commit(now)
            elif stopping:
                self._stopped(now)
        elif messages.ahead:
            self._send(now)
        elif self._connection.open:
            if messages.arrived or not messages.waiting:
                self._commit(now, refill=True)
        elif messages.arrived:
            self._commit(now)
        else:
            if not messages.there and not messages.waiting:
                self._attempt(partial(messages.look, now), now)
            if messages.there:
                self._connection.call()

    def _send(self, now: Time) -> None:
        messages = self._messages
        first = messages.ahead[0]
        if not self._connection.open:
            self._connection.call()
        else:
            first.repeat, first.sent, first.doubt = first.doubt, True, True
            self._connection.ask(first.packet, now)

    def _commit(self, now: Time, *, refill: bool = False) -> None:
        self._attempt(partial(self._messages.commit, now, refill=refill), now)

    def _attempt(self, action: Callable[[], None], now: Time) -> None:
        """Do something with the queue that may fail."""
        try:
            action()
        except MoqError as refusal:
            self._halt(refusal, now)
        except MQError as error:
            self._pause(str(error), now)
