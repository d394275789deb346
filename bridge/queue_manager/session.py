"""The door to the queue manager: a session is one program at it (mqi.md 1).

A program is an MQI client (its Hconn), a message channel agent, a REST request, the command server. It says what it
wants in requests, which are values, and each has one outcome, a value too: `Session.submit` gives it at once, or
None where it comes later, when the store has answered or a message has arrived. Then the program is told
(``Program.completed``), and `Session.completions` gives the outcomes with the tags of their requests. Neither holds
queues, rows or the store: a message is its descriptor and a body handle, its token says which message is meant. So the
requests of a session can be written down and made again.

Authority, limits (MAXHANDS, MAXUMSGS) and events stand behind this door, and every call goes through `Session.submit`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .calls import (
    agent_requests,
    agents,
    channels,
    gets,
    handles,
    put_lists,
    puts,
    requests,
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

_CALLS: Final[dict[type[Any], Callable[[Connection, Any, float], Outcome | None]]] = {
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
_CHANNEL_CALLS: Final[dict[type[Any], Callable[[ChannelState, Any, float], Outcome | None]]] = {
    requests.PutOne: channels.put_one,
    agent_requests.PutMany: channels.put_many,
    agent_requests.GetMany: channels.get_many,
    requests.Commit: channels.commit,
    requests.Settle: channels.settle,
    requests.Backout: channels.backout,
    agent_requests.DisposeUndelivered: channels.undeliverable,
    agent_requests.HoldMessages: channels.hold,
    requests.Wait: channels.wait,
    requests.Cancel: channels.cancel,
    requests.Open: channels.open_transmission_queue,
    requests.Close: channels.close,
}


class Session:
    """One program at a queue manager, from MQCONN to MQDISC.

    Raises `MQError` 2046, 2058, 2161, 2162 or 2025 where the program cannot connect.
    """

    __slots__ = ("_connection",)

    def __init__(self, manager: QueueManager, options: ConnectOptions, now: float) -> None:
        self._connection = manager.connections.connect(options, now)

    @property
    def id(self) -> bytes:
        """ConnectionId: 24 bytes."""
        return self._connection.id

    @property
    def application(self) -> Application:
        """Who has connected; of a session that several programs use in turn, who uses it."""
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

    def submit(self, request: Request, now: float) -> Outcome | None:
        """Make a request: its outcome, or None where that comes as a completion. A call that fails has the outcome
        `Failed`. Raises ``MQBridgeError`` for a descriptor that is none."""
        try:
            return _CALLS[type(request)](self._connection, request, now)
        except MQError as error:
            return failed(error)

    def completions(self) -> list[Completion]:
        """Outcomes that have come since the last call, in order."""
        connection = self._connection
        completions, connection.completions = connection.completions, []
        return completions

    def quiesce(self) -> None:
        """Fail calls that ask to fail when the connection quiesces with 2202 from now on, and end such waits."""
        self._connection.quiesce()

    def lost(self, now: float) -> None:
        """The program is gone without MQDISC: what it has not committed is backed out, what it had not received goes
        back, its handles are closed. Nothing is completed any more."""
        self._connection.lost(now)


class ChannelSession:
    """One message channel agent at a queue manager; it shows in no DISPLAY CONN, and nothing limits its number.

    ``application``: the channel program, with the user that it runs as. ``program``: told when requests are completed.
    Messages that it has got are held until a request settles them, by their tokens.
    """

    __slots__ = ("_state",)

    def __init__(self, manager: QueueManager, application: Application, program: Program) -> None:
        core = manager.connections.core
        self._state = ChannelState(core, manager.security.authorities, application, program)

    def submit(self, request: Request, now: float) -> Outcome | None:
        """Make a request; as `Session.submit`, with the requests of a message channel agent."""
        try:
            return _CHANNEL_CALLS[type(request)](self._state, request, now)
        except MQError as error:
            return failed(error)

    def completions(self) -> list[Completion]:
        """Outcomes that have come since the last call, in order."""
        state = self._state
        completions, state.completions = state.completions, []
        return completions

    def body_writer(self, *, persistent: bool) -> BodyWriter:
        """Take a long body in parts and writes them ahead (`BodyWriter`)."""
        core = self._state.core
        return BodyWriter(core.store, persistent, core.store_error)
