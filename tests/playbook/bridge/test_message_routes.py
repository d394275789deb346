"""Routes: messages got from a queue or topic, transformed, put elsewhere, and committed."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.mappings.properties import PropertyView
from mqbridge.mappings.transformations import CallPython
from mqbridge.protocol.constants import MQFB, MQMODE, MQRC, MQRO, ByteOrder
from mqbridge.protocol.constants.lengths import MQDLH_LENGTH_1
from mqbridge.protocol.structures.dlh import DLH
from mqbridge.protocol.structures.rfh2 import make_rfh2
from support.gateway.stage import Stage, Station
from support.routing.station import add, status

QUEUES = """
    DEFINE QLOCAL(IN) BOTHRESH(2)
    DEFINE QLOCAL(OUT)
    DEFINE QLOCAL(OTHER)
    DEFINE QLOCAL(BAD)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
"""


@pytest.fixture
def earth() -> Station:
    return Stage().station("EARTH", QUEUES)


def route(**keys: object) -> dict[str, object]:
    return {"name": "orders", "source": "IN", "to": "OUT", **keys}


def test_messages_are_put_unchanged_and_in_order(earth: Station) -> None:
    first = earth.put("IN", b"before")
    add(earth, route())
    earth.put_many("IN", *[b"%d" % number for number in range(120)])
    earth.stage.wait_until(lambda: earth.depth("OUT") == 121)
    assert earth.depth("IN") == 0
    got = earth.got("OUT")
    assert (got.data, got.md.msg_id, got.md.put_date) == (b"before", first.md.msg_id, first.md.put_date)
    assert earth.contents("OUT") == [b"%d" % number for number in range(120)]
    assert status(earth, "orders").carried == 121
    assert status(earth, "orders").state is CarrierState.RUNNING


def test_the_first_route_whose_selector_is_true_takes_a_message_and_others_stay(earth: Station) -> None:
    add(
        earth,
        route(name="persistent", when="JMSPriority > 5"),
        route(name="named", when="JMSType = 'a' OR JMSPriority > 3", to="OTHER"),
    )
    for priority in (2, 4, 6):
        earth.put("IN", b"%d" % priority, priority=priority)
    earth.stage.wait()
    assert (earth.contents("OUT"), earth.contents("OTHER"), earth.contents("IN")) == ([b"6"], [b"4"], [b"2"])
    earth.put("IN", b"9", priority=9)
    earth.stage.wait()
    assert earth.contents("OUT") == [b"9", b"6"]


def test_steps_are_applied(earth: Station) -> None:
    add(earth, route(steps=[{"set": "usr.seen", "value": True}]))
    earth.put("IN", b"text")
    earth.stage.wait()
    got = earth.got("OUT")
    assert PropertyView.of(got).get("seen") is True
    assert got.md.format == "MQHRF2"


def test_publications_come_by_a_durable_subscription_and_go_to_topics(earth: Station) -> None:
    add(earth, route(name="in", source=None, topic="orders/#", to="topic://copies/new"))
    earth.types("DEFINE SUB(COPY) TOPICSTR('copies/new') DEST(OUT)")
    earth.types("DEFINE TOPIC(T) TOPICSTR('orders/red')")
    earth.types("DEFINE QALIAS(ORDERS) TARGTYPE(TOPIC) TARGET(T)")
    earth.put("ORDERS", b"one")
    earth.stage.wait_until(lambda: earth.depth("OUT") == 1)
    gateway = earth.gateway
    earth.call(lambda: gateway.carriers.stop_all(MQMODE.QUIESCE, earth.clock.now))
    earth.put("ORDERS", b"two")
    earth.stage.wait()
    assert earth.depth("OUT") == 1
    earth.call(lambda: gateway.carriers.start_all(earth.clock.now))
    earth.stage.wait_until(lambda: earth.depth("OUT") == 2)


def dead_letter(station: Station, queue: str) -> tuple[int, str, bytes]:
    """Reason and destination of the dead-letter header of the next message, and its data."""
    message = station.got(queue)
    assert message.md.format == "MQDEAD"
    header = DLH.codec(message.order).parse(message.data)
    return header.reason, header.dest_q_name.decode().strip(), message.data[MQDLH_LENGTH_1:]


def test_a_message_that_is_too_long_is_tried_bothresh_times_and_goes_to_the_error_queue(earth: Station) -> None:
    earth.types("ALTER QLOCAL(OUT) MAXMSGL(5)")
    add(earth, route(error="BAD"))
    earth.put_many("IN", b"one", b"too long", b"two", b"also too long", b"three")
    earth.stage.wait(5)
    assert earth.contents("OUT") == [b"one", b"two", b"three"]
    assert dead_letter(earth, "BAD") == (MQRC.MSG_TOO_BIG_FOR_Q, "IN", b"too long")
    assert dead_letter(earth, "BAD") == (MQRC.MSG_TOO_BIG_FOR_Q, "IN", b"also too long")
    assert earth.depth("IN") == 0
    assert (status(earth, "orders").carried, status(earth, "orders").failed) == (3, 2)
    assert len(earth.logged("AMQ5106")) == 4


def test_without_an_error_queue_the_dead_letter_queue_gets_it(earth: Station) -> None:
    earth.types("ALTER QLOCAL(OUT) MAXMSGL(5)")
    add(earth, route(error="NOWHERE"))
    earth.put("IN", b"too long")
    earth.stage.wait(5)
    assert dead_letter(earth, "DLQ") == (MQRC.MSG_TOO_BIG_FOR_Q, "IN", b"too long")
    assert earth.logged("AMQ5102")


def test_a_full_target_keeps_the_order_until_bothresh_is_reached(earth: Station) -> None:
    earth.types("ALTER QLOCAL(OUT) MAXDEPTH(2)")
    earth.types("ALTER QLOCAL(IN) BOTHRESH(20)")
    add(earth, route())
    earth.put_many("IN", b"1", b"2", b"3", b"4")
    earth.stage.wait(1)
    assert earth.contents("OUT") == [b"1", b"2"]
    assert earth.got("OUT").data == b"1"
    assert earth.got("OUT").data == b"2"
    earth.stage.wait(2)
    assert earth.contents("OUT") == [b"3", b"4"]
    earth.put_many("IN", b"5", b"6")
    earth.stage.wait(30)
    assert dead_letter(earth, "DLQ")[::2] == (MQRC.Q_FULL, b"5")


@pytest.mark.parametrize(
    ("break_it", "mend_it", "reason"),
    [
        ("DELETE QLOCAL(OUT)", "DEFINE QLOCAL(OUT)", "UNKNOWN_OBJECT_NAME"),
        ("ALTER QLOCAL(OUT) PUT(DISABLED)", "ALTER QLOCAL(OUT) PUT(ENABLED)", "PUT_INHIBITED"),
        ("ALTER QLOCAL(IN) GET(DISABLED)", "ALTER QLOCAL(IN) GET(ENABLED)", "GET_INHIBITED"),
    ],
)
@pytest.mark.parametrize("before", [True, False], ids=["before the start", "while it runs"])
def test_what_is_missing_or_inhibited_is_waited_for(
    earth: Station, break_it: str, mend_it: str, reason: str, before: bool
) -> None:
    if before:
        earth.types(break_it)
        add(earth, route())
    else:
        add(earth, route())
        earth.types(break_it)
    earth.put_many("IN", b"1", b"2")
    earth.stage.wait(100)
    found = status(earth, "orders")
    assert found.state is CarrierState.RETRYING
    assert reason in found.detail
    assert len(earth.logged("AMQ5103")) == 1
    earth.types(mend_it)
    earth.stage.wait_until(lambda: earth.depth("OUT") == 2, 1)
    assert earth.contents("OUT") == [b"1", b"2"]
    assert status(earth, "orders").state is CarrierState.RUNNING
    assert status(earth, "orders").detail == ""


def test_a_source_that_is_missing_is_waited_for(earth: Station) -> None:
    add(earth, route(source="LATER"))
    assert status(earth, "orders").state is CarrierState.RETRYING
    earth.types("DEFINE QLOCAL(LATER)")
    earth.put("LATER")
    earth.stage.wait_until(lambda: earth.depth("OUT") == 1, 1)


def test_a_stopped_route_leaves_messages_where_they_are(earth: Station) -> None:
    add(earth, route())
    (carrier,) = earth.gateway.carriers.named("orders")
    earth.call(lambda: carrier.stop(MQMODE.QUIESCE, earth.clock.now))
    assert carrier.quiet
    earth.put("IN")
    earth.stage.wait(100)
    assert earth.depth("IN") == 1
    earth.call(lambda: carrier.start(earth.clock.now))
    earth.stage.wait_until(lambda: earth.depth("OUT") == 1, 1)
    assert [len(earth.logged(amq)) for amq in ("AMQ5100", "AMQ5101")] == [2, 1]


FRED = """
    SET AUTHREC PROFILE(IN) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(GET)
    SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(CONNECT,SETALL)
    SET AUTHREC PROFILE(OUT) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT,SETALL)
    SET AUTHREC PROFILE(DLQ) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT)
