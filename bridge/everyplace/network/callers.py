"""Queue managers that call this one."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.protocol.everyplace.compressors import COMPRESSORS
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.handshakes import Hello

from .attempts import Attempts
from .context import Context
from .settings import Peer

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.transfer.called import CalledEnd

    from .called_line import CalledLine

_QUIET: Final = 3600.0
"""Seconds after which what is still wrong is an alarm again."""
_EXPECTED = (Code.REPLACED, Code.CLOSED)


class Callers:
    """``lines``: the connection of each, by its name. ``left``: those whose connection has ended, to be taken."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.lines: dict[str, CalledLine] = {}
        self.left: list[str] = []
        self._open: Counter[str] = Counter()
        self._attempts = Attempts(context.timers)

    def called(self, listener: ListenerDefinition, peer: Peer) -> CalledLine:
        """Somebody has connected. Raises `EveryplaceError` CHNL_LIMIT where a listener has as many as it may."""
        # A device that nobody calls has no room for what answers callers.
        from mqbridge.protocol.everyplace.responder import Responder

        from .called_line import CalledLine

        context = self._context
        if listener.max_channels and self._open[listener.name] >= listener.max_channels:
            text = f"listener {listener.name} has its {listener.max_channels} connections"
            context.alarms.raise_for(("limit", listener.name), listener.name, text)
            raise EveryplaceError(Code.CHNL_LIMIT, text)
        self._open[listener.name] += 1
        own = context.manager.name
        names = [name for name, means in context.manager.aliases().items() if means == own]
        responder = Responder(context.identity(tuple(COMPRESSORS)), listener.timeout, names)
        return CalledLine(self, responder, context, listener, peer)

    def greeted(self, line: CalledLine, hello: Hello) -> None:
        """A caller says who it is. Raises `EveryplaceError`."""
        self._attempts.check(line.peer.host, hello.name)
        if line.responder.admit(self._context.credentials.for_called(hello.name, line.listener, line.peer)):
            line.welcome()

    def welcomed(self, line: CalledLine, hello: Hello) -> CalledEnd:
        """A caller has proved its name: its older connection ends before anything else of that is looked at."""
        context, name = self._context, hello.name
        context.credentials.proved(name, hello.incarnation)
        self._attempts.proved(line.peer.host, name)
        self.disconnect(name, EveryplaceError(Code.REPLACED, f"{name} has connected anew"))
        self.lines[name] = line
        context.alarms.clear(("caller", name))
        context.sightings.heard(name, hello.time, context.timers.now)
        from mqbridge.bridge.everyplace.transfer.called import CalledEnd

        return CalledEnd(
            hello.incarnation,
            context.manager,
            partial(context.lanes.receiving, name),
            partial(self._handed_out, name),
            context.lanes.parts,
            partial(self._trouble, name),
        )

    def disconnect(self, name: str, error: EveryplaceError) -> None:
        """End the connection of a caller, which is told why."""
        caller = self.lines.get(name)
        if caller is not None:
            caller.fail(error)

    def line_ended(self, line: CalledLine, error: EveryplaceError | None) -> None:
        """A connection of a caller is over."""
        alarms = self._context.alarms
        self._open[line.listener.name] -= 1
        alarms.clear(("limit", line.listener.name))
        if self.lines.get(line.partner) is line:
            del self.lines[line.partner]
            self._context.pulling.discard(line.partner)
            self.left.append(line.partner)
            self._context.sightings.left(line.partner, line.heard)
        if error is not None and error.code not in _EXPECTED:
            who = line.partner or line.peer.host
            alarms.raise_for(("caller", who), who, f"a connection of {who} has ended: {error.text}")
            if not line.partner:
                self._context.timers.after(("stranger", who), _QUIET, partial(alarms.clear, ("caller", who)))
                if error.code is Code.AUTHENTICATE and line.claimed:
                    self._attempts.failed(who, line.claimed)

    def refused(self, line: CalledLine, error: EveryplaceError) -> None:
        """A request of a caller is refused, and its connection goes on."""
        self._trouble(line.partner, error)

    def look(self, name: str) -> None:
        """There may be a message for a caller."""
        caller = self.lines.get(name)
        if caller is not None:
            caller.go_on()

    def _handed_out(self, name: str) -> tuple[SendingLane, StoredMessages] | None:
        """Return the lane of the messages that wait for a caller (E-131)."""
        for queue in self._context.manager.queues:
            if queue.kind is QueueKind.STORE_AND_FORWARD and name in queue.entries and queue.messages is not None:
                return self._context.lanes.handed_out(name, queue), queue.messages
        return None

    def _trouble(self, name: str, error: EveryplaceError | None) -> None:
        if error is None:
            self._context.alarms.clear(("caller", name))
        elif error.code is not Code.Q_UNKNOWN:
            # The key has the text, so that neither a new connection nor another lane makes it an alarm again.
            alarms, key = self._context.alarms, ("lane", name, error.text)
            alarms.raise_for(key, name, error.text)
            alarms.note(("caller", name), error.text)
            self._context.timers.after(key, _QUIET, partial(alarms.clear, key))
