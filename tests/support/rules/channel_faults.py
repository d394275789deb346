"""Plays of two queue managers that do one thing wrong, by the rule that finds it.

``FAULTS``: rule to plays that the rule must find. ``NEAR``: plays beside the rule, which it must pass over. Here are
segments and negotiation; ``rules.batch_faults`` and ``rules.message_faults`` enter theirs into the same tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.observer import Ending
from support.channels.playbook import (
    L1,
    THEY,
    error,
    heartbeat,
    initial_data,
    message,
    resync,
    status,
)
from support.rules.observer_playbook import Watch

Play = Callable[[Watch], Any]
FAULTS: dict[str, list[Play]] = defaultdict(list)
NEAR: dict[str, list[Play]] = defaultdict(list)
DATED = {"md_put_date": b"20030928", "md_put_time": b"01304759", "md_priority": 4}


def agreed() -> Watch:
    """A channel on which both ends agree."""
    watch = Watch()
    answers({}, {})(watch)
    return watch


def put(number: int, data: bytes = b"hello", **changes: Any) -> bytes:
    return message(number, data, **{**DATED, **changes})


def fault(rule: str, play: Play) -> None:
    FAULTS[rule].append(play)


def near(rule: str, play: Play) -> None:
    NEAR[rule].append(play)


def answers(proposal: dict[str, Any], answer: dict[str, Any], flags: int = 0) -> Play:
    def play(watch: Watch) -> None:
        watch.caller(initial_data(**proposal))
        watch.called(initial_data(flags=flags, **{"q_mgr_name": "MARS", **proposal, **answer}))

    return play


def after(*steps: Any) -> Play:
    """Agree, then: bytes the caller sends, ``("called", bytes)``, or seconds that pass."""

    def play(watch: Watch) -> None:
        answers({}, {})(watch)
        for step in steps:
            if isinstance(step, (int, float)):
                watch.after(step)
            elif isinstance(step, bytes):
                watch.caller(step)
            elif callable(step):
                step(watch)
            else:
                watch.called(step[1])

    return play


def called(data: bytes) -> tuple[str, bytes]:
    return "called", data


OK = called(status(0, luwid=L1))
ALIVE = called(heartbeat(0))

# Segments

fault("C-002", after(THEY.build(0x7F)))
near("C-002", after(heartbeat()))
fault("C-003", after(THEY.build(SegmentType.MQPUT, bytes(40))))
near("C-003", after(THEY.build(SegmentType.SECURITY_DATA, b"exit")))
fault("C-004", after(THEY.build_shared(1, 1, SegmentType.HEARTBEAT, flags1=1)))
near("C-004", after(heartbeat(writer=SegmentWriter(ByteOrder.BIG, 500))))
near("C-004", after(THEY.build_common(SegmentType.HEARTBEAT, flags1=1)))
fault("C-005", after(heartbeat()[:26] + b"\x20\x20"))
fault("C-006", after(THEY.build(SegmentType.HEARTBEAT, flags1=1, flags2=0x80)))
near("C-006", after(THEY.build(SegmentType.MESSAGE_DATA, bytes(500), flags1=0x30, flags2=1)))
fault("C-007", after(heartbeat(writer=SegmentWriter(ByteOrder.LITTLE, 54321))))
near("C-007", after(heartbeat(writer=SegmentWriter(ByteOrder.LITTLE, 1208))))
fault("C-008", after(heartbeat(writer=SegmentWriter(ByteOrder.LITTLE, 437, 0x777))))
near("C-008", after(heartbeat(writer=SegmentWriter(ByteOrder.LITTLE, 437, 0x01000222))))
fault("C-009", after(heartbeat(writer=SegmentWriter(ByteOrder.LITTLE, 437, 0x111))))
fault("C-010", after(heartbeat(writer=SegmentWriter(ByteOrder.BIG, 437))))
fault("C-011", after(put(1, b"x" * 40_000)))
near("C-011", after(put(1, b"x" * (32766 - 476))))
fault("C-012", after(THEY.build(SegmentType.MESSAGE_DATA, bytes(500), flags1=0x30, flags2=2, luwid=L1)))
fault("C-013", after(THEY.build(SegmentType.MESSAGE_DATA, bytes(500), flags1=0x30, flags2=2, luwid=L1)))
near(
    "C-013",
    lambda watch: [
        answers({"fap_level": 8, "msg_comp_list": b"\x01" + b"\xff" * 15}, {})(watch),
        watch.caller(THEY.build(SegmentType.MESSAGE_DATA, bytes(500), flags1=0x30, flags2=2, luwid=L1)),
    ],
)
fault("C-014", lambda watch: watch.caller(THEY.build(SegmentType.INITIAL_DATA, bytes(12), flags1=1)))
fault("C-014", after(THEY.build(SegmentType.MESSAGE_DATA, bytes(100), flags1=0x30)))
fault("C-014", after(called(THEY.build(SegmentType.STATUS_DATA, bytes(5), flags1=0x0A))))
fault("C-014", after(THEY.build(SegmentType.RESET_DATA, bytes(5), flags1=0x01)))
fault("C-014", after(THEY.build(SegmentType.PING_DATA, bytes(3), flags1=0x01)))
fault("C-015", after(put(1, xqh_version=2)))
fault("C-015", after(put(1, xqh_struc_id=b"XXXX")))
fault("C-015", after(put(1, msh_struc_id=b"MSX ")))
fault("C-015", after(called(THEY.build(SegmentType.STATUS_DATA, b"\x63\0\0\0\4\0\0\0", flags1=0x0A))))
fault("C-015", answers({"struc_id": b"IX  "}, {}))
near("C-015", after(put(1, writer=SegmentWriter(ByteOrder.BIG, 500))))
fault("C-016", answers({"reserved": 7}, {}))
near("C-016", answers({"reserved1": 7}, {}))  # not known at level 7
fault("C-017", after(put(1, msh_unknown1=4)))
fault("C-018", after(THEY.build(SegmentType.RESYNC_DATA, bytes(40), flags1=1, luwid=L1)))
near("C-018", after(resync(L1, 7)))

# Negotiation

fault("C-101", answers({}, {"channel_name": "VENUS.TO.EARTH"}))
fault("C-102", answers({"fap_level": 7}, {"fap_level": 9}))
near("C-102", answers({"fap_level": 9}, {"fap_level": 7, "init_err_flags1": 8}, 2))
for rule, key, proposal, bad, good in (
    ("C-103", "max_msgs_per_batch", 50, 100, 20),
    ("C-104", "max_transmission_size", 32766, 40000, 4096),
    ("C-105", "max_message_size", 4194304, 104857600, 1000),
    ("C-106", "sequence_wrap", 999999999, 999999, 999999999),
    ("C-107", "heartbeat_interval", 300, 60, 600),
):
    fault(rule, answers({key: proposal}, {key: bad}))
    near(rule, answers({key: proposal}, {key: good}))
REFUSED = answers({"sequence_wrap": 999999999}, {"sequence_wrap": 999999, "init_err_flags1": 0x40}, 2)
near("C-106", REFUSED)
fault("C-122", REFUSED)
near("C-122", answers({"sequence_wrap": 999999999}, {"sequence_wrap": 999999}))
near("C-103", answers({"max_msgs_per_batch": 0}, {"max_msgs_per_batch": 50}))
fault("C-107", answers({"heartbeat_interval": 0}, {"heartbeat_interval": 300}))
near("C-107", answers({"heartbeat_interval": 300}, {"heartbeat_interval": 0}))
fault("C-108", answers({"cap_flags2": 5}, {"cap_flags2": 7}))
near("C-108", answers({"cap_flags2": 7}, {"cap_flags2": 5}))
fault("C-109", answers({"cap_flags1": 3}, {"cap_flags1": 7}))
near("C-109", answers({"cap_flags1": 15}, {"cap_flags1": 7}))
fault("C-110", answers({}, {"cap_flags2": 7, "e_cap_flags2": 2}, 2))
near("C-110", answers({}, {"cap_flags2": 5, "e_cap_flags2": 2}, 2))
fault("C-111", answers({}, {"max_msgs_per_batch": 20}))
fault("C-111", answers({}, {"init_err_flags1": 0x20}, 2))
near("C-111", answers({}, {"max_msgs_per_batch": 20, "init_err_flags1": 0x20}, 2))
fault("C-112", answers({}, {"max_msgs_per_batch": 20, "init_err_flags1": 0x20}))
fault("C-112", answers({}, {}, 2))
near("C-112", answers({}, {"cap_flags2": 5, "e_cap_flags2": 2}, 2))
LISTS = {"fap_level": 8, "msg_comp_list": b"\x00" + b"\xff" * 15}
fault("C-113", answers(LISTS, {"msg_comp_list": b"\x02" + b"\xff" * 15}))
near("C-113", answers({**LISTS, "msg_comp_list": b"\x02\x00" + b"\xff" * 14}, LISTS))
fault("C-114", lambda watch: watch.caller(initial_data(max_msgs_per_batch=0)))
fault("C-114", lambda watch: watch.caller(initial_data(sequence_wrap=99)))
fault("C-114", lambda watch: watch.caller(initial_data(max_transmission_size=100)))
fault("C-114", lambda watch: watch.caller(initial_data(max_message_size=104857601)))
fault("C-114", lambda watch: watch.caller(initial_data(heartbeat_interval=1000000)))
fault("C-114", lambda watch: watch.caller(initial_data(fap_level=0)))
fault("C-114", lambda watch: watch.caller(initial_data(channel_name="")))
fault("C-114", lambda watch: watch.caller(initial_data(q_mgr_name="")))
near("C-114", lambda watch: watch.caller(initial_data(fap_level=255)))
near("C-114", lambda watch: watch.caller(initial_data(max_msgs_per_batch=9999, sequence_wrap=100)))
fault("C-115", answers({}, {"max_msgs_per_batch": 10_000}))
fault("C-116", lambda watch: watch.caller(initial_data(flags=0)))
near("C-116", lambda watch: watch.caller(initial_data(flags=0x31)))
fault("C-117", answers({}, {}, 1))


def stubborn(watch: Watch) -> None:
    answers({}, {"max_msgs_per_batch": 20, "init_err_flags1": 0x20}, 2)(watch)
    watch.caller(initial_data(max_msgs_per_batch=50))


def willing(watch: Watch) -> None:
    answers({}, {"max_msgs_per_batch": 20, "init_err_flags1": 0x20}, 2)(watch)
    answers({"max_msgs_per_batch": 20}, {})(watch)


def endless(watch: Watch) -> None:
    for _ in range(7):
        answers({}, {"cap_flags2": 5, "e_cap_flags2": 2}, 2)(watch)


fault("C-118", stubborn)
near("C-118", willing)
fault("C-119", endless)
near("C-119", willing)
fault("C-120", lambda watch: [watch.caller(initial_data()), watch.end()])
near("C-120", lambda watch: [watch.caller(initial_data()), watch.called(error(StatusCode.NO_CHANNEL)), watch.end()])
near("C-120", lambda watch: [watch.caller(initial_data()), watch.end(Ending.OPEN)])
fault("C-121", answers({}, {"q_mgr_name": "VENUS"}))
