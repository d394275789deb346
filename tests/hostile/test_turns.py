"""Everything that a program can make large gives way: no turn is longer than others may be made to wait.

Each thing is done once with so much that it takes several turns; the stopwatch counts calls of Python in each of them,
whatever the works themselves say that they spend.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, MQError, PutOptions, SearchYielded, Waiter
from mqbridge.bridge.queue_manager.connections import connection_rows
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle, SubscriptionRequest
from mqbridge.bridge.queue_manager.turns import UNITS_IN_A_TURN, Turns
from mqbridge.bridge.queue_manager.units_of_work import Then, on_complete
from mqbridge.mappings.conversion import DataEncoding, convert_message
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from support.queue_manager.direct_calls import get_message, put_message
from support.queue_manager.mqsc_bench import RememberingControl
from support.queue_manager.program import PUT_SYNC, Program
from support.queue_manager.pubsub_host import ALICE, NON_DURABLE, PubSubHost
from support.queue_manager.turn_watch import CALLS_IN_A_TURN, TurnWatch

IN = int(MQOO.INPUT_SHARED | MQOO.BROWSE)


@pytest.fixture
def host() -> PubSubHost:
    host = PubSubHost()
    host.local("Q", MAXDEPTH=999_999)
    return host


@pytest.fixture
def many(long_form: bool) -> Callable[[int], int]:
    """A number, ten times as large in the long form."""
    return lambda number: number * (10 if long_form else 1)


def subscribe(host: PubSubHost, request: SubscriptionRequest, told: Then) -> SubscriptionHandle:
    """An MQSUB whose outcome is told."""
    handle, pending = host.pubsub.subscribe(request, owner=b"subscriber", now=host.now)
    on_complete(pending, told)
    return handle


def body(**properties: str) -> bytes:
    folder = "<usr>" + "".join(f"<{name}>{value}</{name}>" for name, value in properties.items()) + "</usr>"
    values: dict[str, Any] = {"encoding": 546, "coded_char_set_id": 1208, "name_value_ccsid": 1208}
    return make_rfh2(ByteOrder.LITTLE, [folder.encode()], format=b"MQSTR   ", **values).build() + b"text"


def fill(host: PubSubHost, count: int, data: bytes = b"", **fields: Any) -> None:
    if data:
        fields |= {"format": "MQHRF2", "encoding": 546, "coded_char_set_id": 1208}
    target = host.queue_manager.resolve("Q")
    message = Message.build(data, **fields)
    for _ in range(count):
        host.queue_manager.put(target, message.copy(), PutOptions(), None, host.now)
        host.queue_manager.take_commits()
        host.queue_manager.take_effects()


def searches(watch: TurnWatch, selector: str = "", bits: int = 0, **options: Any) -> Any:
    """A get that gives way; what it gives in the end."""
    host = watch.host
    handle = host.open("Q", IN, selection_string=selector)
    manager, search = host.queue_manager, Search()
    given = GetOptions(bits, in_turns=manager.turns, search=search, **options)
    while True:
        try:
            got = watch.does(get_message, manager, handle, given, None, host.now)
        except SearchYielded:
            watch.goes_on()
            manager.turns.renew()
            continue
        search.end()
        return got


def test_a_selector_looks_at_a_deep_queue(host: PubSubHost, many: Callable[[int], int]) -> None:
    fill(host, many(2_000), body(colour="blue", size="5"))
    watch = TurnWatch(host)
    assert searches(watch, "colour = 'red' OR size = 'x' AND taste LIKE 'b%d'") is None
    watch.check(4)


def test_a_selector_passes_over_what_it_has_seen(host: PubSubHost, many: Callable[[int], int]) -> None:
    fill(host, many(2_000), body(colour="blue"))
    searches(TurnWatch(host), "colour = 'red'")
    again = TurnWatch(host)
    assert searches(again, "colour = 'red'") is None
    assert len(again.turns) == 1


def test_selectors_look_at_messages_with_as_many_tags_as_are_allowed(host: PubSubHost) -> None:
    fill(host, 20, body(**{f"a{number}": "x" for number in range(1_400)}))
    watch = TurnWatch(host)
    assert searches(watch, "colour = 'red'") is None
    watch.check(10)


@pytest.mark.parametrize("name", ["MSG_ID", "CORREL_ID", "GROUP_ID"])
def test_ids_of_a_deep_queue_are_indexed(host: PubSubHost, many: Callable[[int], int], name: str) -> None:
    fill(host, many(12_000))
    watch = TurnWatch(host)
    assert searches(watch, match=MQMO[f"MATCH_{name}"], **{name.lower(): b"x" * 24}) is None
    watch.check()


def test_groups_that_are_not_complete_are_passed_over(host: PubSubHost, many: Callable[[int], int]) -> None:
    for number in range(many(1_500)):
        for place in (1, 2):
            fill(host, 1, group_id=b"%024d" % number, msg_seq_number=place, msg_flags=int(MQMF.MSG_IN_GROUP), version=2)
    watch = TurnWatch(host)
    assert searches(watch, bits=int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE)) is None
    watch.check()
    first = max(watch.turns)
    searches(watch, bits=int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE))
    assert first <= max(watch.turns)


def test_one_group_of_very_many_messages(host: PubSubHost, many: Callable[[int], int]) -> None:
    count = many(5_000)
    for number in range(count):
        fill(host, 1, group_id=b"g" * 24, msg_seq_number=number + 1, msg_flags=int(MQMF.MSG_IN_GROUP), version=2)
    watch = TurnWatch(host)
    bits = int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE)
    assert searches(watch, bits=bits) is None
    watch.check()
    last = int(MQMF.LAST_MSG_IN_GROUP | MQMF.MSG_IN_GROUP)
    fill(host, 1, group_id=b"g" * 24, msg_seq_number=count + 1, msg_flags=last, version=2)
    again = TurnWatch(host)
    assert searches(again, bits=bits) is not None
    assert len(again.turns) == 1  # what was counted before is known


def test_a_get_passes_over_what_has_expired(host: PubSubHost, many: Callable[[int], int]) -> None:
    fill(host, many(500), expiry=10)
    host.now += 10
    watch = TurnWatch(host)
    assert searches(watch) is None
    watch.check()
    assert host.depth("Q") == 0


def test_many_messages_expire_with_reports(host: PubSubHost, many: Callable[[int], int]) -> None:
    host.local("REPLIES", MAXDEPTH=999_999)
    count = many(150)
    fill(host, count, expiry=10, report=0x00200000, reply_to_q="REPLIES")
    host.now += 10
    watch = TurnWatch(host)
    watch.does(host.queue_manager.timeout, host.now)
    watch.goes_on()
    watch.check()
    assert (host.depth("Q"), host.depth("REPLIES")) == (0, count)


def test_a_publication_for_many_subscriptions(host: PubSubHost, many: Callable[[int], int]) -> None:
    handles = [host.subscribe("a/b", selection="colour = 'red'" if n % 2 else "") for n in range(many(600))]
    handle = host.pubsub.open_topic("", "a/b", options=MQOO.OUTPUT, owner=b"publisher", now=host.now)
    watch = TurnWatch(host)
    told: list[MQError | None] = []
    message = Message.build(body(colour="red"), format="MQHRF2", encoding=546, coded_char_set_id=1208)
    for _ in range(2):
        options = PutOptions(int(MQPMO.NONE), application=ALICE)
        watch.does(host.queue_manager.put, handle.target, message.copy(), options, None, host.now, told.append)
    assert told == []
    watch.goes_on()
    watch.check(4)
    assert told == [None, None]
    assert {host.waiting(each) for each in handles} == {2}


def test_a_small_publication_of_a_program_waits_for_its_large_one(host: PubSubHost) -> None:
    for _ in range(600):
        host.subscribe("many")
    both = host.subscribe("#")
    host.gives_turns = False
    for topic, data in (("many", b"first"), ("few", b"second")):
        host.publish(topic, data)
    watch = TurnWatch(host)
    watch.goes_on()
    watch.check()
    assert both.queue_handle is not None
    assert [host.got(both.queue_handle.object_name).data[-6:] for _ in range(2)][1] == b"second"


def test_many_retained_publications_for_one_subscription(host: PubSubHost, many: Callable[[int], int]) -> None:
    count = many(300)
    for number in range(count):
        host.publish(f"stock/{number}", b"old", options=int(MQPMO.RETAIN))
    watch = TurnWatch(host)
    told: list[MQError | None] = []
    request = SubscriptionRequest(NON_DURABLE, object_string="stock/#", application=ALICE)
    made = watch.does(subscribe, host, request, told.append)
    assert told == []
    host.publish("stock/new", b"new")
    watch.goes_on()
    watch.check()
    assert told == [None]
    assert made.queue_handle is not None
    queue = made.queue_handle.object_name
    came = [host.got(queue).data[-3:] for _ in range(count + 1)]
    assert came == [b"old"] * count + [b"new"]  # what came meanwhile is behind them


def test_what_cannot_be_delivered_later_is_told(host: PubSubHost) -> None:
    for number in range(200):
        host.publish(f"stock/{number}", b"old", options=int(MQPMO.RETAIN))
    destination = host.open("Q", int(MQOO.INPUT_SHARED | MQOO.OUTPUT))
    host.alter(Kind.QLOCAL, "Q", MAXDEPTH=150)
    host.alter(Kind.TOPIC, "SYSTEM.BASE.TOPIC", USEDLQ="NO")
    watch = TurnWatch(host)
    told: list[MQError | None] = []
    options = NON_DURABLE & ~0x20  # without MQSO_MANAGED
    request = SubscriptionRequest(options, object_string="stock/#", application=ALICE, destination=destination)
    made = watch.does(subscribe, host, request, told.append)
    watch.goes_on()
    (error,) = told
    assert error is not None
    assert error.reason == MQRC.RETAINED_NOT_DELIVERED
    assert made.closed
    assert host.depth("Q") == 0


def test_many_wait_for_what_comes_by_the_hundred(host: PubSubHost, many: Callable[[int], int]) -> None:
    source = host.queue_manager.resolve("Q")
    for number in range(many(150)):
        handle = host.open("Q", IN, selection_string=f"size = '{number}' OR colour = 'red'")
        host.queue_manager.wait(source, Waiter(number, GetOptions(MQGMO.WAIT), handle=handle), host.now)
    unit = host.begin()
    for number in range(100):
        host.put("Q", body(size=str(number)), unit, format="MQHRF2", encoding=546, coded_char_set_id=1208)
    watch = TurnWatch(host)
    watch.does(host.queue_manager.commit, unit, host.now)
    watch.goes_on()
    watch.check()
    assert len(host.woken()) == 100


def test_a_queue_is_cleared(host: PubSubHost, many: Callable[[int], int]) -> None:
    fill(host, many(8_000))
    watch = TurnWatch(host)
    watch.does(host.queue_manager.clear_queue, "Q", host.now)
    assert host.depth("Q") == 0
    watch.goes_on()
    watch.check()
    assert host.queue_manager._core.memory_used == 0


def test_a_program_with_many_queues_is_gone(host: PubSubHost, many: Callable[[int], int]) -> None:
    host.alter_manager(MAXHANDS=999_999)
    host.define(Kind.QMODEL, "MODEL", DEFTYPE="TEMPDYN")
    program = Program(host)
    count = len(host.queue_manager._core.queues)
    for _ in range(many(150)):
        program.put(program.open("MODEL", IN | int(MQOO.OUTPUT)), b"m", PUT_SYNC)
    watch = TurnWatch(host)
    watch.does(program.mq.lost, host.now)
    watch.goes_on()
    watch.check()
    assert len(host.queue_manager._core.queues) == count
    assert len(host.queue_manager.connections) == 0


class _Control(RememberingControl):
    host: PubSubHost

    def connections(self, now: float) -> Any:
        return connection_rows(self.host.queue_manager.connections)


@pytest.mark.parametrize(
    ("text", "rows", "turns"),
    [
        ("DISPLAY QUEUE(MANY.*) ALL", 250, 2),
        ("DISPLAY QUEUE(MANY.*) WHERE(CURDEPTH GT 5)", 0, 2),
        ("DISPLAY QSTATUS(MANY.*) ALL", 250, 2),
        ("DISPLAY NAMELIST(LIST.*) ALL", 250, 1),
        ("DISPLAY SBSTATUS(*) ALL", 250, 2),
        ("DISPLAY SUB(*) ALL", 251, 2),
        ("DISPLAY TPSTATUS('#') TYPE(SUB) ALL", 250, 2),
    ],
)
def test_displays_of_many_objects(host: PubSubHost, text: str, rows: int, turns: int) -> None:
    for number in range(250):
        host.local(f"MANY.{number}")
        host.define(Kind.NAMELIST, f"LIST.{number}", NAMES=tuple(f"A.LONG.NAME.{each}" for each in range(50)))
        host.subscribe("a/b")
    control, replies = _Control(), list[CommandReply]()
    control.host = host
    watch = TurnWatch(host)
    watch.does(Commands(host.queue_manager, control).execute, text, host.now, replies.append)
    watch.goes_on()
    watch.check(turns)
    (reply,) = replies
    assert len(reply.rows) == rows


def test_many_publications_are_retained_by_one_commit(host: PubSubHost, many: Callable[[int], int]) -> None:
    count = many(400)
    unit = host.begin()
    for number in range(count):
        host.publish(f"stock/{number}", b"new", unit, options=int(MQPMO.RETAIN))
    watch = TurnWatch(host)
    watch.does(host.queue_manager.commit, unit, host.now)
    told: list[MQError | None] = []
    request = SubscriptionRequest(NON_DURABLE, object_string="stock/#", application=ALICE)
    made = watch.does(subscribe, host, request, told.append)
    watch.goes_on()
    watch.check()
    assert told == [None]
    assert host.waiting(made) == count  # it is behind what was committed before it


def test_many_trigger_messages_for_one_commit(host: PubSubHost, many: Callable[[int], int]) -> None:
    host.local("INIT", MAXDEPTH=999_999)
    host.define(Kind.PROCESS, "P", APPLICID="program")
    host.alter(Kind.QLOCAL, "Q", TRIGGER=True, TRIGTYPE="EVERY", INITQ="INIT", PROCESS="P")
    host.open("INIT", int(MQOO.INPUT_SHARED))
    unit, count = host.begin(), many(150)
    for _ in range(count):
        host.put("Q", b"m", unit)
    watch = TurnWatch(host)
    watch.does(host.queue_manager.commit, unit, host.now)
    watch.goes_on()
    watch.check()
    assert host.depth("INIT") == count


def test_many_delayed_messages_are_due_at_once(host: PubSubHost, many: Callable[[int], int]) -> None:
    handle, count = host.open("Q", int(MQOO.OUTPUT)), many(150)
    for _ in range(count):
        options = PutOptions(delay=1_000, application=ALICE)
        put_message(host.queue_manager, handle, Message.build(b"m"), options, None, host.now)
        host.pump()
    host.now += 1
    watch = TurnWatch(host)
    watch.does(host.queue_manager.timeout, host.now)
    watch.goes_on()
    watch.check()
    assert host.depth("Q") == count


@pytest.mark.parametrize("kind", ["parameters", "strings", "segments"])
def test_data_with_very_many_values_stay_as_they_are(kind: str) -> None:
    """Who asks for conversion gets them with a warning."""
    header = struct.pack("<9i", 1, 36, 1, 13, 1, 1, 0, 0, 250_000 if kind == "parameters" else 1)
    data, name = header + struct.pack("<4i", 3, 16, 1, 5) * 250_000, "MQPCF"
    if kind == "strings":
        data = header + struct.pack("<6i", 6, 24 + 4_000_000, 2016, 1208, 1_000_000, 4) + b"abcd" * 1_000_000
    elif kind == "segments":
        data, name = struct.pack("<HH", 4, 0) * 1_000_000, "MQIMSVS"
    message = Message.build(data, format=name, encoding=546, coded_char_set_id=1208)
    calls = 0

    def event(frame: Any, what: str, argument: Any) -> None:
        nonlocal calls
        del frame, argument
        calls += what in ("call", "c_call")

    sys.setprofile(event)
    try:
        reason = convert_message(message, DataEncoding(273, 500), 1208)
    finally:
        sys.setprofile(None)
    assert reason == MQRC.FORMAT_ERROR
    assert message.data == data
    assert calls <= CALLS_IN_A_TURN


def test_many_subscriptions_expire_at_once(host: PubSubHost, many: Callable[[int], int]) -> None:
    for _ in range(many(150)):
        host.subscribe("a/b", expiry=10)
    assert host.queue_manager.next_timeout() == host.now + 1
    host.now += 1
    watch = TurnWatch(host)
    watch.does(host.queue_manager.timeout, host.now)
    watch.goes_on()
    watch.check()
    assert not host.pubsub.status.subscriptions()
    assert host.queue_manager.next_timeout() is None


def test_whoever_pumps_the_host_in_a_turn_makes_it_no_longer() -> None:
    turns, calls = Turns(), 0

    def goes_on(now: float) -> None:
        nonlocal calls
        calls += 1
        turns.left -= UNITS_IN_A_TURN // 4
        turns.again(goes_on, now)
        turns.renew()

    turns.again(goes_on, 0.0)
    for turn in (1, 2, 3):
        turns.timeout(0.0)
        assert calls == 4 * turn
    turns.renew()
    assert turns.left == UNITS_IN_A_TURN
