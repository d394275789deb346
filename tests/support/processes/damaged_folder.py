"""A data folder with a known history that is damaged at random, and what the next start makes of it.

`KnownFolder` is made once: two queues with messages of all kinds, definitions, a prepared branch, users; killed in the
middle of a commit that was never synced. `damage` changes a copy of it; `look` opens the copy as a start does and says
what came of it. What a start, or a read, refuses must name the damage; all else is judged by the history.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from mqbridge.bridge.config import Configuration, override
from mqbridge.bridge.queue_manager import GetOptions, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind, Objects
from mqbridge.bridge.queue_manager.queues.bodies import stage
from mqbridge.bridge.security import UserError
from mqbridge.bridge.security.passwords import Cost, hash_password
from mqbridge.bridge.security.users import User
from mqbridge.bridge.security.users_file import UsersFile
from mqbridge.bridge.service.errors import StartError
from mqbridge.bridge.service.opening import OpenedData, load_objects
from mqbridge.bridge.store.errors import StoreDamaged
from mqbridge.bridge.store.interface import PrepareBranch, PutRecord, Store, Unit
from mqbridge.bridge.store.journal_entries import encode
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.unit_changes import UnitChanges
from mqbridge.mappings.message import Message
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.history import History, Verdict

NAME = "EARTH"
BRANCH = (4711).to_bytes(4, "big") + b"\1\1gb"
QUEUES = ("FIRST", "SECOND")
LONG = 3 << 19
PAGE = 4096
MAP_SIZE = 64 << 20
_BEGINNING = re.compile(rb"#\d{6} \d{7}#")
FILES = ("journal", "messages.mdb", "synced", "staging", "users", "running.json", "lock")
WEIGHTS = (30, 50, 3, 8, 6, 1, 1)


class KnownFolder:
    """The folder at ``path``, what was done in it (``history``), and what else must be found."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.history = History()
        self.random = Random(4711)
        self.store = LmdbStore(path, map_size=MAP_SIZE)
        now = time.time()
        objects = Objects(NAME, now)
        for name in QUEUES:
            objects.define(Kind.QLOCAL, name, {"MAXDEPTH": 999_999}, now, supplied=True)
        for number in range(20):
            objects.define(Kind.QALIAS, f"ALIAS.{number}", {"TARGET": "FIRST"}, now, supplied=True)
        self.store.commit([objects.operations()])
        self.manager = DirectQueueManager(NAME, self.store, objects, now)
        self._settle()
        self._count = 0
        for _ in range(150):
            self._put(self.random.choice([10, 100, 1000, 3000, 20_000]))
        for staged in (True, False):
            self._put(LONG, staged=staged)
        for _ in range(60):
            self._get()
        self.store.commit([[PrepareBranch(BRANCH, [PutRecord("kept", b"key", b"value")])]])
        self.store._file._checkpoint()
        self.older = (path / "messages.mdb").read_bytes()
        for _ in range(80):
            self._put(self.random.choice([10, 100, 1000, 3000, 20_000]))
            if self.random.random() < 0.4:
                self._get()
        self.store._file._checkpoint()
        for _ in range(60):
            self._put(self.random.choice([10, 100, 1000, 3000]))
            if self.random.random() < 0.5:
                self._get()
        self._begin_a_commit()
        self.journal_end = self.store._file._journal._end
        self._die()
        UsersFile(path / "users").change(
            lambda users: users.added(User("ann", hash_password("secret", bytes(16), Cost(4, 1, 1)), ("mqm",))).added(
                User("bob", hash_password("secret", bytes(16), Cost(4, 1, 1)))
            )
        )
        (path / "running.json").write_text('{"pid": 1}\n')
        self.branches = [BRANCH]
        self.used = self._used()
        self.places: dict[tuple[int, int], bytes] = {}
        """Data by the place of a message in the store; filled when a sound copy is looked at, as are the ``names`` of
        the objects."""
        self.names: list[str] = []

    def _settle(self) -> None:
        while pending := self.manager.take_commits():
            errors = self.store.commit([each.operations for each in pending])
            assert errors == [None] * len(pending), errors
            for each, error in zip(pending, errors, strict=True):
                self.manager.committed(each, error, time.time())

    def _data(self, length: int) -> bytes:
        self._count += 1
        return data_of(self._count, length)

    def _put(self, length: int, *, staged: bool = False) -> None:
        queue = self.random.choice(QUEUES)
        data = self._data(length)
        operation = self.history.put(queue, data, source=queue)
        message = Message.build(data, persistence=1, expiry=-1)
        if staged:
            message.body = stage(self.store, data)
        self.manager.put(self.manager.resolve(queue), message, PutOptions(), None, time.time())
        self._settle()
        operation.done()

    def _get(self) -> None:
        queue = self.random.choice(QUEUES)
        got = self.manager.get(self.manager.local_queue(queue), GetOptions(), None, time.time())
        if got is not None:
            operation = self.history.get(queue, bytes(got.message.data))
            self._settle()
            operation.done()

    def _begin_a_commit(self) -> None:
        """A put that reaches the journal and is never synced nor answered."""
        data = self._data(2000)
        self.history.put("FIRST", data, source="FIRST")
        self.manager.put(self.manager.resolve("FIRST"), Message.build(data, persistence=1), PutOptions(), None, 0.0)
        (pending,) = self.manager.take_commits()
        changes = changes_of(self.store, pending.operations)
        self.store._file._journal.append(*encode(changes.changes))

    def _die(self) -> None:
        self.store._file.fail(OSError("killed"))
        self.store.close()

    def _used(self) -> int:
        last = int.from_bytes((self.path / "messages.mdb").read_bytes()[16 + 120 : 16 + 128], "little")
        return (last + 1) * PAGE


