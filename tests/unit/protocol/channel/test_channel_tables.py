"""The tables of states, and that the machines keep to them."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    RECEIVER,
    RESPONDER,
    SENDER,
    ReceiverChannel,
    Responder,
    SenderChannel,
    State,
    Trigger,
)
from mqbridge.protocol.channel.states import TABLES, Table


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_state_can_be_reached_and_left(table: Table) -> None:
    reached = {next(iter(table))}
    while more := {target for state in reached for target in table[state].values()} - reached:
        reached |= more
    assert reached == set(table)
    ends = {State.CLOSED, State.HANDED_OVER}
    assert all(steps.get(Trigger.END) is State.CLOSED for state, steps in table.items() if state not in ends)
    assert all(not table[state] for state in ends & set(table))


def test_every_trigger_is_used() -> None:
    used = {trigger for table in TABLES.values() for steps in table.values() for trigger in steps}
    assert used == set(Trigger)


@pytest.mark.parametrize(
    ("machine", "table"), [(Responder, RESPONDER), (SenderChannel, SENDER), (ReceiverChannel, RECEIVER)]
)
def test_a_machine_has_its_table_and_a_status_for_each_state(
    machine: type[Responder | SenderChannel | ReceiverChannel], table: Table
) -> None:
    assert machine.TABLE is table
    assert set(table) <= set(machine.STATUS)
