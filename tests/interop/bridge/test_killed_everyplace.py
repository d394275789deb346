"""A gateway is killed while devices put and pull: every message arrives once and in order, up and down."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.gateway_device import Device, StreamTransport, enrol, gateway_of
from support.processes.running_service import MakeService, RunningService

CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""
DEVICES = ("MOON", "IO", "TITAN")
EACH = 8
"""Messages of each device, and to each device, in a round."""
RIGHTS = (
    "DEFINE QLOCAL(ORDERS) MAXDEPTH(999999)",
    "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)",
    "SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)",
)


def dial(service: RunningService) -> Callable[[], StreamTransport]:
    """Connects to where the gateway listens now."""

    def connect() -> StreamTransport:
        if not service.ready_file.exists():
            raise ConnectionRefusedError("it is down")
        return StreamTransport("127.0.0.1", int(service.ready["everyplace"]["plain"].rpartition(":")[2]))

    return connect


@pytest.mark.faulty_traffic
@pytest.mark.spec("E-187", "E-188", "E-191", "SC-11")
def test_a_gateway_that_is_killed(make_service: MakeService, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = 20 if request.config.getoption("--long") else 2
    dice = random.Random(20)
    service = gateway_of(make_service, tmp_path / "config", CONFIGURATION)
    service.mqsc(*RIGHTS)
    devices = {name: Device(name, "HUB", dial(service), enrol(service, name)["token"]) for name in DEVICES}
    for device in devices.values():
        request.addfinalizer(device.close)
    for name, device in devices.items():
        device.sends_to("ORDERS", "EARTH")
        device.pulls()
        service.mqsc(f"DEFINE QREMOTE(TO.{name}) RNAME(REPLIES) RQMNAME({name}) XMITQ(EVERYPLACE.HUB)")
    for number in range(rounds):
        for name, device in devices.items():
            for each in range(EACH):
                device.put_for_mq("ORDERS@EARTH", f"{name} {number * EACH + each}")
                service.put(f"TO.{name}", f"{number * EACH + each}", Persistence=1)
        until = time.monotonic() + dice.uniform(0.0, 0.6)
        while time.monotonic() < until:
            for device in devices.values():
                device.step()
        service.kill()
        for device in devices.values():
            device.step()
        service.start()
    wanted = rounds * EACH

    def done() -> bool:
        for device in devices.values():
            device.step()
        return all(
            each.waiting("ORDERS", "EARTH") == 0 and len(each.texts_of_mq("REPLIES")) >= wanted
            for each in devices.values()
        )

    devices[DEVICES[0]].run_until(done, limit=60)
    found: dict[str, list[int]] = {name: [] for name in DEVICES}
    for message in service.browse("ORDERS", limit=100_000):
        name, _, number = message["body"]["text"].partition(" ")
        found[name].append(int(number))
    assert found == {name: list(range(wanted)) for name in DEVICES}
    for device in devices.values():
        assert [int(each) for each in device.texts_of_mq("REPLIES")] == list(range(wanted))
