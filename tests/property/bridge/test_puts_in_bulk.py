"""Received messages put as one list, and messages got as one list, come to the same as one after the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager.calls.agent_requests import PutReceived
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, PlacedMany
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.queue_manager.ids import IdSource
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.objects.default_objects import COMMAND_QUEUE, RETAINED_QUEUE
from mqbridge.bridge.queue_manager.queues.bodies import NONPERSISTENT_MEMORY, HeldBody
from mqbridge.bridge.queue_manager.queues.indexes import IdKind
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.store.interface import PutRecord
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO, MQRO, ByteOrder
from mqbridge.protocol.structures.md import MD1
from support.queue_manager.channel_agent import EXCLUSIVE, Agent
from support.queue_manager.host import Host

PUT = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
ROW = PutRecord("channel-receiver", b"C", b"row")
TARGETS = [
    "QUEUE", "SMALL", "SHORT", "HIGH", "CAPPED", "METERED", "TRIGGERED", "XMIT", "REMOTE", "ALIAS", "CLOSED",
    "FIFO", "TEMPORARY", RETAINED_QUEUE, COMMAND_QUEUE, "NOWHERE",
]  # fmt: skip


def mostly(usual: list[Any], *others: Any) -> st.SearchStrategy[Any]:
    """A usual value much more often than another one."""
    return st.sampled_from([*usual * (12 * len(others) // len(usual) or 1), *others])


UNUSUAL: dict[str, list[Any]] = {
    "struc_id": [b"DM  ", b"\xd4\xc4\x40\x40"],
    "version": [2, 0],
    "report": [int(MQRO.COA), int(MQRO.EXCEPTION), int(MQRO.PASS_MSG_ID), 0x10000000],
    "expiry": [0, -2, 300],
    "format": [b"MQHMDE  ", b"MQXMIT  "],
    "priority": [-1, -2, 12],
    "persistence": [0, 2, 3],
}
"""Values of fields, all but some of which are not usual."""
DESCRIPTORS = st.fixed_dictionaries(
    {
        "struc_id": mostly([b"MD  "], *UNUSUAL["struc_id"]),
        "version": mostly([1], *UNUSUAL["version"]),
        "report": mostly([0], *UNUSUAL["report"]),
        "expiry": mostly([-1], *UNUSUAL["expiry"]),
        "format": mostly([b"MQSTR   "], *UNUSUAL["format"]),
        "priority": mostly([0, 4, 9], *UNUSUAL["priority"]),
        "persistence": mostly([0, 1], *UNUSUAL["persistence"]),
        "msg_id": st.sampled_from([b"M" * 24, bytes(24)]),
        "correl_id": st.sampled_from([b"C" * 24, bytes(24)]),
        "reply_to_q": st.just(b"QUEUE".ljust(48)),
    }
)
DATA = mostly([b"", b"data", b"x" * 500], b"x" * 2_001, b"x" * 20_000)


@st.composite
def received(draw: st.DrawFn) -> tuple[ByteOrder, int, list[bytes]]:
    order = draw(st.sampled_from([ByteOrder.LITTLE, ByteOrder.BIG]))
    form = MD1.codec(order)
    messages = [form(**draw(DESCRIPTORS)).build() + draw(DATA) for _ in range(draw(st.integers(1, 8)))]
    return order, draw(st.sampled_from([1208, 500])), messages


def prepared(most: int, memory: int, performance_events: bool) -> Host:
    """A queue manager with queues of every kind; ``most``: MAXUMSGS, ``memory``: bytes left for those in memory."""
    host = Host()
    for name in (RETAINED_QUEUE, COMMAND_QUEUE, "SYSTEM.ADMIN.PERFM.EVENT"):
        host.local(name)
    host.local("QUEUE")
    host.local("SMALL", MAXDEPTH=2)
    host.local("SHORT", MAXMSGL=2_000)
    host.local("HIGH", NPMCLASS="HIGH")
    host.local("FIFO", MSGDLVSQ="FIFO", DEFPSIST="YES")
    host.local("CAPPED", CAPEXPRY=10)
    host.local("METERED", MAXDEPTH=4, QDEPTHHI=50, QDPHIEV="ENABLED")
    host.local("CLOSED", PUT="DISABLED")
    host.local("INITIATION")
    host.define(Kind.PROCESS, "PROCESS")
    host.local("TRIGGERED", TRIGGER=True, TRIGTYPE="EVERY", INITQ="INITIATION", PROCESS="PROCESS")
    host.transmission("XMIT")
    host.define(Kind.QREMOTE, "REMOTE", RNAME="FAR", RQMNAME="MARS", XMITQ="XMIT")
    host.define(Kind.QALIAS, "ALIAS", TARGET="QUEUE", DEFPRTY=5)
    host.define(Kind.QMODEL, "MODEL", DEFTYPE="TEMPDYN")
    host.open("MODEL", EXCLUSIVE, dynamic_name="TEMPORARY")
    host.alter_manager(MAXUMSGS=most, DEADQ="SMALL")
    core = host.queue_manager.connections.core
    core.memory_used = NONPERSISTENT_MEMORY - memory
    core.ids = IdSource("EARTH", 1_800_000_000)
    if performance_events:
        host.alter_manager(PERFMEV="ENABLED")
    return host


def in_memory(held: HeldBody) -> Any:
    """A body that a queue holds, as a value."""
    return held if isinstance(held, bytes | int) else (len(held), held.read(0, 10))


def left(host: Host) -> list[Any]:
    """All that remains of what was done: queues in memory and on disk, memory in use, effects."""
    core = host.queue_manager.connections.core
    found: list[Any] = [core.memory_used, [repr(effect) for effect in host.effects]]
    for name, queue in sorted(core.queues.items()):
        kept = host.store._tables.queues.get(queue.number, {})
        stored = [(position, message.index, b"".join(message.pieces)) for position, message in sorted(kept.items())]
        found.append((name, list(queue.rows()), queue.depth, queue.uncommitted, queue.last_put, queue.triggered_at))
        found.append((stored, sorted((position, in_memory(body)) for position, body in queue.memory.items())))
        if queue.meter is not None:
            found.append((queue.meter.enqueued, queue.meter.high_depth))
    return found


def one_by_one(agent: Agent, name: str, order: ByteOrder, ccsid: int, messages: list[bytes]) -> PlacedMany:
    """Put messages each with a request of its own, up to the first that fails."""
    for number, content in enumerate(messages):
        outcome = agent.asks(PutOne(0, name, "", content[:324], content[324:], PUT, order, ccsid))
        if isinstance(outcome, Failed):
            return PlacedMany(number, outcome)
    return PlacedMany(len(messages))


def both_ways(
    arrived: tuple[ByteOrder, int, list[bytes]],
    name: str,
    most: int = 100,
    memory: int = 1 << 20,
    performance_events: bool = False,
    commits: bool = True,
    user: str = "mqm",
) -> None:
    order, ccsid, messages = arrived
    hosts = [prepared(most, memory, performance_events) for _ in range(2)]
    bulk, single = (Agent(host, user) for host in hosts)
    for number in range(2):  # the second list finds what the first one has left
        outcome = bulk.asks(PutReceived(0, name, "", messages, order, ccsid))
        assert outcome == one_by_one(single, name, order, ccsid, messages)
        assert left(bulk.host) == left(single.host)
        end = Commit(number + 1, (ROW,)) if commits else Backout(number + 1)
        assert bulk.asks(end) == single.asks(end)
        assert left(bulk.host) == left(single.host)


@given(
    received(),
    st.sampled_from(["QUEUE"] * 12 + TARGETS),
    st.sampled_from([4, 100, 100, 100]),
    st.sampled_from([600, 1 << 20, 1 << 20]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["mqm", "mqm", "nobody"]),
)
def test_received_messages_put_as_one_list_are_those_put_one_by_one(
    arrived: tuple[ByteOrder, int, list[bytes]],
    name: str,
    most: int,
    memory: int,
    performance_events: bool,
    commits: bool,
    user: str,
) -> None:
    both_ways(arrived, name, most, memory, performance_events, commits, user)


def usual(**fields: Any) -> bytes:
    """A usual message but for some fields of its descriptor."""
    return MD1.codec(ByteOrder.BIG)(**{"persistence": 1, "expiry": -1, "priority": 0, **fields}).build() + b"data"


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_list_for_any_queue_is_put_as_one_by_one(name: str, events: bool, persistence: int) -> None:
    messages = [usual(persistence=persistence, msg_id=bytes([number]) * 24) for number in range(6)]
    both_ways((ByteOrder.BIG, 819, messages), name, performance_events=events)


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, some in UNUSUAL.items() for value in some])
@pytest.mark.parametrize("name", ["QUEUE", "SMALL", "ALIAS"])
def test_any_message_among_usual_ones_is_put_as_one_by_one(field: str, value: Any, name: str) -> None:
    messages = [usual(), usual(), usual(**{"reply_to_q": b"QUEUE".ljust(48), field: value}), usual(), usual()]
    both_ways((ByteOrder.BIG, 819, messages), name)


@pytest.mark.parametrize("most", [1, 3, 4, 5, 6])
def test_a_list_ends_at_the_limit_of_the_unit_of_work(most: int) -> None:
    both_ways((ByteOrder.BIG, 819, [usual()] * 5), "QUEUE", most)


@pytest.mark.parametrize("memory", [0, 1, 328, 329, 700])
@pytest.mark.parametrize("length", [0, 600])
def test_a_list_may_use_up_the_memory(memory: int, length: int) -> None:
    both_ways((ByteOrder.BIG, 819, [usual(persistence=0) + bytes(length)] * 5), "QUEUE", memory=memory)


@pytest.mark.parametrize("lengths", [(1_996, 1_997), (16_380, 16_381, 70_000, 1), (1 << 20, 1)])
@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("name", ["QUEUE", "SHORT"])
def test_messages_of_any_length_are_put_as_one_by_one(lengths: tuple[int, ...], persistence: int, name: str) -> None:
    messages = [usual(persistence=persistence) + bytes(length) for length in lengths]
    both_ways((ByteOrder.BIG, 819, [usual(), *messages, usual()]), name)


def with_ids(queue: LocalQueue, messages: tuple[Message, ...]) -> list[list[bytes]]:
    """The rows that the index finds by the ids of messages."""
    index = queue.index(IdKind.MSG_ID)
    return [list(index.of(message.md.msg_id).rows(b"")) for message in messages]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 9),
            st.sampled_from([0, 1]),
            st.sampled_from([0, 10, 70_000]),
            st.sampled_from([-1, -1, -1, 300]),
            st.booleans(),
        ),
        max_size=12,
    ),
    st.integers(1, 12),
    st.sampled_from([1, 25, 1 << 20]),
    st.booleans(),
)
def test_messages_got_as_one_list_are_those_got_one_by_one(
    messages: list[tuple[int, int, int, int, bool]], most: int, room: int, by_id: bool
) -> None:
    agents = []
    for one_by_one in (False, True):
        host = Host()
        host.transmission("Q")
        host.queue_manager.connections.core.ids = IdSource("EARTH", 1_800_000_000)
        for number, (priority, persistence, length, expiry, returned) in enumerate(messages):
            data = bytes([number]) * length
            host.put("THERE", data, queue_manager="Q", priority=priority, persistence=persistence, expiry=expiry)
            if returned:  # it was got and backed out: its descriptor says so
                unit = host.begin()
                host.get("Q", unit)
                host.backout(unit)
        queue = host.queue_manager.queue("Q")
        assert queue is not None
        if by_id:
            queue.index(IdKind.MSG_ID)
        queue.deadlines.count += one_by_one  # then each is looked at
        agents.append(Agent(host, "mqm"))
    for _ in range(4):
        found = [agent.get_many(most=most, room=room) for agent in agents]
        assert found[0] == found[1]
        queues = [agent.host.queue_manager.queue("Q") for agent in agents]
        first, second = (
            [(list(q.rows()), q.visible, q.uncommitted, with_ids(q, found[0].messages)) for q in (queue,) if q]
            for queue in queues
        )
        assert first == second
    everything = [
        [host.got("Q").data for host in (agent.host,) for _ in range(agent.host.depth("Q"))] for agent in agents
    ]
    assert everything[0] == everything[1]
