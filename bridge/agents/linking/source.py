"""The queue whose messages a link sends: opened, waited at, and its messages got and held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import GetMany, OpenSource
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Outcome, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Cancel, Close, Wait, Wanted
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCO, MQGMO

_WANTED: Final = Wanted(int(MQGMO.SYNCPOINT | MQGMO.NO_WAIT | MQGMO.FAIL_IF_QUIESCING))
ROOM: Final = 4 << 20
"""Bytes of data after which no more messages are got at once."""


class SourceQueue:
    """A queue, opened when messages are first wanted of it.

    ``woken``: called when there may be a message, or when a wait has ended with an error, which the next get then
    reports.
    """

    __slots__ = ("_hobj", "_program", "_waiting", "_woken", "name")

    def __init__(self, program: ChannelProgram, name: str, woken: Callable[[], None]) -> None:
        self._program = program
        self.name = name
        self._woken = woken
        self._hobj = 0
        self._waiting = 0

    def get(self, most: int, uncommitted: int, now: Time) -> RetrievedMany:
        """Get up to ``most`` messages. Raises `MQError`; the queue is closed then."""
        self.cancel(now)
        try:
            if not self._hobj:
                self._hobj = self._open(now)
            found = self._program.do(GetMany(0, self._hobj, most, ROOM, uncommitted), now)
        except MQError:
            self.close(now)
            raise
        assert isinstance(found, RetrievedMany)
        return found

    def wait(self, now: Time) -> None:
        """Wait for a message, if no wait is pending. Raises `MQError`; the queue is closed then."""
        if self._waiting:
            return
        if not self._hobj:
            self._hobj = self._open(now)
        self._waiting = self._program.next_tag()
        self._program.ask(Wait(self._waiting, self._hobj, _WANTED), self._ended, now)

    def cancel(self, now: Time) -> None:
        """End the wait."""
        if self._waiting:
            tag, self._waiting = self._waiting, 0
            self._program.forget(tag)
            self._program.session.submit(Cancel(0, tag), now)

    def close(self, now: Time) -> None:
        """Close the queue, if it is open."""
        self.cancel(now)
        if self._hobj:
            hobj, self._hobj = self._hobj, 0
            self._program.session.submit(Close(0, hobj, int(MQCO.NONE)), now)

    def _open(self, now: Time) -> int:
        opened = self._program.do(OpenSource(0, self.name), now)
        assert isinstance(opened, Opened)
        return opened.hobj

    def _ended(self, outcome: Outcome) -> None:
        if type(outcome) is Failed:
            self._waiting = 0
        self._woken()
