"""Devices under a real gateway whose process is killed and whose lines are cut, for as long as is asked for (SC-40).

``make soak MINUTES=60``; a run of all tests takes three seconds of it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import psutil
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
RIGHTS = (
    "DEFINE QLOCAL(ORDERS) MAXDEPTH(9999999)",
    "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)",
    "SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)",
)
MINUTES = "SOAK_MINUTES"
SHORT = 3.0
MOST_MIB = 400


def dial(service: RunningService) -> Callable[[], StreamTransport]:
    """Connects to where the gateway listens now."""

    def connect() -> StreamTransport:
        if not service.ready_file.exists():
            raise ConnectionRefusedError("it is down")
        return StreamTransport("127.0.0.1", int(service.ready["everyplace"]["plain"].rpartition(":")[2]))

    return connect


@pytest.mark.faulty_traffic
@pytest.mark.timeout(5 * 3600)
@pytest.mark.spec("E-191", "E-461", "SC-40")
def test_devices_and_their_gateway_in_real_time(
    make_service: MakeService, tmp_path: Path, request: pytest.FixtureRequest, *, long_form: bool
) -> None:
    minutes = float(os.environ.get(MINUTES, "10")) if long_form else SHORT / 60
    dice = random.Random(40)
    service = gateway_of(make_service, tmp_path / "config", CONFIGURATION)
    service.mqsc(*RIGHTS)
    names = [f"D{number}" for number in range(20 if long_form else 3)]
    devices = {name: Device(name, "HUB", dial(service), enrol(service, name)["token"]) for name in names}
    for device in devices.values():
        request.addfinalizer(device.close)
    for name, device in devices.items():
        device.sends_to("ORDERS", "EARTH")
        device.pulls()
        service.mqsc(f"DEFINE QREMOTE(TO.{name}) RNAME(REPLIES) RQMNAME({name}) XMITQ(EVERYPLACE.HUB)")
    up, down = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    until = time.monotonic() + 60 * minutes
    next_kill = time.monotonic() + dice.uniform(1.0, 2.0)
    while time.monotonic() < until:
        name = dice.choice(names)
        if dice.random() < 0.5:
            devices[name].put_for_mq("ORDERS@EARTH", f"{name} {up[name]}")
            up[name] += 1
        elif dice.random() < 0.2:
            service.put(f"TO.{name}", f"{down[name]}", Persistence=1)
            down[name] += 1
        elif dice.random() < 0.02:
            devices[name].cut()
        for device in devices.values():
            device.step()
        if time.monotonic() > next_kill:
            service.kill()
            for device in devices.values():
                device.step()
            service.start()
            next_kill = time.monotonic() + dice.uniform(5.0, 60.0)
    first = devices[names[0]]

    def done() -> bool:
        for device in devices.values():
            device.step()
        return all(
            device.waiting("ORDERS", "EARTH") == 0 and len(device.texts_of_mq("REPLIES")) >= down[name]
            for name, device in devices.items()
        )

    first.run_until(done, limit=120)
    found: dict[str, list[int]] = {name: [] for name in names}
    for message in service.browse("ORDERS", limit=9_999_999):
        name, _, number = message["body"]["text"].partition(" ")
        found[name].append(int(number))
    assert found == {name: list(range(count)) for name, count in up.items()}
    for name, device in devices.items():
        assert [int(each) for each in device.texts_of_mq("REPLIES")] == list(range(down[name]))
    assert psutil.Process(service.process.pid).memory_info().rss < MOST_MIB << 20
