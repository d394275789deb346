"""A store whose process may die at any call: what a fault simulation runs a queue manager on.

What a commit answered is durable; staged chunks that no commit took, spilled bodies and commits that were not carried
out are volatile. A crash loses the volatile part and makes the store raise `Crash` for every further call; `restart`
gives the store that the next process would open. Its disk may have lost or damaged a single block meanwhile: that is
refused at start, or when the block is read, until `repair` says what is lost. Every choice comes from the
`random.Random` passed in, so a run is told by its seed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from random import Random

from mqbridge.bridge.store.errors import StoreDamaged, StoreError, StoreFull
from mqbridge.bridge.store.memory import MemoryParts, MemoryStore, MemoryTables
from mqbridge.bridge.store.operations import MAX_CHUNK, AddMessage, Operation, Piece, PrepareBranch, Unit


class Crash(BaseException):
    """The process has died at a call of the store. No handler of errors catches it: only the simulation does."""


class FaultyParts(MemoryParts):
    """Parts of a `FaultyStore`, which counts the calls under `names` of writing, reading and dropping."""

    def __init__(self, step: Callable[[str], None], names: tuple[str, str, str], limit: int = 0) -> None:
        super().__init__(limit)
        self._step = step
        self._names = names

    def write(self, part: Piece) -> int:
        """Writes, or crashes."""
        self._step(self._names[0])
        return super().write(part)

    def read(self, part: int, offset: int = 0, length: int | None = None) -> bytes:
        """Reads, or crashes."""
        self._step(self._names[1])
        return super().read(part, offset, length)

    def drop(self, parts: Iterable[int]) -> None:
        """Drops, or crashes."""
        self._step(self._names[2])
        super().drop(parts)


class FaultyStore(MemoryStore):
    """A `MemoryStore` with a durable and a volatile part.

    Every call is one step; `steps` counts them over all restarts. A step crashes when its number is in `crash_at`, or
    by `crash_rate` (0 to 1). A commit crashes with none, some or all of its units on disk and none of them answered. A
    unit that adds messages is answered `StoreFull` by `full_rate`. At a restart the disk loses or damages the block of
    one message by `damage_rate`. `history` holds the steps that did harm, in words.
    """

    def __init__(
        self,
        random: Random,
        *,
        crash_rate: float = 0.0,
        crash_at: Container[int] = (),
        full_rate: float = 0.0,
        damage_rate: float = 0.0,
        tables: MemoryTables | None = None,
        steps: int = 0,
    ) -> None:
        super().__init__(tables)
        self.staged = FaultyParts(self._step, ("stage", "read_staged", "unstage"), MAX_CHUNK)
        self.spilled = FaultyParts(self._step, ("spill", "read_spilled", "drop_spilled"))
        self.crash_rate = crash_rate
        self.crash_at = crash_at
        self.full_rate = full_rate
        self.damage_rate = damage_rate
        self.steps = steps
        self.crashed = False
        self.history: list[str] = []
        self._random = random
        self._blocks: dict[tuple[int, int], bool] = {}
        """Queue and position of messages whose block is not what was written; whether a start finds it."""

    def crash(self) -> None:
        """The process dies now, from outside: everything volatile is lost."""
        self.crashed = True
        self.staged.kept.clear()
        self.spilled.kept.clear()

    def restart(self) -> FaultyStore:
        """The store as the next process finds it; this one answers nothing any more."""
        self.crash()
        after = FaultyStore(
            self._random,
            crash_rate=self.crash_rate,
            crash_at=self.crash_at,
            full_rate=self.full_rate,
            damage_rate=self.damage_rate,
            tables=self._tables,
            steps=self.steps,
        )
        after._blocks = self._blocks
        if self.damage_rate and self._random.random() < self.damage_rate:
            after._damage_a_block()
        return after

    # The disk

    @property
    def damaged(self) -> list[tuple[int, int]]:
        """Queue and position of the messages that are there and not what was written."""
        return [(queue, at) for queue, at in self._blocks if at in self._tables.queues.get(queue, {})]

    def repair(self) -> list[bytes]:
        """Goes on without the messages that are damaged; returns their data, which are said to be lost."""
        lost = [b"".join(self._tables.queues[queue].pop(at).pieces) for queue, at in self.damaged]
        self._blocks.clear()
        self.history.append(f"step {self.steps}: repaired, {len(lost)} messages lost")
        return lost

    def _damage_a_block(self) -> None:
        rows = sorted((queue, at) for queue, messages in self._tables.queues.items() for at in messages)
        if rows:
            row = self._random.choice(rows)
            self._blocks[row] = self._random.random() < 0.5
            self.history.append(f"step {self.steps}: the block of position {row[1]} of queue {row[0]} is damaged")

    def _require_start(self) -> None:
        """Raises `StoreDamaged` for what a start reads: all but the bodies."""
        for queue, at in self.damaged:
            if self._blocks[queue, at]:
                raise StoreDamaged("the rows of table index are not those that were written last", _place(queue, at))

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

    def read(self, queue: int, position: int, offset: int = 0, length: int | None = None) -> bytes:
        """Reads, or crashes; raises `StoreDamaged` for a block that is."""
        self._step("read")
        if (queue, position) in self._blocks:
            raise StoreDamaged("a body is not what was written (its CRC32 differs)", _place(queue, position))
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
        """Reads, or crashes; raises `StoreDamaged` where a start finds damage."""
        self._step("queues")
        self._require_start()
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


def _place(queue: int, position: int) -> str:
    return f"queue {queue}, position {position}"
