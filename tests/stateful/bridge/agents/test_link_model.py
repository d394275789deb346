"""A model of a link: sets of messages at each place, against the link and a provider that cuts, refuses and forgets.

Each persistent message is at one place at the end, once: at the other end, or a dead letter. Others are at most once.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mqbridge.bridge.agents.linking.provider import Accepted, Modified, Rejected, Released
from mqbridge.bridge.agents.linking.settings import Duplicates
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQMODE
from support.linking.mapping import UNMAPPABLE
from support.linking.played_provider import PlayedProvider
from support.linking.stand import DEAD, SINK, SOURCE, Stand, amqp

NOT_TAKEN = [
    Released(),
    Modified(),
    Modified(True),
    Rejected("amqp:resource-limit-exceeded"),
    Rejected("amqp:internal-error"),
]
REJECTED = [Rejected("amqp:invalid-field"), Modified(True, True), Rejected()]
INDEX = st.integers(0, 1_000_000)


class LinkModel(RuleBasedStateMachine):
    """``put``: what programs here have put; ``produced``: what the provider's programs have. Bodies of persistent
    messages begin with ``p``."""

    def __init__(self) -> None:
        super().__init__()
        self.stand = Stand(batch=3, window=5, id_cache=6, credit=4, duplicates=Duplicates.ARTEMIS)
        self.stand.alter(SOURCE, BOTHRESH=3)
        self.provider = PlayedProvider(self.stand)
        self.put: list[bytes] = []
        self.produced: list[bytes] = []
        self.taken: Counter[bytes] = Counter()
        self.count = 0
        self.step(lambda: self.stand.link.start(self.stand.now))
        self.comes_up()

    def comes_up(self) -> None:
        """The link is connected as soon as it wants to be, and may send."""
        for _ in range(3):
            if not self.provider.connected and not self.provider.wants_connection:
                self.step(lambda: self.stand.wait(120))
            if self.provider.wants_connection:
                self.provider.connect()
        self.provider.give_credit(5)

    def step(self, action: object) -> None:
        """Something happens to the link from outside."""
        action()  # type: ignore[operator]
        self.stand.pump()
        self.provider.follow()

    def body(self, *, persistent: bool) -> bytes:
        self.count += 1
        return b"%s %d" % (b"p" if persistent else b"f", self.count)

    # Programs

    @precondition(lambda self: not self.stand.hold and self.stand.store.failure is None)
    @rule(number=st.integers(1, 4), persistent=st.booleans(), mappable=st.sampled_from([True, True, True, False]))
    def puts(self, number: int, persistent: bool, mappable: bool) -> None:
        for _ in range(number):
            body = (b"" if mappable else UNMAPPABLE) + self.body(persistent=persistent)
            self.put.append(body)
            self.stand.put(body, persistence=int(persistent))
        self.provider.follow()

    @rule(number=st.integers(1, 4), persistent=st.booleans(), same_id=st.booleans())
    def produces(self, number: int, persistent: bool, same_id: bool) -> None:
        for _ in range(number):
            body = self.body(persistent=persistent)
            self.produced.append(body)
            self.provider.queue.append(amqp(body, "ID:same" if same_id else f"ID:{self.count}", durable=persistent))

    # The provider

    @precondition(lambda self: not self.provider.connected)
    @rule(refuses=st.sampled_from([False, False, False, True]))
    def connects(self, refuses: bool) -> None:
        if refuses and self.provider.wants_connection:
            self.provider.refuse()
        else:
            self.comes_up()

    @precondition(lambda self: self.provider.connected)
    @rule(settlements=st.integers(0, 4), at_once=st.sampled_from([True, True, False]))
    def cuts(self, settlements: int, at_once: bool) -> None:
        self.provider.lose(settlements)
        if at_once:
            self.comes_up()

    @precondition(lambda self: self.provider.connected)
    @rule(sender=st.booleans())
    def ends_one_end(self, sender: bool) -> None:
        for handle in list(self.provider.senders if sender else self.provider.receivers):
            self.provider.end(handle)

    @precondition(lambda self: self.provider.senders)
    @rule(number=st.integers(0, 6))
    def gives_credit(self, number: int) -> None:
        self.provider.give_credit(number)

    @precondition(lambda self: self.provider.unsettled)
    @rule(number=st.integers(1, 5), cut=st.booleans())
    def takes_in_silence(self, number: int, cut: bool) -> None:
        for index in range(min(number, len(self.provider.unsettled))):
            self.provider.take(index)
        if cut:
            self.cuts(0, at_once=True)

    @precondition(lambda self: self.provider.unsettled)
    @rule(index=INDEX, number=st.integers(1, 5))
    def accepts(self, index: int, number: int) -> None:
        for _ in range(min(number, len(self.provider.unsettled))):
            at = index % len(self.provider.unsettled)
            self.provider.take(at)
            self.provider.settle(at, Accepted())

    @precondition(lambda self: self.provider.unsettled)
    @rule(index=INDEX, state=st.sampled_from(NOT_TAKEN + REJECTED))
    def does_not_take(self, index: int, state: object) -> None:
        at = index % len(self.provider.unsettled)
        if not self.provider.has_taken(at) and (state in NOT_TAKEN or not self.provider.has_had(at)):
            self.provider.settle(at, state)  # type: ignore[arg-type]

    @precondition(lambda self: self.provider.queue)
    @rule(number=st.integers(1, 5))
    def delivers(self, number: int) -> None:
        self.provider.deliver(number)

    # The queue manager

    @precondition(lambda self: not self.stand.hold)
    @rule()
    def commits_wait(self) -> None:
        self.stand.hold = True

    @precondition(lambda self: self.stand.hold)
    @rule()
    def commits_are_done(self) -> None:
        self.step(self.stand.let_commit)

    @rule()
    def the_store_is_full(self) -> None:
        self.stand.store.failure = None if self.stand.store.failure else StoreFull("no room")

    @rule(settlements=st.integers(0, 4))
    def it_dies_and_starts(self, settlements: int) -> None:
        self.provider.lose(settlements, told=False)
        self.provider.wants_connection = False
        self.stand.restart()
        self.step(lambda: self.stand.link.start(self.stand.now))
        self.comes_up()

    @rule(mode=st.sampled_from([MQMODE.QUIESCE, MQMODE.FORCE]))
    def the_link_stops(self, mode: MQMODE) -> None:
        self.step(lambda: self.stand.link.stop(mode, self.stand.now))

    @rule()
    def the_link_starts(self) -> None:
        self.step(lambda: self.stand.link.start(self.stand.now))
        self.comes_up()

    @precondition(lambda self: not self.stand.hold)
    @rule(inhibited=st.booleans(), queue=st.sampled_from([SOURCE, SINK]))
    def an_operator_inhibits(self, inhibited: bool, queue: str) -> None:
        failure, self.stand.store.failure = self.stand.store.failure, None
        value = "DISABLED" if inhibited else "ENABLED"
        self.step(lambda: self.stand.alter(queue, **{"GET" if queue == SOURCE else "PUT": value}))
        self.stand.store.failure = failure

    @rule(seconds=st.sampled_from([0.5, 15.0, 120.0]))
    def time_passes(self, seconds: float) -> None:
        self.step(lambda: self.stand.wait(seconds))

    # What is always true

    @invariant()
    def nothing_comes_twice(self) -> None:
        assert all(count == 1 for count in self.provider.had.values()), self.provider.had
        assert len(self.provider.unsettled) <= self.stand.settings.window

    def teardown(self) -> None:
        """In peace everything arrives, and each message is at one place."""
        stand, provider = self.stand, self.provider
        stand.store.failure = None
        self.step(stand.let_commit)
        self.step(lambda: stand.alter(SOURCE, GET="ENABLED"))
        self.step(lambda: stand.alter(SINK, PUT="ENABLED"))
        for _ in range(60):
            self.the_link_starts()
            while provider.unsettled:
                self.accepts(0, 5)
            provider.deliver(5)
            self.time_passes(15.0)
            source = stand.depth(SOURCE) + stand.hidden(SOURCE)
            if not (source or provider.queue or provider.delivered or provider.unsettled):
                break
        else:
            raise AssertionError(f"it does not come to rest: {stand.link.status(stand.now)}")
        dead = [message.data for message in stand.contents(DEAD)]
        here = Counter([*(message.data for message in stand.contents(SINK))])
        here.update(each.body for each in provider.dead if isinstance(each.body, bytes))
        for body in self.put:
            self.once(body, provider.had[body] + sum(each.endswith(body) for each in dead))
        for body in self.produced:
            self.once(body, here[body])
        assert sum(provider.had.values()) + len(dead) <= len(self.put)
        assert sum(here.values()) <= len(self.produced)
        assert not stand.rows("link-sending")

    @staticmethod
    def once(body: bytes, count: int) -> None:
        persistent = body.removeprefix(UNMAPPABLE).startswith(b"p")
        assert count == 1 if persistent else count <= 1, (body, count)


TestLink = LinkModel.TestCase
TestLink.settings = settings(stateful_step_count=60, max_examples=3 * settings.default.max_examples)
