"""A packet on its way to its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.myopenq import SUCCESS, Answer, MoqError, Packet

from .settings import refusal

Written: TypeAlias = Callable[[bool], None]
"""Called once when the transport has taken the answer (True), or the connection has ended before that."""
OnAnswer: TypeAlias = Callable[[Answer, "Written | None"], None]
"""Gets the answer to a packet, and whom to tell when it has been written."""


class Asking:
    """One packet of a caller. ``then``: called once with the answer. ``ended``: called before that.

    ``key``: peer and digest, where a repeat is to be known; None otherwise. ``first``: repeats wait for its end.
    """

    __slots__ = ("_ended", "_then", "address", "first", "gone", "key", "packet")

    def __init__(
        self, packet: Packet, address: str, then: OnAnswer, ended: Callable[[Asking], None], *, known_by_digest: bool
    ) -> None:
        self.packet = packet
        self.address = address
        self.key = (address, packet.digest.lower()) if packet.digest and known_by_digest else None
        self.first = False
        self._then = then
        self._ended = ended
        self.gone: Callable[[], None] = _nothing
        """Called by the endpoint when the caller has gone before the answer."""

    def answer(self, answer: Answer = SUCCESS, written: Written | None = None, *, ended: bool = True) -> None:
        """Answer. ``ended``: whether a repeat may be looked at now; else `end` is to follow."""
        self.gone = _nothing
        if ended:
            self.end()
        self._then(answer, written)

    def end(self) -> None:
        """All that the packet asked is over."""
        self._ended(self)

    def refuse(self, error: MoqError | MQError) -> None:
        """Answer with a refusal."""
        self.answer(Answer.refusal(error if isinstance(error, MoqError) else refusal(error)))


def _nothing() -> None:
    """Do nothing: the answer will come anyway."""
