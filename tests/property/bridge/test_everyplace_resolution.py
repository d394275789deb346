"""Resolution of Everyplace against the pseudo-code of E-332, written down as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.resolution import QueueTable, resolve
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address

LOCAL = "L"
QUEUE_MANAGERS = st.sampled_from(["L", "R", "T", "l", "X"])
QUEUES = st.sampled_from(["Q", "q", "P", "S"])


@dataclass(frozen=True)
class Some:
    name: str
    owner: str
    aliases: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


World: TypeAlias = tuple[dict[str, str], list[Some], set[str]]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Aliases of queue managers, queues whose names do not clash, and queue managers that discovery reaches."""
    aliases = draw(st.dictionaries(QUEUE_MANAGERS, QUEUE_MANAGERS, max_size=4))
    table: QueueTable[Some] = QueueTable()
    for _ in range(draw(st.integers(0, 8))):
        entries: tuple[str, ...] = ()
        name = draw(QUEUES | st.just("*"))
        names = tuple(draw(st.lists(QUEUES, unique=True, max_size=2))) if name != "*" else ()
        if name != "*" and draw(st.booleans()):
            names, entries = (), tuple(draw(st.lists(QUEUE_MANAGERS, unique=True, max_size=2)))
        try:
            table.add(Some(name, draw(QUEUE_MANAGERS), names, entries))
        except EveryplaceError as error:
            assert error.code is Code.Q_ALREADY_EXISTS  # noqa: PT017
    return aliases, list(table), set(draw(st.lists(QUEUE_MANAGERS)))


def as_written(world: World, q: str, qm: str) -> tuple[Some, str, str] | str:
    """E-332, with ``*`` for every queue of a queue manager in front of rule 4."""
    aliases, queues, reached = world
    seen = set()
    while qm in aliases:
        if qm in seen:
            return "cycle"
        seen.add(qm)
        qm = aliases[qm]
    x = [each for each in queues if each.name == q and each.owner == qm]
    if x:
        return x[0], q, qm
    x = [each for each in queues if each.owner == qm and q in each.aliases]
    if x:
        return x[0], x[0].name, qm
    x = [each for each in queues if each.name == "*" and each.owner == qm]
    if x:
        return x[0], q, qm
    x = [each for each in queues if qm in each.entries]
    if x:
        return x[0], q, qm
    if qm != LOCAL and qm in reached:
        return Some(q, qm), q, qm
    return "failure"


@pytest.mark.spec("E-310", "E-311", "E-312", "E-313", "E-314", "E-315", "E-316", "E-317", "E-319", "E-331", "E-332")
@settings(max_examples=400, deadline=None)
@given(worlds(), QUEUES, QUEUE_MANAGERS)
def test_resolution_is_that_of_the_pseudo_code(world: World, q: str, qm: str) -> None:
    aliases, queues, reached = world
    table: QueueTable[Some] = QueueTable()
    for each in queues:
        table.add(each)

    def discover(address: Address) -> Some | None:
        return Some(address.queue, address.queue_manager) if address.queue_manager in reached else None

    wanted = as_written(world, q, qm)
    try:
        found, address = resolve(Address(q, qm), LOCAL, aliases, table, discover)
    except EveryplaceError as error:
        assert wanted == {Code.ALIAS_CYCLE: "cycle", Code.Q_UNKNOWN: "failure"}[error.code]  # noqa: PT017
        return
    assert (found, address.queue, address.queue_manager) == wanted


@pytest.mark.spec("E-316")
@settings(max_examples=100, deadline=None)
@given(worlds(), QUEUES, QUEUE_MANAGERS, st.data())
def test_a_queue_that_is_removed_leaves_nothing(world: World, q: str, qm: str, data: st.DataObject) -> None:
    """A change takes effect at once."""
    aliases, queues, _ = world
    table: QueueTable[Some] = QueueTable()
    for each in queues:
        table.add(each)
    if queues:
        gone = data.draw(st.sampled_from(queues))
        table.remove(gone)
        queues = [each for each in queues if each is not gone]
    wanted = as_written((aliases, queues, set()), q, qm)
    try:
        found, _ = resolve(Address(q, qm), LOCAL, aliases, table, lambda _: None)
        assert found == wanted[0]
    except EveryplaceError as error:
        assert wanted == {Code.ALIAS_CYCLE: "cycle", Code.Q_UNKNOWN: "failure"}[error.code]  # noqa: PT017
