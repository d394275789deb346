"""Plays for the rules of batches, heartbeats and ends; see ``rules.channel_faults``."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.observer import Ending
from support.channels.playbook import (
    L1,
    L2,
    THEY,
    end_of_batch,
    error,
    heartbeat,
    initial_data,
    more_of_it,
    ping,
    reset,
    resync,
    segment,
    status,
)
from support.rules.channel_faults import ALIVE, OK, Play, after, answers, called, fault, near, put
from support.rules.observer_playbook import RESPONDER, Watch

# Batches


def unnumbered(proposal: dict[str, Any], answer: dict[str, Any], *numbers: int) -> Play:
    """Messages of a channel that does not use sequence numbers, as one of a cluster."""

    def play(watch: Watch) -> None:
        answers(proposal, answer)(watch)
        watch.caller(*map(put, numbers))

    return play


fault("C-201", after(put(1), put(3)))
fault("C-201", after(reset(5), called(status(0)), put(6)))
fault("C-201", after(put(1), end_of_batch(), OK, put(1)))
near("C-201", after(put(6), put(7), end_of_batch(), OK, put(8)))
near("C-201", after(put(999999998), put(999999999), put(1)))
near("C-201", after(reset(5), called(status(0)), put(5)))
near("C-201", after(put(1), lambda watch: watch.loses(watch.part.ends.sender, 481), put(3)))
fault("C-202", after(put(0)))
for rule, numbers in (("C-201", (1, 3)), ("C-202", (0, 0))):
    for proposal, answer in (({"cap_flags1": 6}, {"cap_flags1": 6}), ({}, {"cap_flags1": 6})):
        near(rule, unnumbered(proposal, answer, *numbers))
fault("C-202", after(put(1_000_000_000)))
fault("C-203", after(put(1), put(2, luwid=L2)))
near("C-203", after(put(1), end_of_batch(), OK, put(2, luwid=L2)))


def full_batch(size: int) -> Play:
    def play(watch: Watch) -> None:
        answers({"max_msgs_per_batch": 5}, {})(watch)
        watch.caller(*(put(number) for number in range(1, size + 1)))

    return play


fault("C-204", full_batch(6))
near("C-204", full_batch(5))
fault("C-205", after(put(1), end_of_batch(), put(2, luwid=L2)))
fault("C-205", after(put(1), end_of_batch(), end_of_batch()))
fault("C-205", after(called(put(1))))
fault("C-205", after(put(1), called(status(0, luwid=L1))))
fault("C-205", after(initial_data()))
fault("C-206", lambda watch: [watch.caller(initial_data()), watch.caller(put(1))])  # or the answer is not captured
near("C-205", after(put(1), heartbeat(), end_of_batch(), ALIVE, OK, put(2, luwid=L2)))
near("C-205", after(put(1), end_of_batch(), lambda watch: watch.loses(RESPONDER, 28), put(2, luwid=L2)))
fault(
    "C-206",
    lambda watch: [
        watch.caller(initial_data(cap_flags1=15)),  # what follows is inferred
        watch.called(initial_data(flags=0, q_mgr_name="MARS")),
        watch.caller(put(1)),
    ],
)
near(
    "C-205",
    lambda watch: [
        watch.caller(initial_data(cap_flags1=15)),
        watch.called(initial_data(flags=0, q_mgr_name="MARS")),
        watch.caller(put(1)),
    ],
)
near(
    "C-205",
    lambda watch: [
        watch.caller(initial_data(cap_flags1=15)),
        watch.called(initial_data(flags=0, q_mgr_name="MARS")),
        watch.called(put(1), end_of_batch()),
        watch.caller(status(0, luwid=L1)),
    ],
)
fault("C-206", after(put(1), end_of_batch(), OK, resync(L1, 7)))
fault("C-206", after(called(heartbeat(0))))
fault("C-206", after(called(ping(b"x" * 16, 0))))
near("C-206", after(resync(L1, 7), called(resync(L1, 7, 0)), reset(3), called(status(0)), put(3)))
near("C-206", after(ping(b"x" * 16), called(ping(b"x" * 16, 0))))
fault("C-207", after(more_of_it(b"abc", flags=0x20)))
fault("C-207", after(put(1, b"abc", length=6, flags=0x10), put(2)))
fault("C-207", after(put(1, b"abc", length=6, flags=0x10), more_of_it(b"def", flags=0x20, luwid=L2)))
fault("C-207", after(put(1, b"abc", length=3, flags=0x10), more_of_it(b"", flags=0x20)))
near("C-207", after(put(1, b"abc", length=9, flags=0x10), more_of_it(b"def"), more_of_it(b"ghi", flags=0x20), put(2)))
fault("C-208", after(put(1, luwid=bytes(8))))
fault("C-208", after(put(1), end_of_batch(), OK, put(2)))
near("C-208", after(put(1), end_of_batch(), OK, put(2, luwid=L2)))
fault("C-209", after(put(1), end_of_batch(L2)))
fault("C-210", after(end_of_batch()))
near("C-210", after(put(1), end_of_batch()))
fault("C-211", after(put(1), end_of_batch(), called(status(0, luwid=L2))))
near("C-211", after(put(1), end_of_batch(), called(status(0))))
fault("C-212", after(put(1), end_of_batch(), 400, OK))
near("C-212", after(put(1), end_of_batch(), 300, OK))
fault("C-213", after(put(1), end_of_batch(), called(status(0x80, luwid=L1))))
fault("C-214", after(put(1), end_of_batch(), lambda watch: watch.end()))
near("C-214", after(put(1), end_of_batch(), lambda watch: watch.end(Ending.OPEN)))
near("C-214", after(put(1), lambda watch: watch.end(Ending.OPEN)))
near("C-214", after(put(1), end_of_batch(), called(error(StatusCode.CAN_NOT_STORE)), lambda watch: watch.end()))
fault("C-215", after(put(1), lambda watch: watch.end()))
fault("C-215", after(put(1), end_of_batch(), called(error(StatusCode.CAN_NOT_STORE)), lambda watch: watch.end()))
near("C-215", after(put(1), end_of_batch(), OK, lambda watch: watch.end()))
fault("C-216", after(resync(L1, 7), called(resync(L1, 6, 0))))
near("C-216", after(resync(L1, 7), called(resync(L2, 6, 0))))
fault("C-217", after(resync(L1, 7), called(resync(L1, 7, 0))))
fault("C-218", after(reset(0)))
near("C-218", after(reset(1)))
fault("C-219", after(put(1), end_of_batch(), lambda watch: watch.end(Ending.OPEN)))
near("C-219", after(put(1), lambda watch: watch.end(Ending.OPEN)))
near("C-219", after(put(1), end_of_batch(), lambda watch: watch.end()))

# Heartbeats and ends

fault("C-301", after(330, heartbeat()))
fault("C-301", after(put(1), end_of_batch(), OK, 340, lambda watch: watch.end()))
near("C-301", after(302, heartbeat()))
near("C-301", after(put(1), end_of_batch(), 340, OK, heartbeat()))
near("C-301", lambda watch: [answers({"heartbeat_interval": 0}, {})(watch), watch.after(9000).caller(put(1))])
fault("C-302", after(361, put(1)))
fault("C-302", after(1000, lambda watch: watch.end(Ending.OPEN)))
near("C-302", after(359, put(1)))
fault("C-303", after(heartbeat(), 30, lambda watch: watch.end()))
near("C-303", after(heartbeat(), 1, lambda watch: watch.end(Ending.RESET)))  # that it broke says more
fault("C-303", after(heartbeat(), 400, lambda watch: watch.end(Ending.OPEN)))
near("C-303", after(heartbeat(), 10, lambda watch: watch.end(Ending.OPEN)))
near("C-303", after(heartbeat(), ALIVE, lambda watch: watch.end()))
fault("C-304", after(heartbeat(), 400, ALIVE))
near("C-304", after(heartbeat(), 300, ALIVE))
fault("C-305", after(called(heartbeat())))
near("C-305", after(heartbeat()))
fault("C-306", after(heartbeat(), 300, heartbeat()))
near("C-306", after(heartbeat(), ALIVE, 300, heartbeat()))
fault("C-307", after(put(1), called(error(StatusCode.MSG_SEQUENCE_ERROR, 8))))
near("C-307", after(called(error(StatusCode.USER_CLOSED))))
fault("C-308", lambda watch: [watch.caller(initial_data()), watch.called(error(StatusCode.NO_CHANNEL))])
fault("C-309", after(called(segment(THEY, SegmentType.STATUS_DATA, b"\x08\0\0\0\x77\0\0\0", flags1=0x0A))))
fault("C-310", after(error(StatusCode.USER_CLOSED)))
fault("C-311", after(lambda watch: watch.end()))
near("C-311", after(status(8), lambda watch: watch.end()))
near("C-311", after(lambda watch: watch.end(Ending.OPEN)))
near("C-311", after(called(error(StatusCode.QM_TERMINATING)), lambda watch: watch.end()))
fault("C-312", after(put(1), lambda watch: watch.end(Ending.RESET)))
near("C-312", after(status(8), lambda watch: watch.end(Ending.RESET)))
fault("C-313", after(status(8), put(1)))
near("C-313", after(put(1), called(error(StatusCode.CAN_NOT_STORE)), put(2)))
fault("C-314", after(put(1), end_of_batch(), called(status(4, luwid=L1))))
fault("C-314", after(heartbeat(), called(heartbeat(4))))
fault("C-315", after(ping(b"x" * 16), called(ping(b"y" * 16, 0))))
near("C-315", after(ping(b"x" * 16), called(ping(b"x" * 16, 0))))
