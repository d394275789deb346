from __future__ import annotations

import pytest
from queue_manager_host import Host


@pytest.fixture
def host() -> Host:
    return Host()
