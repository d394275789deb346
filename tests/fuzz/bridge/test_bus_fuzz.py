"""Whatever names, URIs and folders messages of a bus have, they pass channels or are dead-lettered; others go on."""

from __future__ import annotations

import time
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from mqbridge.bridge.agents.message_channel.bus_channel import BusChannel
from mqbridge.bridge.queue_manager import MQError
from mqbridge.mappings.message import Message
from mqbridge.mappings.service_integration import Bus, BusDestination, ChannelRules
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import XQH, make_rfh2
from support.gateway.stage import Stage
from support.service_integration.messages import jms_message

pytestmark = pytest.mark.spec("jms-mapping.md 8")
SECONDS = 5.0
"""Of processor time for one message."""
SEEDS = 300
BUS = Bus(
    "WAS",
    "WASQM",
    indirect=frozenset(("PARIS",)),
    aliases={"NEW": BusDestination("WAS", "orders, new"), "P.STOCK": BusDestination("PARIS", "STOCK")},
)
RULES = ChannelRules(BUS, "QM1", {"orders, new": "ORDERS", "b,c": "BILLS"})
NAMES = ("ORDERS", "NEW", "orders, new", "P.STOCK", "R", "", "x@WAS", "@", "%2F", "A" * 48, "\u20ac", "queue", "a b")
MANAGERS = ("WASQM", "WAS", "QM1", "QM2", "PARIS", "", "x@y", "q,r", "A" * 48)
PROPERTIES = ("ibmRoutingPath", "priority", "persistence", "targetClient", "expiry", "x", "CCSID", "%41")
VALUES = (
    "a,b",
    "WAS:x,PARIS:y",
    ",,,",
    "%2C",
    "9",
    "-1",
    "true",
    "",
    "a" * 3000,
    "%",
    "%zz",
    "\u20ac",
    "x@y@z",
    "\x01",
)
PIECES = (
    "<",
    ">",
    "&lt;",
    "&#0;",
    "]]>",
    "<Dst>",
    "</Dst>",
    "<Rto>",
    "</Rto>",
    "<jms>",
    "</jms>",
    "\0",
    " ",
    "queue://",
    "x",
)


def uri(random: Random) -> str:
    """A destination, right or nearly so."""
    if not random.randrange(8):
        return "".join(random.choice((*PIECES, *NAMES)) for _ in range(random.randrange(6)))
    kind = random.choice(("queue", "queue", "queue", "topic", "Queue", ""))
    text = f"{kind}://{random.choice(MANAGERS)}/{random.choice(NAMES)}"
    pairs = [f"{random.choice(PROPERTIES)}={random.choice(VALUES)}" for _ in range(random.randrange(4))]
    return text + "?" * bool(pairs) + "&".join(pairs)


def folders(random: Random) -> bytes:
    """An MQRFH2 whose folders nobody would write."""
    text = "".join(random.choice(PIECES) for _ in range(random.randrange(20)))
    chosen = [text, f"<jms><Dst>{uri(random)}</Dst>{text}</jms>", "<sib>" + text, f"<jms>{'<a>' * 2000}"]
    kept = [each.encode() for each in chosen if random.randrange(2)]
    padded = [each + b" " * (-len(each) % 4) for each in kept]
    header = make_rfh2(ByteOrder.LITTLE, padded, encoding=546, coded_char_set_id=1208, format=b"MQSTR   ").build()
    damaged = bytearray(header)
    for _ in range(random.randrange(3)):
        damaged[random.randrange(len(damaged))] = random.randrange(256)
    return bytes(damaged)


def message(random: Random, number: int) -> Message:
    """A message whose data end with its number."""
    fields: dict[str, Any] = {"persistence": 1, "expiry": -1}
    if random.randrange(2):
        fields |= {
            "reply_to_q": random.choice(("R", "NEW", "ORDERS", "A" * 48)),
            "reply_to_q_mgr": random.choice(("", "QM2", "WASQM")),
        }
    data = b"end %05d" % number
    drawn = random.randrange(4)
    if drawn == 0:
        return Message.build(folders(random) + data, format="MQHRF2", encoding=546, coded_char_set_id=1208, **fields)
    if drawn == 1:
        junk = random.randbytes(random.randrange(60))
        form = random.choice(("MQHRF2", "MQHMDE", "MQSTR", "MQDEAD", "MQXMIT"))
        return Message.build(junk + data, format=form, encoding=random.choice((546, 273)), **fields)
    dst = uri(random) if random.randrange(4) else None
    rto = uri(random) if random.randrange(2) else None
    return jms_message(dst=dst, rto=rto, data=data, **fields)


