"""Draw the state diagrams of the machines from their transition tables: ``python docs/draw_diagrams.py``."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mqbridge.bridge.everyplace import states as message_states
from mqbridge.protocol.channel.states import TABLES as CHANNEL_TABLES
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.mqi.states import TABLES as CLIENT_TABLES
from mqbridge.protocol.mqi.states import ConversationState, ConversationTrigger, DeliveryState, DeliveryTrigger
from mqbridge.protocol.mqi_client import TABLES as OWN_CLIENT_TABLES
from mqbridge.protocol.mqi_client import GetState, GetTrigger

FOLDER = Path(__file__).parent

CHANNEL_HEAD = """\
# States of a channel

Drawn by `make diagrams` from the transition tables in `protocol/channel/states.py`, which also hold the theory of
operation. A step that is not drawn here is refused: as an error of our own program when we ask for it, with an error
segment when the partner does.
"""

CLIENT_HEAD = """\
# States of a client's connection

Drawn by `make diagrams` from the transition tables in `protocol/mqi/states.py` and `protocol/mqi_client/states.py`,
which also hold the theory of operation. A call that is not drawn here is refused with a reason code, any other step
with an error segment.
"""

MESSAGE_HEAD = """\
# States of a message on a queue of Everyplace

Drawn by `make diagrams` from the transition table in `bridge/everyplace/states.py` (mqe.md E-151). A message that an
event does not affect is as good as absent: the caller gets "no matching message" or "not found". An expired message is
deleted after the rule of its queue has been told. A put of a UID that the queue holds is refused as a duplicate; with
Resend it takes the place of an unconfirmed copy, and is dropped beside any other.

"""

ENDS: dict[type[enum.Enum], tuple[enum.Enum, enum.Enum]] = {
    State: (Trigger.END, State.CLOSED),
    ConversationState: (ConversationTrigger.END, ConversationState.ENDED),
    DeliveryState: (DeliveryTrigger.CLOSE, DeliveryState.CLOSED),
    GetState: (GetTrigger.CLOSE, GetState.CLOSED),
}
"""What leads to the end from every state, and the end."""


def diagram(table: Mapping[Any, Mapping[Any, Any]]) -> list[str]:
    """Return one Mermaid diagram; the step to the end, which every state has, is said once below it."""
    start = next(iter(table))
    end, closed = ENDS[type(start)]
    assert all(steps.get(end, closed) is closed for steps in table.values())
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {start.value}"]
    for state, steps in table.items():
        lines += [
            f"    {state.value} --> {target.value}: {trigger.value}"
            for trigger, target in steps.items()
            if trigger is not end
        ]
    lines += [f"    {state.value} --> [*]" for state, steps in table.items() if not steps and state is not closed]
    lines += ["```", ""]
    return [*lines, f"From every state: {end.value} leads to {closed.value}.", ""]


def message_page() -> str:
    """Return the page of the states of a message: a diagram and the table."""
    names = {state: state.name.capitalize().replace("_", " ") for state in message_states.State}
    ids = {state: "".join(each.capitalize() for each in state.name.split("_")) for state in message_states.State}
    lines = [MESSAGE_HEAD + "```mermaid", "stateDiagram-v2"]
    lines += [f"    {ids[state]}: {name}" for state, name in names.items()]
    lines += [
        f"    [*] --> {ids[message_states.State.UNLOCKED]}: put",
        f"    [*] --> {ids[message_states.State.PUT_UNCONFIRMED]}: put with confirm id",
    ]
    for event, steps in message_states.TABLE.items():
        for state, step in steps.items():
            target = "[*]" if step.state is None else ids[step.state]
            lines.append(f"    {ids[state]} --> {target}: {event.value}")
    lines += ["```", "", f"| event | {' | '.join(names.values())} |", f"| --- |{' --- |' * len(names)}"]
    for event, steps in message_states.TABLE.items():
        cells = []
        for state in message_states.State:
            found = steps.get(state)
            place = ", last of its priority" if found is not None and found.takes_place else ""
            cells.append("" if found is None else "deleted" if found.state is None else names[found.state] + place)
        lines.append(f"| {event.value} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(head: str, tables: Mapping[str, Mapping[Any, Mapping[Any, Any]]]) -> str:
    """Return a page with all diagrams of a kind of machine."""
    lines = [head]
    for name, table in tables.items():
        lines += [f"## {name}", "", *diagram(table)]
    return "\n".join(lines).rstrip("\n") + "\n"


def pages() -> dict[str, str]:
    """Return all pages by the name of their file."""
    return {
        "channel-states.md": page(CHANNEL_HEAD, CHANNEL_TABLES),
        "client-states.md": page(CLIENT_HEAD, {**CLIENT_TABLES, **OWN_CLIENT_TABLES}),
        "everyplace-states.md": message_page(),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
