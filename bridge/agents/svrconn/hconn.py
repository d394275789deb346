"""A program: one conversation of a client, and its connection to the queue manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from mqbridge.bridge.agents.svrconn import attributes, opening, putting, topics, transactions
from mqbridge.bridge.agents.svrconn import connect as signing_on
from mqbridge.bridge.agents.svrconn import notify as cancelling
from mqbridge.bridge.agents.svrconn.getting import get
from mqbridge.bridge.agents.svrconn.outgoing import OnTheirWay
from mqbridge.bridge.agents.svrconn.streams import Streams
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Done, Failed, failed
from mqbridge.bridge.queue_manager.calls.requests import Cancel, PutFailed, Request, Settle
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.protocol.constants import MQCC, MQRC
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.mqi import (
    Backout,
    Call,
    CallRefused,
    Close,
    Commit,
    Connect,
    CredentialsGiven,
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

    ``identified``, ``credentials``: who the client says it is. ``session``: its session with the queue manager, made
    by MQCONN; ``joined``: from MQCONN to MQDISC. ``tag``: of its last request. ``pending``: by tag, calls whose outcome
    is still to come, and what answers them. ``lists``: handles of distribution lists, and how many destinations they
    have. ``gone``: the conversation is over. ``broken``: an operator has ended it.
    """

    __slots__ = (
        "broken", "credentials", "end", "gone", "identified", "joined", "lists", "on_their_way", "pending", "session",
        "streams", "tag",
    )  # fmt: skip

    def __init__(self, end: ServerConnectionAgent) -> None:
        self.end = end
        self.gone = self.broken = self.joined = False
        self.identified: UserIdentified | None = None
        self.credentials: CredentialsGiven | None = None
        self.session: Session | None = None
        self.tag = 0
        self.pending: dict[int, tuple[Call, Answer]] = {}
        self.lists: dict[int, int] = {}
        self.streams = Streams(self)
        self.on_their_way = OnTheirWay(self)

    def connected(self) -> Session:
        """The session. Raises 2018 where there is none, 2009 where an operator has ended it."""
        session = self.session
        if session is None or not self.joined:
            raise MQError(MQRC.CONNECTION_BROKEN if self.broken else MQRC.HCONN_ERROR)
        return session

    # Calls

    def call(self, call: Call, now: float) -> None:
        """Makes a call and answers it, now or later."""
        try:
            handler = _CALLS.get(type(call))
            if handler is None:
                raise MQError(MQRC.FUNCTION_NOT_SUPPORTED, type(call).__name__)
            handler(self, call, now)
        except MQError as error:
            self.fail(call, failed(error))
        except MQBridgeError as error:
            self._misread(call, error)

    def _misread(self, call: Call, error: MQBridgeError) -> None:
        """A structure of a call, or of its answer, cannot be read or written."""
        self.end.channel_manager.log("AMQ9209", self.end.channel.name, str(error))
        self.fail(call, Failed(int(MQCC.FAILED), int(MQRC.MD_ERROR), str(error)))

    def next_tag(self) -> int:
        """The tag of the next request."""
        self.tag += 1
        return self.tag

    def ask(self, call: Call, request: Request, answer: Answer, now: float) -> None:
        """Makes the request of a call, whose ``answer`` writes its outcome. Raises `MQError` where it cannot."""
        outcome = self.connected().submit(request, now)
        if outcome is None:
            self.pending[request.tag] = call, answer
        elif type(outcome) is Failed:
            self.fail(call, outcome)
        else:
            answer(self, call, outcome, now)

    def completed(self, now: float) -> None:
        """Outcomes have come."""
        session = self.session
        if session is None:
            return
        for tag, outcome in session.completions():
            pending = self.pending.pop(tag, None)
            if pending is None:
                self.streams.completed(tag, outcome, now)
                continue
            call, answer = pending
            if type(outcome) is Failed:
                self.fail(call, outcome)
            else:
                try:
                    answer(self, call, outcome, now)
                except MQError as error:
                    self.fail(call, failed(error))
                except MQBridgeError as error:
                    self._misread(call, error)

    def fail(self, call: Call, outcome: Failed) -> None:
        """Answers a call with a reason; of a put without answer the reason is kept for those who ask later."""
        if isinstance(call, Put) and not call.wanted:
            putting.failed_unheard(self, call, outcome.reason)
            return
        if outcome.completion == MQCC.WARNING:
            self.reply(call, outcome.reason)
        else:
            self.end.machine.replies.refuse(call, outcome.reason)
            self.end.answered()

    def refused(self, event: CallRefused) -> None:
        """The machine has refused a call: of a put without answer the reason is kept too."""
        if event.asynchronous and self.session is not None and self.joined:
            self.session.submit(PutFailed(0, event.reason, event.options, event.handle), self.end.channel_manager.now)

    def reply(self, call: Call, warning: int = 0) -> None:
        """Answers a call that went well, or with a warning."""
        self.end.machine.replies.answer(call, comp_code=1 if warning else 0, reason=warning)
        self.end.answered()

    # Streams

    def go_on(self, now: float) -> None:
        """The transport takes more."""
        self.streams.go_on(now)

    def has(self, token: bytes) -> None:
        """All of a message is on its way: it is gone for good, or part of the unit of work."""
        if self.session is not None and self.joined:
            self.session.submit(Settle(0, (token,)), self.end.channel_manager.now)

    def end_gets(self, reason: int, now: float) -> None:
        """Ends the gets that wait or search, with a reason; asynchronous consumers go on."""
        session = self.connected()
        for tag, (call, _) in list(self.pending.items()):
            if isinstance(call, Get):
                session.submit(Cancel(0, tag, reason), now)
        self.streams.end_gets(reason, now)

    # The end

    def quiesce(self) -> None:
        """The channel is being stopped."""
        if self.session is not None and self.joined:
            self.session.quiesce()

    def break_off(self, now: float) -> None:
        """STOP CONN: what waits ends with 2009, and so do all calls but MQDISC; else as if the client were gone."""
        self.broken = True
        for tag, (call, _) in list(self.pending.items()):
            if isinstance(call, Get):
                del self.pending[tag]
                self.fail(call, Failed(int(MQCC.FAILED), int(MQRC.CONNECTION_BROKEN)))
        self.streams.break_off()
        self._leave(now)
        self.end.answered()

    def lost(self, now: float) -> None:
        """The client is gone."""
        self.gone = True
        self._leave(now)

    def _leave(self, now: float) -> None:
        self.streams.drop(now)
        self.on_their_way.let_go()
        if self.session is not None and self.joined:
            self.joined = False
            self.session.lost(now)


