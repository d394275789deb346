"""Hsubs: open subscriptions of programs (mqi.md 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqbridge.bridge.queue_manager.opening import Handle

    from .subscription import Subscription


@define(eq=False)
class SubscriptionHandle:
    """An open subscription.

    ``options``: MQSO bits of the call that opened it. ``owner`` is for the caller; publications of the same owner with
    MQPMO_NOT_OWN_SUBS are not for it. ``queue_handle``: the managed queue, open for input; None where the program
    provided the destination. ``closed``: it must not be used any more. ``at_end``: closes it, given the time.
    """

    subscription: Subscription
    options: int
    owner: Any
    queue_handle: Handle | None = None
    closed: bool = False
    at_end: Callable[[SubscriptionHandle, float], None] | None = None

    @property
    def object_name(self) -> str:
        """What is open: the topic string."""
        return self.subscription.topic

    def close_at_end(self, now: float) -> None:
        """The connection ends: MQCLOSE with MQCO_NONE."""
        if not self.closed and self.at_end is not None:
            self.at_end(self, now)
