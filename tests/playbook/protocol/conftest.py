"""Every play with a machine is overheard: no rule finds an error in what our machines say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.channels.overheard_machines import Ears


@pytest.fixture(autouse=True)
def overheard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    name = request.path.name
    if not name.startswith(("test_channel_", "test_mqi_", "test_thesis_session")):
        yield
        return
    ears = Ears()
    ears.listen(monkeypatch)
    yield
    # What stands in the messages of clients is the test's.
    faults = [one for one in ears.faults if not (name.startswith("test_mqi_") and one.rule.startswith("C-4"))]
    assert not faults, faults
