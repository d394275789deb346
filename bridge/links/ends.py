"""Ends of links on a connection, in proton's terms: how they are attached, and what arrives at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import proton
from cproton_ffi import ffi, lib

from mqbridge.bridge.agents.linking.provider import Accepted, DeliveryState, Modified, Rejected, Released

TOPIC: Final = "topic://"
_SIZE_CONDITION: Final = "amqp:link:message-size-exceeded"


@dataclass(slots=True)
class End:
    """One end. ``link``: proton's. ``address``: as asked for. ``attached``: whether the provider has attached it."""

    handle: int
    link: Any
    address: str
    attached: bool = False
    partial: bytearray = field(default_factory=bytearray)
    """What has come of a delivery that is not whole."""
    length: int = 0
    """Bytes of that delivery, those included that were not kept."""


class Ends:
    """The ends of a connection, by their handles and by the names of their links."""

    def __init__(self) -> None:
        self._by_handle: dict[int, End] = {}
        self._by_name: dict[str, End] = {}

    def add(self, end: End) -> None:
        """Note an end."""
        self._by_handle[end.handle] = self._by_name[end.link.name] = end

    def get(self, handle: int) -> End | None:
        """The end with a handle."""
        return self._by_handle.get(handle)

    def of(self, link: Any) -> End | None:
        """The end of proton's link."""
        return self._by_name.get(link.name)

    def forget(self, handle: int) -> End | None:
        """Remove an end, and return it."""
        end = self._by_handle.pop(handle, None)
        if end is not None:
            self._by_name.pop(end.link.name, None)
        return end

    def clear(self) -> None:
        """Remove all ends."""
        self._by_handle.clear()
        self._by_name.clear()


def attach_sender(session: Any, name: str, address: str) -> Any:
    """Attach a sending end, and return proton's link."""
    link = session.sender(name)
    link.source.address = name
    _set_address(link.target, address)
    link.snd_settle_mode = proton.Link.SND_MIXED
    link.rcv_settle_mode = proton.Link.RCV_FIRST
    link.open()
    return link


def attach_receiver(session: Any, name: str, address: str, max_message: int) -> Any:
    """Attach a receiving end without credit, and return proton's link. No address: a dynamic node."""
    link = session.receiver(name)
    source = link.source
    if address:
        _set_address(source, address)
    else:
        source.dynamic = True
        source.properties.put_object(
            {proton.symbol("lifetime-policy"): proton.Described(proton.symbol("amqp:delete-on-close:list"), [])}
        )
        source.capabilities.put_object(proton.symbol("temporary-queue"))
    link.target.address = name
    link.max_message_size = max_message
    link.rcv_settle_mode = proton.Link.RCV_FIRST
    link.open()
    return link


def _set_address(terminus: Any, address: str) -> None:
    topic = address.startswith(TOPIC)
    name = address.removeprefix(TOPIC)
    if name:
        terminus.address = name
        terminus.capabilities.put_object(proton.symbol("topic" if topic else "queue"))


def refused_at_once(end: End) -> bool:
    """Whether the provider attaches the end only to say in the next frame why it refuses it (AMQP 1.0 part 2.6.3)."""
    remote = end.link.remote_target if end.link.is_sender else end.link.remote_source
    return bool(remote.type == proton.Terminus.UNSPECIFIED)


def dynamic_address(end: End) -> str:
    """The address of a dynamic node, else the address asked for."""
    return end.address or (end.link.is_receiver and end.link.remote_source.address) or ""


def tag_of(delivery: Any) -> bytes:
    """The tag of a delivery. Proton's Python classes take tags for text, which they need not be."""
    tag = lib.pn_delivery_tag(delivery._impl)
    return bytes(ffi.buffer(tag.start, tag.size))


def read_part(end: End, delivery: Any, most: int) -> bool:
    """Take what has come of the current delivery; return whether it is whole. Beyond ``most`` bytes nothing is kept."""
    pending = delivery.pending
    if pending:
        part = end.link.recv(pending)
        if part:
            end.length += len(part)
            if end.length <= most:
                end.partial += part
            else:
                end.partial.clear()
    return not delivery.partial


def take_whole(end: End) -> tuple[bytes, int]:
    """Return the bytes that were kept of a delivery that is whole, and how many it had."""
    whole, length = bytes(end.partial), end.length
    end.partial.clear()
    end.length = 0
    return whole, length


def settle(delivery: Any, state: DeliveryState) -> None:
    """Settle a received delivery with a state."""
    match state:
        case Accepted():
            delivery.update(proton.Delivery.ACCEPTED)
        case Rejected(condition, description):
            delivery.local.condition = proton.Condition(condition, description) if condition else None
            delivery.update(proton.Delivery.REJECTED)
        case Released():
            delivery.update(proton.Delivery.RELEASED)
        case Modified(delivery_failed, undeliverable_here):
            delivery.local.failed = delivery_failed
            delivery.local.undeliverable = undeliverable_here
            delivery.update(proton.Delivery.MODIFIED)
    delivery.settle()


def too_long(limit: int) -> Rejected:
    """The state of a message that exceeds a length."""
    return Rejected(_SIZE_CONDITION, f"messages have at most {limit} bytes")


def outcome_of(delivery: Any) -> DeliveryState | None:
    """The state in which the provider has ended a delivery that was sent; None as long as it has not.

    A delivery that was settled without a state was not processed as far as anybody knows: it counts as released.
    """
    state = delivery.remote_state
    if state == proton.Delivery.ACCEPTED:
        return Accepted()
    if state == proton.Delivery.REJECTED:
        condition = delivery.remote.condition
        if condition is None:
            return Rejected()
        return Rejected(str(condition.name), condition.description or "")
    if state == proton.Delivery.MODIFIED:
        return Modified(delivery.remote.failed, delivery.remote.undeliverable)
    if state == proton.Delivery.RELEASED or delivery.settled:
        return Released()
    return None
