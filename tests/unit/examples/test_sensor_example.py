"""The example of a sensor: readings arrive, requests are answered, and it ends when it is asked to."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.everyplace import Address, Style, text_message, text_of
from support.everyplace_devices import DevicePair

SENSOR = Path(__file__).parents[3] / "examples" / "everyplace" / "sensor.py"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[DevicePair]:
    found = DevicePair(tmp_path)
    yield found
    found.close()


def test_a_sensor_measures_and_answers(pair: DevicePair) -> None:
    earth = pair.earth()
    earth.definitions.define(QueueDefinition(QueueKind.LOCAL, Address("ANSWERS", "EARTH")))
    moon = pair.moon()
    moon.definitions.define(QueueDefinition(QueueKind.LOCAL, Address("COMMANDS", "MOON")))
    moon.close()
    words = [sys.executable, str(SENSOR), str(pair.folder / "moon.mqe"), "ORDERS@EARTH"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sensor:
        try:
            for text in ("interval 0.01", "interval soon"):
                request = text_message(text)
                request.style, request.msg_id, request.reply_to = Style.REQUEST, text.encode(), ("ANSWERS", "EARTH")
                earth.put("COMMANDS@MOON", request)
            replies = [earth.wait("ANSWERS") for _ in range(2)]
            assert [each.correl_id for each in replies] == [b"interval 0.01", b"interval soon"]
            assert text_of(replies[0]).endswith("one each 0.01 s")
            assert text_of(replies[1]).startswith("refused")
            readings = [float(text_of(earth.wait("ORDERS"))) for _ in range(3)]
            assert all(10 < each < 30 for each in readings)
            sensor.send_signal(signal.SIGTERM)
            said, error = sensor.communicate(timeout=60)
        finally:
            sensor.kill()
    assert (sensor.returncode, said, error) == (0, "MOON measures\n", "")
