"""What has come from a partner and waits until it is on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from mqbridge.bridge.agents.partner.context import PartnerContext
from mqbridge.bridge.agents.partner.outgoing import OutgoingMessage
from mqbridge.bridge.agents.partner.receiving import PartnerReceiver
from mqbridge.bridge.agents.partner.sending import PartnerSender
from mqbridge.bridge.queue_manager import MQError
from mqbridge.mappings.moment import Time
from mqbridge.mappings.templates import Answered, Delivered

Decided: TypeAlias = Callable[["OutgoingMessage | None", "MQError | None"], None]
"""Called when it is on disk, or not: with the message that has left its queue in the same unit, and the error."""


class Intake:
    """The message or answer that one session holds.

    ``held``: it; None if there is none. ``deciding``: whether it is being written. ``retry_at``: when it is tried
    again after a failure.
    """

    __slots__ = (
        "_back_off",
        "_context",
        "_decided",
        "_receiver",
        "_sender",
        "_under_way",
        "deciding",
        "held",
        "retry_at",
    )

    def __init__(
        self, context: PartnerContext, sender: PartnerSender, receiver: PartnerReceiver, decided: Decided
    ) -> None:
        self._context = context
        self._sender = sender
        self._receiver = receiver
        self._decided = decided
        self._back_off = context.back_off()
        self._under_way: tuple[OutgoingMessage | None, OutgoingMessage | None] = (None, None)
        self.held: Delivered | Answered | None = None
        self.deciding = False
        self.retry_at: float | None = None

    def take(
        self,
        event: Delivered | Answered,
        current: OutgoingMessage | None,
        request: OutgoingMessage | None,
        now: Time,
    ) -> None:
        """Hold it, and put it in the unit of this turn. ``current``: the message under way. ``request``: the one that
        is answered, which may have been accepted before."""
        self.held, self._under_way = event, (current, request)
        self._attempt(now)

    def timeout(self, now: Time) -> None:
        """Try again, if it is time."""
        if self.retry_at is not None and now >= self.retry_at:
            self.retry_at = None
            self._attempt(now)

    def drop(self) -> None:
        """The session has ended: the other side will send it again."""
        self.held = self.retry_at = None

    def _attempt(self, now: Time) -> None:
        held, (current, request) = self.held, self._under_way
        if held is None or self.deciding:
            return
        error: MQError | None = None
        if isinstance(held, Delivered):
            error = self._receiver.deliver(held.values, partial(self._stored, None), now)
        else:
            error = None if request is None else self._receiver.reply(held.values, request.inner, now)
            if error is None and current is not None and (held.accepted or held.refused):
                self._sender.finish(current, now, partial(self._stored, current))
            elif error is None:
                self._context.units.add(partial(self._stored, None))
        self.deciding = error is None
        if error is not None:
            self._try_later(error, now)

    def _try_later(self, error: MQError, now: Time) -> None:
        self._context.log("AMQ5083", str(error))
        self.retry_at = now + self._back_off.wait()

    def _stored(self, finished: OutgoingMessage | None, error: MQError | None) -> None:
        self.deciding = False
        if error is None:
            self._back_off.reset()
            self.held = None
        else:
            self._try_later(error, self._context.host.now)
        self._decided(finished, error)
