"""The ends of a link at the provider: attached, refused, attached again."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from mqbridge.bridge.agents.linking.context import LinkContext
from mqbridge.bridge.agents.linking.provider import Attached, Credit, Outcome, Received, Refused, TooLong
from mqbridge.bridge.agents.linking.receiving import LinkReceiver
from mqbridge.bridge.agents.linking.sending import LinkSender
from mqbridge.mappings.moment import Time

EndEvent: TypeAlias = Attached | Refused | Credit | Outcome | Received | TooLong
"""Events that name an end."""


class EndState(Enum):
    """State of an end at the provider."""

    DETACHED = "detached"
    ATTACHING = "attaching"
    ATTACHED = "attached"


class LinkEnd:
    """One end. ``part``: what is done there. ``by_handle``: where it notes itself while it has a handle. ``refusal``:
    why the provider refuses it; blank if it does not."""

    __slots__ = ("_back_off", "_by_handle", "_context", "_retry_at", "handle", "part", "refusal", "state")

    def __init__(self, context: LinkContext, part: LinkSender | LinkReceiver, by_handle: dict[int, LinkEnd]) -> None:
        self._context = context
        self._by_handle = by_handle
        self._back_off = context.back_off()
        self._retry_at = 0.0
        self.part = part
        self.handle = 0
        self.refusal = ""
        self.state = EndState.DETACHED

    @property
    def next_timeout(self) -> float | None:
        """When something is due; None for never."""
        due = self.part.next_timeout
        if self.state is EndState.DETACHED and self._retry_at:
            return self._retry_at if due is None else min(due, self._retry_at)
        return due

    def turn(self, now: Time) -> None:
        """Attach the end if it may be, and do what is to be done there."""
        part, context = self.part, self._context
        if isinstance(part, LinkReceiver) and part.wants_detach and self.state is not EndState.DETACHED:
            context.provider().detach(self.handle)
            self._detached(now)
            self._retry_at = now + self._back_off.wait()
        if now >= self._retry_at:
            self._retry_at = 0.0
            if self.state is EndState.DETACHED and context.opened and not context.stopping:
                self._attach()
        part.turn(now)

    def _attach(self) -> None:
        part, context = self.part, self._context
        if isinstance(part, LinkReceiver):
            if not part.may_attach:
                return
            self.handle = context.new_handle()
            self._by_handle[self.handle] = self
            context.provider().attach_receiver(self.handle, part.address)
        else:
            if not part.target and not context.anonymous_relay:
                self._refused("the provider has no anonymous terminus, so replies cannot be sent")
                return
            self.handle = context.new_handle()
            self._by_handle[self.handle] = self
            context.provider().attach_sender(self.handle, part.target)
        self.state = EndState.ATTACHING

    def take(self, event: EndEvent, now: Time) -> None:
        """Take an event of this end."""
        part = self.part
        if isinstance(part, LinkReceiver):
            if isinstance(event, Received):
                part.received(event, now)
                return
            if isinstance(event, TooLong):
                part.too_long(event.length)
        elif isinstance(event, Outcome):
            part.outcome(event, now)
            return
        elif isinstance(event, Credit):
            part.credit(event.number)
        if isinstance(event, Attached):
            self.state = EndState.ATTACHED
            self.refusal = ""
            self._back_off.reset()
            part.attached(self.handle, now)
        elif isinstance(event, Refused):
            self._detached(now)
            self._refused(f"{self._address}: {event.condition} {event.text}".rstrip())
            self._retry_at = now + self._back_off.wait(longest=event.permanent)

    @property
    def _address(self) -> str:
        return self.part.address if isinstance(self.part, LinkReceiver) else self.part.target

    def _refused(self, why: str) -> None:
        if why != self.refusal:
            self._context.log("AMQ5066", why)
        self.refusal = why

    def lost(self, now: Time) -> None:
        """The connection is gone."""
        self._detached(now)
        self._retry_at = 0.0

    def _detached(self, now: Time) -> None:
        if self.state is EndState.DETACHED:
            return
        self.state = EndState.DETACHED
        self._by_handle.pop(self.handle, None)
        self.handle = 0
        self.part.detached(now)
