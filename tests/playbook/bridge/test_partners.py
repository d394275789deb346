"""A partner with a protocol of its own: messages out, answers and notices in, cuts, refusals, what cannot be sent."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.partner.settings import PartnerSettingsError
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, read_properties
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQFB, MQMODE, MQMT, MQRC, MQRO
from mqbridge.protocol.structures.dlh import DLH
from support.partners.old_host import HEARTBEAT, Connection, OldHost, ebcdic, packet
from support.partners.stand import ANSWERS, AT_LEAST_ONCE, DEAD, INPUT, REQUESTS, PartnerStand, host_protocol
from support.templates.thesis import packets, shipped

pytestmark = pytest.mark.spec("M-120", "M-169")


class Pair:
    """A stand and the host, with what they say passed on by hand."""

    def __init__(self, stand: PartnerStand, *, forgets: bool = False) -> None:
        self.stand = stand
        self.host = OldHost(forgets=forgets)
        self.connection = Connection(self.host)

    def begin(self) -> Pair:
        self.talk(self.stand.begin())
        return self

    def talk(self, said: bytes) -> None:
        """Pass on until both are silent."""
        while said:
            answer = self.connection.receive(said)
            said = self.stand.hears(answer) if answer else b""

    def again(self) -> None:
        """The connection is cut, and made again."""
        if self.stand.driver is not None:
            self.stand.cut()
        self.connection = Connection(self.host)
        self.talk(self.stand.calls_again())


def order(stand: PartnerStand, text: str, action: str = "ORDER", **fields: object) -> Message:
    given = {"format": "MQSTR", "coded_char_set_id": 1208, "reply_to_q": ANSWERS, "persistence": 1, "expiry": -1}
    made = Message.build(text.encode(), **(given | fields))  # type: ignore[arg-type]
    made = with_properties(made, [Property.of("action", action)])
    return stand.put_message(made, REQUESTS)


def pair(**options: object) -> Pair:
    return Pair(PartnerStand(**options)).begin()  # type: ignore[arg-type]


def test_a_message_becomes_a_packet_and_its_answer_goes_to_the_requester():
    two = pair()
    sent = order(two.stand, "two apples", msg_type=int(MQMT.REQUEST))
    assert two.stand.depth(REQUESTS) == 0
    assert two.stand.hidden(REQUESTS) == 1
    two.talk(two.stand.said())
    assert two.host.orders == [(1, "ORDER", "two apples")]
    (answer,) = two.stand.contents(ANSWERS)
    assert answer.md.correl_id == sent.md.msg_id != bytes(24)
    assert (answer.md.msg_type, answer.md.persistence) == (MQMT.REPLY, 1)
    assert [(each.name, each.value) for each in read_properties(answer)] == [("code", 1)]
    assert answer.data.endswith(b"done two apples")
    assert two.stand.hidden(REQUESTS) == 0
    assert not two.host.faults


@pytest.mark.parametrize(
    ("report", "passed"), [(0, "msg_id"), (MQRO.PASS_CORREL_ID, "correl_id"), (MQRO.PASS_MSG_ID, "msg_id")]
)
def test_report_options_say_which_ids_an_answer_has(report: int, passed: str):
    two = pair()
    sent = order(two.stand, "pears", report=int(report), correl_id=b"c" * 24)
    two.talk(two.stand.said())
    (answer,) = two.stand.contents(ANSWERS)
    assert answer.md.correl_id == getattr(sent.md, passed)
    assert (answer.md.msg_id == sent.md.msg_id) == bool(report == MQRO.PASS_MSG_ID)


def test_several_messages_go_one_behind_the_other_with_numbers_without_gaps():
    two = pair()
    for number in range(5):
        order(two.stand, f"{number} apples")
    two.talk(two.stand.said())
    assert [number for number, _, _ in two.host.orders] == [1, 2, 3, 4, 5]
    assert len(two.stand.contents(ANSWERS)) == 5
    assert not two.host.faults


def test_numbers_of_a_connection_begin_again_and_are_kept_nowhere():
    restarting = ('compute = "sequence"', 'compute = { kind = "sequence", first = 5, restarts = true }')
    two = Pair(PartnerStand(host_protocol(restarting))).begin()
    for text in ("a", "b"):
        order(two.stand, text)
    two.talk(two.stand.said())
    two.again()
    order(two.stand, "c")
    two.talk(two.stand.said())
    assert [number for number, _, _ in two.host.orders] == [5, 6, 5]
    assert two.stand.rows("partner-numbers") == []


def test_what_the_host_begins_is_on_disk_before_it_is_confirmed():
    two = pair()
    two.host.notices[7] = "stock is low"
    two.stand.hold = True
    assert two.stand.hears(two.connection.notices()) == b""
    two.stand.let_commit()
    assert two.stand.rows("partner-receiving")
    two.talk(two.stand.said())
    assert two.host.taken == [7]
    (message,) = two.stand.contents(INPUT)
    assert message.data.endswith(b"stock is low")
    assert message.md.format in ("MQSTR", "MQHRF2")
    assert [(each.name, each.value) for each in read_properties(message)] == [("number", 7)]
    assert (message.md.persistence, message.md.reply_to_q) == (1, REQUESTS)


def test_a_notice_that_comes_again_is_put_once_and_confirmed_again():
    two = pair()
    two.host.notices[7] = "stock is low"
    two.stand.hears(two.connection.notices())
    two.again()
    two.stand.restart()
    two.connection = Connection(two.host)
    two.host.notices[7] = "stock is low"
    two.talk(two.stand.begin())
    assert len(two.host.taken) == 2
    assert len(two.stand.contents(INPUT)) == 1


# Cuts


def test_a_packet_in_doubt_is_on_disk_before_it_goes_out_and_is_repeated_with_the_same_bytes():
    two = pair()
    two.stand.hold = True
    order(two.stand, "two apples")
    assert two.stand.said() == b""
    two.stand.let_commit()
    first = two.stand.said()
    assert two.stand.rows("partner-sending")[0].endswith(first)
    two.connection.receive(first)
    two.stand.cut()
    assert two.stand.hidden(REQUESTS) == 1
    two.connection = Connection(two.host)
    again = two.stand.hears(two.connection.receive(two.stand.calls_again()))
    assert again == first
    two.talk(again)
    assert (len(two.host.orders), two.host.repeats) == (1, 1)
    assert len(two.stand.contents(ANSWERS)) == 1
    assert two.stand.rows("partner-sending") == []


def test_it_is_repeated_after_a_restart_too():
    two = pair()
    order(two.stand, "two apples")
    first = two.stand.said()
    two.connection.receive(first)
    two.stand.restart()
    assert two.stand.hidden(REQUESTS) == 1
    order(two.stand, "three pears")
    two.connection = Connection(two.host)
    two.talk(two.stand.begin())
    assert [text for _, _, text in two.host.orders] == ["two apples", "three pears"]
    assert (two.host.repeats, two.host.faults) == (1, [])
    assert len(two.stand.contents(ANSWERS)) == 2
    assert two.stand.hidden(REQUESTS) == 0


def test_without_an_id_a_message_goes_out_again_with_the_same_number():
    two = Pair(PartnerStand(host_protocol(AT_LEAST_ONCE)), forgets=True).begin()
    assert "at least once" in two.stand.log("AMQ5080")[0][0]
    order(two.stand, "two apples")
    two.connection.receive(two.stand.said())
    two.stand.cut()
    assert (two.stand.depth(REQUESTS), two.stand.hidden(REQUESTS)) == (1, 0)
    two.connection = Connection(two.host)
    two.talk(two.stand.calls_again())
    assert two.host.orders == [(1, "ORDER", "two apples")] * 2
    order(two.stand, "pears")
    two.talk(two.stand.said())
    assert two.host.orders[2:] == [(2, "ORDER", "pears")]
    assert not two.host.faults
    two.stand.restart()
    two.connection = Connection(two.host)
    two.talk(two.stand.begin())
    order(two.stand, "plums")
    two.talk(two.stand.said())
    assert two.host.orders[3:] == [(3, "ORDER", "plums")]


def test_a_message_at_which_sessions_end_goes_to_the_backout_queue():
    stand = PartnerStand(host_protocol(AT_LEAST_ONCE))
    stand.alter(REQUESTS, BOTHRESH=2, BOQNAME=INPUT)
    two = Pair(stand).begin()
    order(stand, "poison")
    for _ in range(2):
        assert stand.hidden(REQUESTS) == 1
        stand.cut()
        stand.hears(Connection(two.host).receive(stand.calls_again()))
    (moved,) = stand.contents(INPUT)
    assert moved.data.endswith(b"poison")
    assert stand.partner.counts.failed == 1


def test_the_answer_and_the_get_are_one_unit():
    two = pair()
    order(two.stand, "two apples")
    answer = two.connection.receive(two.stand.said())
    units = len(two.stand.store.units)
    two.stand.hears(answer)
    assert len(two.stand.store.units) == units + 1


def test_a_store_without_room_delays_and_loses_nothing():
    two = pair()
    order(two.stand, "two apples")
    answer = two.connection.receive(two.stand.said())
    two.stand.store.failure = StoreFull("no room")
    assert two.stand.hears(answer) == b""
    assert two.stand.hidden(REQUESTS) == 1
    two.stand.store.failure = None
    two.stand.wait(5)
    assert len(two.stand.contents(ANSWERS)) == 1
    assert two.stand.hidden(REQUESTS) == 0
    order(two.stand, "pears")
    two.talk(two.stand.said())
    assert len(two.host.orders) == 2


def test_a_full_queue_holds_back_the_host_and_its_time_limits():
    stand = PartnerStand()
    stand.alter(INPUT, MAXDEPTH=1)
    two = Pair(stand).begin()
    two.host.notices |= {1: "one", 2: "two"}
    two.talk(stand.hears(two.connection.notices()))
    assert two.host.taken == [1]
    assert stand.driver is not None
    assert stand.driver.paused
    stand.wait(100)
    stand.contents(INPUT)
    stand.wait(100)
    assert stand.reads_on()
    two.connection.receive(stand.said())
    assert two.host.taken == [1, 2]
    assert len(stand.contents(INPUT)) == 1


# What cannot be sent


@pytest.mark.parametrize(
    ("text", "fields", "why"),
    [
        ("x" * 3000, {}, "at most 2000"),
        ("x", {"action": "MUCH TOO LONG"}, "text of 13 bytes"),
        ("łódź", {}, "not in the character set"),
    ],
)
def test_a_message_of_which_no_packet_can_be_made_is_dead_lettered(text: str, fields: dict[str, str], why: str):
    two = pair()
    order(two.stand, text, **fields)
    order(two.stand, "two apples")
    two.talk(two.stand.said())
    assert [each for _, _, each in two.host.orders] == ["two apples"]
    assert [number for number, _, _ in two.host.orders] == [1]
    (dead,) = two.stand.contents(DEAD)
    header = DLH.codec(dead.order).parse(dead.data)
    assert (header.reason, header.dest_q_name.rstrip(b" \0")) == (MQRC.FORMAT_ERROR, REQUESTS.encode())
    reasons = [each.value for each in read_properties(dead) if each.name == "partner_reason"]
    assert why in str(reasons[0])
    assert why in str(two.stand.log("AMQ5084")[0])


def test_what_the_host_refuses_is_dead_lettered_with_what_it_said():
    two = pair()
    order(two.stand, "x", "REFUSE", report=int(MQRO.EXCEPTION))
    two.talk(two.stand.said())
    assert two.stand.depth(DEAD) == 1
    (report,) = two.stand.contents(ANSWERS)
    assert (report.md.msg_type, report.md.feedback) == (MQMT.REPORT, MQRC.UNEXPECTED_ERROR)
    assert report.md.feedback != MQFB.NONE
    assert "not here" in str(two.stand.log("AMQ5084"))


# Other packets, time limits


def test_an_unrecognised_packet_does_what_the_script_says_with_its_bytes_in_the_log():
    two = pair()
    two.stand.hears(packet(0x99, b"\x01\x02"))
    (logged,) = two.stand.log("AMQ5085")
    assert logged == ("a packet that no transaction is", "ca fe 00 03 99 01 02")
    assert not two.stand.closes
    two.stand.hears(packet(8))  # not expected here
    assert two.stand.closes
    assert two.stand.log("AMQ5082")[0][0] == "'welcome' is not expected in state 'ready'"


def test_heartbeats_are_sent_and_time_limits_end_the_session():
    two = pair()
    two.stand.wait(31)
    assert two.stand.said() == packet(HEARTBEAT)
    order(two.stand, "two apples")
    assert two.stand.said()
    two.stand.wait(31)
    assert two.stand.closes
    assert two.stand.log("AMQ5082")[0][0] == "no answer to a request"
    two.again()
    assert len(two.host.orders) == 1


def test_damaged_bytes_end_the_session_and_nothing_is_lost():
    two = pair()
    order(two.stand, "two apples")
    two.connection.receive(two.stand.said())
    two.stand.hears(b"\xca\xfe\xff\xff" + ebcdic("no packet"))
    assert two.stand.closes
    two.again()
    assert (len(two.host.orders), two.host.repeats) == (1, 1)
    assert len(two.stand.contents(ANSWERS)) == 1


# Life


def test_stopping_awaits_the_answer():
    two = pair()
    order(two.stand, "two apples")
    order(two.stand, "pears")
    said = two.stand.said()
    two.stand.partner.stop(MQMODE.QUIESCE, two.stand.now)
    two.stand.pump()
    assert two.stand.partner.status(0).state.value == "STOPPING"
    two.stand.hears(two.connection.receive(said))
    assert two.stand.closes
    assert two.stand.partner.quiet
    assert len(two.host.orders) == 1
    assert (two.stand.depth(REQUESTS), two.stand.hidden(REQUESTS)) == (1, 0)
    two.connection = Connection(two.host)
    two.talk(two.stand.begin())
    assert len(two.host.orders) == 2


def test_stopping_is_forced_when_no_answer_comes():
    two = pair()
    order(two.stand, "two apples")
    two.stand.said()
    two.stand.partner.stop(MQMODE.QUIESCE, two.stand.now)
    two.stand.pump()
    two.stand.wait(11)
    assert two.stand.partner.status(0).state.value == "STOPPED"
    assert two.stand.partner.quiet


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"send": "", "receive": ""}, "send"),
        ({"receive": REQUESTS}, "receive"),
        ({"receive": ""}, "receive"),
        ({"sessions": 2}, "sessions"),
        ({"role": "responder"}, "role"),
    ],
)
def test_settings_that_do_not_fit_the_script_are_refused(settings: dict[str, object], key: str):
    with pytest.raises(PartnerSettingsError) as refused:
        PartnerStand(**settings)  # type: ignore[arg-type]
    assert refused.value.key == key


# A responder


def responder(**settings: object) -> PartnerStand:
    given = {"role": "responder", "send": "", "values": {}, "sessions": 2, "format": "MQSTR", "ccsid": 437}
    return PartnerStand(shipped("mq-capture"), **(given | settings))  # type: ignore[arg-type]


def test_a_responder_serves_the_callers_of_the_thesis_and_no_more_than_it_may():
    stand, thesis = responder(), packets()
    assert stand.begin() == b""
    answer = stand.hears(thesis["01-initial-data-request"])
    assert answer[10] == 0
    assert answer[76:81] == b"EARTH"
    stand.hold = True
    assert stand.hears(thesis["03-message-data"] + thesis["04-status-data-confirm"]) == b""
    stand.let_commit()
    confirm = thesis["04-status-data-confirm"]
    assert stand.said() == confirm[:10] + b"\0" + confirm[11:]
    (message,) = stand.contents(INPUT)
    assert message.data.endswith(b"hola")
    first, stand.driver = stand.driver, None
    stand.joins()
    assert stand.driver is not None
    second, stand.driver = stand.driver, None
    stand.joins()
    assert stand.driver is None, "a third is refused"
    stand.driver = second
    stand.cut()
    stand.joins()
    assert stand.driver is not None
    assert len(stand.partner.sessions) == 2
    assert first is not None
    stand.partner.stop(MQMODE.QUIESCE, stand.now)
    stand.pump()
    assert stand.closes
    stand.driver = first
    stand.cut()
    assert stand.partner.quiet
    stand.joins()
    assert stand.driver is None, "it is stopped"


def test_what_it_cannot_name_is_put_with_the_rest():
    stand = responder()
    stand.begin()
    stand.hears(packets()["01-initial-data-request"])
    stand.hears(packets()["03-message-data"])
    (message,) = stand.contents(INPUT)
    found = {each.name: each.value for each in read_properties(message)}
    assert set(found) >= {"queue", "target_manager", "source_manager"}
    assert message.md.msg_id[:4] == b"AMQ "