"""


def test_a_route_acts_as_its_mcauser(earth: Station) -> None:
    earth.types_all(FRED)
    add(earth, route(mcauser="fred"))
    earth.put("IN")
    earth.stage.wait()
    assert earth.depth("OUT") == 1
    earth.types("SET AUTHREC PROFILE(OUT) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHRMV(PUT)")
    earth.put("IN")
    earth.stage.wait()
    assert (earth.depth("OUT"), earth.depth("IN")) == (1, 1)
    assert "NOT_AUTHORIZED" in status(earth, "orders").detail
    earth.types("SET AUTHREC PROFILE(OUT) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT)")
    earth.stage.wait_until(lambda: earth.depth("OUT") == 2, 70)


@pytest.mark.parametrize("queue", ["IN", "OUT"])
def test_a_user_without_authority_gets_and_puts_nothing(earth: Station, queue: str) -> None:
    earth.types_all(FRED)
    earth.types(f"SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHRMV(ALL)")
    add(earth, route(mcauser="fred"))
    earth.put("IN")
    earth.stage.wait(5)
    found = status(earth, "orders")
    assert (found.state, earth.depth("IN"), earth.depth("OUT")) == (CarrierState.RETRYING, 1, 0)
    assert "fred" in found.detail


def test_publishing_and_subscribing_need_authority_too(earth: Station) -> None:
    add(
        earth,
        route(name="pub", mcauser="fred", to="topic://a/b"),
        route(name="sub", source=None, topic="a/#", mcauser="fred"),
    )
    assert [status(earth, name).state for name in ("pub", "sub")] == [CarrierState.RETRYING] * 2
    earth.types_all(FRED)
    earth.types("SET AUTHREC PROFILE(SYSTEM.BASE.TOPIC) OBJTYPE(TOPIC) PRINCIPAL('fred') AUTHADD(PUB,SUB,RESUME)")
    earth.stage.wait_until(lambda: status(earth, "sub").state is CarrierState.RUNNING, 70)
    earth.stage.wait_until(lambda: status(earth, "pub").state is CarrierState.RUNNING, 70)
    earth.put("IN")
    earth.stage.wait_until(lambda: earth.depth("OUT") == 1, 5)


def test_a_message_waits_where_it_can_go_nowhere(earth: Station) -> None:
    earth.types("ALTER QMGR DEADQ('')")
    earth.types("ALTER QLOCAL(OUT) MAXMSGL(5)")
    add(earth, route())
    earth.put("IN", b"too long")
    earth.stage.wait(30)
    found = status(earth, "orders")
    assert (found.state, earth.depth("IN"), found.failed) == (CarrierState.RETRYING, 1, 0)
    assert "MSG_TOO_BIG_FOR_Q" in found.detail
    earth.types("ALTER QMGR DEADQ(DLQ)")
    earth.stage.wait_until(lambda: earth.depth("DLQ") == 1, 70)


def test_confirmation_of_delivery_is_put_with_the_commit(earth: Station) -> None:
    add(earth, route())
    earth.put("IN", report=int(MQRO.COD), reply_to_q="OTHER")
    earth.stage.wait()
    assert earth.depth("OUT") == 1
    assert earth.got("OTHER").md.feedback == MQFB.COD


def test_the_uri_of_a_target_sets_priority_persistence_and_expiry(earth: Station) -> None:
    add(earth, route(to="queue:///OUT?priority=7&persistence=1&expiry=5000"))
    earth.put("IN", persistence=1)
    earth.stage.wait()
    md = earth.got("OUT").md
    assert (md.priority, md.persistence, 0 < md.expiry <= 50) == (7, 0, True)


def test_a_python_step_that_is_given_up_returns_its_message_uncounted(earth: Station) -> None:
    calls = []
    earth.calls_step = lambda call: calls.append(call) or (1000.0, StepAnswer())
    add(earth, route(steps=[{"python": "a:b"}]))
    earth.put_many("IN", b"1", b"2")
    earth.stage.wait(1)
    (carrier,) = earth.gateway.carriers.named("orders")
    earth.call(lambda: carrier.stop(MQMODE.QUIESCE, earth.clock.now))
    assert (status(earth, "orders").state, carrier.quiet) == (CarrierState.STOPPING, False)
    earth.call(lambda: carrier.stop(MQMODE.FORCE, earth.clock.now))
    assert carrier.quiet
    assert [earth.got("IN").md.backout_count for _ in range(2)] == [0, 0]
    earth.stage.wait(2000)
    assert (len(calls), earth.depth("OUT")) == (2, 0)


def test_a_step_that_fails_counts_only_its_own_message(earth: Station) -> None:
    def answer(call: CallPython) -> tuple[float, StepAnswer]:
        bad = call.message.data == b"bad"
        return 0.01, StepAnswer(reason=2374, text="it failed") if bad else StepAnswer((call.message,))

    earth.calls_step = answer
    add(earth, route(steps=[{"python": "a:b"}]))
    earth.put_many("IN", b"1", b"bad", b"2")
    earth.stage.wait(10)
    assert earth.contents("OUT") == [b"1", b"2"]
    assert dead_letter(earth, "DLQ") == (2374, "IN", b"bad")


@pytest.mark.parametrize("damage", ["descriptor", "header", None])
def test_what_a_function_changes_is_checked_as_the_put_of_a_program(earth: Station, damage: str | None) -> None:
    def answer(call: CallPython) -> tuple[float, StepAnswer]:
        message = call.message
        if damage == "descriptor":
            message = message.copy()
            message.md.msg_type = 3
        elif damage == "header":
            message = message.copy(b"RFH rubbish")
        return 0.01, StepAnswer((message,))

    earth.calls_step = answer
    add(earth, route(steps=[{"python": "a:b"}]))
    header = make_rfh2(
        ByteOrder.LITTLE, [b"<usr><a>1</a></usr>"], encoding=546, coded_char_set_id=1208, format=b"MQSTR   "
    ).build()
    described = {"format": "MQHRF2", "encoding": 546, "coded_char_set_id": 1208, "original_length": -1}
    put = earth.put("IN", header + b"text", **described)
    earth.stage.wait(10)
    if damage is None:
        got = earth.got("OUT")
        assert (got.data, got.md.msg_id) == (put.data, put.md.msg_id)
    else:
        reason = {"descriptor": MQRC.MSG_TYPE_ERROR, "header": MQRC.RFH_ERROR}[damage]
        assert dead_letter(earth, "DLQ")[0] == reason
