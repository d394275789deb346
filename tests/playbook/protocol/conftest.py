"""Every play with a message channel is overheard: no rule finds an error in what our machines say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from overheard_machines import Ears


@pytest.fixture(autouse=True)
def overheard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    name = request.path.name
    if not (name.startswith("test_channel_") or name == "test_thesis_session.py"):
        yield
        return
    ears = Ears()
    ears.listen(monkeypatch)
    yield
    assert not ears.faults, ears.faults
