"""Draw the state diagrams of the channel machines from their transition tables: ``python docs/draw_diagrams.py``."""

from __future__ import annotations

from pathlib import Path

from protocol.channel.states import TABLES, State, Table, Trigger

PAGE = Path(__file__).parent / "channel-states.md"

HEAD = """\
# States of a channel

Drawn by `make diagrams` from the transition tables in `protocol/channel/states.py`, which also hold the theory of
operation. A step that is not drawn here is refused: as an error of our own program when we ask for it, with an error
segment when the partner does.
"""


def diagram(table: Table) -> list[str]:
    """Return one Mermaid diagram; the step to the end, which every state has, is said once below it."""
    assert all(steps.get(Trigger.END, State.CLOSED) is State.CLOSED for steps in table.values())
    start = next(iter(table))
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {start.value}"]
    for state, steps in table.items():
        lines += [
            f"    {state.value} --> {target.value}: {trigger.value}"
            for trigger, target in steps.items()
            if trigger is not Trigger.END
        ]
    lines += [f"    {state.value} --> [*]" for state, steps in table.items() if not steps and state is not State.CLOSED]
    lines += ["```", ""]
    return [*lines, f"From every state: {Trigger.END.value} leads to {State.CLOSED.value}.", ""]


def page() -> str:
    """Return the page with all diagrams."""
    lines = [HEAD]
    for name, table in TABLES.items():
        lines += [f"## {name}", "", *diagram(table)]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
