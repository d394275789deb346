"""The demo of Everyplace as its users run it, smaller: its table, and what it leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from support.processes.demo_run import RunDemo
from support.project.demo_parts import DEMO

DEMO_EVERYPLACE = DEMO.parent / "demo_everyplace"
SMALL = {"devices": 2, "messages": 40, "cuts": 3, "kills": (1, 1, 1)}
LONG = {"devices": 3, "messages": 90, "cuts": 6, "kills": (2, 1, 1)}
COLUMNS = ("sent", "received", "duplicated", "lost", "out of order", "damaged")
MOMENTS = ("devices run", "EARTH runs as process", "is killed (SIGKILL)")
"""When it is interrupted: the first one in the short form."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def options(size: dict[str, Any]) -> list[str]:
    """What a user would type for a demo of this size."""
    kills = [str(each) for each in size["kills"]]
    return [*(f"--{each}={size[each]}" for each in ("devices", "messages", "cuts")), "--kills", *kills]


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
def test_every_message_arrives_once_and_in_order(run_demo: RunDemo, *, long_form: bool) -> None:
    size = LONG if long_form else SMALL
    demo = run_demo(DEMO_EVERYPLACE, *options(size))
    assert demo.ends() == 0, demo.output + demo.errors
    assert (demo.errors, demo.left_behind()) == ("", [])
    table = rows(demo.output)
    assert len(table) == 2
    for row in table.values():
        assert row == dict(zip(COLUMNS, (size["messages"], size["messages"], 0, 0, 0, 0), strict=True))
    for name in ("EARTH", "SATURN"):
        assert f"{name} is killed (SIGKILL)" in demo.output
        assert f"{name} runs again as process" in demo.output
    assert "Every message has arrived once, in order." in demo.output


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_ends_everything(run_demo: RunDemo, moment: str, *, long_form: bool) -> None:
    if moment != MOMENTS[0] and not long_form:
        pytest.skip("every moment takes --long (make killed)")
    demo = run_demo(DEMO_EVERYPLACE, *options(SMALL))
    demo.comes_to(moment)
    demo.interrupt()
