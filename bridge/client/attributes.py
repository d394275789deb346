"""Attributes for MQINQ and MQSET: by selector, by IBM's name, or by MQSC keyword."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQCA, MQIA

NAMES_ROOM: Final = 256 * 48
"""Length in bytes of the longest value: the names of a namelist."""
VALUE_ROOM: Final = 264
"""Length in bytes of the longest other value."""
_KEYWORDS: Final[dict[str, int]] = {
    "CURDEPTH": MQIA.CURRENT_Q_DEPTH,
    "MAXDEPTH": MQIA.MAX_Q_DEPTH,
    "MAXMSGL": MQIA.MAX_MSG_LENGTH,
    "DEFPSIST": MQIA.DEF_PERSISTENCE,
    "DEFPRTY": MQIA.DEF_PRIORITY,
    "GET": MQIA.INHIBIT_GET,
    "PUT": MQIA.INHIBIT_PUT,
    "IPPROCS": MQIA.OPEN_INPUT_COUNT,
    "OPPROCS": MQIA.OPEN_OUTPUT_COUNT,
    "BOTHRESH": MQIA.BACKOUT_THRESHOLD,
    "QTYPE": MQIA.Q_TYPE,
    "CCSID": MQIA.CODED_CHAR_SET_ID,
    "CMDLEVEL": MQIA.COMMAND_LEVEL,
    "PLATFORM": MQIA.PLATFORM,
    "DESCR": MQCA.Q_DESC,
    "BOQNAME": MQCA.BACKOUT_REQ_Q_NAME,
    "CRDATE": MQCA.CREATION_DATE,
    "CRTIME": MQCA.CREATION_TIME,
    "DEADQ": MQCA.DEAD_LETTER_Q_NAME,
    "QMNAME": MQCA.Q_MGR_NAME,
    "QMID": MQCA.Q_MGR_IDENTIFIER,
}
FIRST_CHARACTER: Final = 2001


def selector(attribute: str | int) -> int:
    """The selector of an attribute: MQIA or MQCA, ``"CURRENT_Q_DEPTH"``, ``"MQIA_CURRENT_Q_DEPTH"`` or ``"CURDEPTH"``.

    Raises ``ValueError`` for an unknown name.
    """
    if isinstance(attribute, int):
        return int(attribute)
    name = attribute.upper()
    if name in _KEYWORDS:
        return int(_KEYWORDS[name])
    name = name.removeprefix("MQIA_").removeprefix("MQCA_")
    for family in (MQIA, MQCA):
        if not name.startswith("_") and isinstance(getattr(family, name, None), family):
            return int(getattr(family, name))
    raise ValueError(f"{attribute!r} is no attribute")


def is_character(number: int) -> bool:
    """Whether a selector is one of a character attribute."""
    return number >= FIRST_CHARACTER
