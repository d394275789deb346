"""A client program: one conversation, and its connection to the queue manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.svrconn.admission import ClientAdmission
from mqbridge.bridge.agents.svrconn.host import ServerConnectionHost
from mqbridge.bridge.agents.svrconn.unsent_bodies import UnsentBodies
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome, failed
from mqbridge.bridge.queue_manager.calls.requests import Cancel, PutFailed, Request, Settle
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQRC
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.mqi import (
    Call,
    CallRefused,
    CredentialsGiven,
    Delivery,
    Get,
    Put,
    Put1,
    ServerConnection,
    UserIdentified,
)


class MessageStream(Protocol):
    """The streamed messages of one handle; see `stream.OutboundStream`."""

    def asked(self, now: Time) -> None:
        """The client requests messages, possibly again."""
        ...

    def fill(self, now: Time) -> None:
        """Send messages while they are requested."""
        ...


class MessageStreams(Protocol):
    """The streamed messages of a program; see `streams.OutboundStreams`."""

    def of(self, delivery: Delivery) -> MessageStream:
        """The stream of a handle whose messages the client requests."""
        ...

    def completed(self, tag: int, outcome: Outcome, now: Time) -> None:
        """A request of a stream has completed."""
        ...

    def end_gets(self, reason: int, now: Time) -> None:
        """End the searches and waits of gets."""
        ...

    def connection_stopped(self) -> None:
        """An operator has ended the connection."""
        ...

    def resume(self, now: Time) -> None:
        """The transport takes more."""
        ...

    def unit_ended(self, now: Time) -> None:
        """The program's unit of work has ended."""
        ...

    def closed(self, handle: int, unreceived: list[bytes], now: Time) -> None:
        """A handle is being closed."""
        ...

    def drop(self, now: Time) -> None:
        """The program has gone."""
        ...


class SharedConnection:
    """What the programs of one connection share.

    ``channel``: its name. ``entered``: whether MAXINST and MAXINSTC allow the connection; if not, MQCONN fails with
    2025. ``stalled``: a stream waits for the transport. ``programs``: by conversation.
    """

    __slots__ = ("admission", "channel", "connection", "entered", "host", "machine", "programs", "stalled", "stopping")

    def __init__(
        self,
        host: ServerConnectionHost,
        channel: str,
        connection: PartnerConnection,
        machine: ServerConnection,
        admission: ClientAdmission,
    ) -> None:
        self.host = host
        self.channel = channel
        self.connection = connection
        self.machine = machine
        self.admission = admission
        self.entered = admission.enter()
        self.stopping = self.stalled = False
        self.programs: dict[int, Hconn] = {}


