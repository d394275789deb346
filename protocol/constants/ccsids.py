"""Special coded character set ids (MQCCSI), mq-wire.md 1.5, and common ones."""

from __future__ import annotations

from typing import Final

from .base import MQInt


class MQCCSI(MQInt):
    """Special values of a CodedCharSetId field, mq-wire.md 1.5."""

    UNDEFINED = 0
    DEFAULT = 0
    Q_MGR = 0
    EMBEDDED = -1
    INHERIT = -2
    APPL = -3
    AS_PUBLISHED = -4


CCSID_EBCDIC_US: Final = 37
CCSID_PC_US: Final = 437
CCSID_EBCDIC_INTERNATIONAL: Final = 500
CCSID_ISO_8859_1: Final = 819
CCSID_PC_LATIN_1: Final = 850
CCSID_EBCDIC_OPEN_SYSTEMS: Final = 1047
CCSID_UTF_16: Final = 1200
CCSID_UTF_8: Final = 1208
CCSID_WINDOWS_LATIN_1: Final = 1252
