"""The demo of Everyplace as its users run it, smaller: its table, and what it leaves behind."""

from __future__ import annotations

import pytest

from support.processes.demo_run import RunDemo
from support.project.demo_parts import DEMO

DEMO_EVERYPLACE = DEMO.parent / "demo_everyplace"
DEVICES, MESSAGES = 3, 90
SMALL = ["--devices", str(DEVICES), "--messages", str(MESSAGES), "--cuts", "6", "--kills", "2", "1", "1"]
COLUMNS = ("sent", "received", "duplicated", "lost", "out of order", "damaged")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def rows(output: str) -> dict[str, dict[str, int]]:
    """The table: figures by column, for each direction."""
    found = {}
    for line in output.splitlines():
        for direction in ("devices → SATURN", "SATURN → devices"):
            if line.strip().startswith(direction):
                figures = line.strip().removeprefix(direction).replace(",", "").split()
                found[direction] = dict(zip(COLUMNS, map(int, figures), strict=True))
    return found


@pytest.mark.spec("SC-01", "SC-02", "SC-05", "E-140", "E-189", "E-420", "E-461")
def test_every_message_arrives_once_and_in_order(run_demo: RunDemo) -> None:
    demo = run_demo(DEMO_EVERYPLACE, *SMALL)
    assert demo.ends() == 0, demo.output + demo.errors
    assert (demo.errors, demo.left_behind()) == ("", [])
    table = rows(demo.output)
    assert len(table) == 2
    for row in table.values():
        assert row == dict(zip(COLUMNS, (MESSAGES, MESSAGES, 0, 0, 0, 0), strict=True))
    for name in ("EARTH", "SATURN"):
        assert f"{name} is killed (SIGKILL)" in demo.output
        assert f"{name} runs again as process" in demo.output
    assert "Every message has arrived once, in order." in demo.output


@pytest.mark.parametrize("moment", ["EARTH runs as process", "devices run", "is killed (SIGKILL)"])
def test_an_interrupt_ends_everything(run_demo: RunDemo, moment: str) -> None:
    demo = run_demo(DEMO_EVERYPLACE, *SMALL)
    demo.comes_to(moment)
    demo.interrupt()
