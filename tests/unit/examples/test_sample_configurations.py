from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.config import load_configuration

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("file", sorted(EXAMPLES.rglob("*.toml")), ids=lambda file: str(file.relative_to(EXAMPLES)))
def test_a_sample_configuration_is_valid_and_its_scripts_exist(file: Path) -> None:
    read = load_configuration(file)
    assert read.queue_manager.mqsc
    assert [script for script in read.queue_manager.mqsc if not script.is_file()] == []


def test_the_two_samples_can_run_side_by_side() -> None:
    earth, saturn = (load_configuration(EXAMPLES / name) for name in ("queue-manager.toml", "saturn.toml"))
    assert earth.queue_manager.name != saturn.queue_manager.name
    assert earth.queue_manager.data.resolve() != saturn.queue_manager.data.resolve()
    assert earth.admin_endpoint != saturn.admin_endpoint
    assert {one.endpoint for one in earth.listeners}.isdisjoint(one.endpoint for one in saturn.listeners)


def test_the_data_of_the_samples_is_no_part_of_the_repository() -> None:
    ignored = (EXAMPLES.parent / ".gitignore").read_text(encoding="utf-8").split()
    data = load_configuration(EXAMPLES / "queue-manager.toml").queue_manager.data.resolve()
    assert data.relative_to(EXAMPLES.parent.resolve()).parts[0] + "/" in ignored
