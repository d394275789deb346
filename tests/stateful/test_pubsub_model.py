"""A model of publish/subscribe, lists and a dictionary, against the queue manager: publications in and out of units of
work, retained ones, subscriptions that come, rest and go, restarts. The same by the bytes of clients."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mqbridge.bridge.queue_manager.pubsub.retained import RETAINED_QUEUE
from mqbridge.bridge.queue_manager.pubsub.wildcards import make_pattern
from mqbridge.protocol.constants import MQCO, MQPMO, MQSO
from support.queue_manager.pubsub_host import DURABLE, NON_DURABLE, PubSubHost
from support.wire.pubsub import WirePubSub

TOPICS = st.sampled_from(["a", "a/b", "a/b/c", "b", "", "a/"]).filter(bool)
PATTERNS = st.sampled_from(["a", "a/b", "#", "a/#", "+", "a/+", "+/b", "#/c", "a/", "b"])
RESUME = int(MQSO.RESUME | MQSO.MANAGED | MQSO.DURABLE)


class Subscriber:
    """What the model knows of a subscription: its pattern, what waits for it, and its handle while it is open."""

    def __init__(self, pattern: str, handle: Any) -> None:
        self.pattern = pattern
        self.handle = handle
        self.waiting: list[bytes] = []
        self.kept: list[bool] = []

    def matches(self, topic: str) -> bool:
        pattern = make_pattern(self.pattern, characters=False)
        return pattern == topic if isinstance(pattern, str) else pattern.matches(topic)

    def give(self, data: bytes, persistent: bool) -> None:
        self.waiting.append(data)
        self.kept.append(persistent)


class PubSubModel(RuleBasedStateMachine):
    """Names of durable subscriptions are ``D0`` to ``D2``; others have none."""

    def __init__(self) -> None:
        super().__init__()
        self.host = self.make_host()
        self.durable: dict[str, Subscriber] = {}
        self.others: list[Subscriber] = []
        self.retained: dict[str, tuple[bytes, bool]] = {}
        self.unit: Any = None
        self.pending: list[tuple[Subscriber, bytes, bool]] = []
        self.pending_retained: list[tuple[str, bytes, bool]] = []
        self.count = 0

    def make_host(self) -> Any:
        return PubSubHost()

    @property
    def subscribers(self) -> list[Subscriber]:
        return [*self.durable.values(), *self.others]

    @rule(topic=TOPICS, retain=st.booleans(), persistent=st.booleans(), within=st.booleans())
    def publish(self, topic: str, retain: bool, persistent: bool, within: bool) -> None:
        self.count += 1
        data = b"%d" % self.count
        reached = [each for each in self.subscribers if each.matches(topic)]
        unit = None
        if within:
            self.unit = unit = self.unit or self.host.begin()
        options = int(MQPMO.RETAIN if retain else 0) | int(MQPMO.WARN_IF_NO_SUBS_MATCHED)
        warning, _ = self.host.publish(topic, data, unit, options=options, persistence=int(persistent))
        assert (warning == 0) is bool(reached)
        if within:
            self.pending += [(each, data, persistent) for each in reached]
            self.pending_retained += [(topic, data, persistent)] if retain else []
            return
        for each in reached:
            each.give(data, persistent)
        if retain:
            self.retained[topic] = (data, persistent)

    @precondition(lambda self: self.unit is not None)
    @rule(commits=st.booleans())
    def end_unit(self, commits: bool) -> None:
        if commits:
            self.host.commit(self.unit)
            for each, data, persistent in self.pending:
                each.give(data, persistent)
            for topic, data, persistent in self.pending_retained:
                self.retained[topic] = (data, persistent)
        else:
            self.host.backout(self.unit)
        self.unit, self.pending, self.pending_retained = None, [], []

    def late(self, subscriber: Subscriber) -> None:
        for topic, (data, persistent) in self.retained.items():
            if subscriber.matches(topic):
                subscriber.give(data, persistent)

    @precondition(lambda self: len(self.others) < 4)
    @rule(pattern=PATTERNS)
    def subscribe(self, pattern: str) -> None:
        made = Subscriber(pattern, self.host.subscribe(pattern, NON_DURABLE))
        self.late(made)
        self.others.append(made)

    @rule(number=st.integers(0, 2), pattern=PATTERNS)
    def subscribe_durably(self, number: int, pattern: str) -> None:
        name = f"D{number}"
        if name in self.durable:
            return
        self.durable[name] = made = Subscriber(pattern, self.host.subscribe(pattern, DURABLE, name=name))
        self.late(made)

    @precondition(lambda self: self.others)
    @rule(data=st.data())
    def unsubscribe(self, data: st.DataObject) -> None:
        chosen = data.draw(st.sampled_from(self.others))
        self.others.remove(chosen)
        self.pending = [each for each in self.pending if each[0] is not chosen]
        self.host.close(chosen.handle)

    @precondition(lambda self: self.durable)
    @rule(data=st.data(), remove=st.booleans())
    def rest_or_resume(self, data: st.DataObject, remove: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.durable)))
        chosen = self.durable[name]
        if chosen.handle is None:
            chosen.handle = self.host.subscribe("", RESUME, name=name)
        elif remove:
            self.host.close(chosen.handle, MQCO.REMOVE_SUB)
            del self.durable[name]
            self.pending = [each for each in self.pending if each[0] is not chosen]
        else:
            self.host.close(chosen.handle)
            chosen.handle = None

    @precondition(lambda self: any(each.handle for each in self.subscribers))
    @rule(data=st.data())
    def consume(self, data: st.DataObject) -> None:
        chosen = data.draw(st.sampled_from([each for each in self.subscribers if each.handle]))
        assert sorted(self.host.bodies(chosen.handle)) == sorted(chosen.waiting)
        chosen.waiting, chosen.kept = [], []

    @rule()
    def restart(self) -> None:
        self.host.restart()
        self.unit, self.pending, self.pending_retained, self.others = None, [], [], []
        for each in self.durable.values():
            each.handle = None
            each.waiting = [data for data, kept in zip(each.waiting, each.kept, strict=True) if kept]
            each.kept = [True] * len(each.waiting)
        self.retained = {topic: kept for topic, kept in self.retained.items() if kept[1]}

    @invariant()
    def depths_agree(self) -> None:
        for name, each in self.durable.items():
            queue = self.host.queue_manager.queue(self.host.pubsub.subscription(name).destination[0])
            assert queue is not None
            assert queue.visible == len(each.waiting)
        for each in self.others:
            assert self.host.waiting(each.handle) == len(each.waiting)
        retained = self.host.queue_manager.queue(RETAINED_QUEUE)
        assert retained is not None
        assert retained.visible == len(self.retained)

    def teardown(self) -> None:
        for each in self.subscribers:
            if each.handle is not None:
                self.host.close(each.handle, MQCO.REMOVE_SUB)
        left = [name for name in self.host.queue_manager._core.queues if name.startswith("SYSTEM.MANAGED.")]
        assert len(left) == sum(each.handle is None for each in self.durable.values())


class ClientPubSubModel(PubSubModel):
    def make_host(self) -> Any:
        return WirePubSub()


class SharingClientPubSubModel(PubSubModel):
    def make_host(self) -> Any:
        return WirePubSub(shared=10)


TestPubSubModel = PubSubModel.TestCase
TestPubSubModel.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestPubSubOfClients = pytest.mark.spec("mqi.md 17", "client-observed.md O-068")(ClientPubSubModel.TestCase)
TestPubSubOfClients.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestPubSubOfSharingClients = pytest.mark.spec("mqi.md 17", "client-observed.md O-068")(
    SharingClientPubSubModel.TestCase
)
TestPubSubOfSharingClients.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
