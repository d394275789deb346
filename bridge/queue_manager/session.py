"""Sessions: the interface of the queue manager for programs (mqi.md 1).

A program is an MQI client (its Hconn), a message channel agent, a REST request or the command server. It passes a
request to `Session.submit`, which returns the outcome, or None if it comes later: after the store's answer, or when a
message arrives. The program is then notified (``Program.completed``), and `Session.completions` returns the outcomes
with the tags of their requests. Requests and outcomes are values without queues, rows or the store: a message is its
descriptor and a body handle, and a token identifies it. So the requests of a session can be recorded and repeated.

Authority, limits (MAXHANDS, MAXUMSGS) and events are enforced behind this interface.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.mappings.moment import Time

from .calls import (
    agent_requests,
    agents,
    channels,
    gets,
    handles,
    put_lists,
    puts,
    requests,
    sources,
    topics,
    units,
    xa_requests,
)
from .calls.channel_state import ChannelState
from .calls.outcomes import Completion, Outcome, failed
from .calls.requests import Request
from .connections import Connection, ConnectOptions
from .effects import Program
from .errors import MQError
from .manager import QueueManager
from .programs import Application
from .queues.bodies import BodyWriter

_CALLS: Final[dict[type[Any], Callable[[Connection, Any, Time], Outcome | None]]] = {
    requests.Put: puts.put,
    requests.Get: gets.get,
    requests.Settle: units.settle,
    requests.Commit: units.commit,
    requests.Wait: gets.wait,
    requests.Cancel: gets.cancel,
    requests.Open: handles.open_any,
    requests.OpenTopic: topics.open_topic,
    requests.OpenList: put_lists.open_list,
    requests.Close: handles.close,
    requests.PutOne: puts.put_one,
    requests.PublishOne: puts.publish_one,
    requests.PutList: put_lists.put_list,
    requests.PutOneList: put_lists.put_one_list,
    requests.PutFailed: puts.put_failed,
    requests.Unlock: gets.unlock,
    requests.Begin: units.begin,
    requests.Backout: units.backout,
    requests.Disconnect: units.disconnect,
    requests.Inquire: handles.inquire,
    requests.Set: handles.set_values,
    requests.Stat: puts.stat,
    requests.Reserve: puts.reserve,
    agent_requests.DisposeUndelivered: agents.undeliverable,
    agent_requests.InquirePutAuthority: agents.whose,
    requests.Subscribe: topics.subscribe,
    requests.RequestPublications: topics.request_publications,
    requests.SeparateUnit: units.separate,
    requests.Stage: puts.stage,
    xa_requests.Xa: units.call_xa,
    xa_requests.Recover: units.recover,
}
_CHANNEL_CALLS: Final[dict[type[Any], Callable[[ChannelState, Any, Time], Outcome | None]]] = {
    requests.PutOne: channels.put_one,
    agent_requests.PutMany: channels.put_many,
    agent_requests.PutReceived: channels.put_received,
    agent_requests.GetMany: channels.get_many,
    requests.Commit: channels.commit,
    requests.Settle: channels.settle,
    requests.Backout: channels.backout,
    agent_requests.DisposeUndelivered: channels.undeliverable,
    agent_requests.HoldMessages: channels.hold,
    requests.Wait: channels.wait,
    requests.Cancel: channels.cancel,
    requests.Open: channels.open_transmission_queue,
    agent_requests.OpenSource: sources.open_source,
    requests.Close: channels.close,
}


class Session:
    """The session of one program, from MQCONN to MQDISC.

    Raises `MQError` 2025, 2046, 2058, 2161, 2162 if the program cannot connect.
    """

    __slots__ = ("_connection",)

    def __init__(self, manager: QueueManager, options: ConnectOptions, now: Time) -> None:
        self._connection = manager.connections.connect(options, now)

    @property
    def id(self) -> bytes:
        """ConnectionId: 24 bytes."""
        return self._connection.id

    @property
    def application(self) -> Application:
        """The connected program; of a session that several programs use in turn, the current one."""
        return self._connection.application

    @application.setter
    def application(self, application: Application) -> None:
        connection = self._connection
        connection.application = application
        connection.gets.clear()
        connection.puts.clear()

    @property
    def tag(self) -> bytes:
        """The connection tag."""
        return self._connection.tag

    @tag.setter
    def tag(self, tag: bytes) -> None:
        self._connection.tag = tag

    def submit(self, request: Request, now: Time) -> Outcome | None:
        """Make a request and return its outcome, `Failed` for an error; None if the outcome comes as a completion.

        Raises ``MQBridgeError`` for an invalid descriptor.
        """
        try:
            return _CALLS[type(request)](self._connection, request, now)
        except MQError as error:
            return failed(error)

    def completions(self) -> list[Completion]:
        """Return the outcomes that have come since the last call, in order."""
        connection = self._connection
        completions, connection.completions = connection.completions, []
        return completions

    def quiesce(self) -> None:
        """Quiesce: calls with FAIL_IF_QUIESCING fail with 2202 from now on, and such waits end with it."""
        self._connection.quiesce()

    def lost(self, now: Time) -> None:
        """End the session of a program that is gone without MQDISC.

        Uncommitted work is backed out, messages not received return to their queues, and handles are closed. No more
        completions follow.
        """
        self._connection.lost(now)


class ChannelSession:
    """The session of one message channel agent, or of another agent of the queue manager's own, such as a route.

    DISPLAY CONN does not show it, and the number of such sessions is unlimited. ``application``: the channel program,
    with the user that it runs as; ``trusted``: it is not checked what that user may do. ``program``: notified of
    completed requests. Messages that it has got are held until a request settles them by their tokens.
    """

    __slots__ = ("_state",)

    def __init__(
        self, manager: QueueManager, application: Application, program: Program, *, trusted: bool = False
    ) -> None:
        core = manager.connections.core
        self._state = ChannelState(core, manager.security.authorities, application, program, trusted=trusted)

    def submit(self, request: Request, now: Time) -> Outcome | None:
        """Make a request of an agent; as `Session.submit`."""
        try:
            return _CHANNEL_CALLS[type(request)](self._state, request, now)
        except MQError as error:
            return failed(error)

    def completions(self) -> list[Completion]:
        """Return the outcomes that have come since the last call, in order."""
        state = self._state
        completions, state.completions = state.completions, []
        return completions

    def body_writer(self, *, persistent: bool) -> BodyWriter:
        """Return a writer for a long body that arrives in parts and is staged in the store."""
        core = self._state.core
        return BodyWriter(core.store, persistent, core.store_error)
