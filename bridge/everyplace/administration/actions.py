"""Actions, return codes and classes of resources: the tables of administration (E-274 to E-285).

IBM's numbers are not public (O-05); a number of ours is never given twice.
"""

from __future__ import annotations

from enum import IntEnum, unique
from typing import Final

from mqbridge.bridge.everyplace.definitions.bridge_properties import BridgeKind
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind


@unique
class Action(IntEnum):
    """What a request asks for."""

    CREATE = 1
    DELETE = 2
    INQUIRE = 3
    INQUIRE_ALL = 4
    UPDATE = 5
    ADD_ALIAS = 6
    REMOVE_ALIAS = 7
    ADD_ENTRY = 8
    """Of queue managers, to a store-and-forward queue."""
    REMOVE_ENTRY = 9
    START = 10
    STOP = 11

    @property
    def word(self) -> str:
        """How people write it, such as ``add alias``."""
        return self.name.lower().replace("_", " ")


@unique
class ReturnCode(IntEnum):
    """How it went (E-279)."""

    SUCCESS = 0
    FAILED = 1
    MIXED = 2
    """Some characteristics were changed, others not (E-280)."""


QUEUE_MANAGER: Final = "queue-manager"
QUEUE: Final = "queue"
"""Any queue, for actions other than create (E-286)."""
CONNECTION: Final = "connection"
LISTENER: Final = "listener"

CLASSES: Final = (
    QUEUE_MANAGER,
    QUEUE,
    *(kind.value for kind in QueueKind),
    CONNECTION,
    LISTENER,
    *(kind.value for kind in BridgeKind),
)
"""Classes of resources (E-285). One is the type string of its messages, behind `CLASS_PREFIX`."""
CLASS_PREFIX: Final = "Admin."
