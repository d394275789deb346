"""The demo of links as its users run it, smaller: its table, and what it leaves behind."""

from __future__ import annotations

import pytest

from support.processes.demo_run import DemoRun, RunDemo
from support.project.demo_jms_parts import DEMO_JMS, judge, maven, needed

pytestmark = [pytest.mark.interop("artemis"), pytest.mark.slow, pytest.mark.timeout(300)]
MESSAGES = 70
EACH = MESSAGES // (len(judge.TYPES) - 1)
"""Messages of each type in each direction; replies there are as many as requests."""


@pytest.fixture
def long_form(long_form: bool) -> None:
    """For the long form alone."""
    if not long_form:
        pytest.skip("in the long form: make killed")


@pytest.fixture
def demo(run_demo: RunDemo) -> DemoRun:
    if what := needed.missing(with_engine=True):
        pytest.skip(what)
    try:
        maven.build(DEMO_JMS / "java")
    except maven.NotAvailable as reason:
        pytest.skip(str(reason))
    return run_demo(DEMO_JMS, "--messages", str(MESSAGES))


def rows(output: str) -> dict[tuple[str, str], tuple[int, ...]]:
    """The table: figures by type and direction."""
    found = {}
    for line in output.splitlines():
        for direction in judge.DIRECTIONS:
            kind, _, figures = line.partition(direction)
            if kind.strip() in judge.TYPES and figures:
                found[kind.strip(), direction] = tuple(map(int, figures.split()))
    return found


@pytest.mark.spec("jms-mapping.md 6")
def test_every_message_arrives_once_equal_field_by_field(demo: DemoRun) -> None:
    assert demo.ends() == 0, demo.output + demo.errors
    assert (demo.errors, demo.left_behind()) == ("", [])
    table = rows(demo.output)
    assert set(table) == {(kind, direction) for kind in judge.TYPES for direction in judge.DIRECTIONS}
    assert set(table.values()) == {(EACH, EACH, EACH, 0, 0)}
    for name in ("the gateway", "Artemis"):
        assert f"{name} is killed (SIGKILL)" in demo.output
        assert f"{name} runs again as process" in demo.output


@pytest.mark.parametrize("moment", ["Artemis runs as process", "with Qpid JMS runs as process", "Artemis is killed"])
def test_an_interrupt_ends_everything(long_form: None, demo: DemoRun, moment: str) -> None:
    demo.comes_to(moment)
    demo.interrupt()
