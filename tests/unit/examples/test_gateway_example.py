"""The example of a gateway: a sensor on a device, and a program of MQ that asks it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from support.gateway_device import gateway_of, operate
from support.processes.running_service import MakeService, wait_for

EXAMPLE = Path(__file__).parents[3] / "examples" / "everyplace"


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_sensor_is_asked_by_a_program_of_mq(make_service: MakeService, tmp_path: Path) -> None:
    text = (EXAMPLE / "gateway.toml").read_text(encoding="utf-8")
    for was, becomes in (
        ("gateway.mqsc", str(EXAMPLE / "gateway.mqsc")),
        ("tcp:8081", "tcp:0"),
        ("tcp:1417", "tcp:0"),
        ("../../mqbridge-data/GATEWAY", "data"),
    ):
        assert was in text
        text = text.replace(f'"{was}', f'"{becomes}')
    service = gateway_of(make_service, tmp_path / "config", text, name="SATURN")
    line = operate(service, "enrol", "MOON", "--host", "localhost").output
    run(tmp_path, "-m", "mqbridge.everyplace", *line.split("mqe.pyz ")[1].split())
    run(tmp_path, "-m", "mqbridge.everyplace", "admin", "moon.mqe", "create", "local", "COMMANDS")
    words = [sys.executable, str(EXAMPLE / "sensor.py"), "moon.mqe", "READINGS@SATURN"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sensor:
        try:
            wait_for("a reading", lambda: service.depth("READINGS") > 0)
            url = f"mq://127.0.0.1:{service.port}/SATURN"
            shown = run(tmp_path, str(EXAMPLE / "ask.py"), url, "MOON", "interval 0.5")
        finally:
            sensor.send_signal(signal.SIGINT)
            sensor.communicate(timeout=60)
    assert "reading: " in shown
    assert "readings, one each 0.5 s" in shown
