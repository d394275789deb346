"""What README and docs/everyplace.md let a person type on a device is what ``mqbridge everyplace enrol`` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.cli.everyplace import create_line

HOME = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/everyplace.md"])
def test_the_line_of_an_enrolment_is_the_one_that_is_printed(page: str) -> None:
    line = create_line("MOON", {"gateway": "mqes://earth:8081", "gateway_name": "EARTH", "behind": ["SATURN"]})
    text = (HOME / page).read_text(encoding="utf-8")
    shown = [each.partition("python3")[2] for each in text.splitlines() if "mqe.pyz create moon.mqe" in each]
    assert shown
    assert set(shown) == {f"{line.removeprefix('python3')} --token 7QK2-…"}
