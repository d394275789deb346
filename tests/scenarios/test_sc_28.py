"""SC-28: rules refuse, replace and fail; every hook is called with what is documented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.manager_properties import RULE
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Alarm, Level, Notice
from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.bridge.everyplace.rules.owners import RuledQueue, RuleOwner, RuleRefusal
from mqbridge.bridge.everyplace.rules.plug_ins import Kind, PlugIns
from mqbridge.bridge.everyplace.rules.queue_manager_rule import QueueManagerRule
from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.protocol.everyplace.calls import Browse, Delete, Done, Get, Got, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import Station, World, text_message

pytestmark = pytest.mark.spec("SC-28")
Log = list[tuple[Any, ...]]
Q = Address("Q", "MOON")
PASSWORD = "swordfish"


class Recorder(QueueRule):
    """Notes every call of a queue's hooks."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def activate(self, queue: RuledQueue, owner: RuleOwner) -> None:
        self.log.append(("activate", queue.name, queue.owner, queue.kind, queue.priority, queue.size, owner.name))

    def close(self) -> None:
        self.log.append(("close",))

    def put(self, message: Message, confirm: int) -> None:
        self.log.append(("put", message["text"], confirm))

    def get(self, wanted: Fields, confirm: int) -> None:
        self.log.append(("get", list(wanted), confirm))

    def delete(self, uid: MessageUid) -> None:
        self.log.append(("delete", uid))

    def browse(self, wanted: Fields) -> None:
        self.log.append(("browse", list(wanted)))

    def undo(self, confirm: int) -> None:
        self.log.append(("undo", confirm))

    def add_listener(self, wanted: Fields) -> None:
        self.log.append(("add listener", list(wanted)))

    def remove_listener(self, wanted: Fields) -> None:
        self.log.append(("remove listener", list(wanted)))

    def message_expired(self, event: MessageEvent, message: Message, now: float) -> None:
        self.log.append(("expired", event.uid, message["text"], now))

    def attribute_change(self, name: str, value: Any) -> None:
        self.log.append(("attribute", name, value))

    def duplicate_message(self, message: Message) -> bool:
        self.log.append(("duplicate", message.uid))
        return False

    def transmit(self, event: MessageEvent) -> None:
        self.log.append(("transmit", event.address, event.uid))