def changes_of(store: LmdbStore, unit: Unit) -> UnitChanges:
    """The rows that a unit changes."""
    changes = UnitChanges(store._rows, store.staged, store._highest, store._file.has_staged)
    assert changes.apply_all([unit], [0]) is None
    return changes


def data_of(number: int, length: int) -> bytes:
    """Data that no other message has, and of which every byte matters."""
    head = b"#%06d %07d#" % (number, length)
    return head + Random(number).randbytes(max(length - len(head), 0))


# Damage


def damage(known: KnownFolder, folder: Path, random: Random) -> str:
    """Damages one file of a copy; what was done, in words."""
    name = random.choices(FILES, WEIGHTS)[0]
    file = folder / name
    if name == "staging":
        file = random.choice(sorted(file.iterdir()))
    size = {"journal": known.journal_end + 3000, "messages.mdb": known.used}.get(name, file.stat().st_size)
    if not size:
        return f"{name}: empty, left alone"
    kinds: list[Callable[[], str]] = [
        lambda: _flip(file, random, size),
        lambda: _zero(file, random, size),
        lambda: _cut(file, random, size),
    ]
    weights = [5, 3, 1]
    if name == "messages.mdb":
        kinds.append(lambda: _older_page(file, random, known))
        weights.append(3)
    return f"{name}: {random.choices(kinds, weights)[0]()}"


def _flip(file: Path, random: Random, size: int) -> str:
    at, bit = random.randrange(size), random.randrange(8)
    with file.open("r+b") as stream:
        stream.seek(at)
        byte = stream.read(1)[0]
        stream.seek(at)
        stream.write(bytes((byte ^ 1 << bit,)))
    return f"bit {bit} of byte {at} flipped"


def _zero(file: Path, random: Random, size: int) -> str:
    at, length = random.randrange(size), random.choice([1, 16, 256, PAGE, 4 * PAGE])
    if length >= PAGE:
        at -= at % PAGE
    with file.open("r+b") as stream:
        stream.seek(at)
        stream.write(bytes(min(length, file.stat().st_size - at)))
    return f"{length} bytes at {at} zeroed"


def _cut(file: Path, random: Random, size: int) -> str:
    length = random.randrange(size)
    os.truncate(file, length)
    return f"cut at {length}"