Answer: TypeAlias = Callable[[Hconn, Any, Any, float], None]
"""Writes the outcome of a call into its structures and answers it."""


def done(program: Hconn, call: Call, outcome: Done, _now: float) -> None:
    """Answers a call that gives nothing but a reason."""
    program.reply(call, outcome.reason)


def _disconnect(program: Hconn, call: Disconnect, now: float) -> None:
    if program.broken:  # there is nothing left to end
        program.reply(call)
        return
    program.connected()
    program.streams.drop(now)
    program.on_their_way.let_go()
    program.ask(call, requests.Disconnect(program.next_tag()), done, now)
    program.joined = False


def _commit(program: Hconn, call: Commit, now: float) -> None:
    tag = program.next_tag()
    outcome = program.connected().submit(requests.Commit(tag), now)
    if outcome is None:
        program.pending[tag] = call, done
    elif type(outcome) is Failed:
        program.fail(call, outcome)
        if outcome.reason != MQRC.BACKED_OUT:  # it goes on
            return
    else:
        program.reply(call)
    program.streams.unit_ended(now)


def _backout(program: Hconn, call: Backout, now: float) -> None:
    outcome = program.connected().submit(requests.Backout(0), now)
    if type(outcome) is Failed:
        program.fail(call, outcome)
        return
    program.reply(call)
    program.streams.unit_ended(now)


_CALLS: dict[type[Call], Callable[[Hconn, Any, float], None]] = {
    Connect: signing_on.connect,
    Disconnect: _disconnect,
    Commit: _commit,
    Backout: _backout,
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
