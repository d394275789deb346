"""Tables of groups and segments as the notes print them, a row for each case (mqi.md 6.2, 12.3)."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import MQMF, MQMO
from support.queue_manager.group_messages import END, GROUP, LAST, SEGMENT, gid

ALLOWED = int(MQMF.SEGMENTATION_ALLOWED)

IN_LOGICAL_ORDER: list[tuple[list[int], int, tuple[str, int, int]]] = [
    ([], 0, ("none", 1, 0)),
    ([], ALLOWED, ("new", 1, 0)),
    ([], SEGMENT, ("new", 1, 0)),
    ([SEGMENT], SEGMENT | END, ("previous", 1, 4)),
    ([SEGMENT, SEGMENT], END, ("previous", 1, 8)),
    ([], GROUP, ("new", 1, 0)),
    ([GROUP], GROUP, ("previous", 2, 0)),
    ([GROUP, GROUP | SEGMENT], GROUP | SEGMENT, ("previous", 2, 4)),
    ([GROUP, GROUP | SEGMENT, GROUP | END], GROUP, ("previous", 3, 0)),
    ([GROUP, LAST], GROUP, ("new", 1, 0)),
    ([GROUP, LAST | SEGMENT], LAST | END, ("previous", 2, 4)),
    ([GROUP, LAST | SEGMENT, LAST | END], 0, ("none", 1, 0)),
    ([END], 0, ("none", 1, 0)),
]
"""Flags of the puts before, flags of the put, and which group id, number and offset it gets."""

IN_PHYSICAL_ORDER: list[tuple[int, tuple[str, int, int]]] = [
    (0, ("none", 1, 0)),
    (ALLOWED, ("field", 1, 0)),
    (SEGMENT, ("field", 1, 9)),
    (GROUP, ("field", 7, 0)),
    (GROUP | SEGMENT, ("field", 7, 9)),
]
"""Flags of the put, and the same, where ``field`` is what the program gave: number 7, offset 9."""

THERE = ["a3.", "D/3;", "b1/4;", "a1/0", "a1/4;", "b1/0", "a2", "D/0"]
"""What lies on the queue, named as in ``queue_manager.group_messages``; its correlation id is that of its group."""

SEARCHED: list[tuple[str, dict[str, Any], str | None]] = [
    # row 1: nothing current; match options choose among first items
    ("", {}, "a1/0"),
    ("", {"match": MQMO.MATCH_GROUP_ID, "group_id": gid("b")}, "b1/0"),
    ("", {"match": MQMO.MATCH_CORREL_ID, "correl_id": gid("b")}, "b1/0"),
    ("", {"match": MQMO.MATCH_CORREL_ID, "correl_id": gid("other")}, None),
    # row 2 (no group): the next segment
    ("D/0", {}, "D/3;"),
    # row 4: in a group and in a message
    ("a1/0", {}, "a1/4;"),
    # row 3: in a group, the message is done
    ("a1/0 a1/4;", {}, "a2"),
    ("a1/0 a1/4; a2", {}, "a3."),
    # what is current decides, whatever there is besides
    ("b1/0", {}, "b1/4;"),
    ("b1/0 b1/4;", {}, None),
]
"""What was got before, the match options of the next get in logical order, and what that gives."""