def _older_page(file: Path, random: Random, known: KnownFolder) -> str:
    page = random.randrange(2, known.used // PAGE)
    with file.open("r+b") as stream:
        stream.seek(page * PAGE)
        stream.write(known.older[page * PAGE : (page + 1) * PAGE])
    return f"page {page} of an older version"


# Looking


@dataclass(slots=True)
class Outcome:
    """What came of a damage: refused at start (in words), or the verdict of the history and what else is wrong.

    ``said``: data of the messages of which a read was refused.
    """

    refused: str = ""
    said: set[bytes] = field(default_factory=set)
    verdict: Verdict = field(default_factory=Verdict)
    problems: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """Whatever nobody was told of."""
        return [*self.problems, *self.verdict.problems]


def copy_of(known: KnownFolder, target: Path) -> Path:
    """A copy to be damaged; what is allocated and empty stays so."""
    shutil.copytree(known.path, target, copy_function=_copy_sparse)
    return target


def _copy_sparse(source: str, target: str) -> None:
    with open(source, "rb") as stream, open(target, "wb") as out:
        size = 0
        while data := stream.read(1 << 18):
            if data.count(0) == len(data):
                out.seek(len(data), os.SEEK_CUR)
            else:
                out.write(data)
            size += len(data)
        out.truncate(size)
    shutil.copymode(source, target)


def look(known: KnownFolder, folder: Path) -> Outcome:
    """Opens a folder as a start does, reads everything, and compares."""
    outcome = Outcome()
    settings = override(Configuration(), data=folder, name=NAME)
    settings.store = replace(settings.store, map_size=MAP_SIZE, keep_free=0)
    try:
        opened = OpenedData(settings)
        try:
            objects, _ = load_objects(opened.store, NAME, 0.0)
            manager = DirectQueueManager(NAME, opened.store, objects, time.time())
            users = UsersFile(folder / "users").read()
            found = _messages(known, manager, opened.store, outcome)
            branches = [branch for branch, _ in opened.store.branches()]
        finally:
            opened.close()
    except (StartError, StoreDamaged, UserError) as error:
        outcome.refused = str(error)
        if not any(place in outcome.refused for place in (str(folder), "queue ", "table ", "branch ", "objects ")):
            outcome.problems.append(f"the refusal names no place: {outcome.refused}")
        return outcome
    known.names = known.names or sorted(definition.name for definition in objects)
    if sorted(definition.name for definition in objects) != known.names:
        outcome.problems.append("the definitions are others")
    if [user.name for user in users] != ["ann", "bob"] or users != UsersFile(known.path / "users").read():
        outcome.problems.append("the users are others")
    if branches != known.branches:
        outcome.problems.append(f"the branches are {branches}")
    outcome.verdict = known.history.judge(found, said=outcome.said)
    return outcome


def _messages(
    known: KnownFolder, manager: DirectQueueManager, store: Store, outcome: Outcome
) -> dict[str, list[bytes]]:
    """Data of all messages by queue; a read that is refused is noted."""
    names = {queue.number: name for name in QUEUES if (queue := manager.queue(name)) is not None}
    found: dict[str, list[bytes]] = {name: [] for name in QUEUES}
    for number, position, _, length in store.scan_all():
        try:
            if length > 1 << 20:
                whole = b"".join(store.read(number, position, at, 300_000) for at in range(0, length, 300_000))
            else:
                whole = store.read(number, position)
        except StoreDamaged as error:
            if f"position {position}" not in str(error) and "staging" not in str(error):
                outcome.problems.append(f"the refusal of a read names no message: {error}")
            outcome.said.add(known.places[number, position])
            continue
        start = _BEGINNING.search(whole)
        name = names.get(number)
        if start is None or name not in found:
            outcome.problems.append(f"a message of queue number {number} that nobody put")
            continue
        found[name].append(whole[start.start() :])
        known.places.setdefault((number, position), whole[start.start() :])
    return found
