"""The programs of one client connection object: kept while they are of use, closed when they are idle (E-402)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from mqbridge.bridge.agents.everyplace.mq.program import MqProgram
from mqbridge.mappings.moment import Time
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

MOST_IDLE: Final = 100
"""Programs that are kept although nobody uses them; in the process each device has one of its own."""
Acquired = Callable[[MqProgram | Refused], None]


class _Idle(NamedTuple):
    program: MqProgram
    user: str
    since: Time


class ProgramPool:
    """Programs of one client connection.

    ``begin``: connects one with the authority of a user; may raise `EveryplaceError`. ``most``: that are connected at
    once. ``idle``: seconds without use after which one is ended. ``name``: for texts. ``by_user``: whether each user
    needs programs of its own.
    """

    __slots__ = ("_begin", "_by_user", "_closed", "_count", "_idle", "_longest", "_most", "_name", "_users", "_waiting")

    def __init__(self, name: str, begin: Callable[[str], MqProgram], most: int, idle: float, *, by_user: bool) -> None:
        self._by_user = by_user
        self._name = name
        self._begin = begin
        self._most = most
        self._longest = idle
        self._idle: list[_Idle] = []
        self._users: dict[int, str] = {}
        self._count = 0
        self._waiting: deque[tuple[str, Acquired]] = deque()
        self._closed = False

    @property
    def connected(self) -> int:
        """Number of programs, used or idle."""
        return self._count

    def acquire(self, user: str, then: Acquired) -> None:
        """Give a program to ``then``, at once or when one is free; `Refused` if the connection is stopped."""
        if self._closed:
            then(Refused(Code.BRIDGE_NOT_RUNNING, f"{self._name} is stopped"))
            return
        if not self._by_user:
            user = ""
        found = next((each for each in reversed(self._idle) if each.user == user), None)
        if found is not None:
            self._idle.remove(found)
            if not found.program.broken:
                then(found.program)
                return
            self._drop(found.program)
        if self._count >= self._most and self._idle:
            self._drop(self._idle.pop(0).program)
        if self._count >= self._most:
            self._waiting.append((user, then))
            return
        try:
            program = self._begin(user)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return
        self._users[id(program)] = user
        self._count += 1
        then(program)

    def release(self, program: MqProgram, now: Time) -> None:
        """Take a program back, which has no unit of work."""
        if id(program) not in self._users:
            return
        if self._closed or program.broken:
            self._drop(program)
        else:
            self._idle.append(_Idle(program, self._users[id(program)], now))
            if len(self._idle) > MOST_IDLE:
                self._drop(self._idle.pop(0).program)
        if self._waiting and not self._closed:
            user, then = self._waiting.popleft()
            self.acquire(user, then)

    def _drop(self, program: MqProgram) -> None:
        del self._users[id(program)]
        self._count -= 1
        program.end()

    def timeout(self, now: Time) -> None:
        """End programs that have been idle for too long."""
        for each in [each for each in self._idle if now - each.since >= self._longest or each.program.broken]:
            self._idle.remove(each)
            self._drop(each.program)

    def close(self) -> None:
        """End those that are idle now, and the others when they are released; nobody gets one any more."""
        self._closed = True
        for each in self._idle:
            self._drop(each.program)
        self._idle.clear()
        waiting, self._waiting = self._waiting, deque()
        for _, then in waiting:
            then(Refused(Code.BRIDGE_NOT_RUNNING, f"{self._name} is stopped"))
