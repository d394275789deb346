"""A repeat is always on the digest list of the other manager, however senders take turns and whenever they die."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.agents.myopenq.sending.window import Window

MEMBERS = 3
STEPS = 300
ACTIONS = ("refill", "send", "lose", "commit", "crash")
WEIGHTS = (10, 20, 3, 5, 1)


class Ahead:
    """What one sender has on disk: ``arrived`` is to be removed, ``ahead`` to be sent."""

    def __init__(self) -> None:
        self.arrived: list[int] = []
        self.ahead: list[int] = []

    def unblock(self) -> None:
        """It looks again by itself."""


@given(md5list=st.integers(1, 12), most=st.integers(1, 5), dice=st.randoms(use_true_random=False))
@pytest.mark.spec("M-087", "M-092")
def test_what_was_stored_is_known_when_it_comes_again(md5list, most, dice):
    known: deque[int] = deque(maxlen=md5list)
    stored: set[int] = set()
    window, members, stamped = Window(md5list), [Ahead() for _ in range(MEMBERS)], 0
    for action in dice.choices(ACTIONS, WEIGHTS, k=STEPS):
        member = dice.choice(members)
        if action == "refill" and not member.ahead:
            member.ahead = list(range(stamped, stamped + min(most, window.room(member))))
            stamped += len(member.ahead)
            member.arrived = []
            if member.ahead:
                window.moved(member, window.enter(member, len(member.ahead)))
            else:
                window.leave(member)
        elif action in ("send", "lose") and member.ahead:
            first = member.ahead[0]
            if first not in known:
                assert first not in stored, "stored twice"
                known.append(first)
                stored.add(first)
            if action == "send":
                member.arrived.append(member.ahead.pop(0))
        elif action == "commit":
            member.arrived = []
            if not member.ahead:
                window.leave(member)
        elif action == "crash":
            window = Window(md5list)
            for each in members:
                each.ahead, each.arrived = [*each.arrived, *each.ahead], []
                if each.ahead:
                    window.doubt(each)
