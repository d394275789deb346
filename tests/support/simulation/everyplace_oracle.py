"""What must be true of messages of Everyplace: each once, in order; on disk somewhere at every moment.

A backup that is restored may lose what came since it was made, and double what left since; the oracle takes note of
just these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from mqbridge.bridge.everyplace.transfer.lane_records import KEPT_FOR_MQ
from mqbridge.bridge.everyplace.transfer.parts_in import QUEUE as PARTS
from mqbridge.bridge.store.interface import (
    AddMessage,
    Body,
    ChangeMessage,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    StagedBody,
    StoreError,
    Unit,
)
from mqbridge.bridge.store.memory import MemoryTables
from mqbridge.protocol.everyplace.calls import Done, Outcome
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE
from support.queue_manager.faulty_store import FaultyStore

Place: TypeAlias = tuple[int | str, int | bytes]
"""Of a message on a disk: queue and position, or table and key."""
_IDENTITY = re.compile(rb"<\w+:\d+>")
"""As it stands in whatever a message has become."""


def identity_in(data: bytes) -> str:
    """Return the identity of a message in its dump or data; empty for none of ours."""
    found = _IDENTITY.search(data)
    return "" if found is None else found[0].decode()


def identity_of(message: Message) -> str:
    """Return the identity of a message."""
    return str(message["id"]) if "id" in message else identity_in(bytes(message[DATA]))


@dataclass(slots=True)
class Fate:
    """Of one message. ``answered``: how many puts were asked before the answer came; 0 without. ``to``: its address."""

    asked: int
    to: str
    priority: int
    answered: int = 0
    refused: bool = False


@dataclass
class EveryplaceOracle:
    """``places``: how many stores have each message on disk. ``may_lose``, ``may_double``: after a restored backup.
    ``taken``: who has got it."""

    fates: dict[str, Fate] = field(default_factory=dict)
    places: Counter[str] = field(default_factory=Counter)
    may_lose: set[str] = field(default_factory=set)
    may_double: set[str] = field(default_factory=set)
    taken: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def asked(self, origin: str, to: str, random: Random) -> tuple[str, int, bytes]:
        """Identity, priority and data of a message that a program puts."""
        identity = f"<{origin}:{len(self.fates) + 1}>"
        priority = random.choice((3, 4))
        length = random.choice((10, 10, 10, 200, 3000))
        if random.random() < 0.02:
            length = random.choice((70_000, 150_000))
        self.fates[identity] = Fate(len(self.fates) + 1, to, priority)
        return identity, priority, bytes(length)

    def message(self, origin: str, to: str, random: Random) -> Message:
        """A message that a program of Everyplace puts, now and then an MQ-style one."""
        identity, priority, data = self.asked(origin, to, random)
        found = Message(MQ_STYLE) if random.random() < 0.3 else Message()
        if found.type == MQ_STYLE:
            found.put(DATA, identity.encode() + data, FieldType.BYTE_ARRAY)
        else:
            found["id"], found["data"] = identity, data
        found.priority = priority
        return found

    def answered(self, identity: str) -> Callable[[Outcome], None]:
        """What becomes of the put of a message."""

        def then(outcome: Outcome) -> None:
            fate = self.fates[identity]
            if not isinstance(outcome, Done):
                fate.refused = True
                return
            fate.answered = len(self.fates)
            if not self.places[identity] and identity not in self.may_lose:
                self.problems.append(f"{identity}: its put was answered before it was on disk")

        return then

    def consumed(self, identity: str, program: str) -> None:
        """A program has got it, and will have it removed."""
        if identity in self.taken:
            self.problems.append(f"{identity}: {program} has got it, and {self.taken[identity]} before")
        self.taken[identity] = program

    # Disks

    def written(self, identity: str) -> None:
        """A disk has it."""
        self.places[identity] += 1

    def removed(self, identity: str, where: str) -> None:
        """A disk has it no more."""
        self.places[identity] -= 1
        if not self.places[identity] and identity not in self.may_lose and identity not in self.taken:
            self.problems.append(f"{identity}: {where} has deleted it, and it is on no other disk")

    def restored(self, now: Sequence[str], backup: Sequence[str], in_doubt: Sequence[str]) -> None:
        """A disk had some messages, some of them in doubt, and has those of its backup instead."""
        self.may_lose |= set(now) - set(backup)
        # What left since, and what was in doubt: it is here again, and perhaps elsewhere too.
        self.may_double |= {each for each in backup if self.places[each] > (each in now)} | set(backup) - set(now)
        self.may_double |= set(in_doubt)
        self.places.subtract(now)
        self.places.update(backup)

    # The end

    def check(self, arrived: dict[str, list[str]]) -> list[str]:
        """Compare what lies on the last queues with what programs were told."""
        problems = self.problems[:10]
        counts = Counter(each for found in arrived.values() for each in found)
        counts.update(list(self.taken))
        for identity, fate in self.fates.items():
            count = counts.pop(identity, 0)
            if count > 1 and identity not in self.may_double:
                problems.append(f"{identity}: arrived {count} times")
            if fate.refused and count:
                problems.append(f"{identity}: was refused, and has arrived")
            if fate.answered and not count and identity not in self.may_lose:
                problems.append(f"{identity}: was put, and is lost")
        problems += [f"{identity} came from nowhere" for identity in counts]
        for where, found in arrived.items():
            problems += self._disorder(where, found)
        return problems

    def _disorder(self, where: str, found: list[str]) -> list[str]:
        """Of one origin and priority none overtakes another whose put was answered before its own was asked."""
        latest: dict[tuple[str, int, str], str] = {}
        for identity in found:
            if identity in self.may_double:
                continue
            fate = self.fates[identity]
            key = identity.partition(":")[0], fate.priority, fate.to
            before = latest.get(key)
            if before is not None and 0 < fate.answered < self.fates[before].asked:
                return [f"on {where} {before} has overtaken {identity}"]
            if before is None or fate.asked > self.fates[before].asked:
                latest[key] = identity
        return []


class WatchedStore(FaultyStore):
    """A `FaultyStore` that tells the oracle which messages are on its disk."""

    oracle: EveryplaceOracle
    name: str
    identities: dict[Place, str]

    def watch(self, name: str, oracle: EveryplaceOracle, identities: dict[Place, str]) -> WatchedStore:
        self.name, self.oracle, self.identities = name, oracle, identities
        return self

    def restart(self) -> WatchedStore:
        """The store as the next process finds it."""
        self.crash()
        after = WatchedStore(
            self._random,
            crash_rate=self.crash_rate,
            full_rate=self.full_rate,
            tables=self._tables,
            steps=self.steps,
        )
        return after.watch(self.name, self.oracle, self.identities)

    def restore(self, backup: Backup, in_doubt: Sequence[str]) -> None:
        """The disk has what it had once."""
        self.oracle.restored(list(self.identities.values()), list(backup.identities.values()), in_doubt)
        copy = backup.copy()
        self._tables = copy.tables
        self.identities = copy.identities

    def backup(self) -> Backup:
        return Backup(self._tables, self.identities).copy()

    def _apply_unit(self, unit: Unit) -> StoreError | None:
        # What a unit moves from one queue to another is on disk all the time.
        messages = [each for each in unit if getattr(each, "queue", PARTS) != PARTS]
        added = [
            (each.queue, each.position, identity_in(self._begins(each.body)))
            for each in messages
            if isinstance(each, AddMessage)
        ]
        error = super()._apply_unit(unit)
        if error is None:
            for queue, position, identity in added:
                if identity:
                    self.identities[queue, position] = identity
                    self.oracle.written(identity)
            for operation in messages:
                if isinstance(operation, RemoveMessage):
                    identity = self.identities.pop((operation.queue, operation.position), "")
                    if identity:
                        self.oracle.removed(identity, self.name)
                else:
                    assert isinstance(operation, AddMessage | ChangeMessage), f"{operation} is not watched"
            self._watch_kept(unit)
        return error

    def _watch_kept(self, unit: Unit) -> None:
        """Puts that wait for their confirm before they go to MQ are no messages of a queue."""
        for each in unit:
            if isinstance(each, PutRecord) and each.table == KEPT_FOR_MQ:
                if (KEPT_FOR_MQ, each.key) not in self.identities:
                    self.oracle.written(identity_in(each.value))
                self.identities[KEPT_FOR_MQ, each.key] = identity_in(each.value)
            elif isinstance(each, RemoveRecord) and each.table == KEPT_FOR_MQ:
                identity = self.identities.pop((KEPT_FOR_MQ, each.key), "")
                if identity:
                    self.oracle.removed(identity, self.name)

    def _begins(self, body: Body) -> bytes:
        """Return the beginning of a body, in which its identity is."""
        if isinstance(body, StagedBody):
            return self.staged.kept[body.chunks[0]]
        return b"".join(body) if isinstance(body, list) else bytes(body)


@dataclass
class Backup:
    """A disk at one moment."""

    tables: MemoryTables
    identities: dict[Place, str]

    def copy(self) -> Backup:
        from copy import deepcopy

        return Backup(deepcopy(self.tables), dict(self.identities))
