"""A program: one conversation of a client, and its connection to the queue manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mqbridge.bridge.agents.svrconn import attributes, opening, putting, topics, transactions
from mqbridge.bridge.agents.svrconn import connect as signing_on
from mqbridge.bridge.agents.svrconn import notify as cancelling
from mqbridge.bridge.agents.svrconn.getting import get
from mqbridge.bridge.agents.svrconn.outgoing import OnTheirWay
from mqbridge.bridge.agents.svrconn.streams import Streams
from mqbridge.bridge.queue_manager import Application, Got, MQError
from mqbridge.bridge.queue_manager.connections import Connection
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.mqi import (
    Backout,
    Call,
    CallRefused,
    Close,
    Commit,
    Connect,
    CredentialsGiven,
    Delivery,
    Disconnect,
    Get,
    Inquire,
    Notify,
    Open,
    Put,
    Put1,
    Reserve,
    Set,
    Stat,
    Subscribe,
    SubscriptionRequest,
    UserIdentified,
    Xa,
)

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.agent import ServerConnectionAgent


class Hconn:
    """One Hconn of a client.

    ``identified``, ``credentials``: who the client says it is. ``connection``: None before MQCONN was answered and
    after MQDISC. ``gone``: nobody hears the program any more. ``broken``: an operator has ended it.
    """

    __slots__ = ("broken", "connection", "credentials", "end", "gone", "identified", "on_their_way", "streams")

    def __init__(self, end: ServerConnectionAgent) -> None:
        self.end = end
        self.gone = self.broken = False
        self.identified: UserIdentified | None = None
        self.credentials: CredentialsGiven | None = None
        self.connection: Connection | None = None
        self.streams = Streams(self)
        self.on_their_way = OnTheirWay(self)

    @property
    def application(self) -> Application:
        """Who puts and gets."""
        return self.connected().application

    def connected(self) -> Connection:
        """The connection to the queue manager. Raises 2018 where there is none, 2009 where an operator has ended it."""
        if self.connection is None:
            raise MQError(MQRC.CONNECTION_BROKEN if self.broken else MQRC.HCONN_ERROR)
        return self.connection

    # Calls

    def call(self, call: Call, now: float) -> None:
        """Makes a call and answers it, now or later."""
        try:
            handler = _CALLS.get(type(call))
            if handler is None:
                raise MQError(MQRC.FUNCTION_NOT_SUPPORTED, type(call).__name__)
            handler(self, call, now)
        except MQError as error:
            self.fail(call, error)
        except MQBridgeError as error:
            self.end.channel_manager.log("AMQ9209", self.end.channel.name, str(error))
            self.fail(call, MQError(MQRC.MD_ERROR, str(error)))

    def fail(self, call: Call, error: MQError) -> None:
        """Answers a call with a reason; of a put without answer the reason is kept for those who ask later."""
        if isinstance(call, Put) and not call.wanted:
            putting.failed_unheard(self, call, error)
            return
        if error.completion == 1:
            self.reply(call, error.reason)
        else:
            self.end.machine.replies.refuse(call, error.reason)
            self.end.answered()

    def refused(self, event: CallRefused) -> None:
        """The machine has refused a call: of a put without answer the reason is kept too."""
        if event.asynchronous and self.connection is not None:
            putting.count_failed(self.connection, event.handle, event.options, MQError(event.reason, event.detail))

    def reply(self, call: Call, warning: int = 0) -> None:
        """Answers a call that went well, or with a warning."""
        self.end.machine.replies.answer(call, comp_code=1 if warning else 0, reason=warning)
        self.end.answered()

    def outcome(self, call: Call) -> Callable[[MQError | None], None]:
        """A continuation that answers a call."""

        def told(error: MQError | None) -> None:
            if error is None:
                self.reply(call)
            else:
                self.fail(call, error)

        return told

    def _disconnect(self, call: Disconnect, now: float) -> None:
        if self.broken:  # there is nothing left to end
            self.reply(call)
            return
        connection = self.connected()
        self.streams.drop(now)
        self.on_their_way.let_go()
        self.end.searches.forget(self)
        self.connection = None
        connection.disconnect(now, self.outcome(call))

    def _commit(self, call: Commit, now: float) -> None:
        self.connected().commit(now, self.outcome(call))
        self.streams.unit_ended(now)

    def _backout(self, call: Backout, now: float) -> None:
        self.connected().backout(now)
        self.reply(call)
        self.streams.unit_ended(now)

    # Streams

    def wants(self, delivery: Delivery, now: float) -> None:
        """The client wants messages of a handle."""
        if self.broken:
            self.streams.refuse(delivery, MQRC.CONNECTION_BROKEN)
        else:
            self.streams.wants(delivery, now)

    def go_on(self, now: float) -> None:
        """The transport takes more."""
        self.streams.go_on(now)

    def has(self, got: Got) -> None:
        """All of a message is on its way: it is gone for good, or part of the unit of work."""
        if self.connection is not None:
            self.connection.arrived([got], self.end.channel_manager.now)

    # The end

    def quiesce(self) -> None:
        """The channel is being stopped."""
        if self.connection is not None:
            self.connection.quiesce()

    def break_off(self, now: float) -> None:
        """STOP CONN: what waits ends with 2009, and so do all calls but MQDISC; else as if the client were gone."""
        self.broken = True
        connection = self.connection
        for waiter in connection.waiting if connection is not None else ():
            assert connection is not None
            connection.cancel_wait(waiter)
            waiter.owner.search_ended(MQRC.CONNECTION_BROKEN)
        self.end.searches.end(self, MQRC.CONNECTION_BROKEN)
        self._leave(now)
        self.end.answered()

    def lost(self, now: float) -> None:
        """The client is gone."""
        self.gone = True
        self._leave(now)

    def _leave(self, now: float) -> None:
        self.streams.drop(now)
        self.on_their_way.let_go()
        self.end.searches.forget(self)
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.lost(now)


_CALLS: dict[type[Call], Callable[[Hconn, Any, float], None]] = {
    Connect: signing_on.connect,
    Disconnect: Hconn._disconnect,
    Commit: Hconn._commit,
    Backout: Hconn._backout,
    Open: opening.open_object,
    Close: opening.close_object,
    Put: putting.put,
    Put1: putting.put_one,
    Reserve: putting.reserve,
    Notify: cancelling.notify,
    Stat: putting.status,
    Get: get,
    Inquire: attributes.inquire,
    Set: attributes.set_values,
    Xa: transactions.call,
    Subscribe: topics.subscribe,
    SubscriptionRequest: topics.request,
}
