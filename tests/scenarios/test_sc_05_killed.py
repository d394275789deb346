"""SC-05 and SC-09 with processes: gateway and a queue manager elsewhere, over SVRCONN, are killed under way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.protocol.everyplace.calls import Browse, Browsed, Done, Put
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.mq_style import data_of, text_message
from mqbridge.protocol.everyplace.names import Address
from support.gateway_device import Device, StreamTransport, enrol, operate
from support.processes.ports import free_port
from support.processes.running_service import MakeService, RunningService, wait_for

SATURN_OBJECTS = """
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
DEFINE CHANNEL(GATE.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('mqm')
DEFINE QLOCAL(MQBRIDGE.EVERYPLACE.SYNC) DEFPSIST(YES)
DEFINE QLOCAL(ORDERS) DEFPSIST(YES)
DEFINE QLOCAL(EARTH.XMITQ) USAGE(XMITQ) DEFPSIST(YES)
DEFINE QREMOTE(REPLIES) RNAME(REPLIES) RQMNAME(MOON) XMITQ(EARTH.XMITQ)
"""
CONFIGURATION = """
[everyplace]
name = "EARTH"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:{port}:interface=127.0.0.1"
"""


class Pair:
    """EARTH, whose own queue manager of MQ is OWN, SATURN elsewhere, and MOON in this process."""

    def __init__(self, make_service: MakeService, folder: Path) -> None:
        port, at = free_port(), free_port()
        self.saturn: RunningService = make_service(
            "SATURN", mqsc=SATURN_OBJECTS, listen=f"tcp:{port}:interface=127.0.0.1"
        )
        configuration = folder / "queue-manager.toml"
        configuration.write_text(CONFIGURATION.format(port=at), encoding="utf-8")
        self.earth: RunningService = make_service("OWN", options=("--config", str(configuration)))
        for words in (
            "create mq-queue-manager SATURN --bridge MQ --host 127.0.0.1",
            f"create client-connection GATE.SVRCONN --proxy SATURN --port {port}",
            "create mq-listener EARTH.XMITQ --connection GATE.SVRCONN --wait 2 --flows 20",
            "start mq-queue-manager SATURN --affect-children yes",
            "create mq-bridge ORDERS@SATURN",
        ):
            result = operate(self.earth, "admin", "EARTH", *words.split())
            assert result.exit_code == 0, result.output
        token = enrol(self.earth, "MOON")["token"]
        self.moon = Device("MOON", "EARTH", lambda: StreamTransport("127.0.0.1", at), token)
        self.moon.sends_to("ORDERS", "SATURN")
        self.moon.pulls()

    def kill(self, service: RunningService) -> None:
        self.moon.cut()
        service.restart(kill=True)

    def send(self, number: int) -> None:
        """One message each way."""
        assert self.moon.call(Put(Address("ORDERS", "SATURN"), text_message(str(number)))) == Done()
        self.saturn.put("REPLIES", str(number), Persistence=1)

    def listener_is_stopped(self) -> bool:
        words = ["inquire", "all", "mq-listener", "EARTH.XMITQ"]
        return "stopped" in operate(self.earth, "admin", "EARTH", *words).output

    def orders(self) -> list[int]:
        return [int(each["body"]["text"]) for each in self.saturn.browse("ORDERS", 10_000)]

    def replies(self) -> list[int]:
        outcome = self.moon.call(Browse(Address("REPLIES", "MOON"), Fields()))
        assert isinstance(outcome, Browsed)
        return [int(data_of(each)) for each in outcome.messages]


@pytest.fixture
def pair(make_service: MakeService, tmp_path: Path) -> Iterator[Pair]:
    found = Pair(make_service, tmp_path)
    yield found
    found.moon.close()


@pytest.mark.spec("SC-05", "SC-09", "E-392", "E-393", "E-401", "E-402", "E-403", "E-420", "E-448", "E-449", "E-450")
def test_messages_pass_once_both_ways_while_processes_are_killed(pair: Pair, long_form: bool) -> None:
    """Then SATURN is shut down in order: the listener stops and says so, and what is put waits until it is back."""
    moon, dice, sent = pair.moon, random.Random(7), 0
    rounds, batch = (20, 25) if long_form else (2, 10)
    for number in range(rounds):
        for _ in range(batch):
            pair.send(sent)
            sent += 1
        for _ in range(dice.randint(1, 15)):
            moon.step()
        pair.kill((pair.earth, pair.saturn)[number % 2])
    moon.run_until(lambda: moon.waiting("ORDERS", "SATURN") == 0, 90)
    assert pair.orders() == list(range(sent))
    moon.run_until(lambda: len(pair.replies()) == sent, 90)
    assert pair.replies() == list(range(sent))
    assert pair.saturn.depth("EARTH.XMITQ") == 0

    pair.saturn.stop()
    wait_for("the listener says that it has stopped", pair.listener_is_stopped)
    assert moon.call(Put(Address("ORDERS", "SATURN"), text_message(str(sent)))) == Done()
    for _ in range(20):
        moon.step()
    assert moon.waiting("ORDERS", "SATURN") == 1
    pair.saturn.start()
    moon.run_until(lambda: moon.waiting("ORDERS", "SATURN") == 0, 60)
    assert pair.orders() == list(range(sent + 1))