class Hconn:
    """One Hconn of a client.

    ``identified``, ``credentials``: as the client states them. ``session``: its session with the queue manager, created
    by MQCONN; ``joined``: from MQCONN to MQDISC. ``tag``: of its last request. ``pending``: by tag, calls without
    outcome, and what answers them. ``lists``: handles of distribution lists, and their numbers of destinations.
    ``gone``: the conversation has ended. ``broken``: an operator has ended it.
    """

    __slots__ = (
        "broken",
        "credentials",
        "gone",
        "identified",
        "joined",
        "lists",
        "machine",
        "pending",
        "session",
        "shared",
        "streams",
        "tag",
        "unsent_bodies",
    )  # fmt: skip

    def __init__(self, shared: SharedConnection, streams: Callable[[Hconn], MessageStreams]) -> None:
        self.shared = shared
        self.machine = shared.machine
        self.gone = self.broken = self.joined = False
        self.identified: UserIdentified | None = None
        self.credentials: CredentialsGiven | None = None
        self.session: Session | None = None
        self.tag = 0
        self.pending: dict[int, tuple[Call, Answer]] = {}
        self.lists: dict[int, int] = {}
        self.streams = streams(self)
        self.unsent_bodies = UnsentBodies(shared.host.unsent, self.has)

    def connected(self) -> Session:
        """The session. Raises `MQError` 2018 if there is none, 2009 if an operator has ended it."""
        session = self.session
        if session is None or not self.joined:
            raise MQError(MQRC.CONNECTION_BROKEN if self.broken else MQRC.HCONN_ERROR)
        return session

    # Calls

    def misread(self, call: Call, error: MQBridgeError) -> None:
        """Answer a call of which a structure, or one of its reply, cannot be read or written."""
        self.shared.host.log("AMQ9209", self.shared.channel, str(error))
        self.fail(call, Failed(MQCC.FAILED, MQRC.MD_ERROR, str(error)))

    def next_tag(self) -> int:
        """The tag of the next request."""
        self.tag += 1
        return self.tag

    def ask(self, call: Call, request: Request, answer: Answer, now: Time) -> None:
        """Submit the request of a call; ``answer`` writes its outcome. Raises `MQError` if it cannot be submitted."""
        outcome = self.connected().submit(request, now)
        if outcome is None:
            self.pending[request.tag] = call, answer
        elif type(outcome) is Failed:
            self.fail(call, outcome)
        else:
            answer(self, call, outcome, now)

    def completed(self, now: Time) -> None:
        """Answer calls whose outcomes have arrived."""
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
                    self.misread(call, error)
        self.shared.connection.wake()

    def fail(self, call: Call, outcome: Failed) -> None:
        """Answer a call with a reason; the reason for an asynchronous put is kept for MQSTAT."""
        if isinstance(call, Put) and not call.wanted:
            self._keep_put_failure(call, outcome.reason)
            return
        if outcome.completion == MQCC.WARNING:
            self.reply(call, outcome.reason)
        else:
            self.machine.replies.refuse(call, outcome.reason)

    def _keep_put_failure(self, call: Put, reason: int) -> None:
        """Keep the reason for an asynchronous put that was refused before it was tried, for MQSTAT and MQCMIT."""
        options = call.options.record.options
        if self.session is None or not self.joined:
            return
        if isinstance(call, Put1):
            names = call.text(call.od.record.object_name), call.text(call.od.record.object_q_mgr_name)
            request = PutFailed(0, reason, options, 0, *names)
        else:
            request = PutFailed(0, reason, options, call.handle)
        self.session.submit(request, self.shared.host.now)

    def refused(self, event: CallRefused) -> None:
        """The machine has refused a call; the reason for an asynchronous put is kept too."""
        if event.asynchronous and self.session is not None and self.joined:
            self.session.submit(PutFailed(0, event.reason, event.options, event.handle), self.shared.host.now)

    def reply(self, call: Call, warning: int = 0) -> None:
        """Answer a call that has succeeded, possibly with a warning."""
        self.machine.replies.answer(call, comp_code=1 if warning else 0, reason=warning)

    # Streams

    def has(self, token: bytes) -> None:
        """The client has received a message completely: remove it, or leave it to the unit of work."""
        if self.session is not None and self.joined:
            self.session.submit(Settle(0, (token,)), self.shared.host.now)

    def end_gets(self, reason: int, now: Time) -> None:
        """End gets that wait or search, with a reason; asynchronous consumers continue."""
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

    def connection_stopped(self, now: Time) -> None:
        """STOP CONN: waiting calls end with 2009, and so do all others but MQDISC; otherwise as if the client had
        gone."""
        self.broken = True
        for tag, (call, _) in list(self.pending.items()):
            if isinstance(call, Get):
                del self.pending[tag]
                self.fail(call, Failed(MQCC.FAILED, MQRC.CONNECTION_BROKEN))
        self.streams.connection_stopped()
        self._leave(now)
        self.shared.connection.wake()

    def lost(self, now: Time) -> None:
        """The client has gone."""
        self.gone = True
        self._leave(now)

    def _leave(self, now: Time) -> None:
        self.streams.drop(now)
        self.unsent_bodies.discard()
        if self.session is not None and self.joined:
            self.joined = False
            self.session.lost(now)


Answer: TypeAlias = Callable[[Hconn, Any, Any, Time], None]
"""Writes the outcome of a call into its structures and answers it."""
