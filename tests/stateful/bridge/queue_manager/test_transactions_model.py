"""Units of work and branches of transaction managers against lists (`queue_manager.transactions_machine`).

The same programs are played on the queue manager itself and by the bytes of clients: each on a connection of its own,
with and without shared conversations, and all on one socket.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQRC, TMFlags
from support.queue_manager.crash_host import CrashHost
from support.queue_manager.program import PUT_SYNC, Program, xid
from support.queue_manager.transaction_model import OUTSIDE, Entry
from support.queue_manager.transactions_machine import Transactions
from support.wire.host import WireCrashHost
from support.wire.transactions import WireClient, WireConversation


class ClientTransactions(Transactions):
    """Clients, which also put without awaiting an answer: where such a put fails their unit of work is lost."""

    shared = 0

    def make_host(self, random: Random) -> CrashHost:
        host = WireCrashHost(random, self.shared)
        host.local("SHUT", PUT="DISABLED")
        return host

    def make_program(self) -> Program | WireClient:
        return WireClient(self.host)

    def connect(self) -> None:
        self.doomed: set[int] = set()
        super().connect()

    def enter(self, number: int) -> None:
        super().enter(number)
        self.handles[number]["SHUT"] = self.programs[number].open("SHUT")
        self.doomed.discard(number)

    @rule(p=Transactions.programs_, name=Transactions.names, sync=st.booleans(), persistent=st.booleans())
    def post(self, p: int, name: str, sync: bool, persistent: bool) -> None:
        self.count += 1
        data, options = b"message %d" % self.count, PUT_SYNC if sync else 0

        def call() -> None:
            self.programs[p].post(self.handles[p][name], data, options, persistence=int(persistent))

        self.attempt(call, lambda model: model.put(p, name, Entry(data, persistent), sync))

    @rule(p=Transactions.programs_, sync=st.booleans())
    def post_in_vain(self, p: int, sync: bool) -> None:
        if self.model.branch_of(p) is None:
            self.programs[p].post(self.handles[p]["SHUT"], b"refused", PUT_SYNC if sync else 0)
            self.doomed |= {p} if sync else set()

    @rule(p=Transactions.programs_)
    def commit(self, p: int) -> None:
        if p not in self.doomed or self.model.branch_of(p) is not None:
            super().commit(p)
            return

        def call() -> bool:
            with pytest.raises(MQError) as caught:
                self.programs[p].commit()
            return caught.value.reason == MQRC.BACKED_OUT

        self.attempt(call, lambda model: model.backout(p))
        self.doomed.discard(p)

    @rule(p=Transactions.programs_)
    def backout(self, p: int) -> None:
        super().backout(p)
        if self.model.branch_of(p) is None:
            self.doomed.discard(p)

    @rule(p=Transactions.programs_, lost=st.booleans())
    def leave(self, p: int, lost: bool) -> None:
        super().leave(p, lost or p in self.doomed)

    @rule(p=Transactions.programs_, n=Transactions.numbers)
    def start(self, p: int, n: int) -> None:
        if p in self.doomed:
            assert self.programs[p].mq.xa.start(xid(n), 0, self.host.now) == OUTSIDE
        else:
            super().start(p, n)

    @rule(p=Transactions.programs_, n=Transactions.numbers)
    def resume(self, p: int, n: int) -> None:
        if p in self.doomed:
            assert self.programs[p].mq.xa.start(xid(n), int(TMFlags.RESUME), self.host.now) == OUTSIDE
        else:
            super().resume(p, n)


class SharingClientTransactions(ClientTransactions):
    shared = 10


class Conversations(SharingClientTransactions):
    """All programs on one socket."""

    def make_program(self) -> Program | WireClient:
        return WireConversation(self.host)


TestTransactions = pytest.mark.spec("mqi.md 16.1")(pytest.mark.spec("mq-wire.md 5.13")(Transactions.TestCase))
TestTransactions.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)
TestTransactionsOfClients = pytest.mark.spec("mqi.md 1", "mq-wire.md 5.13")(ClientTransactions.TestCase)
TestTransactionsOfClients.settings = settings(max_examples=15, stateful_step_count=60, deadline=None)
TestTransactionsOfSharingClients = pytest.mark.spec("mqi.md 1", "client-observed.md 6.3")(
    SharingClientTransactions.TestCase
)
TestTransactionsOfSharingClients.settings = settings(max_examples=15, stateful_step_count=60, deadline=None)
TestTransactionsOfConversations = pytest.mark.spec("mqi.md 1", "client-observed.md O-042")(Conversations.TestCase)
TestTransactionsOfConversations.settings = settings(max_examples=15, stateful_step_count=60, deadline=None)