class ManagerRecorder(QueueManagerRule):
    """Notes every call of a queue manager's hooks."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def activate(self, owner: RuleOwner, now: float) -> None:
        self.log.append(("activate", owner.name, owner.dead_letter_queue, len(list(owner.ruled_queues())), now))

    def close(self, now: float) -> None:
        self.log.append(("close", now))

    def add_queue(self, queue: RuledQueue) -> None:
        self.log.append(("add queue", queue.name))

    def remove_queue(self, queue: RuledQueue) -> None:
        self.log.append(("remove queue", queue.name))

    def put(self, address: Address, message: Message, confirm: int) -> None:
        self.log.append(("put", address, message["text"], confirm))

    def get(self, address: Address, wanted: Fields, confirm: int) -> None:
        self.log.append(("get", address, list(wanted), confirm))

    def delete(self, address: Address, uid: MessageUid) -> None:
        self.log.append(("delete", address, uid))

    def undo(self, address: Address, confirm: int) -> None:
        self.log.append(("undo", address, confirm))

    def trigger_transmission(self, pending: int, message: Message | None, now: float) -> bool:
        self.log.append(("trigger", pending, None if message is None else message["text"]))
        return True

    def transmit(self, queue: RuledQueue, now: float) -> bool:
        self.log.append(("transmit", queue.name))
        return True

    def activate_queues(self) -> bool:
        self.log.append(("activate queues",))
        return True


class Password(QueueManagerRule):
    """Lets only those who know the password get from OutboundQueue, and takes it out of the filter."""

    def get(self, address: Address, wanted: Fields, confirm: int) -> None:
        if address.queue == "OutboundQueue":
            if "password" not in wanted or wanted["password"] != PASSWORD:
                raise RuleRefusal("a password is needed")
            del wanted["password"]


class Faulty(QueueRule):
    """Fails everywhere."""

    def _fail(self, *arguments: object) -> Any:
        raise ZeroDivisionError(PASSWORD)

    activate = close = put = get = delete = browse = undo = add_listener = remove_listener = _fail
    message_expired = attribute_change = duplicate_message = transmit = _fail


class FaultyManager(QueueManagerRule):
    """Fails where it might refuse."""

    def _fail(self, *arguments: object) -> Any:
        raise ZeroDivisionError(PASSWORD)

    put = trigger_transmission = transmit = activate = close = _fail


class Stubborn(QueueManagerRule):
    """Lets nothing take its place but a mandatory id."""

    def allows_replacement(self, by: str) -> bool:
        return by == "mandatory-id"


def plug_ins(log: Log | None = None, manager_log: Log | None = None) -> PlugIns:
    found = supplied()
    queue, manager = [] if log is None else log, [] if manager_log is None else manager_log
    found.register(Kind.QUEUE_RULE, "recorder", lambda _: Recorder(queue))
    found.register(Kind.QUEUE_RULE, "faulty", lambda _: Faulty())
    found.register(Kind.QUEUE_MANAGER_RULE, "recorder", lambda _: ManagerRecorder(manager))
    found.register(Kind.QUEUE_MANAGER_RULE, "password", lambda _: Password())
    found.register(Kind.QUEUE_MANAGER_RULE, "faulty", lambda _: FaultyManager())
    found.register(Kind.QUEUE_MANAGER_RULE, "stubborn", lambda _: Stubborn())
    return found


def moon_with(rules: PlugIns, rule: str = "") -> Station:
    world = World()
    world.plug_ins = rules
    moon = world.queue_manager("MOON")
    assert set_rule(moon, rule) is None
    return moon


def set_rule(station: Station, rule: str) -> EveryplaceError | None:
    """Give the queue manager another rule; returns why it was refused."""
    found: list[dict[Any, EveryplaceError]] = []

    def change() -> Any:
        change = station.manager.objects.update({RULE: rule})
        found.append(change.result)
        return change

    station.manager.define(change, lambda _: None)
    station.write()
    return found[0].get(RULE)


def refusal(outcome: Outcome) -> Refused:
    assert isinstance(outcome, Refused)
    return outcome


@pytest.mark.spec("E-490", "E-491", "E-510", "E-511", "E-512", "E-513", "E-514", "E-515", "E-516", "E-517", "E-519")
def test_hooks_of_a_queue_get_what_is_documented() -> None:
    log: Log = []
    moon = moon_with(plug_ins(log))
    moon.local("Q", RULE="recorder", PRIORITY=7, EXPIRY=1000)
    message = text_message("one")
    moon.put("Q", message, confirm=5)
    uid = message.uid
    assert uid is not None
    moon.ask(Undo(Q, 5))
    message = text_message("two")
    moon.put("Q", message)
    moon.ask(Browse(Q, Fields()))
    assert refusal(moon.put("Q", message)).code is Code.DUPLICATE
    wanted = Fields()
    wanted["text"] = "three"
    moon.call(Get(Q, wanted, 6))
    moon.ask(Delete(Q, message.uid or uid))
    listener = moon.manager.programs.listen(Q, wanted, lambda _: None)
    moon.manager.programs.remove(listener)
    late = text_message("late")
    moon.put("Q", late)
    moon.world.run(3)
    assert log == [
        ("activate", "Q", "MOON", QueueKind.LOCAL, 7, 0, "MOON"),
        ("put", "one", 5),
        ("undo", 5),
        ("put", "two", 0),
        ("browse", []),
        ("put", "two", 0),
        ("duplicate", message.uid),
        ("get", ["text"], 6),
        ("delete", message.uid),
        ("add listener", ["text"]),
        ("remove listener", ["text"]),
        ("put", "late", 0),
        ("expired", late.uid, "late", log[-1][3]),
    ]
    moon.manager.life.close_immediate(moon.now)
    assert log[-1] == ("close",)


@pytest.mark.spec("E-510", "E-518")
def test_a_change_of_attributes_is_asked_and_a_removed_queue_ends_its_rule() -> None:
    log: Log = []
    moon = moon_with(plug_ins(log))
    moon.local("Q", RULE="recorder")
    moon.put("Q", "first")
    queue, _ = moon.manager.resolve(Q)
    queues = moon.manager.objects.queues
    values = {rows.COMPRESSOR: "zlib", rows.DESCRIPTION: "a queue"}
    moon.expect_done(lambda then: moon.manager.define(lambda: queues.update(queue, values), then))
    assert log[-1] == ("attribute", "qco", "zlib")
    moon.get("Q")
    moon.expect_done(lambda then: moon.manager.define(lambda: queues.delete(queue), then))
    assert log[-1] == ("close",)


@pytest.mark.spec("E-520")
def test_a_message_that_leaves_for_its_queue_manager_is_told_to_its_rule() -> None:
    log: Log = []
    moon = moon_with(plug_ins(log))
    earth = moon.world.queue_manager("EARTH")
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH", RULE="recorder")
    message = text_message("one")
    moon.put("ORDERS@EARTH", message)
    moon.world.run(1)
    assert log[-1] == ("transmit", Address("ORDERS", "EARTH"), message.uid)


@pytest.mark.spec(
    "E-491", "E-493", "E-494", "E-495", "E-496", "E-497", "E-498", "E-499", "E-500", "E-501", "E-502", "E-503"
)
def test_hooks_of_a_queue_manager_get_what_is_documented() -> None:
    log: Log = []
    moon = moon_with(plug_ins(manager_log=log), "recorder")
    moon.kill()
    moon.world.run(1)
    start = moon.now - 1
    assert log == [("activate", "MOON", "DeadLetterQ", 0, start), ("activate queues",)]
    log.clear()
    moon.local("Q")
    moon.local("GONE")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    assert log == [("add queue", "Q"), ("add queue", "GONE"), ("add queue", "ORDERS")]
    log.clear()
    gone, _ = moon.manager.resolve(Address("GONE", "MOON"))
    moon.expect_done(lambda then: moon.manager.define(lambda: moon.manager.objects.queues.delete(gone), then))
    moon.call(Put(Q, text_message("one"), 3))
    moon.call(Get(Q, Fields(), 4))
    moon.call(Undo(Q, 3))
    message = text_message("two")
    moon.call(Put(Q, message))
    assert message.uid is not None
    moon.call(Delete(Q, message.uid))
    assert log == [
        ("remove queue", "GONE"),
        ("put", Q, "one", 3),
        ("get", Q, [], 4),
        ("undo", Q, 3),
        ("put", Q, "two", 0),
        ("delete", Q, message.uid),
    ]
    log.clear()
    moon.call(Put(Address("ORDERS", "EARTH"), text_message("three")))
    assert log == [
        ("put", Address("ORDERS", "EARTH"), "three", 0),
        ("trigger", 1, "three"),
        ("transmit", "ORDERS"),
    ]
    log.clear()
    moon.network.trigger(moon.now)
    assert log[0] == ("trigger", 1, None)
    assert ("transmit", "ORDERS") in log
    log.clear()
    moon.manager.life.close_immediate(moon.now)
    assert log == [("close", moon.now)]


@pytest.mark.spec("E-490", "E-497", "E-511", "E-571")
def test_a_refusal_has_the_code_of_rules_and_changes_nothing() -> None:
    moon = moon_with(plug_ins())
    moon.local("Q", RULE="mandatory-id")
    moon.local("FREE")
    moon.put("FREE", "one")
    refused = refusal(moon.put("Q", "one"))
    assert refused.code is Code.RULE
    assert refused.text == "put to Q@MOON: rule mandatory-id: put to Q: rule mandatory-id wants a message id"
    assert len(moon.stored("Q")) == 0
    message = text_message("one")
    message.msg_id = b"1"
    assert moon.put("Q", message) == Done()
    assert set_rule(moon, "mandatory-id") is None
    assert refusal(moon.put("FREE", "two")).code is Code.RULE
    assert moon.texts("FREE") == ["one"]


@pytest.mark.spec("E-071", "E-498")
def test_a_password_in_the_filter_is_read_by_the_rule_alone() -> None:
    moon = moon_with(plug_ins(), "password")
    moon.local("OutboundQueue")
    moon.put("OutboundQueue", "one")
    address = Address("OutboundQueue", "MOON")
    wanted = Fields()
    for password in (None, "wrong"):
        if password is not None:
            wanted["password"] = password
        refused = refusal(moon.ask(Get(address, wanted)))
        assert refused.code is Code.RULE
        assert "wrong" not in refused.text
    wanted["password"] = PASSWORD
    assert isinstance(moon.ask(Get(address, wanted)), Got)
    assert "password" in wanted


@pytest.mark.spec("E-490", "E-567", "E-570", "E-571")
def test_a_queue_rule_that_fails_is_as_good_as_none() -> None:
    moon = moon_with(plug_ins())
    moon.local("Q", RULE="faulty", EXPIRY=1000)
    message = text_message("one")
    assert moon.put("Q", message) == Done()
    assert refusal(moon.put("Q", message)).code is Code.DUPLICATE
    assert moon.texts("Q") == ["one"]
    listener = moon.manager.programs.listen(Q, Fields(), lambda _: None)
    moon.manager.programs.remove(listener)
    assert moon.ask(Undo(Q, 7)) == Done()
    assert moon.get("Q")["text"] == "one"
    moon.put("Q", "two")
    moon.world.run(3)
    assert len(moon.stored("Q")) == 0
    moon.go_on()
    notices = [each for each in moon.effects if isinstance(each, Notice)]
    assert {each.text for each in notices} == {"rule faulty failed: ZeroDivisionError"}
    assert {each.level for each in notices} == {Level.WARNING}
    assert PASSWORD not in str(moon.effects)


@pytest.mark.spec("E-490", "E-507", "E-571")
def test_a_rule_of_the_queue_manager_that_fails_refuses_what_it_might_have_refused() -> None:
    moon = moon_with(plug_ins(), "faulty")
    moon.local("Q")
    refused = refusal(moon.put("Q", "one"))
    assert (refused.code, refused.text) == (Code.RULE, "put to Q@MOON: rule faulty failed: ZeroDivisionError")
    assert moon.network.manager.transmission.trigger(moon.now)
    assert set_rule(moon, "") is None
    assert moon.put("Q", "one") == Done()


@pytest.mark.spec("E-284", "E-492")
def test_a_rule_is_replaced_at_run_time_if_it_allows_that() -> None:
    log: Log = []
    moon = moon_with(plug_ins(manager_log=log), "recorder")
    moon.local("Q")
    moon.put("Q", "one")
    assert set_rule(moon, "stubborn") is None
    moon.put("Q", "two")
    assert log[-1] == ("close", moon.now)
    for other in ("recorder", ""):
        error = set_rule(moon, other)
        assert error is not None
        assert error.code is Code.NOT_ALLOWED
    assert moon.put("Q", "three") == Done()
    assert set_rule(moon, "mandatory-id") is None
    assert refusal(moon.put("Q", "four")).code is Code.RULE


@pytest.mark.spec("E-229", "E-492")
def test_a_rule_that_is_not_registered_is_refused_and_never_left_out() -> None:
    moon = moon_with(plug_ins())
    error = set_rule(moon, "unknown:1")
    assert error is not None
    assert error.code is Code.NOT_FOUND
    definition = QueueDefinition(QueueKind.LOCAL, Q)
    definition.set(rows.RULE, "unknown")
    outcomes: list[Outcome] = []
    moon.manager.define_queue(definition, outcomes.append)
    assert refusal(outcomes[0]).code is Code.NOT_FOUND
    moon.local("Q", RULE="recorder")
    moon.local("R")
    moon.world.plug_ins = supplied()
    moon.kill()
    assert refusal(moon.put("Q", "one")).code is Code.RULE
    assert moon.put("R", "one") == Done()
    moon.go_on()
    assert [each.name for each in moon.effects if isinstance(each, Alarm)] == ["Q@MOON"]
    moon.world.plug_ins = plug_ins()
    moon.kill()
    assert set_rule(moon, "recorder") is None
    moon.world.plug_ins = supplied()
    moon.kill()
    assert refusal(moon.put("R", "two")).code is Code.RULE


@pytest.mark.spec("E-155", "E-519")
def test_a_rule_may_take_a_duplicate_as_done() -> None:
    class Tolerant(QueueRule):
        def duplicate_message(self, message: Message) -> bool:
            return True

    rules = plug_ins()
    make: Callable[[str], Tolerant] = lambda _: Tolerant()  # noqa: E731
    rules.register(Kind.QUEUE_RULE, "tolerant", make)
    moon = moon_with(rules)
    moon.local("Q", RULE="tolerant")
    message = text_message("one")
    assert moon.put("Q", message) == moon.put("Q", message) == Done()
    assert moon.texts("Q") == ["one"]
