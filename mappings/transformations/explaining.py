"""What a run did to a message, a line for each step (``mqbridge routes --explain``)."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import LocalProtocolError

from .run import Change, Run

_COLUMN: Final = 12
"""Characters of the steps' names; a longer one moves its text to the right."""


def explain(run: Run) -> tuple[str, ...]:
    """Return the lines of a run that was started with ``record=True``: the steps that were applied so far.

    Raises ``LocalProtocolError`` for a run without a record.
    """
    if run.changes is None:
        raise LocalProtocolError("the run keeps no record")
    lines = []
    for change in run.changes:
        lines += [f"{change.step.shown:{_COLUMN}} {text}" for text in _told(change)]
    return tuple(lines)


def _told(change: Change) -> list[str]:
    if not change.after:
        return ["dropped"]
    if len(change.after) == 1:
        return [_difference(change.before, change.after[0])]
    number = len(change.after)
    return [f"{place} of {number}: {_difference(change.before, each)}" for place, each in enumerate(change.after, 1)]


def _difference(before: Message, after: Message) -> str:
    """Return how a message differs from what it was."""
    parts = []
    longer = len(after.body) - len(before.body)
    if longer:
        parts.append(f"{longer} bytes in" if longer > 0 else f"{-longer} bytes out")
    if (before.raw_md, before.order, before.ccsid) != (after.raw_md, after.order, after.ccsid):
        md = after.md
        parts.append(f"MQMD.Format {md.format}, CodedCharSetId {md.coded_char_set_id}, Encoding {md.encoding}")
    elif not longer and before.data != after.data:
        parts.append("other data of the same length")
    return "; ".join(parts) or "unchanged"
