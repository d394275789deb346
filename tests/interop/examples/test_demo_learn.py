"""The demo of learning as its users run it, smaller: its table, and what it leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.processes.demo_run import RunDemo

pytest.importorskip("numpy")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
DEMO = Path(__file__).parents[3] / "examples" / "demo_learn"


def test_a_host_is_learnt_played_and_reached(run_demo: RunDemo) -> None:
    demo = run_demo(DEMO, "--requests", "400")
    assert demo.ends() == 0, demo.output + demo.errors
    assert (demo.errors, demo.left_behind()) == ("", [])
    assert "length in bytes 2-3, big-endian, of what follows" in demo.output
    figures = [
        line.split()[-2:] for line in demo.output.splitlines() if line.startswith((" answers", " messages", " bytes"))
    ]
    assert len(figures) == 7
    assert all(of == right for of, right in figures)
