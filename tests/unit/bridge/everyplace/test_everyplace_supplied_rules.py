"""Rules that come with the program, and their names (mqe.md 21)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest

from mqbridge.bridge.everyplace.rules.bridge_rules import (
    AgePurger,
    Disposal,
    RetryAfter,
    SyncRecord,
    UndeliveredMessage,
)
from mqbridge.bridge.everyplace.rules.owners import RuledQueue, RuleRefusal
from mqbridge.bridge.everyplace.rules.plug_ins import Kind, PlugIns
from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.everyplace.rules.transmission_window import TransmissionWindow
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

FRIDAY = datetime(2026, 11, 20, tzinfo=UTC)


class Owner:
    """A queue manager that notes what its rule wants."""

    name = "MOON"
    dead_letter_queue = "DeadLetterQ"

    def __init__(self) -> None:
        self.triggers: list[float] = []

    def ruled_queues(self) -> Iterable[RuledQueue]:
        return []

    def trigger(self, now: float) -> None:
        self.triggers.append(now)

    def put(self, address: Address, message: Message, now: float) -> None:
        raise AssertionError("nothing is put")


def at(hour: int, minute: int = 0, day: int = 0) -> float:
    return (FRIDAY + timedelta(days=day, hours=hour, minutes=minute)).timestamp()


def zones(name: str) -> tzinfo:
    return {"Island": timezone(timedelta(hours=3))}[name]


@pytest.mark.spec("E-505", "E-508", "SC-17")
def test_a_window_over_midnight_has_its_begin_and_not_its_end() -> None:
    window = TransmissionWindow("18:00-09:00")
    seen = [window.is_open(at(*each)) for each in ((17, 59), (18, 0), (3, 0), (8, 59), (9, 0))]
    assert seen == [False, True, True, True, False]
    day = TransmissionWindow("09:00-18:00")
    assert [day.is_open(at(*each)) for each in ((8, 59), (9, 0), (17, 59), (18, 0))] == [False, True, True, False]
    assert TransmissionWindow().is_open(at(0))


@pytest.mark.spec("E-508")
def test_a_window_belongs_to_the_day_on_which_it_begins_in_its_zone() -> None:
    window = TransmissionWindow("18:00-09:00,days=mon-fri")
    assert window.is_open(at(18))  # Friday evening
    assert window.is_open(at(8, day=1))  # still Friday's
    assert not window.is_open(at(18, day=1))
    assert not window.is_open(at(8, day=3))  # Sunday's
    assert TransmissionWindow("days=sat+sun").is_open(at(12, day=1))
    assert TransmissionWindow("days=fri-mon").is_open(at(12, day=3))
    assert TransmissionWindow("18:00-09:00,zone=Island", zones).is_open(at(15))
    assert not TransmissionWindow("18:00-09:00,zone=Island", zones).is_open(at(6))


@pytest.mark.spec("E-501", "E-505", "E-506", "E-508")
def test_a_window_wants_messages_looks_again_and_empties_the_queues_at_close() -> None:
    window = TransmissionWindow("18:00-09:00,count=11,at-close=yes,every=15")
    assert not window.trigger_transmission(10, None, at(20))
    assert window.trigger_transmission(11, None, at(20))
    assert not window.trigger_transmission(11, None, at(12))
    assert window.next_trigger(at(12)) == at(12) + 15
    owner = Owner()
    window.activate(owner, at(12))
    window.close(at(12))
    assert owner.triggers == [at(12)]
    assert window.trigger_transmission(1, None, at(12))


@pytest.mark.spec("E-508", "E-571")
@pytest.mark.parametrize(
    "text",
    [
        "18:00",
        "18:00-18:00",
        "25:00-09:00",
        "18:60-09:00",
        "days=mon-",
        "days=someday",
        "zone=Nowhere",
        "count=-1",
        "18:00-09:00,19:00-20:00",
        "colour=red",
        "count=1,count=2",
        "at-close=maybe",
        "every=never",
    ],
)
def test_parameters_that_make_no_sense_are_refused_with_the_name_of_the_rule(text: str) -> None:
    with pytest.raises(EveryplaceError, match="rule transmission-window") as found:
        supplied(zones).make(Kind.QUEUE_MANAGER_RULE, f"transmission-window:{text}")
    assert found.value.code is Code.SYNTAX


@pytest.mark.spec("E-229", "E-490")
def test_names_of_plug_ins_are_registered_and_bring_no_code_of_themselves() -> None:
    class Weigh(QueueRule):
        def __init__(self, text: str) -> None:
            self.text = text

    plug_ins = supplied()
    plug_ins.load([("queue-rule.weigh", lambda: Weigh)])
    assert plug_ins.make(Kind.QUEUE_RULE, "weigh:kilograms:2").text == "kilograms:2"
    assert plug_ins.names(Kind.QUEUE_RULE) == ["dead-letter-on-expiry", "mandatory-id", "weigh"]
    for text in ("os.system", "weigh2:1"):
        with pytest.raises(EveryplaceError, match="is not registered") as found:
            plug_ins.make(Kind.QUEUE_RULE, text)
        assert found.value.code is Code.NOT_FOUND
    with pytest.raises(EveryplaceError, match="two plug-ins"):
        plug_ins.load([("queue-rule.weigh", lambda: Weigh)])
    for text in ("weigh", "queue-rule.", "rules.weigh"):
        with pytest.raises(EveryplaceError, match=r"is not kind\.name"):
            PlugIns().load([(text, lambda: Weigh)])


@pytest.mark.spec("E-422", "E-522", "E-523")
def test_undelivered_messages_are_tried_again_and_then_stop_the_listener_or_go_by_their_report_options() -> None:
    def message(tries: int) -> UndeliveredMessage:
        return UndeliveredMessage((Code.Q_UNKNOWN,), Address("Q", "MOON"), tries, b"id")

    rule = supplied().make(Kind.UNDELIVERED_RULE, "undelivered")
    assert [rule.undelivered(message(each)) for each in (1, 2, 3)] == [RetryAfter(5)] * 2 + [Disposal.STOP_LISTENER]
    rule = supplied().make(Kind.UNDELIVERED_RULE, "undelivered:seconds=2,tries=0")
    assert rule.undelivered(message(1000)) == RetryAfter(2)
    rule = supplied().make(Kind.UNDELIVERED_RULE, "undelivered:tries=1,then=report")
    assert rule.undelivered(message(1)) is Disposal.USE_REPORT_OPTIONS
    rule = supplied().make(Kind.UNDELIVERED_RULE, "report-options")
    assert rule.undelivered(message(1)) is Disposal.USE_REPORT_OPTIONS


@pytest.mark.spec("E-524", "E-525")
def test_objects_of_the_bridge_start_by_rule_and_old_records_are_reported_or_deleted() -> None:
    rule = supplied().make(Kind.START_UP_RULE, "start:SATURN")
    assert not rule.starts("proxy", "SATURN")
    assert rule.starts("proxy", "MARS")
    assert supplied().make(Kind.START_UP_RULE, "start").starts("bridge", "SATURN")
    assert not supplied().make(Kind.START_UP_RULE, "start:none").starts("bridge", "SATURN")
    record = SyncRecord("EARTH/SVRCONN.1/up", 7, 1000.0)
    assert not AgePurger().purge(record, 1e9)
    assert AgePurger("hours=1").purge(record, 1000.0 + 3601)
    assert not AgePurger("hours=1").purge(record, 1000.0 + 3599)


@pytest.mark.spec("E-497", "E-511")
@pytest.mark.parametrize("kind", [Kind.QUEUE_MANAGER_RULE, Kind.QUEUE_RULE])
def test_a_message_id_can_be_made_mandatory(kind: Kind) -> None:
    rule = supplied().make(kind, "mandatory-id")
    address = (Address("Q", "MOON"),) if kind is Kind.QUEUE_MANAGER_RULE else ()
    message = Message()
    with pytest.raises(RuleRefusal, match="mandatory-id") as found:
        rule.put(*address, message, 0)
    assert found.value.code is Code.RULE
    message.msg_id = b"1"
    rule.put(*address, message, 0)
