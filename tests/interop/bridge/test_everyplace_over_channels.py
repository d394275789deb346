"""A device, its gateway, and behind it our queue manager with message channels to another one, which knows none of it.

::

    MOON ── HUB, the gateway in EARTH ── bridge ── EARTH ══ channels ══ SATURN
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.protocol.everyplace.calls import Done, Put
from mqbridge.protocol.everyplace.mq_style import text_message
from mqbridge.protocol.everyplace.names import Address
from support.gateway_device import Device, StreamTransport, enrol, gateway_of, operate
from support.processes.running_service import MakeService, wait_for

CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""
COUNT = 20


def sender(channel: str, to: str, port: int) -> str:
    return f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ({to}) CONNAME('127.0.0.1({port})') SHORTTMR(1)"


class Line:
    """``moon``: the device. ``saturn``: where ORDERS is."""

    def __init__(self, make_service: MakeService, folder: Path) -> None:
        self.earth = gateway_of(make_service, folder, CONFIGURATION)
        self.saturn = make_service("SATURN")
        self.saturn.mqsc(
            "DEFINE QLOCAL(ORDERS)",
            "DEFINE CHANNEL(EARTH.SATURN) CHLTYPE(RCVR)",
            "DEFINE QLOCAL(EARTH) USAGE(XMITQ)",
            sender("SATURN.EARTH", "EARTH", self.earth.port),
            # All that SATURN knows of the device: its name leads to EARTH.
            "DEFINE QREMOTE(MOON) RQMNAME(MOON) XMITQ(EARTH)",
        )
        self.earth.mqsc(
            "DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(RCVR)",
            "DEFINE QLOCAL(SATURN) USAGE(XMITQ)",
            sender("EARTH.SATURN", "SATURN", self.saturn.port),
            "SET AUTHREC PROFILE(SATURN) OBJTYPE(RQMNAME) GROUP('devices') AUTHADD(PUT)",
            "START CHANNEL(EARTH.SATURN)",
        )
        self.saturn.mqsc("START CHANNEL(SATURN.EARTH)")
        self.administer("create mq-bridge *@SATURN --mq-queue-manager EARTH")
        token = enrol(self.earth, "MOON")["token"]
        self.moon = Device("MOON", "HUB", lambda: StreamTransport("127.0.0.1", self._at), token)
        self.moon.sends_to("ORDERS", "SATURN")
        self.moon.pulls()

    @property
    def _at(self) -> int:
        return int(self.earth.ready["everyplace"]["plain"].rpartition(":")[2])

    def administer(self, words: str) -> None:
        result = operate(self.earth, "admin", "HUB", *words.split())
        assert result.exit_code == 0, result.output

    def order(self, text: str) -> None:
        assert self.moon.call(Put(Address("ORDERS", "SATURN"), text_message(text))) == Done()

    def orders(self) -> list[str]:
        return [each["body"]["text"] for each in self.saturn.browse("ORDERS", 10_000)]


@pytest.fixture
def line(make_service: MakeService, tmp_path: Path) -> Iterator[Line]:
    found = Line(make_service, tmp_path / "earth")
    yield found
    found.moon.close()


@pytest.mark.spec("E-403", "E-424", "E-395", "E-418", "E-419")
def test_message_channels_in_front_of_the_bridge_carry_both_ways(line: Line) -> None:
    """In order, with what each side said of itself; and on from there when the gateway was killed."""
    moon, saturn = line.moon, line.saturn
    expected = [f"order {number}" for number in range(COUNT)]
    for text in expected:
        line.order(text)
    moon.run_until(lambda: moon.waiting("ORDERS", "SATURN") == 0)
    wait_for("the orders are at SATURN", lambda: len(line.orders()) == COUNT)
    assert line.orders() == expected
    saturn.mqsc("DEFINE QREMOTE(REPLIES.OF.MOON) RNAME(REPLIES) RQMNAME(MOON)")
    for number in range(COUNT):
        saturn.put("REPLIES.OF.MOON", f"reply {number}", Persistence=1)
    moon.run_until(lambda: len(moon.texts_of_mq("REPLIES")) == COUNT)
    assert moon.texts_of_mq("REPLIES") == [f"reply {number}" for number in range(COUNT)]
    assert (saturn.depth("EARTH"), line.earth.depth("SATURN"), line.earth.depth("EVERYPLACE.HUB")) == (0, 0, 0)

    moon.cut()
    line.earth.restart(kill=True)
    line.order("after the crash")
    moon.run_until(lambda: moon.waiting("ORDERS", "SATURN") == 0)
    wait_for("the last order is at SATURN", lambda: len(line.orders()) == COUNT + 1)
    assert line.orders() == [*expected, "after the crash"]


@pytest.mark.spec("E-424", "E-423")
def test_what_the_device_cannot_have_goes_the_way_of_undelivered_messages(line: Line) -> None:
    """The channel has done its part; the listener's rule decides, and EARTH has the message as a dead letter."""
    line.earth.mqsc("DEFINE QLOCAL(DLQ)", "ALTER QMGR DEADQ(DLQ)")
    line.earth.mqsc("DEFINE QREMOTE(NOBODY) RQMNAME(NOBODY) XMITQ(EVERYPLACE.HUB)")
    line.administer("update mq-listener EVERYPLACE.HUB --undelivered-rule undelivered:seconds=1,tries=1,then=report")
    line.saturn.mqsc("DEFINE QREMOTE(LOST) RNAME(REPLIES) RQMNAME(NOBODY) XMITQ(EARTH)")
    line.saturn.put("LOST", "for nobody", Persistence=1)
    (dead,) = wait_for("it is on the dead-letter queue", lambda: line.earth.browse("DLQ", 10))
    fields = dead["headers"][0]["fields"]
    assert (fields["DestQName"], fields["DestQMgrName"]) == ("REPLIES", "NOBODY")
    assert fields["Reason"] == 2085
