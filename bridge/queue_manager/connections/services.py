"""The parts of a queue manager that the calls of programs need."""

from __future__ import annotations

from typing import NamedTuple

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.events import Events
from mqbridge.bridge.queue_manager.pubsub import PubSub
from mqbridge.bridge.queue_manager.xa import Branches
from mqbridge.bridge.security import Security


class Services(NamedTuple):
    """What one queue manager has for all its connections; ``branches``: those of programs that are gone too."""

    core: Core
    events: Events
    pubsub: PubSub
    security: Security
    branches: Branches
