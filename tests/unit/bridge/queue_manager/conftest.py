from __future__ import annotations

import pytest

from support.queue_manager.host import Host


@pytest.fixture
def host() -> Host:
    return Host()
