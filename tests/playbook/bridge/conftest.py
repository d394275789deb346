"""What the plays put on the wire is judged by the rules for captures, unless they are marked ``faulty_traffic``."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from support.rules.judged_recordings import told_errors
from support.wire.record import Wire, on_record


@pytest.fixture(autouse=True)
def judged(request: pytest.FixtureRequest) -> Iterator[None]:
    """Record the test and demand that no rule finds an error in it; ``--wire`` has the recording otherwise."""
    if request.config.getoption("--wire") or request.node.get_closest_marker("faulty_traffic") is not None:
        yield
        return
    capture = io.BytesIO()
    with on_record(Wire(capture)):
        yield
    capture.seek(0)
    found = told_errors(capture, request.node.name)
    assert not found, "\n".join(found)
