"""Properties of a queue manager itself (E-219), and their row in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

from .properties import ASCII, INT, NAMES, TEXT, Property, by_field, read_row, write_row

TYPE_NAME: Final = "queue-manager"
DEFAULT_TIMEOUT: Final = 300_000
"""Milliseconds after which a channel that says nothing is closed."""
DEAD_LETTER_QUEUE_NAME: Final = "DeadLetterQ"
"""O-09"""

DESCRIPTION: Final = Property("qmd", "QMgr_Description", TEXT, "", attribute="description")
CHANNEL_TIMEOUT: Final = Property("qmct", "QMgr_ChnlTimeout", INT, DEFAULT_TIMEOUT, attribute="channel_timeout")
CHANNEL_ATTRIBUTE_RULE: Final = Property("qmcar", "QMgr_ChnlAttrRules", ASCII, "", attribute="channel_attribute_rule")
RULE: Final = Property("qmr", "QMgr_Rules", ASCII, "", attribute="rule")
DEAD_LETTER_QUEUE: Final = Property(
    "qmdlq", "QMgr_DeadLetterQ", ASCII, DEAD_LETTER_QUEUE_NAME, attribute="dead_letter_queue"
)
ADMINISTRATORS: Final = Property("qmadm", "QMgr_Administrators", NAMES, (), attribute="administrators")

PROPERTIES: Final = (
    DESCRIPTION,
    CHANNEL_TIMEOUT,
    CHANNEL_ATTRIBUTE_RULE,
    RULE,
    DEAD_LETTER_QUEUE,
    ADMINISTRATORS,
)
BY_FIELD: Final = by_field(PROPERTIES)


@dataclass(frozen=True, slots=True)
class ManagerProperties:
    """``channel_timeout``: milliseconds after which a silent channel is closed (E-259). ``channel_attribute_rule``,
    ``rule``: names of registered plug-ins. ``dead_letter_queue``: name of the local queue for what cannot be placed.
    ``administrators``: queue managers whose administration messages are obeyed (E-288)."""

    description: str = ""
    channel_timeout: int = DEFAULT_TIMEOUT
    channel_attribute_rule: str = ""
    rule: str = ""
    dead_letter_queue: str = DEAD_LETTER_QUEUE_NAME
    administrators: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.channel_timeout < 0:
            raise CHANNEL_TIMEOUT.invalid(f"{self.channel_timeout} is too small")
        check_name(self.dead_letter_queue, "queue")
        for name in self.administrators:
            check_name(name, "queue manager")

    def fields(self) -> Fields:
        """Return them as a fields object, for the registry."""
        return write_row(TYPE_NAME, PROPERTIES, self)

    @classmethod
    def read(cls, fields: Fields) -> ManagerProperties:
        """Return the properties of a row of the registry. Raises `EveryplaceError`."""
        return cls(**read_row(fields, PROPERTIES))
