"""A store whose process may die at any call: what a fault simulation runs a queue manager on.

What a commit answered is durable; staged chunks that no commit took, spilled bodies and commits that were not carried
out are volatile. A crash loses the volatile part and makes the store raise `Crash` for every further call; `restart`
gives the store that the next process would open. Every choice comes from the `random.Random` passed in, so a run is
told by its seed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from random import Random

from bridge.store.errors import StoreError, StoreFull
from bridge.store.memory import MemoryStore, MemoryTables
from bridge.store.operations import AddMessage, Operation, Piece, PrepareBranch, Unit


class Crash(BaseException):
    """The process has died at a call of the store. No handler of errors catches it: only the simulation does."""


class FaultyStore(MemoryStore):
    """A `MemoryStore` with a durable and a volatile part.

    Every call is one step; `steps` counts them over all restarts. A step crashes when its number is in `crash_at`, or
    by `crash_rate` (0 to 1). A commit crashes with none, some or all of its units on disk and none of them answered. A
    unit that adds messages is answered `StoreFull` by `full_rate`. `history` holds the steps that did harm, in words.
    """

    def __init__(
        self,
        random: Random,
        *,
        crash_rate: float = 0.0,
        crash_at: Container[int] = (),
        full_rate: float = 0.0,
        tables: MemoryTables | None = None,
        steps: int = 0,
    ) -> None:
        super().__init__(tables)
        self.crash_rate = crash_rate
        self.crash_at = crash_at
        self.full_rate = full_rate
        self.steps = steps
        self.crashed = False
        self.history: list[str] = []
        self._random = random

    def crash(self) -> None:
        """The process dies now, from outside: everything volatile is lost."""
        self.crashed = True
        self._staged.clear()
        self._spilled.clear()

    def restart(self) -> FaultyStore:
        """The store as the next process finds it; this one answers nothing any more."""
        self.crash()
        return FaultyStore(
            self._random,
            crash_rate=self.crash_rate,
            crash_at=self.crash_at,
            full_rate=self.full_rate,
            tables=self._tables,
            steps=self.steps,
        )

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        """Commits, or crashes after some of the units (all of them, none of them) are on disk."""
        if self._count():
            done = self._random.randint(0, len(units))
            super().commit(units[:done])
            self._die(f"commit, {done} of {len(units)} units on disk")
        return [self._refusal(unit) or super(FaultyStore, self).commit([unit])[0] for unit in units]

    def _refusal(self, unit: Unit) -> StoreError | None:
        """`StoreFull` for some of the units that need room."""
        if not self.full_rate or not any(isinstance(operation, AddMessage | PrepareBranch) for operation in unit):
            return None
        if self._random.random() >= self.full_rate:
            return None
        self.history.append(f"step {self.steps}: full")
        return StoreFull("the simulated disk is full")

    def stage(self, chunk: Piece) -> int:
        """Stages, or crashes."""
        self._step("stage")
        return super().stage(chunk)

    def unstage(self, chunks: Iterable[int]) -> None:
        """Unstages, or crashes."""
        self._step("unstage")
        super().unstage(chunks)

    def read_staged(self, chunk: int, offset: int = 0, length: int | None = None) -> bytes:
        """Reads, or crashes."""
        self._step("read_staged")
        return super().read_staged(chunk, offset, length)

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Reads, or crashes."""
        self._step("read")
        return super().read(queue, position, offset, length)

    def length(self, queue: int, position: int) -> int:
        """Reads, or crashes."""
        self._step("length")
        return super().length(queue, position)

    def index(self, queue: int, position: int) -> bytes:
        """Reads, or crashes."""
        self._step("index")
        return super().index(queue, position)

    def scan(self, queue: int) -> Iterator[tuple[int, bytes, int]]:
        """Scans, or crashes."""
        self._step("scan")
        return super().scan(queue)

    def queues(self) -> Iterator[int]:
        """Reads, or crashes."""
        self._step("queues")
        return super().queues()

    def record(self, table: str, key: bytes) -> bytes | None:
        """Reads, or crashes."""
        self._step("record")
        return super().record(table, key)

    def records(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Reads, or crashes."""
        self._step("records")
        return super().records(table)

    def branches(self) -> Iterator[tuple[bytes, list[Operation]]]:
        """Reads, or crashes."""
        self._step("branches")
        return super().branches()

    def spill(self, body: Piece) -> int:
        """Spills, or crashes."""
        self._step("spill")
        return super().spill(body)

    def read_spilled(self, spilled: int, offset: int = 0, length: int | None = None) -> bytes:
        """Reads, or crashes."""
        self._step("read_spilled")
        return super().read_spilled(spilled, offset, length)

    def drop_spilled(self, spilled: Iterable[int]) -> None:
        """Drops, or crashes."""
        self._step("drop_spilled")
        super().drop_spilled(spilled)

    def close(self) -> None:
        """Ends this process in good order: the durable part stays for `restart`."""
        if not self.crashed:
            self.crash()

    def _step(self, name: str) -> None:
        if self._count():
            self._die(name)

    def _count(self) -> bool:
        """Counts a step and says whether the process dies at it."""
        if self.crashed:
            raise Crash("the process of this store is dead")
        self.steps += 1
        return self.steps in self.crash_at or (self.crash_rate > 0 and self._random.random() < self.crash_rate)

    def _die(self, where: str) -> None:
        self.history.append(f"step {self.steps}: crash at {where}")
        self.crash()
        raise Crash(self.history[-1])
