"""The end of a connection that calls: a packet out, its answer in (M-006, M-037, M-102)."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from mqbridge.protocol.errors import LocalProtocolError

from .answers import Answer, AnswerReader
from .codes import MoqError
from .transitions import CALLING, Calling, Cause

ANSWER_TIME: Final = 30.0
"""Seconds within which an answer must come, beside the time that a GET waits."""


class Answered(NamedTuple):
    """The answer to the packet."""

    answer: Answer


class Unanswered(NamedTuple):
    """No answer will come: the connection has ended, was silent, or carries something else. What was asked may have
    been done or not."""

    reason: str


Event: TypeAlias = Answered | Unanswered


class Initiator:
    """One connection. ``framed``: its mode. One packet waits for its answer at a time; plain mode has only one."""

    __slots__ = ("_deadline", "_framed", "_out", "_reader", "state")

    def __init__(self, *, framed: bool) -> None:
        self._framed = framed
        self._reader = AnswerReader(framed)
        self._deadline: float | None = None
        self._out: list[bytes] = []
        self.state = Calling.IDLE

    @property
    def next_timeout(self) -> float | None:
        """When `timeout` is to be called."""
        return self._deadline

    def ask(self, packet: bytes, now: float, within: float = ANSWER_TIME) -> None:
        """Send a packet, whose answer must come ``within`` seconds. Raises `LocalProtocolError` while one is asked."""
        self._change(Cause.ASK)
        self._deadline = now + within
        self._out.append(packet)

    def receive_data(self, data: bytes) -> list[Event]:
        """Take bytes of the other end; none mean that it has gone. Returns what they are."""
        if self.state is Calling.ENDED:
            return []
        try:
            if not data:
                return [self._gone()]
            self._reader.receive(data)
            answer = self._reader.next_answer()
        except MoqError as error:
            return [self._fail(error.phrase)]
        if answer is None:
            return []
        if self.state is not Calling.ASKED:
            return [self._fail("an answer to nothing came")]
        self._deadline = None
        self._change(Cause.ANSWERED)
        return [Answered(answer)]

    def timeout(self, now: float) -> list[Event]:
        """Give up an answer that has not come in time."""
        if self._deadline is None or now < self._deadline:
            return []
        return [self._fail("no answer in time")]

    def take(self) -> bytes:
        """Return the bytes to send; the connection is closed behind them where `state` is ENDED."""
        out, self._out = self._out, []
        return b"".join(out)

    def _gone(self) -> Event:
        answer = self._reader.ended() if self.state is Calling.ASKED else None
        if answer is None:
            return self._fail("the connection has ended")
        self._deadline = None
        self._change(Cause.LAST_ANSWER)
        return Answered(answer)

    def _fail(self, reason: str) -> Unanswered:
        self._deadline = None
        self._change(Cause.END)
        return Unanswered(reason)

    def _change(self, cause: Cause) -> None:
        state = CALLING[self.state].get(cause)
        if state is None:
            raise LocalProtocolError(f"{self.state.value}: cannot {cause.value}")
        self.state = state
