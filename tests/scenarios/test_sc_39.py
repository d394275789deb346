"""SC-39: MyOpenQ front end to MQe and MQ."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.protocol.myopenq import Browse, Command, Get, NamedRequest, Put
from support.gateway_device import Device, StreamTransport, enrol, operate
from support.myopenq.doors import FramedLine, port_of, serve
from support.processes.running_service import MakeService, RunningService

pytestmark = pytest.mark.spec("SC-39")
GATEWAY = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""


@pytest.fixture
def service(make_service: MakeService, tmp_path: Path) -> RunningService:
    """A gateway with a door; MIDLANDS is the alias of a bridge queue, which is ORDERS of MQ."""
    made = serve(make_service, tmp_path, 'mode = "framed"', more=GATEWAY)
    made.mqsc(
        "DEFINE QLOCAL(ORDERS)",
        "DEFINE QLOCAL(ANSWERS)",
        "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)",
    )
    arguments = ("create", "mq-bridge", "PARTS@EARTH", "--remote-queue", "ORDERS", "--aliases", "MIDLANDS")
    created = operate(made, "admin", "HUB", *arguments)
    assert created.exit_code == 0, created.output
    return made


def bodies(service: RunningService, queue: str) -> list[str]:
    return [each["body"]["text"] for each in service.browse(queue)]


@pytest.mark.spec("M-009", "M-036", "M-056", "E-363", "E-407", "E-141")
def test_a_put_for_the_alias_of_a_bridge_queue_is_on_mq_once(service: RunningService) -> None:
    port = port_of(service)
    for _ in range(3):  # each time the answer is lost, and the other manager calls again
        with FramedLine(port) as line:
            assert line.ask(Put("MIDLANDS", b"two apples"), 1_700_000_000, sign=True).code == 0
    assert bodies(service, "ORDERS") == ["two apples"]
    service.restart(kill=True)
    with FramedLine(port_of(service)) as line:
        assert line.ask(Put("MIDLANDS", b"two apples"), 1_700_000_000, sign=True).code == 0
        assert line.ask(Put("PARTS", b"three pears")).code == 0
        assert line.ask(NamedRequest(Command.COUNT, "MIDLANDS")).payload == b"2"
        assert line.ask(Browse("MIDLANDS", 2)).payload == b"three pears"
        assert line.ask(Put("SOUTH", b"x")).code == 1003
    assert bodies(service, "ORDERS") == ["two apples", "three pears"]


@pytest.mark.spec("E-407", "E-313")
def test_devices_and_callers_reach_one_queue_by_one_alias(service: RunningService) -> None:
    port = int(service.ready["everyplace"]["plain"].rpartition(":")[2])
    token = enrol(service, "MOON")["token"]
    device = Device("MOON", "HUB", lambda: StreamTransport("127.0.0.1", port), token)
    try:
        device.sends_to("MIDLANDS", "EARTH")
        device.put_for_mq("MIDLANDS@EARTH", "by device")
        device.run_until(lambda: device.waiting("MIDLANDS", "EARTH") == 0)
    finally:
        device.close()
    with FramedLine(port_of(service)) as line:
        assert line.ask(Put("MIDLANDS", b"by caller")).code == 0
    assert bodies(service, "ORDERS") == ["by device", "by caller"]


@pytest.mark.spec("M-073", "M-074")
def test_the_answer_of_a_program_is_got_and_got_again_where_it_was_lost(service: RunningService) -> None:
    port = port_of(service)
    with FramedLine(port) as line:
        assert line.ask(Put("MIDLANDS", b"how many?")).code == 0
        request = service.get("ORDERS")
        assert request is not None
        service.put("ANSWERS", "two", Persistence=1)
        service.put("ANSWERS", "three", Persistence=1)
        assert line.ask(Get("ANSWERS", 5), 7, sign=True).payload == b"two"
    service.restart(kill=True)  # the answer was lost on its way, and both have forgotten the connection
    with FramedLine(port_of(service)) as line:
        assert line.ask(Get("ANSWERS", 5), 7, sign=True).payload == b"two"
        assert line.ask(Get("ANSWERS", 5), 8, sign=True).payload == b"three"
        assert line.ask(Get("ANSWERS"), 9, sign=True).code == 1007
