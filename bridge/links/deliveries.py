"""Deliveries, by the functions of proton's library: its Python classes would wrap each delivery anew for each event.

A delivery here is a C pointer. It is valid until the delivery is settled, as long as its link is there.
"""

from __future__ import annotations

from typing import Any, Final

import proton
from cproton_ffi import ffi, lib

from mqbridge.bridge.agents.linking.provider import Accepted, DeliveryState, Modified, Rejected, Released

from .ends import End, said

_SIZE_CONDITION: Final = "amqp:link:message-size-exceeded"
_ACCEPTED: Final = Accepted()


def send(end: End, tag: bytes, encoded: bytes, *, settled: bool) -> None:
    """Send a message at a sending end that has credit."""
    link = end.pointer
    delivery = lib.pn_delivery(link, (len(tag), ffi.from_buffer(tag)))
    sent = lib.pn_link_send(link, encoded, len(encoded))
    assert sent == len(encoded)
    if settled:
        lib.pn_delivery_settle(delivery)
    lib.pn_link_advance(link)


def discard(delivery: Any) -> None:
    """Take a delivery at an end that was given up, so that it does not count against the session."""
    link = lib.pn_delivery_link(delivery)
    if lib.pn_link_is_receiver(link) and delivery == lib.pn_link_current(link):
        pending = lib.pn_delivery_pending(delivery)
        lib.pn_link_recv(link, ffi.from_buffer(bytearray(pending)), pending)
        if not lib.pn_delivery_partial(delivery):
            lib.pn_delivery_settle(delivery)


def tag_of(delivery: Any) -> bytes:
    """The tag of a delivery."""
    tag = lib.pn_delivery_tag(delivery)
    return bytes(ffi.buffer(tag.start, tag.size))


def read_part(end: End, delivery: Any, most: int) -> bool:
    """Take what has come of the current delivery; return whether it is whole. Beyond ``most`` bytes nothing is kept."""
    pending = lib.pn_delivery_pending(delivery)
    if pending:
        part = bytearray(pending)
        length = lib.pn_link_recv(end.pointer, ffi.from_buffer(part), pending)
        if length > 0:
            end.length += length
            if end.length <= most:
                end.partial += part[:length] if length < pending else part
            else:
                end.partial.clear()
    return not lib.pn_delivery_partial(delivery)


def take_whole(end: End) -> tuple[bytes, int]:
    """Return the bytes that were kept of a delivery that is whole, and how many it had."""
    whole, length = bytes(end.partial), end.length
    end.partial.clear()
    end.length = 0
    return whole, length


def settle(delivery: Any, state: DeliveryState) -> None:
    """Settle a received delivery with a state."""
    if isinstance(state, Accepted):
        lib.pn_delivery_update(delivery, lib.PN_ACCEPTED)
    else:
        _update(proton.Delivery.wrap(delivery), state)
    lib.pn_delivery_settle(delivery)


def _update(delivery: Any, state: DeliveryState) -> None:
    match state:
        case Rejected(condition, description):
            delivery.local.condition = proton.Condition(condition, description) if condition else None
            delivery.update(proton.Delivery.REJECTED)
        case Released():
            delivery.update(proton.Delivery.RELEASED)
        case Modified(delivery_failed, undeliverable_here):
            delivery.local.failed = delivery_failed
            delivery.local.undeliverable = undeliverable_here
            delivery.update(proton.Delivery.MODIFIED)


def too_long(limit: int) -> Rejected:
    """The state of a message that exceeds a length."""
    return Rejected(_SIZE_CONDITION, f"messages have at most {limit} bytes")


def outcome_of(delivery: Any) -> DeliveryState | None:
    """The state in which the provider has ended a delivery that was sent; None as long as it has not.

    A delivery that was settled without a state was not processed as far as anybody knows: it counts as released.
    """
    state = lib.pn_delivery_remote_state(delivery)
    if state == lib.PN_ACCEPTED:
        return _ACCEPTED
    if state == lib.PN_REJECTED:
        condition = proton.Delivery.wrap(delivery).remote.condition
        if condition is None:
            return Rejected()
        return Rejected(*said(condition))
    if state == lib.PN_MODIFIED:
        remote = proton.Delivery.wrap(delivery).remote
        return Modified(remote.failed, remote.undeliverable)
    if state == lib.PN_RELEASED or lib.pn_delivery_settled(delivery):
        return Released()
    return None
