"""The short way of a usual put writes and answers what the general way does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.registry import TABLE
from mqbridge.protocol.everyplace import reserved
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE
from support.everyplace import Station, World

FIELDS = st.dictionaries(
    st.sampled_from([DATA, "text", "a", "zone", "n" * 130, *map(str, range(20))]),
    st.tuples(st.just(FieldType.BYTE_ARRAY), st.none() | st.binary(max_size=300))
    | st.tuples(st.just(FieldType.UNICODE), st.none() | st.text("aä€", max_size=5))
    | st.tuples(st.just(FieldType.LONG), st.integers(-(2**63), 2**63 - 1)),
    max_size=20,
)
RESERVED = st.dictionaries(
    st.sampled_from([reserved.PRIORITY, reserved.MSG_ID, reserved.EXPIRE_TIME, reserved.ADMIN_ACTION]),
    st.integers(1, 9),
    max_size=1,
)
QUEUES = ("ORDERS@SATURN", "ALARMS@EARTH", "OWN", "SHORT", "SMALL", "AdminQ", "NONE@NOWHERE")
PUTS = st.lists(
    st.tuples(
        st.sampled_from(QUEUES),
        st.sampled_from(["", MQ_STYLE]),
        FIELDS,
        st.one_of(st.just({}), st.just({}), RESERVED),
        st.sampled_from([0, 0, 0, 0.001, 1.5, -3]),
        st.sampled_from([0, 0, 0, 7]),
    ),
    max_size=12,
)


def station() -> Station:
    """A queue manager with queues of its own, for others, and with limits."""
    moon = World().queue_manager("MOON")
    moon.connection("EARTH")
    moon.connection("SATURN", via="EARTH")
    moon.store_and_forward("OUT", ["SATURN"], "EARTH")
    moon.remote("ALARMS", "EARTH")
    moon.local("OWN", PRIORITY=7, EXPIRY=1000)
    moon.local("SHORT", MAX_Q_SIZE=2)
    moon.local("SMALL", MAX_MSG_SIZE=120)
    moon.define(QueueKind.ADMINISTRATION, "AdminQ")
    return moon


def message_of(style: str, fields: dict[str, tuple[FieldType, Any]], more: dict[str, int]) -> Message:
    message = Message(style)
    for name, (kind, value) in fields.items():
        message.put(name, value, kind)
    for name, number in more.items():
        kind = reserved.BY_NAME[name].types[0]
        message.put(name, bytes([number]) if kind is FieldType.UNTYPED else number, kind)
    return message


@pytest.mark.spec("E-037", "E-068", "E-128", "E-131", "E-145")
@given(PUTS)
def test_both_ways_write_and_answer_the_same(puts: list[Any]) -> None:
    short, general = station(), station()
    general.manager._calls._is_usual = lambda call, queue: False  # type: ignore[method-assign]
    seen = []
    for moon in (short, general):
        answers: list[Any] = []
        for address, style, fields, more, later, confirm in puts:
            moon.clock_ahead += later
            message = message_of(style, fields, more)
            answers.append((moon.put(address, message, confirm), message, message.uid))
        store = moon.store
        rows = [(*row, store.read(row[0], row[1])) for row in store.scan_all()]
        seen.append((answers, rows, list(store.records(TABLE)), moon.effects))
    assert seen[0] == seen[1]
