"""The session of a message channel agent: what it puts, holds and settles."""

from __future__ import annotations

import pickle

import pytest

from mqbridge.bridge.queue_manager import Disposal, MQError, PutOptions
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered, GetMany, HoldMessages, PutMany
from mqbridge.bridge.queue_manager.calls.outcomes import (
    AVAILABLE,
    DONE,
    Disposed,
    Done,
    Failed,
    MessagesHeld,
    Opened,
    PlacedMany,
    RetrievedMany,
)
from mqbridge.bridge.queue_manager.calls.requests import (
    Backout,
    Cancel,
    Close,
    Commit,
    Open,
    PutOne,
    Request,
    Settle,
    Wait,
    Wanted,
)
from mqbridge.bridge.queue_manager.effects import Completed, Wake
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import PutRecord, StoreFull
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQOO, MQPMO, MQRC, ByteOrder
from support.queue_manager.channel_agent import EXCLUSIVE, Agent
from support.queue_manager.host import Host
from support.queue_manager.security_records import authority

PUT = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
FOR_USER = PUT | int(MQPMO.ALTERNATE_USER_AUTHORITY)
ROW = PutRecord("channel-sender", b"C", b"row")


@pytest.fixture
def agent(host: Host) -> Agent:
    host.transmission("Q")
    host.local("HERE")
    for number in range(4):
        host.put("THERE", b"%d" % number, queue_manager="Q", persistence=1, options=PutOptions())
    return Agent(host, "mqm")


def put_one(name: str = "HERE", data: bytes = b"data", options: int = PUT, user: str = "") -> PutOne:
    raw = Message.build(data, persistence=1).raw_md
    return PutOne(0, name, "", raw, data, options, ByteOrder.LITTLE, 1208, 0, 0, user)


def put_many(*data: bytes, name: str = "HERE") -> PutMany:
    raw = Message.build(persistence=1).raw_md
    return PutMany(0, name, "", [(raw, each) for each in data], PUT, ByteOrder.LITTLE, 1208)


def left(host: Host) -> list[tuple[bytes, int]]:
    """The data of the messages on the transmission queue, and their BackoutCount."""
    return [(message.data[-1:], message.md.backout_count) for message in iter(lambda: taken(host), None)]


def taken(host: Host) -> Message | None:
    got = host.get("Q")
    return None if got is None else got.message


def undeliverable(
    data: bytes = b"data", reason: int = int(MQRC.Q_FULL), *, fast: bool = False, token: bytes = b""
) -> DisposeUndelivered:
    raw = Message.build(data, persistence=1).raw_md
    return DisposeUndelivered(9, "THERE", "FAR", raw, data, ByteOrder.LITTLE, 1208, reason, True, fast, "mqm", token)


def test_what_was_put_is_there_when_it_is_committed_with_the_row(host: Host, agent: Agent) -> None:
    assert agent.asks(put_one()) is DONE
    assert host.depth("HERE") == 1
    assert host.contents("HERE") == []
    assert agent.asks(Commit(1, (ROW,))) == DONE
    assert host.store.record("channel-sender", b"C") == b"row"
    assert host.contents("HERE") == [b"data"]
    assert agent.asks(Commit(2)) == DONE


def test_what_was_put_is_backed_out(host: Host, agent: Agent) -> None:
    agent.asks(put_one())
    assert agent.asks(Backout(1)) == DONE
    assert host.depth("HERE") == 0


def test_a_put_that_fails_tells_its_reason_and_the_batch_goes_on(host: Host, agent: Agent) -> None:
    agent.asks(put_one())
    failure = agent.asks(put_one("NOWHERE"))
    assert isinstance(failure, Failed)
    assert failure.reason == MQRC.UNKNOWN_OBJECT_NAME
    agent.asks(Commit(1))
    assert host.contents("HERE") == [b"data"]


def test_many_are_put_in_order_and_committed_together(host: Host, agent: Agent) -> None:
    assert agent.asks(put_many(b"1", b"2", b"3")) == PlacedMany(3)
    assert host.contents("HERE") == []
    agent.asks(Commit(1))
    assert host.contents("HERE") == [b"1", b"2", b"3"]


