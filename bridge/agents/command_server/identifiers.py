"""PCF parameter numbers of MQSC keywords, and numbers of their words, by the noun of the command (mq-wire.md 5.16).

Derived from the tables of attributes (``bridge.queue_manager.objects``) and status fields; only additional parameters
of commands are defined here. Numbers up to 2000 are integers, up to 4000 strings, above byte strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from mqbridge.bridge.queue_manager.mqsc.display import SUBJECTS
from mqbridge.bridge.queue_manager.mqsc.status_fields import STATUS
from mqbridge.bridge.queue_manager.objects import KINDS, QUEUE_KINDS, DisplayField, Numbers
from mqbridge.bridge.queue_manager.objects.attributes import NO_YES
from mqbridge.bridge.queue_manager.objects.security_attributes import AUTHORITY_NUMBERS
from mqbridge.protocol.constants import MQCA, MQCHS, MQCHT, MQIA, MQIDO, MQMODE, MQOT

LAST_INTEGER: Final = int(MQIA.LAST)
LAST_TEXT: Final = int(MQCA.LAST)

_OPTIONS: Final[Mapping[str, Mapping[str, Numbers]]] = {
    **{noun: {"AUTHREC": NO_YES} for noun in ("QUEUE", "TOPIC", *QUEUE_KINDS)},
    **{noun: {"IGNSTATE": NO_YES} for noun in ("LISTENER", "SERVICE")},
    "QMGR": {"TYPE": {"CONFIGEV": 1, "EXPIRY": 2, "EARLY": 3, "PROXYSUB": 4}},
    "SECURITY": {"TYPE": {"AUTHSERV": 1, "SSL": 2, "CLASSES": 3, "CONNAUTH": 4}},
    "TOPICSTR": {"CLRTYPE": {"RETAINED": 1}, "SCOPE": {"LOCAL": 1, "GLOBAL": 2}},
    "CHANNEL": {
        "ACTION": {"COMMIT": MQIDO.COMMIT, "BACKOUT": MQIDO.BACKOUT},
        "CHLTABLE": {"QMGRTBL": 1, "CLNTTBL": 2},
        "CHLTYPE": {"ALL": MQCHT.ALL},
        "MODE": {"FORCE": MQMODE.FORCE, "QUIESCE": MQMODE.QUIESCE, "TERMINATE": MQMODE.TERMINATE},
        "STATUS": {"INACTIVE": MQCHS.INACTIVE, "STOPPED": MQCHS.STOPPED},
        "IGNSTATE": NO_YES,
    },
    "CHLAUTH": {
        "ACTION": {"ADD": 5, "REPLACE": 6, "REMOVE": 7, "REMOVEALL": 8},
        "MATCH": {"GENERIC": 0, "RUNCHECK": 1, "EXACT": 2},
    },
    "AUTHREC": {"OBJTYPE": {"ALL": MQOT.ALL}, "AUTHADD": AUTHORITY_NUMBERS, "AUTHRMV": AUTHORITY_NUMBERS},
    "QSTATUS": {"OPENTYPE": {"ALL": 1, "INPUT": 2, "OUTPUT": 3}},
}
"""Numbers of the words of parameters that are not attributes, and of words that only commands accept."""


def _fields(noun: str) -> Iterator[DisplayField]:
    if noun in STATUS:
        for table in STATUS[noun]:
            yield from table.fields
    elif noun in SUBJECTS:
        for kind in QUEUE_KINDS if noun in QUEUE_KINDS else SUBJECTS[noun].kinds:
            yield from KINDS[kind].fields()


def _identifiers(noun: str) -> dict[str, int]:
    return {field.name: int(field.identifier) for field in _fields(noun) if field.identifier}


def _numbers(noun: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    fields = ((field.name, field.numbers) for field in _fields(noun))
    for keyword, numbers in (*fields, *_OPTIONS.get(noun, {}).items()):
        if numbers:
            merged = found.setdefault(keyword, {})
            merged.update((word, int(number)) for word, number in numbers.items() if word not in merged)
    return found


IDENTIFIERS: Final[Mapping[str, Mapping[str, int]]] = {noun: _identifiers(noun) for noun in (*SUBJECTS, *STATUS)}
"""Parameter number by keyword, by noun."""

KEYWORDS: Final[Mapping[str, Mapping[int, str]]] = {
    noun: {number: keyword for keyword, number in numbers.items()} for noun, numbers in IDENTIFIERS.items()
}
"""Keyword by parameter number, by noun."""

WORDS: Final[Mapping[str, Mapping[str, Mapping[str, int]]]] = {
    noun: _numbers(noun) for noun in (*IDENTIFIERS, "SECURITY", "TOPICSTR")
}
"""Number of each word by keyword, by noun."""


def numbers_of(noun: str, keyword: str) -> Mapping[str, int]:
    """Number by word of a parameter; empty if it has no words."""
    return WORDS.get(noun, {}).get(keyword, {})


@cache
def words_of(noun: str, keyword: str) -> Mapping[int, str]:
    """Word by number; the first word if several share a number."""
    found: dict[int, str] = {}
    for word, number in numbers_of(noun, keyword).items():
        found.setdefault(number, word)
    return found
