"""The front door of a device's programs: every name is there, and none costs anything before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import mqbridge.everyplace as front_door


def test_every_name_is_there() -> None:
    assert front_door.__all__ == sorted(front_door.__all__)
    for name in front_door.__all__:
        assert getattr(front_door, name).__name__ == name
    assert set(front_door.__all__) <= set(dir(front_door))


def test_a_rule_of_a_program_needs_the_front_door_alone() -> None:
    found = front_door.PlugIns()
    found.register(front_door.Kind.QUEUE_RULE, "quiet", lambda text: front_door.QueueRule())
    assert found.names(front_door.Kind.QUEUE_RULE) == ["quiet"]


def test_no_name_is_imported_before_it_is_asked_for() -> None:
    program = "import mqbridge.everyplace, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert not [each for each in run.stdout.split() if each.startswith("mqbridge.bridge.everyplace")]