def test_the_first_of_many_that_cannot_be_put_ends_them(host: Host, agent: Agent) -> None:
    host.alter(Kind.QLOCAL, "HERE", MAXDEPTH=2)
    outcome = agent.asks(put_many(b"1", b"2", b"3", b"4"))
    assert isinstance(outcome, PlacedMany)
    assert outcome.failed is not None
    assert (outcome.placed, outcome.failed.reason) == (2, MQRC.Q_FULL)
    agent.asks(Commit(1))
    assert host.contents("HERE") == [b"1", b"2"]


@pytest.mark.parametrize(
    ("user", "name", "reason"),
    [("nobody", "HERE", MQRC.NOT_AUTHORIZED), ("mqm", "NOWHERE", MQRC.UNKNOWN_OBJECT_NAME)],
)
def test_none_of_many_is_put_where_the_channel_may_put_none(host: Host, user: str, name: str, reason: int) -> None:
    host.local("HERE")
    outcome = Agent(host, user).asks(put_many(b"1", b"2", name=name))
    assert isinstance(outcome, PlacedMany)
    assert outcome.failed is not None
    assert (outcome.placed, outcome.failed.reason) == (0, reason)
    assert host.depth("HERE") == 0


@pytest.mark.spec("channels.md 7.4")
def test_the_authority_to_put_is_asked_for_at_the_session(host: Host, agent: Agent) -> None:
    nobody = Agent(host, "nobody")
    assert nobody.asks(put_one()).reason == MQRC.NOT_AUTHORIZED
    assert agent.asks(put_one(options=FOR_USER, user="nobody")).reason == MQRC.NOT_AUTHORIZED
    assert agent.asks(put_one(options=FOR_USER, user="mqm")) is DONE
    assert agent.asks(put_one()) is DONE


ON_QUEUE = authority("HERE", "QUEUE", "partner", "PUT", "SETALL")
ON_MANAGER = authority("self", "QMGR", "partner", "SETID", "SETALL", "ALTUSR")


@pytest.mark.spec("channels.md 7.4")
def test_an_authority_counts_from_the_moment_it_is_given_until_it_is_taken(host: Host, agent: Agent) -> None:
    authorities, partner = host.queue_manager.security.authorities, Agent(host, "partner")
    assert agent.asks(put_one()) is DONE  # so that the way to the queue is known
    for records, reason in (([], 2035), ([ON_QUEUE, ON_MANAGER], 0), ([ON_MANAGER], 2035), ([ON_QUEUE, ON_MANAGER], 0)):
        authorities.take(records)
        for _ in range(2):
            assert partner.asks(put_one()).reason == reason


@pytest.mark.spec("channels.md 7.4")
@pytest.mark.parametrize("queue", ["HERE", "Q"])
def test_for_a_ready_made_message_the_channel_must_be_allowed_to_put_too(host: Host, agent: Agent, queue: str) -> None:
    """``Q`` is a transmission queue: what is put there by its own name brings its header and names its own user."""
    authorities, partner = host.queue_manager.security.authorities, Agent(host, "partner")
    for_user = put_one(queue, options=FOR_USER, user="mqm")
    authorities.take([ON_MANAGER, authority(queue, "QUEUE", "partner", "SETID", "SETALL")])
    assert partner.asks(for_user).reason == (MQRC.NOT_AUTHORIZED if queue == "Q" else 0)
    authorities.take([ON_MANAGER, authority(queue, "QUEUE", "partner", "SETID", "SETALL", "PUT")])
    assert partner.asks(for_user).reason == (MQRC.XQH_ERROR if queue == "Q" else 0)  # nobody refuses: it has no header


def test_a_commit_removes_messages_and_writes_the_row_together(host: Host, agent: Agent) -> None:
    found = agent.get_many(most=3)
    assert agent.asks(Commit(1, (ROW,), found.tokens[:2])) == DONE
    host.restart()
    assert left(host) == [(b"2", 0), (b"3", 0)]
    assert host.store.record("channel-sender", b"C") == b"row"


