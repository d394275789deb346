from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from mqbridge.protocol.channel.states import SENDER, State, Trigger

DOCS = Path(__file__).parents[3] / "docs"


def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_diagrams", DOCS / "draw_diagrams.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_diagrams_are_those_of_the_tables() -> None:
    for name, text in drawing().pages().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, "run `make diagrams`"


def test_every_step_of_a_table_is_drawn() -> None:
    lines = drawing().diagram(SENDER)
    for state, steps in SENDER.items():
        for trigger, target in steps.items():
            if trigger is not Trigger.END:
                assert f"    {state.value} --> {target.value}: {trigger.value}" in lines
    assert lines[2] == f"    [*] --> {State.NEGOTIATING.value}"
    assert lines[-2].endswith("end, error, connection lost leads to Closed.")
