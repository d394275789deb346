"""The rows of attributes and of status fields, from which selectors, PCF parameters and numbers of words are made."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.mqsc.status_fields import STATUS, StatusTable
from mqbridge.bridge.queue_manager.objects import KINDS, Attribute, Kind
from mqbridge.bridge.queue_manager.objects.queue_attributes import QLOCAL
from mqbridge.bridge.queue_manager.objects.values import Integer, Switch, Word, WordList
from mqbridge.protocol.constants import MQCA, MQIA

ROWS = [
    pytest.param(attribute, id=f"{kind} {subtype} {attribute.name}".replace("  ", " "))
    for kind, info in KINDS.items()
    for subtype, table in info.tables.items()
    for attribute in table.values()
]
TABLES = [
    pytest.param(table, id=f"{noun} {number}") for noun, tables in STATUS.items() for number, table in enumerate(tables)
]


@pytest.mark.spec("mq-wire.md 5.16")
@pytest.mark.parametrize("row", ROWS)
def test_an_identifier_fits_the_type(row: Attribute) -> None:
    if not row.identifier:
        return
    if isinstance(row.type, Integer | Word | Switch | WordList):
        assert row.identifier <= MQIA.LAST
    else:
        assert row.identifier > MQIA.LAST or row.numbers


@pytest.mark.spec("mqi.md 16.2")
@pytest.mark.parametrize("row", ROWS)
def test_what_goes_out_comes_back(row: Attribute) -> None:
    if row.identifier and isinstance(row.type, Word):
        for word in row.type.words:
            number = row.number_of(word)
            assert isinstance(number, int)
            assert row.value_of(number) == word
    elif row.identifier and isinstance(row.type, Switch):
        assert [row.value_of(int(row.number_of(value))) for value in (True, False)] == [True, False]


@pytest.mark.parametrize(("name", "wrong"), [("PUT", 2), ("TRIGDPTH", 0), ("TRIGMPRI", 10), ("TRIGGER", 2)])
def test_a_number_that_stands_for_nothing_has_no_value(name: str, wrong: int) -> None:
    assert QLOCAL[name].value_of(wrong) is None


@pytest.mark.parametrize("table", TABLES)
def test_a_display_shows_each_field_once(table: StatusTable) -> None:
    names = [field.name for field in table.fields]
    assert table.key
    assert len(set(names)) == len(names)
    identifiers = [int(field.identifier) for field in table.fields if field.identifier]
    assert len(set(identifiers)) == len(identifiers)


def test_names_are_texts_and_types_integers() -> None:
    for kind, info in KINDS.items():
        assert int(MQIA.LAST) < info.key.identifier <= int(MQCA.LAST), kind
        if info.type is not None:
            assert info.type.identifier <= MQIA.LAST
            assert kind is Kind.TOPIC or kind.value in info.type.numbers
