from __future__ import annotations

import pytest

from support.queue_manager.pubsub_host import PubSubHost


@pytest.fixture
def host() -> PubSubHost:
    return PubSubHost()