class _Host:
    def log(self, *_: object) -> None:
        """Say nothing."""


def test_the_rules_of_a_channel_change_a_message_or_say_why_not() -> None:
    channel = BusChannel(_Host(), "WAS.TO.QM2", RULES)  # type: ignore[arg-type]
    passed = 0
    for seed in range(SEEDS):
        random = Random(seed)
        given = message(random, seed)
        before = given.raw_md, given.data
        started = time.process_time()
        with suppress(MQError):
            found = channel.received(given, random.choice(NAMES), random.choice(MANAGERS))
            assert found.message.data.endswith(b"end %05d" % seed)
            passed += 1
        names = [random.choice((*NAMES[:5], "\xff\xfe"))[:48].encode("latin_1", "replace").ljust(48) for _ in range(2)]
        header = XQH.codec(ByteOrder.LITTLE)(remote_q_name=names[0], remote_q_mgr_name=names[1]).build()
        inner = given.raw_md[: random.choice((324, 324, 324, 200))]
        leaving = Message.build(header + inner + given.data, format="MQXMIT", encoding=546, coded_char_set_id=1208)
        with suppress(MQError):
            sent = channel.sent(leaving)
            assert len(inner) < 324 or sent.data.endswith(b"end %05d" % seed)
        assert time.process_time() - started < SECONDS, seed
        assert (given.raw_md, given.data) == before
    assert passed > SEEDS // 4


AT_THE_BUS = """
    DEFINE QLOCAL(ORDERS)
    DEFINE QLOCAL(BILLS)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(QM2) USAGE(XMITQ)
    DEFINE CHANNEL(WAS.TO.QM2) CHLTYPE(SDR) XMITQ(QM2) CONNAME(QM2) SHORTTMR(5)
    DEFINE CHANNEL(QM2.TO.WAS) CHLTYPE(RCVR) MRRTY(0)
"""
AT_THE_PARTNER = """
    DEFINE QLOCAL(R)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(WASQM) USAGE(XMITQ)
    DEFINE CHANNEL(QM2.TO.WAS) CHLTYPE(SDR) XMITQ(WASQM) CONNAME(QM1) SHORTTMR(5)
    DEFINE CHANNEL(WAS.TO.QM2) CHLTYPE(RCVR)
"""


def numbers(*queues: list[bytes]) -> list[int]:
    return sorted(int(data[-5:]) for queue in queues for data in queue)


def test_channels_of_a_bus_lose_nothing_and_go_on() -> None:
    random = Random(1)
    stage = Stage()
    rules = dict.fromkeys(("WAS.TO.QM2", "QM2.TO.WAS"), RULES)
    one, two = stage.station("QM1", AT_THE_BUS, buses=rules), stage.station("QM2", AT_THE_PARTNER)
    one.types("START CHANNEL(WAS.TO.QM2)")
    two.types("START CHANNEL(QM2.TO.WAS)")
    stage.wait()
    count = 80
    for number in range(count):
        for station, queue, manager in ((one, "R", "QM2"), (two, random.choice(("NEW", "BILLS", "NO.SUCH")), "WASQM")):
            given = message(random, number)
            md = given.md
            station.put(
                queue, given.data, manager, format=md.format, encoding=md.encoding,
                coded_char_set_id=md.coded_char_set_id, reply_to_q=md.reply_to_q, reply_to_q_mgr=md.reply_to_q_mgr,
            )  # fmt: skip
    stage.wait(60)
    everything = [*range(count), *range(count)]
    stations = [(one, ("ORDERS", "BILLS", "DLQ", "QM2")), (two, ("R", "DLQ", "WASQM"))]
    found = [station.contents(queue) for station, queues in stations for queue in queues]
    assert numbers(*found) == sorted(everything)
    assert one.status("WAS.TO.QM2") == two.status("QM2.TO.WAS") == "RUNNING"
    assert one.depth("QM2") == two.depth("WASQM") == 0