def test_what_the_store_refuses_to_remove_stays_held(host: Host, agent: Agent) -> None:
    found = agent.get_many(most=2)
    agent.asks(put_one())
    host.store.failure = StoreFull("no room")
    assert agent.asks(Commit(1, (ROW,), found.tokens)).reason == MQRC.BACKED_OUT
    host.store.failure = None
    assert host.depth("HERE") == 0
    assert host.queue_manager.queue("Q").visible == 2
    assert host.queue_manager.queue("Q").uncommitted_gets == 2
    assert agent.asks(Commit(2, (), found.tokens)) == DONE
    assert left(host) == [(b"2", 0), (b"3", 0)]


def test_messages_go_back_counted_or_as_they_were(host: Host, agent: Agent) -> None:
    found = agent.get_many()
    agent.asks(Backout(1, found.tokens[:1]))
    agent.asks(Settle(2, back=found.tokens[1:2]))
    agent.asks(Settle(3, arrived=found.tokens[2:3]))
    assert left(host) == [(b"0", 1), (b"1", 0)]
    agent.asks(Backout(4, (*found.tokens, b"unknown")))
    assert left(host) == [(b"3", 1)]


@pytest.mark.spec("channels.md 5.4")
def test_the_batch_of_a_sender_in_doubt_is_held_again_after_a_restart(host: Host, agent: Agent) -> None:
    positions = tuple(int.from_bytes(token[8:], "big") for token in agent.get_many(most=2).tokens)
    host.restart()
    agent = Agent(host)
    held = agent.asks(HoldMessages(0, "Q", (*positions, 999)))
    assert isinstance(held, MessagesHeld)
    assert len(held.tokens) == 2
    assert host.depth("Q") == 2
    agent.asks(Backout(1, held.tokens))
    assert [data for data, _ in left(host)] == [b"0", b"1", b"2", b"3"]
    assert agent.asks(HoldMessages(0, "NOWHERE", positions)) == MessagesHeld(())


def test_a_held_batch_that_is_committed_takes_its_messages_away(host: Host, agent: Agent) -> None:
    positions = tuple(int.from_bytes(token[8:], "big") for token in agent.get_many(most=3).tokens)
    host.restart()
    agent = Agent(host)
    agent.asks(Commit(1, tokens=agent.asks(HoldMessages(0, "Q", positions)).tokens))
    host.restart()
    assert left(host) == [(b"3", 0)]


def test_a_wait_is_answered_when_there_is_a_message(host: Host, agent: Agent) -> None:
    hobj = agent.asks(Open(0, "Q", "", EXCLUSIVE)).hobj
    many = agent.asks(GetMany(0, hobj, 50, 1 << 20))
    assert agent.asks(Wait(5, hobj, Wanted())) is None
    host.put("THERE", b"4", queue_manager="Q", options=PutOptions())
    perform(host)
    assert agent.told == [(5, AVAILABLE)]
    agent.asks(Settle(0, back=many.tokens))
    assert agent.asks(Wait(6, hobj, Wanted())) is None
    perform(host)
    assert agent.told[1:] == [(6, AVAILABLE)]
    assert agent.asks(Close(0, hobj, 0)) == Done()
    assert agent.asks(Close(0, hobj, 0)).reason == MQRC.HOBJ_ERROR


def test_a_wait_ends_with_a_reason_or_is_taken_back(host: Host, agent: Agent) -> None:
    hobj = agent.asks(Open(0, "Q", "", EXCLUSIVE)).hobj
    agent.asks(GetMany(0, hobj, 50, 1 << 20))
    agent.asks(Wait(5, hobj, Wanted()))
    assert agent.asks(Cancel(0, 5)) == DONE
    agent.asks(Wait(6, hobj, Wanted()))
    host.alter(Kind.QLOCAL, "Q", GET="DISABLED")
    perform(host)
    assert [(tag, outcome.reason) for tag, outcome in agent.told] == [(6, MQRC.GET_INHIBITED)]  # type: ignore[union-attr]


def perform(host: Host) -> None:
    """What a gateway does with the effects, until there are no more."""
    while effects := [*host.effects, *host.queue_manager.take_effects()]:
        host.effects = []
        for effect in effects:
            if isinstance(effect, Wake):
                effect.waiter.owner.woken(effect.waiter, effect.reason, host.now)
            elif isinstance(effect, Completed):
                effect.program.completed(host.now)


