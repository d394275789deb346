"""A simple model of programs with units of work and branches of transaction managers, on lists of messages."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

from mqbridge.protocol.constants import XAReturn

OK, RDONLY = int(XAReturn.OK), int(XAReturn.RDONLY)
NOTA, PROTO, DUPID, OUTSIDE = (int(code) for code in (XAReturn.NOTA, XAReturn.PROTO, XAReturn.DUPID, XAReturn.OUTSIDE))
RBROLLBACK = int(XAReturn.RBROLLBACK)
HEURCOM, HEURRB = int(XAReturn.HEURCOM), int(XAReturn.HEURRB)


@dataclass(slots=True)
class Entry:
    """A message. ``order`` is its place, given when it was committed, prepared or looked at by its own unit of work."""

    data: bytes
    persistent: bool
    order: int = 0
    backouts: int = 0


@dataclass(slots=True)
class Work:
    """What a unit of work has put and got: queue and message. ``own``: how many it has both put and got."""

    puts: list[tuple[str, Entry]] = field(default_factory=list)
    gets: list[tuple[str, Entry]] = field(default_factory=list)
    own: int = 0

    def __bool__(self) -> bool:
        return bool(self.puts or self.gets or self.own)


@dataclass(slots=True)
class Branch:
    """``state``: open, prepared or decided. ``at_work``, ``suspended``: programs."""

    starter: int
    work: Work = field(default_factory=Work)
    state: str = "open"
    at_work: set[int] = field(default_factory=set)
    suspended: set[int] = field(default_factory=set)
    failed: int = 0
    code: int = 0

    @property
    def idle(self) -> bool:
        return not self.at_work and not self.suspended


class Model:
    """Queues as lists, the local unit of work of each program, branches by number."""

    def __init__(self, queues: tuple[str, ...]) -> None:
        self.queues: dict[str, list[Entry]] = {name: [] for name in queues}
        self.local: dict[int, Work] = {}
        self.branches: dict[int, Branch] = {}
        self.order = 0

    def copy(self) -> Model:
        return deepcopy(self)

    def branch_of(self, program: int) -> int | None:
        return next((number for number, branch in self.branches.items() if program in branch.at_work), None)

    def unit(self, program: int) -> Work:
        number = self.branch_of(program)
        return self.local.setdefault(program, Work()) if number is None else self.branches[number].work

    def depth(self, name: str) -> int:
        works = [*self.local.values(), *(branch.work for branch in self.branches.values())]
        return len(self.queues[name]) + sum(queue == name for work in works for queue, _ in work.puts)

    # Messages

    def put(self, program: int, name: str, entry: Entry, sync: bool) -> None:
        if sync:
            self.unit(program).puts.append((name, entry))
        else:
            self._place([(name, entry)])
            self._show([(name, entry)])

    def get(self, program: int, name: str, sync: bool) -> Entry | None:
        unit = self.unit(program) if sync else Work()
        own = [put for put in unit.puts if put[0] == name]
        self._place(own)
        entries = [*self.queues[name], *(entry for _, entry in own)]
        if not entries:
            return None
        entry = min(entries, key=lambda each: each.order)
        if (name, entry) in own:
            unit.puts.remove((name, entry))
            unit.own += 1
        else:
            self.queues[name].remove(entry)
            unit.gets.append((name, entry))
        return entry

    def _place(self, puts: list[tuple[str, Entry]]) -> None:
        for _, entry in puts:
            if not entry.order:
                self.order += 1
                entry.order = self.order

    def _show(self, puts: list[tuple[str, Entry]]) -> None:
        for name, entry in puts:
            self.queues[name].append(entry)
            self.queues[name].sort(key=lambda each: each.order)

    def _apply(self, work: Work, placed: bool = False) -> None:
        if not placed:
            self._place(work.puts)
        self._show(work.puts)

    def _undo(self, work: Work, counted: bool = True) -> None:
        for _, entry in work.gets:
            entry.backouts += counted
        self._show(work.gets)

    # Programs

    def commit(self, program: int) -> bool:
        if self.branch_of(program) is not None:
            return False
        self._apply(self.local.pop(program, Work()))
        return True

    def backout(self, program: int) -> bool:
        if self.branch_of(program) is not None:
            return False
        self._undo(self.local.pop(program, Work()))
        return True

    def leave(self, program: int, lost: bool) -> None:
        for number, branch in list(self.branches.items()):
            concerned = branch.starter == program or program in branch.at_work | branch.suspended
            branch.at_work.discard(program)
            branch.suspended.discard(program)
            if branch.state == "open" and concerned:
                self._undo(branch.work)
                del self.branches[number]
        work = self.local.pop(program, Work())
        self._undo(work) if lost else self._apply(work)

    def restart(self) -> Model:
        for work in [*self.local.values(), *(b.work for b in self.branches.values() if b.state == "open")]:
            self._undo(work, counted=False)
        self.local = {}
        self.branches = {number: b for number, b in self.branches.items() if b.state != "open"}
        for branch in self.branches.values():
            branch.starter = -1
            branch.work.puts = [put for put in branch.work.puts if put[1].persistent]
            branch.work.gets = [got for got in branch.work.gets if got[1].persistent]
        for name, entries in self.queues.items():
            self.queues[name] = [entry for entry in entries if entry.persistent]
        return self

    # XA; each returns the code

    def start(self, program: int, number: int) -> int:
        if self.branch_of(program) is not None:
            return PROTO
        if self.local.get(program):
            return OUTSIDE
        if number in self.branches:
            return DUPID
        self.branches[number] = Branch(program, at_work={program})
        return OK

    def resume(self, program: int, number: int) -> int:
        if self.branch_of(program) is not None:
            return PROTO
        if self.local.get(program):
            return OUTSIDE
        branch = self.branches.get(number)
        if branch is None:
            return NOTA
        if branch.state != "open" or program not in branch.suspended:
            return PROTO
        branch.suspended.remove(program)
        if branch.failed:
            return branch.failed
        branch.at_work.add(program)
        return OK

    def end(self, program: int, number: int, way: str) -> int:
        branch = self.branches.get(number)
        if branch is None:
            return NOTA
        if program in branch.at_work:
            branch.at_work.remove(program)
            if way == "suspend":
                branch.suspended.add(program)
        elif program in branch.suspended and way != "suspend":
            branch.suspended.remove(program)
        else:
            return PROTO
        if way == "fail":
            branch.failed = RBROLLBACK
        return OK

    def prepare(self, number: int) -> int:
        branch = self.branches.get(number)
        if branch is None:
            return NOTA
        if branch.state != "open" or not branch.idle:
            return PROTO
        if branch.failed or not branch.work:
            del self.branches[number]
            self._undo(branch.work)
            return branch.failed or RDONLY
        branch.state = "prepared"
        self._place(branch.work.puts)
        return OK

    def commit_branch(self, number: int, one_phase: bool) -> int:
        branch = self.branches.get(number)
        if branch is None:
            return NOTA
        if branch.state == "decided":
            return branch.code
        if branch.state != ("open" if one_phase else "prepared") or not branch.idle:
            return PROTO
        del self.branches[number]
        if branch.failed:
            self._undo(branch.work)
            return branch.failed
        self._apply(branch.work, placed=not one_phase)
        return OK

    def rollback(self, number: int) -> int:
        branch = self.branches.get(number)
        if branch is None:
            return NOTA
        if branch.state == "decided":
            return branch.code
        if not branch.idle:
            return PROTO
        del self.branches[number]
        self._undo(branch.work)
        return OK

    def decide(self, number: int, commit: bool) -> bool:
        branch = self.branches.get(number)
        if branch is None or branch.state != "prepared":
            return False
        branch.state, branch.code = "decided", HEURCOM if commit else HEURRB
        work, branch.work = branch.work, Work()
        if commit:
            self._apply(work, placed=True)
        else:
            self._undo(work)
        return True

    def forget(self, number: int) -> int:
        branch = self.branches.get(number)
        if branch is None:
            return NOTA
        if branch.state != "decided":
            return PROTO
        del self.branches[number]
        return OK
