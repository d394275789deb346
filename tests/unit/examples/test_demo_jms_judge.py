"""The judgement of the demo of links can be trusted: its table sees what is lost, doubled or different."""

from __future__ import annotations

from typing import Any

import pytest

from support.project.demo_jms_parts import judge

THERE, BACK = judge.DIRECTIONS


def facts(kind: str, number: int, **fields: str) -> dict[str, str]:
    named = {name.replace("__", "."): value for name, value in fields.items()}
    return {
        ".type": f"String:{kind}",
        ".number": f"Integer:{number}",
        "JMSMessageID": f"String:ID:{number}",
        "JMSCorrelationID": f"String:order {number}",
        "text": "String:two apples",
        **named,
    }


class Table:
    """A judge, and its row for texts there."""

    def __init__(self) -> None:
        self.judge = judge.Judge()

    def sent(self, *numbers: int, **fields: str) -> None:
        for number in numbers:
            self.judge.ways[THERE].send(facts("text", number, **fields))

    def received(self, *numbers: int, **fields: str) -> None:
        for number in numbers:
            self.judge.ways[THERE].receive(facts("text", number, **fields))

    @property
    def row(self) -> Any:
        return next(row for row in self.judge.rows() if (row.type, row.direction) == ("text", THERE))

    @property
    def figures(self) -> tuple[int, ...]:
        assert not self.row.exact or self.row.figures[2:] == (3, 3, 3, 0, 0)
        return self.row.figures[2:]

    @property
    def different(self) -> list[tuple[str, str, str]]:
        return [(each.field, each.sent, each.received) for each in self.judge.differences()]


@pytest.fixture
def table() -> Table:
    made = Table()
    made.sent(1, 2, 3)
    return made


@pytest.mark.parametrize(
    ("arrived", "figures"),
    [
        ([1, 2, 3], (3, 3, 3, 0, 0)),
        ([3, 1, 2], (3, 3, 3, 0, 0)),
        ([1, 3], (3, 2, 2, 1, 0)),
        ([1, 2, 2, 3], (3, 4, 3, 0, 1)),
        ([3, 1, 1, 1], (3, 4, 2, 1, 2)),
        ([], (3, 0, 0, 3, 0)),
    ],
)
def test_a_row_tells_what_went_wrong(table: Table, arrived: list[int], figures: tuple[int, ...]) -> None:
    table.received(*arrived)
    assert table.figures == figures
    assert table.row.exact == (sorted(arrived) == [1, 2, 3])
    assert table.different == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "String:two pears"),
        ("text", "null:null"),
        ("JMSCorrelationID", "String:order"),
        ("__JMSXGroupID", "String:another"),
        ("__colour", "String:red"),
        ("JMSPriority", "Integer:4"),
    ],
)
def test_a_field_that_differs_is_named(table: Table, field: str, value: str) -> None:
    table.received(1, 2)
    table.received(3, **{field: value})
    assert table.figures == (3, 3, 2, 0, 0)
    assert not table.row.exact
    name = field.replace("__", ".")
    assert table.different == [(name, facts("text", 3).get(name, judge.ABSENT), value)]


def test_a_field_that_is_missing_is_named() -> None:
    table = Table()
    table.sent(1, __aLong="Long:7")
    table.received(1)
    assert table.figures == (1, 1, 0, 0, 0)
    assert table.different == [(".aLong", "Long:7", judge.ABSENT)]


def test_a_message_that_arrives_once_right_and_once_wrong_is_not_equal(table: Table) -> None:
    table.received(1, 2, 3)
    table.received(3, text="String:two pears")
    assert table.figures == (3, 4, 2, 0, 1)


def test_what_each_end_adds_is_not_compared(table: Table) -> None:
    table.received(
        1, 2, 3, JMSMessageID="String:ID:other", __JMS_IBM_Format="String:MQSTR", __JMSXDeliveryCount="Integer:2"
    )
    assert table.row.exact
    assert table.different == []


@pytest.mark.parametrize("kind", ["text", "nonsense"])
def test_a_message_that_nobody_sent_is_seen(table: Table, kind: str) -> None:
    table.received(1, 2, 3)
    table.judge.ways[THERE].receive(facts(kind, 9))
    assert not all(row.exact for row in table.judge.rows())
    assert table.different == [("the message", judge.ABSENT, "received")]


def test_the_table_has_a_row_for_each_type_and_direction(table: Table) -> None:
    rows = [(row.type, row.direction) for row in table.judge.rows()]
    assert rows == [(kind, direction) for kind in judge.TYPES for direction in judge.DIRECTIONS]


@pytest.mark.parametrize(
    ("correlation", "different"),
    [
        ("String:ID:5", []),
        ("String:ID:6", [("JMSCorrelationID", "String:ID:5", "String:ID:6")]),
        ("null:null", [("JMSCorrelationID", "String:ID:5", "null:null")]),
    ],
)
def test_a_reply_must_name_the_id_of_its_request(correlation: str, different: list[tuple[str, str, str]]) -> None:
    table = Table()
    there, back = (table.judge.ways[direction] for direction in judge.DIRECTIONS)
    there.send(facts("request", 5))
    there.receive(facts("request", 5, JMSMessageID="String:ID:as Artemis has it"))
    back.send(facts("reply", 5, JMSCorrelationID="String:ID:as Artemis has it"))
    back.receive(facts("reply", 5, JMSCorrelationID=correlation))
    assert table.different == different
    assert all(row.exact for row in table.judge.rows()) == (not different)
    assert (there.messages_received, there.replies_received) == (1, 0)
    assert (back.messages_received, back.replies_received) == (0, 1)


def test_a_reply_is_equal_only_if_its_request_is_known() -> None:
    table = Table()
    back = table.judge.ways[BACK]
    back.send(facts("reply", 5))
    back.receive(facts("reply", 5))
    assert table.different == [("JMSCorrelationID", judge.ABSENT, "String:order 5")]


def test_lines_of_a_program_are_read() -> None:
    line = ".number=Integer:1\t.type=String:text\ttext=String:a\\u003db"
    assert judge.read_facts(line) == {".number": "Integer:1", ".type": "String:text", "text": "String:a\\u003db"}
