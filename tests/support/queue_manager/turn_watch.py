"""A stopwatch for turns of a queue manager that counts what Python calls, not time: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from support.queue_manager.host import Host

CALLS_IN_A_TURN = 150_000
"""Calls of functions and methods, those of the interpreter's own among them: less than twenty milliseconds."""

T = TypeVar("T")


class TurnWatch:
    """Watches the turns of one host's queue manager, which it gives. ``turns``: the calls of each."""

    def __init__(self, host: Host) -> None:
        host.gives_turns = False
        self.host = host
        self.turns: list[int] = []

    def does(self, call: Callable[..., T], *given: Any, **named: Any) -> T:
        """A call that a program makes, which is a turn, without what the host does behind it."""
        count = 0

        def event(frame: Any, kind: str, argument: Any) -> None:
            nonlocal count
            del frame, argument
            if kind in ("call", "c_call"):
                count += 1

        sys.setprofile(event)
        try:
            return call(*given, **named)
        finally:
            sys.setprofile(None)
            self.turns.append(count)

    def goes_on(self) -> None:
        """All works come to their end."""
        host = self.host
        host.pump()
        turns = host.queue_manager.turns
        while (due := turns.next_timeout()) is not None:
            assert due <= host.now
            self.does(turns.timeout, host.now)
            host.pump()

    def check(self, least: int = 2) -> None:
        """There were several turns, and none was too long."""
        assert len(self.turns) >= least, f"{len(self.turns)} turns: nothing gave way"
        assert max(self.turns) <= CALLS_IN_A_TURN, f"a turn of {max(self.turns)} calls: {self.turns}"
