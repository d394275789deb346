"""Programs, their units of work and branches of transaction managers against lists: any calls, restarts, and a process
that dies at any call of the store."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mqbridge.bridge.queue_manager import Cursor, GetOptions, MQError
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.queue_manager.xa import BranchState
from mqbridge.protocol.constants import MQGMO, MQRC, TMFlags
from support.queue_manager.crash_host import CrashHost
from support.queue_manager.direct_calls import browse
from support.queue_manager.faulty_store import Crash
from support.queue_manager.program import PUT_SYNC, SYNC, Program, xid
from support.queue_manager.transaction_model import Entry, Model
from support.wire.transactions import WireClient

QUEUES = ("A", "B")
PROGRAMS = 3
STATES = {BranchState.OPEN: "open", BranchState.PREPARED: "prepared", BranchState.DECIDED: "decided"}
ENDS = {"success": int(TMFlags.SUCCESS), "fail": int(TMFlags.FAIL), "suspend": int(TMFlags.SUSPEND)}


class Transactions(RuleBasedStateMachine):
    programs_ = st.integers(0, PROGRAMS - 1)
    names = st.sampled_from(QUEUES)
    numbers = st.integers(0, 2)

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.host = self.make_host(Random(seed))
        for name in QUEUES:
            self.host.local(name)
        self.model = Model(QUEUES)
        self.count = 0
        self.connect()

    def make_host(self, random: Random) -> CrashHost:
        return CrashHost(random)

    def make_program(self) -> Program | WireClient:
        return Program(self.host)

    def connect(self) -> None:
        self.programs: dict[int, Any] = {}
        self.handles: dict[int, dict[str, int]] = {}
        for number in range(PROGRAMS):
            self.enter(number)

    def enter(self, number: int) -> None:
        program = self.programs[number] = self.make_program()
        program.mq.xa.open()
        self.handles[number] = {name: program.open(name) for name in QUEUES}

    def attempt(self, call: Callable[[], Any], change: Callable[[Model], Any]) -> None:
        """Makes a call and the change that it is to make; where the process dies, it was made or it was not."""
        after = self.model.copy()
        expected = change(after)
        try:
            found = call()
        except Crash:
            self.host.restart()
            self.recovered(self.model, after)
            self.connect()
            return
        assert found == expected
        self.model = after

    def recovered(self, before: Model, after: Model) -> None:
        counts = {}
        for model in (before, after):
            works = [*model.local.values(), *(branch.work for branch in model.branches.values())]
            known = [each for entries in model.queues.values() for each in entries]
            known += [each for work in works for _, each in work.gets]
            for entry in known:
                counts.setdefault(entry.data, set()).add(entry.backouts)
        found = self.found()
        choices = [model.copy().restart() for model in (after, before)]
        chosen = [model for model in choices if self.expected(model) == found]
        assert chosen, f"after the crash: {found}, not {[self.expected(model) for model in choices]}"
        self.model = chosen[0]
        actual = self.counts()
        for entries in self.model.queues.values():
            for entry in entries:
                count = actual[entry.data]
                assert min(counts.get(entry.data, {0})) <= count <= max(counts.get(entry.data, {0}))
                entry.backouts = count

    # What is there

    def expected(self, model: Model) -> tuple[Any, Any]:
        contents = {name: [entry.data for entry in entries] for name, entries in model.queues.items()}
        branches = {number: (branch.state, branch.code) for number, branch in model.branches.items()}
        return contents, branches

    def found(self) -> tuple[Any, Any]:
        contents = {name: self.host.contents(name) for name in QUEUES}
        branches = {}
        for branch in self.host.queue_manager.connections.branches:
            branches[int(branch.xid.gtrid[-3:])] = (STATES[branch.state], branch.heuristic)
        return contents, branches

    def counts(self) -> dict[bytes, int]:
        found = {}
        for name in QUEUES:
            cursor, source = Cursor(), self.host.queue_manager.resolve(name)
            while got := browse(self.host.queue_manager, source, cursor, GetOptions(MQGMO.BROWSE_NEXT), self.host.now):
                found[got.message.data] = got.message.md.backout_count
        return found

    @invariant()
    def the_queue_manager_is_as_the_model(self) -> None:
        armed, self.host.store.crash_at = self.host.store.crash_at, ()
        steps = self.host.store.steps
        assert self.found() == self.expected(self.model)
        counts = {entry.data: entry.backouts for entries in self.model.queues.values() for entry in entries}
        assert self.counts() == counts
        for name in QUEUES:
            assert self.host.depth(name) == self.model.depth(name)
        self.host.store.steps, self.host.store.crash_at = steps, armed

    # Messages

    @rule(p=programs_, name=names, sync=st.booleans(), persistent=st.booleans())
    def put(self, p: int, name: str, sync: bool, persistent: bool) -> None:
        self.count += 1
        data = b"message %d" % self.count

        def call() -> None:
            self.programs[p].put(self.handles[p][name], data, PUT_SYNC if sync else 0, persistence=int(persistent))

        self.attempt(call, lambda model: model.put(p, name, Entry(data, persistent), sync))

    @rule(p=programs_, name=names, sync=st.booleans())
    def get(self, p: int, name: str, sync: bool) -> None:
        def change(model: Model) -> bytes | None:
            entry = model.get(p, name, sync)
            return None if entry is None else entry.data

        self.attempt(lambda: self.programs[p].data(self.handles[p][name], SYNC if sync else 0), change)

    # Units of work

    @rule(p=programs_)
    def commit(self, p: int) -> None:
        self.attempt(lambda: self.local(lambda: self.programs[p].commit() is None), lambda model: model.commit(p))

    @rule(p=programs_)
    def backout(self, p: int) -> None:
        self.attempt(lambda: self.local(lambda: self.programs[p].backout() is None), lambda model: model.backout(p))

    def local(self, call: Callable[[], bool]) -> bool:
        """Whether the local unit of work was decided; inside a branch it cannot be."""
        try:
            return call()
        except MQError as error:
            if error.reason != MQRC.ENVIRONMENT_ERROR:
                raise
            return False

    @rule(p=programs_, lost=st.booleans())
    def leave(self, p: int, lost: bool) -> None:
        def call() -> None:
            if lost:
                self.programs[p].lost()
            else:
                assert self.programs[p].disconnect() is None
            self.enter(p)

        # Branches are rolled back first, then the unit of work is committed: a crash may come between.
        if lost or not any(branch.starter == p for branch in self.model.branches.values()):
            self.attempt(call, lambda model: model.leave(p, lost))
        else:
            self.host.disarm()
            self.attempt(call, lambda model: model.leave(p, lost))

    # Branches

    @rule(p=programs_, n=numbers)
    def start(self, p: int, n: int) -> None:
        self.attempt(lambda: self.programs[p].mq.xa.start(xid(n), 0, self.host.now), lambda model: model.start(p, n))

    @rule(p=programs_, n=numbers)
    def resume(self, p: int, n: int) -> None:
        flags = int(TMFlags.RESUME)
        self.attempt(
            lambda: self.programs[p].mq.xa.start(xid(n), flags, self.host.now), lambda model: model.resume(p, n)
        )

    @rule(p=programs_, n=numbers, way=st.sampled_from(["success", "success", "fail", "suspend"]))
    def end(self, p: int, n: int, way: str) -> None:
        self.attempt(lambda: self.programs[p].mq.xa.end(xid(n), ENDS[way]), lambda model: model.end(p, n, way))

    @rule(p=programs_, n=numbers, name=names, twice=st.booleans(), persistent=st.booleans(), prepared=st.booleans())
    def work(self, p: int, n: int, name: str, twice: bool, persistent: bool, prepared: bool) -> None:
        """A branch as most programs have them, so that enough of them come to be prepared."""
        p = next((each for each in range(PROGRAMS) if self.model.branch_of(each) is None), p)
        n = next((each for each in range(3) if each not in self.model.branches), n)
        self.commit(p)
        if twice:
            self.put(p, name, False, persistent)
        self.start(p, n)
        self.get(p, name, True)
        self.put(p, name, True, persistent)
        if twice:
            self.put(p, name, True, True)
        self.end(p, n, "success")
        if prepared:
            self.prepare(p, n)

    @rule(p=programs_, n=numbers)
    def prepare(self, p: int, n: int) -> None:
        self.attempt(lambda: self.programs[p].prepare(n), lambda model: model.prepare(n))

    @rule(p=programs_, n=numbers, one_phase=st.sampled_from([False, False, True]))
    def commit_branch(self, p: int, n: int, one_phase: bool) -> None:
        flags = int(TMFlags.ONEPHASE) if one_phase else 0
        self.attempt(lambda: self.programs[p].xa_commit(n, flags), lambda model: model.commit_branch(n, one_phase))

    @rule(p=programs_, n=numbers)
    def rollback(self, p: int, n: int) -> None:
        self.attempt(lambda: self.programs[p].rollback(n), lambda model: model.rollback(n))

    @rule(n=numbers, commit=st.booleans())
    def decide(self, n: int, commit: bool) -> None:
        def call() -> bool:
            branches = self.host.queue_manager.connections.branches
            branch = branches.find(xid(n))
            if branch is None or branch.state is not BranchState.PREPARED:
                return False
            on_complete(branches.decide(branch, commit, self.host.now).pending, self.host.outcomes.append)
            self.host.pump()
            return self.host.outcomes.pop() is None

        self.attempt(call, lambda model: model.decide(n, commit))

    @rule(p=programs_, n=numbers)
    def forget(self, p: int, n: int) -> None:
        self.attempt(lambda: self.programs[p].forget(n), lambda model: model.forget(n))

    @rule(p=programs_)
    def recover(self, p: int) -> None:
        count, found = self.programs[p].mq.xa.recover(99, int(TMFlags.STARTRSCAN))
        wanted = {xid(number) for number, branch in self.model.branches.items() if branch.state != "open"}
        assert (count, set(found)) == (len(wanted), wanted)

    # Restarts

    @rule()
    def restart(self) -> None:
        self.host.restart()
        self.model.restart()
        self.connect()

    @rule(calls=st.integers(1, 3))
    def arm(self, calls: int) -> None:
        """The process is to die soon."""
        self.host.arm(calls)

    def teardown(self) -> None:
        if hasattr(self, "host"):
            self.restart()
            self.the_queue_manager_is_as_the_model()
