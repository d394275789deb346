"""Messages on their way to a program: off the queue, and not yet known to have arrived (client-observed.md O-055).

A message got outside syncpoint is a unit of work of its own, which is held until the program has the message, so that
it can go back to its place when the handle is closed or the client is gone. MAXUMSGS does not count it. With a message
got under syncpoint all that belongs to it leaves the unit of work: the segments that it was joined from, the report
that confirms its delivery.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mqbridge.bridge.queue_manager.committing import backout, commit
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES
from mqbridge.bridge.queue_manager.uncommitted_puts import UncommittedPut
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import Time

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

Taken: TypeAlias = "tuple[LocalQueue, bytes]"
"""A got message in a unit of work: its queue and its row."""


class Deliveries:
    """The messages of one connection that are held until they have arrived.

    ``spare``: the unit of work of the next get outside syncpoint, still without a message.
    """

    __slots__ = ("_core", "_held", "_parts", "spare")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._parts: dict[bytes, tuple[list[Taken], list[UncommittedPut]]] = {}
        self._held: dict[bytes, UnitOfWork] = {}
        self.spare = UnitOfWork(implicit=True)

    def hold(self, token: bytes) -> None:
        """Hold the message that was got in the spare unit of work."""
        self._held[token] = self.spare
        self.spare = UnitOfWork(implicit=True)

    def release(self, tokens: Iterable[bytes]) -> UnitOfWork | None:
        """Take those of some messages that are held out, as one unit of work; None if there are none."""
        whole: UnitOfWork | None = None
        for token in tokens:
            unit = self._held.pop(token, None)
            if unit is None:
                continue
            if whole is None:
                whole = unit
            else:
                whole.gets += unit.gets
                whole.puts += unit.puts
        return whole

    def note(self, token: bytes, unit: UnitOfWork, gets: int, puts: int) -> None:
        """Remember what of a unit of work under syncpoint belongs to a message: all behind so many gets and puts."""
        self._parts[token] = (unit.gets[gets:], unit.puts[puts:])

    def move(self, token: bytes, sources: Sequence[UnitOfWork], target: UnitOfWork) -> None:
        """Make a message got under syncpoint, with what belongs to it, part of another unit of work.

        Does nothing if no source has it.
        """
        if not any(source.gets for source in sources):
            return
        parts = self._parts.pop(token, None) if self._parts else None
        if parts is None:
            _move_get(int.from_bytes(token[:8], "big"), token[8:], sources, target)
            return
        for queue, row in parts[0]:
            _move_get(queue.number, row[:POSITION_BYTES], sources, target)
        for put in parts[1]:
            for source in sources:
                if put in source.puts and not put.taken:
                    source.puts.remove(put)
                    target.puts.append(put)
                    if source.own is not None:
                        source.own.forget()

    def forget_parts(self) -> None:
        """A unit of work has ended: what belonged together in it does not matter any more."""
        self._parts.clear()

    def end(self, now: Time, *, arrived: bool) -> None:
        """The connection ends: in good order (what was sent counts as arrived), or is lost."""
        unit = self.release(list(self._held))
        if unit is None:
            return
        if arrived:
            commit(self._core, unit, now)
        else:
            backout(self._core, unit, now, counted=False)


def _move_get(queue_number: int, position: bytes, sources: Sequence[UnitOfWork], target: UnitOfWork) -> None:
    """Move the message at a position of a queue; the one got first is found at once."""
    for source in sources:
        for index, (origin, row) in enumerate(source.gets):
            if origin.number == queue_number and row.startswith(position):
                target.gets.append(source.gets.pop(index))
                return