@pytest.mark.spec("channels.md 7.2")
def test_what_cannot_be_put_goes_to_the_dead_letter_queue_with_the_batch(host: Host, agent: Agent) -> None:
    host.local("DLQ")
    host.alter_manager(DEADQ="DLQ")
    assert agent.asks(undeliverable()) == Disposed(Disposal.DEAD_LETTERED)
    assert host.contents("DLQ") == []
    agent.asks(Commit(1))
    assert host.depth("DLQ") == 1
    assert agent.asks(undeliverable(fast=True)) == Disposed(Disposal.DEAD_LETTERED)
    assert host.depth("DLQ") == 2
    assert agent.asks(Backout(2)) == DONE
    assert host.depth("DLQ") == 2


@pytest.mark.spec("channels.md 7.2")
def test_a_message_that_cannot_travel_leaves_its_queue_with_its_dead_letter(host: Host, agent: Agent) -> None:
    token = agent.get_many(most=1).tokens[0]
    failure = agent.asks(undeliverable(token=token))
    assert isinstance(failure, Failed)
    assert failure.reason == MQRC.Q_FULL
    host.local("DLQ")
    host.alter_manager(DEADQ="DLQ")
    (token,) = agent.get_many(most=1).tokens
    assert agent.asks(undeliverable(token=token)) == Disposed(Disposal.DEAD_LETTERED)
    host.restart()
    assert host.depth("DLQ") == 1
    assert left(host) == [(b"1", 0), (b"2", 0), (b"3", 0)]


def test_it_shows_among_no_connections_and_as_no_application(host: Host, agent: Agent) -> None:
    agent.get_many(most=1)
    assert len(host.queue_manager.connections) == 0
    (handle,) = host.queue_manager.queue("Q").handles
    assert (handle.owner, handle.application) == (b"", None)


def test_a_queue_is_opened_with_the_reasons_of_a_program(host: Host, agent: Agent) -> None:
    agent.get_many(most=1)
    with pytest.raises(MQError):
        host.open("Q", int(MQOO.INPUT_SHARED))
    assert agent.asks(Open(0, "NOWHERE", "", EXCLUSIVE)).reason == MQRC.UNKNOWN_OBJECT_NAME
    assert isinstance(agent.asks(Open(0, "HERE", "", EXCLUSIVE)), Opened)


def test_its_requests_are_values() -> None:
    requests = [
        GetMany(1, 2, 50, 1 << 18),
        HoldMessages(1, "Q", (1, 2)),
        undeliverable(),
        put_many(b"1"),
        Commit(1, (ROW,), (b"t",)),
    ]
    assert pickle.loads(pickle.dumps(requests)) == requests


def played(steps: list[Request | None]) -> list[object]:
    """The outcomes of requests on a fresh queue manager; None: the store answers."""
    host = Host()
    host.transmission("Q")
    host.local("HERE")
    host.local("DLQ")
    host.alter_manager(DEADQ="DLQ")
    for number in range(6):
        host.put("THERE", b"%d" % number, queue_manager="Q", persistence=number % 2, options=PutOptions())
    agent, seen = Agent(host, "mqm"), []
    host.hold = True
    for step in steps:
        if step is None:
            host.hold = False
            host.pump()
            perform(host)
            host.hold = True
            outcome: object = tuple(agent.told)
        else:
            outcome = agent.session.submit(step, host.now)
        if isinstance(outcome, RetrievedMany):
            outcome = [(message.raw_md, message.data) for message in outcome.messages], outcome.tokens, outcome.stored
        seen.append(outcome)
    return seen


def test_a_run_of_an_agent_is_its_list_of_requests() -> None:
    first = [Open(0, "Q", "", EXCLUSIVE), GetMany(0, 2, 4, 1 << 20)]
    tokens = played(list(first))[1][1]  # type: ignore[index]
    steps = [
        *first,
        put_one(),
        put_one("NOWHERE"),
        put_many(b"1", b"2"),
        undeliverable(),
        Commit(1, (ROW,), tokens[:2]),
        GetMany(0, 2, 4, 1 << 20, 2),
        None,
        Settle(0, back=tokens[2:3]),
        Backout(0, tokens[3:]),
        Wait(2, 2, Wanted()),
        None,
        HoldMessages(0, "Q", (1, 2, 3)),
        Close(0, 2, 0),
        None,
    ]
    again = pickle.loads(pickle.dumps(steps))
    assert played(steps) == played(again)
