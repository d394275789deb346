"""A run of a queue manager as the list of what came to its door, which can be stored and played again.

A life is what one process did, from its start to its end or death: what its store held, then one step after the other:
programs that connect, their requests, the answers of the store, the time. Sockets, programs and faults are no part of
it, so a life can be played again without them: the same steps on a fresh queue manager have the same outcomes and write
the same rows.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager import Application, PendingCommit, QueueManager, RetrievedMessage, Wake
from mqbridge.bridge.queue_manager.calls.requests import Put, Request
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.effects import Completed, Effect
from mqbridge.bridge.queue_manager.objects import TABLE, Objects
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.bridge.store.interface import AddMessage, Operation, PrepareBranch, StagedBody, StoreError
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.mappings.body import as_bytes
from support.queue_manager.direct import DirectQueueManager


class Joins(NamedTuple):
    """A program connects; ``waits``: it wants to be told of outcomes."""

    session: int
    options: tuple[int, str, Application, bool, bool]
    waits: bool
    now: float


class Asks(NamedTuple):
    """A program makes a request; ``outcome`` is None where that came later, or never."""

    session: int
    request: Request
    now: float


class Leaves(NamedTuple):
    """A program is gone without MQDISC."""

    session: int
    now: float


class Quiesces(NamedTuple):
    """The connection of a program quiesces."""

    session: int


class IsTold(NamedTuple):
    """A program takes its outcomes; what it asks then follows, up to `WasTold`."""

    session: int
    now: float


class WasTold(NamedTuple):
    """A program has seen to its outcomes."""


class Performs(NamedTuple):
    """Effects are performed."""

    now: float


class Gathers(NamedTuple):
    """Transactions are taken for the store."""


class Writes(NamedTuple):
    """The store commits the first transactions, or refuses them with these errors."""

    errors: tuple[StoreError | None, ...]


class Answers(NamedTuple):
    """The store answers the first transaction."""

    now: float


class TimesOut(NamedTuple):
    """Deadlines have come."""

    now: float


class Tells(NamedTuple):
    """The time is told."""

    now: float


Step: TypeAlias = (
    Joins | Asks | Leaves | Quiesces | IsTold | WasTold | Performs | Gathers | Writes | Answers | TimesOut | Tells
)


@dataclass(slots=True)
class Life:
    """One process. ``tables``: what its store held at ``start``. ``seen``: outcomes and rows, in order."""

    name: str
    start: float
    tables: MemoryTables
    steps: list[Step] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)


def view(outcome: Any) -> Any:
    """An outcome in a form that can be compared and stored."""
    if isinstance(outcome, RetrievedMessage):
        message = outcome.message
        return bytes(message.raw_md), as_bytes(message.body), outcome.token, outcome.queue_name, outcome.reason
    return outcome


def plain(request: Any) -> Any:
    """A request whose data are bytes."""
    if isinstance(request, Put):
        tag, hobj, descriptor, body, *others = request.held()
        return Put(tag, hobj, as_bytes(descriptor), as_bytes(body), *others)
    changes = {name: as_bytes(getattr(request, name)) for name in ("body", "descriptor") if hasattr(request, name)}
    return request._replace(**changes) if changes else request


def rows(operations: list[Operation]) -> list[Any]:
    """What a transaction writes, in a form that can be compared and stored."""
    found: list[Any] = []
    for operation in operations:
        if isinstance(operation, PrepareBranch):
            found.append(("PrepareBranch", operation.branch, rows(operation.operations)))
        elif isinstance(operation, AddMessage):
            body = operation.body
            pieces = list(body) if isinstance(body, list) else [body]
            data = "staged" if isinstance(body, StagedBody) else b"".join(map(bytes, pieces))  # type: ignore[arg-type]
            found.append(("AddMessage", operation.queue, operation.position, operation.index, data))
        else:
            found.append(operation)
    return found


class RecordedQueueManager(DirectQueueManager):
    """A queue manager that writes down in ``life`` what comes to it, while `recorded_sessions` is in force."""

    def __init__(self, name: str, store: MemoryStore, objects: Objects, now: float) -> None:
        self.life = Life(name, now, deepcopy(store._tables))
        self.sessions: list[Session] = []
        super().__init__(name, store, objects, now)

    def number(self, session: Session) -> int:
        """The number of a session."""
        return next(index for index, each in enumerate(self.sessions) if each is session)

    def take_effects(self) -> list[Effect]:
        effects = super().take_effects()
        if effects:
            self.life.steps.append(Performs(self.told))
        return effects

    told = 0.0

    def at(self, now: float) -> None:
        self.told = now
        self.life.steps.append(Tells(now))
        super().at(now)

    def take_commits(self) -> list[PendingCommit]:
        self.life.steps.append(Gathers())
        commits = super().take_commits()
        self.life.seen += [rows(pending.operations) for pending in commits]
        return commits

    def wrote(self, errors: list[StoreError | None]) -> None:
        """The store has committed, or refused, the first transactions."""
        self.life.steps.append(Writes(tuple(errors)))

    def committed(self, pending: PendingCommit, error: StoreError | None, now: float) -> None:
        self.life.steps.append(Answers(now))
        super().committed(pending, error, now)

    def timeout(self, now: float) -> None:
        self.life.steps.append(TimesOut(now))
        super().timeout(now)


class _Witness:
    """Stands between a session and its program, and sees when the program is told."""

    def __init__(self, manager: RecordedQueueManager, number: int, program: Any) -> None:
        self._manager = manager
        self._number = number
        self._program = program

    def completed(self, now: float) -> None:
        self._manager.life.steps.append(IsTold(self._number, now))
        self._program.completed(now)
        self._manager.life.steps.append(WasTold())

    def connection_stopped(self, now: float) -> None:
        self._program.connection_stopped(now)


@contextmanager
def recorded_sessions() -> Iterator[None]:
    """Sessions at a `RecordedQueueManager` write down what is asked of them."""
    originals: dict[str, Callable[..., Any]] = {
        name: getattr(Session, name) for name in ("__init__", "submit", "completions", "lost", "quiesce")
    }
    managers: dict[int, RecordedQueueManager] = {}

    def begin(self: Session, manager: QueueManager, options: ConnectOptions, now: float) -> None:
        if isinstance(manager, RecordedQueueManager):
            number = len(manager.sessions)
            manager.sessions.append(self)
            managers[id(self)] = manager
            asked = options.options, options.q_mgr_name, options.application, options.checked, options.inside
            manager.life.steps.append(Joins(number, asked, options.program is not None, now))
            if options.program is not None:
                options.program = _Witness(manager, number, options.program)
        originals["__init__"](self, manager, options, now)

    def submit(self: Session, request: Request, now: float) -> Any:
        manager = managers.get(id(self))
        if manager is None:
            return originals["submit"](self, request, now)
        number = manager.number(self)
        manager.life.steps.append(Asks(number, plain(request), now))
        try:
            outcome = originals["submit"](self, request, now)
        except Exception as error:
            manager.life.seen.append((number, request.tag, str(error)))
            raise
        manager.life.seen.append((number, request.tag, view(outcome)))
        return outcome

    def completions(self: Session) -> Any:
        found = originals["completions"](self)
        manager = managers.get(id(self))
        if manager is not None:
            number = manager.number(self)
            manager.life.seen += [(number, tag, view(outcome)) for tag, outcome in found]
        return found

    def lost(self: Session, now: float) -> None:
        manager = managers.get(id(self))
        if manager is not None:
            manager.life.steps.append(Leaves(manager.number(self), now))
        originals["lost"](self, now)

    def quiesce(self: Session) -> None:
        manager = managers.get(id(self))
        if manager is not None:
            manager.life.steps.append(Quiesces(manager.number(self)))
        originals["quiesce"](self)

    replacements = {"__init__": begin, "submit": submit, "completions": completions, "lost": lost, "quiesce": quiesce}
    for name, replacement in replacements.items():
        setattr(Session, name, replacement)
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(Session, name, original)


class Played:
    """A life that is played again. ``seen`` is what came of it this time."""

    def __init__(self, life: Life) -> None:
        self.seen: list[Any] = []
        self._steps = life.steps
        self._next = 0
        self._store = MemoryStore(deepcopy(life.tables))
        objects = Objects(life.name, life.start)
        objects.load(self._store.records(TABLE))
        self._manager = QueueManager(life.name, self._store, objects, life.start)
        self._sessions: list[Session | None] = []
        self._gathered: deque[PendingCommit] = deque()
        self._written: deque[StoreError | None] = deque()

    def run(self) -> None:
        """Plays all steps."""
        while self._next < len(self._steps):
            self._step()

    def _step(self) -> None:
        step = self._steps[self._next]
        self._next += 1
        manager = self._manager
        match step:
            case Joins():
                self._join(step)
            case Asks():
                self._ask(step)
            case Leaves() if (session := self._sessions[step.session]) is not None:
                session.lost(step.now)
            case Quiesces() if (session := self._sessions[step.session]) is not None:
                session.quiesce()
            case Performs():
                self._perform(step.now)
            case Gathers():
                commits = manager.take_commits()
                self._gathered.extend(commits)
                self.seen += [rows(pending.operations) for pending in commits]
            case Writes():
                for pending, error in zip(list(self._gathered), step.errors, strict=False):
                    refused = [error] if error is not None else self._store.commit([pending.operations])
                    self._written.extend(refused)
            case Answers() if self._written:
                manager.committed(self._gathered.popleft(), self._written.popleft(), step.now)
            case TimesOut():
                manager.timeout(step.now)
            case Tells():
                manager.at(step.now)

    def _join(self, step: Joins) -> None:
        options, name, application, checked, inside = step.options
        program = _Player(self, step.session) if step.waits else None
        connect = ConnectOptions(options, name, application, program, checked, inside)
        self._sessions.append(None)
        try:
            self._sessions[step.session] = Session(self._manager, connect, step.now)
        except Exception as error:
            self.seen.append((step.session, str(error)))

    def _ask(self, step: Asks) -> None:
        session = self._sessions[step.session]
        if session is None:
            return
        try:
            outcome: Any = session.submit(step.request, step.now)
        except Exception as error:
            outcome = str(error)
        self.seen.append((step.session, step.request.tag, view(outcome)))

    def _perform(self, now: float) -> None:
        for effect in self._manager.take_effects():
            if isinstance(effect, Wake):
                effect.waiter.owner.woken(effect.waiter, effect.reason, now)
            elif isinstance(effect, Completed):
                effect.program.completed(now)

    def told(self, number: int) -> None:
        """A program takes its outcomes, and makes the requests that it made then."""
        session = self._sessions[number]
        if session is not None:
            self.seen += [(number, tag, view(outcome)) for tag, outcome in session.completions()]
        if self._next < len(self._steps) and isinstance(self._steps[self._next], IsTold):
            self._next += 1
            while self._next < len(self._steps) and not isinstance(self._steps[self._next], WasTold):
                self._step()
            self._next += 1


class _Player:
    """A program that makes the requests that it made."""

    def __init__(self, played: Played, number: int) -> None:
        self._played = played
        self._number = number

    def completed(self, _now: float) -> None:
        self._played.told(self._number)

    def connection_stopped(self, now: float) -> None:
        """Who was ended by an operator has left by a step of its own."""


def differences(lives: list[Life]) -> list[str]:
    """Plays lives again; where what comes of them is not what came of them, in words."""
    found = []
    for number, life in enumerate(lives):
        played = Played(life)
        played.run()
        for index, (before, after) in enumerate(zip(life.seen, played.seen, strict=False)):
            if before != after:
                found.append(f"life {number}, outcome {index}: {before} was seen, now {after}")
                break
        else:
            missing = len(life.seen) - len(played.seen)
            if missing:
                found.append(f"life {number}: {missing} outcomes too few")
    return found


def save(lives: list[Life], file: Path) -> None:
    """Stores lives."""
    file.write_bytes(pickle.dumps(lives))


def load(file: Path) -> list[Life]:
    """Lives that were stored."""
    lives: list[Life] = pickle.loads(file.read_bytes())
    return lives
