from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import (
    KINDS,
    Kind,
    Objects,
    define_supplied,
    inquire,
    selectors_of,
)
from mqbridge.bridge.queue_manager.objects.values import Word
from mqbridge.protocol.constants import MQCA, MQIA

NOW = 1_800_000_000.0


@pytest.fixture
def objects() -> Objects:
    made = Objects("EARTH", NOW)
    define_supplied(made, NOW)
    return made


@pytest.mark.spec("mqi.md 4.1")
@pytest.mark.parametrize(
    ("keyword", "selector"),
    [
        ("PUT", 10), ("GET", 9), ("DEFPRTY", 6), ("DEFPSIST", 5), ("DEFSOPT", 4), ("SHARE", 23), ("MAXDEPTH", 15),
        ("MAXMSGL", 13), ("MSGDLVSQ", 16), ("BOTHRESH", 22), ("BOQNAME", 2019), ("HARDENBO", 8), ("TRIGGER", 24),
        ("TRIGTYPE", 28), ("TRIGDPTH", 29), ("TRIGMPRI", 26), ("TRIGDATA", 2023), ("USAGE", 12), ("DISTL", 34),
        ("RETINTVL", 21), ("PROPCTL", 190), ("DEFREADA", 188), ("DEFPRESP", 184), ("NPMCLASS", 78), ("DEFBIND", 61),
        ("QDEPTHHI", 40), ("QDEPTHLO", 41),
    ],
)  # fmt: skip
def test_selectors_of_queues(keyword: str, selector: int) -> None:
    assert selectors_of(Kind.QLOCAL)[keyword] == selector


@pytest.mark.spec("mqi.md 16.2")
def test_what_clients_ask_after_connecting(objects: Objects) -> None:
    manager = objects.manager
    asked = [MQCA.Q_MGR_NAME, MQIA.PLATFORM, MQIA.MAX_PRIORITY, MQIA.CODED_CHAR_SET_ID, MQCA.DEAD_LETTER_Q_NAME]
    assert [inquire(manager, selector) for selector in asked] == ["EARTH", 3, 9, 1208, ""]
    assert str(inquire(manager, MQCA.Q_MGR_IDENTIFIER)).startswith("EARTH_")


def test_inquire_gives_numbers_for_words_and_nothing_for_foreign_selectors(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {"PUT": "DISABLED", "TRIGGER": True, "PROPCTL": "ALL"}, NOW)
    queue = objects.queue("A")
    assert queue is not None
    asked = [MQCA.Q_NAME, MQIA.Q_TYPE, MQIA.INHIBIT_PUT, MQIA.TRIGGER_CONTROL, MQIA.PROPERTY_CONTROL, MQIA.PLATFORM]
    assert [inquire(queue, selector) for selector in asked] == ["A", 1, 1, 1, 2, None]


@pytest.mark.parametrize("kind", [kind for kind in Kind if selectors_of(kind)])
def test_every_word_with_a_selector_has_a_number(kind: Kind) -> None:
    checked = 0
    for keyword, selector in selectors_of(kind).items():
        for table in KINDS[kind].tables.values():
            attribute = table.get(keyword)
            if attribute is not None and isinstance(attribute.type, Word) and selector <= MQIA.LAST:
                assert len({attribute.number_of(word) for word in attribute.type.words}) == len(attribute.type.words)
                checked += 1
    assert checked or kind in (Kind.PROCESS, Kind.NAMELIST)
