"""Valid names of properties (mqi.md 15.3 and 15.4)."""

from __future__ import annotations

import re
from typing import Final

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.structures import MD

MAX_NAME: Final = 4095
"""Longest property name in characters (MQ_MAX_PROPERTY_NAME_LENGTH)."""
USER_FOLDER: Final = "usr"
"""Folder of properties whose names have no dot."""
DESCRIPTOR_PREFIX: Final = "Root.MQMD."
RESERVED_WORDS: Final = frozenset(
    ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
)
"""Keywords of selectors, in any case; not valid as property names."""
DESCRIPTOR_FIELDS: Final[dict[str, str]] = {
    DESCRIPTOR_PREFIX + slot.field.name: slot.field.key
    for slot in MD.slots
    if slot.field.name not in ("StrucId", "Version")
}
"""Field of `mappings.descriptor.Descriptor` by property name ``Root.MQMD.…``."""
SYNONYMS: Final = frozenset(
    (
        "JMSCorrelationID", "JMSDeliveryMode", "JMSDestination", "JMSExpiration", "JMSMessageID", "JMSPriority",
        "JMSRedelivered", "JMSReplyTo", "JMSTimestamp", "JMSType", "JMSXAppID", "JMSXDeliveryCount", "JMSXGroupID",
        "JMSXGroupSeq", "JMSXUserID",
    )
)  # fmt: skip
"""JMS names of descriptor fields and folder properties; no other property name begins with JMS."""

_NAME: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*(?:\.(?:[^\W\d]|\$)[\w$]*)*\Z")


class PropertyNameError(MQBridgeError):
    """An invalid property name. ``reason``: 2442 MQRC_PROPERTY_NAME_ERROR, or 2513 if it is too long."""

    def __init__(self, name: str, why: str, reason: int = MQRC.PROPERTY_NAME_ERROR) -> None:
        super().__init__(f"{name[:60]!r} can name no property: {why}")
        self.reason = int(reason)


def check_name(name: str) -> None:
    """Raise `PropertyNameError` for a name that a property in a folder cannot have."""
    if len(name) > MAX_NAME:
        raise PropertyNameError(name, f"it is longer than {MAX_NAME}", MQRC.PROPERTY_NAME_LENGTH_ERR)
    if not _NAME.match(name):
        raise PropertyNameError(name, "letters, digits, _ and $ between single dots are allowed")
    if name.startswith(("JMS", "usr.JMS")):
        raise PropertyNameError(name, "names that begin with JMS are reserved")
    if name.upper() in RESERVED_WORDS:
        raise PropertyNameError(name, "it is a word of selectors")
    if name.startswith("Root."):
        raise PropertyNameError(name, "Root.MQMD has no such field that is a property")
    lowered = name.lower()
    if lowered.startswith("mq") and not lowered.startswith("mq_usr") and name.count(".") > 1:
        raise PropertyNameError(name, "names that begin with mq have one dot at most")


def check_selectable(name: str) -> None:
    """Raise `PropertyNameError` for a name that is not valid in a selector: as `check_name`, but descriptor fields and
    JMS synonyms are valid."""
    if name not in SYNONYMS and name not in DESCRIPTOR_FIELDS:
        check_name(name)


def split_name(name: str) -> tuple[str, str]:
    """Return the folder, and the name inside it with groups and dots: ``"colour"`` gives ``("usr", "colour")``."""
    folder, dot, rest = name.partition(".")
    return (folder, rest) if dot else (USER_FOLDER, name)
