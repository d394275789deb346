"""The tables of states, and that the machines keep to them."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    RECEIVER,
    RESPONDER,
    SENDER,
    ReceiverChannel,
    ReceiverState,
    Responder,
    SenderChannel,
    SenderState,
    State,
    Trigger,
)
from mqbridge.protocol.channel.states import TABLES, Table
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE
from support.channels.playbook import L1, parameters


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
    ("machine", "table"),
    [
        (Responder(0.0), RESPONDER),
        (SenderChannel(parameters(), SenderState(), lambda: L1, 0.0), SENDER),
        (ReceiverChannel(parameters(), ReceiverState(), 0.0), RECEIVER),
    ],
    ids=TABLES,
)
def test_a_machine_has_its_table_and_a_status_for_each_state(
    machine: Responder | SenderChannel | ReceiverChannel, table: Table
) -> None:
    assert machine.link.table is table
    for state in table:
        machine.link.state = state
        assert isinstance(machine.status, MQCHS)
        assert isinstance(machine.substate, MQCHSSTATE)
