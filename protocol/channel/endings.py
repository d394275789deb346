"""Ends and refusals common to sending and receiving ends (channels.md 6.4; mq-wire.md 5.14)."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.framing import Segment

from .link import Link
from .status import ChannelError, meaning_of


def end_by_error(link: Link[Any], code: StatusCode, value: int | None) -> None:
    """End a machine whose partner sent an error status."""
    meaning = meaning_of(code)
    link.finish(meaning.reason, meaning.amq, status=code, retryable=meaning.retryable, by_partner=True, value=value)


def end_by_partner(link: Link[Any]) -> None:
    """End a machine whose partner sent CLOSE_CHANNEL without an error."""
    link.finish("the partner closed the channel", "AMQ9001", normal=True, by_partner=True)


def close_channel(link: Link[Any], reason: str, amq: str, *, by_partner: bool = False) -> None:
    """Send CLOSE_CHANNEL and end normally."""
    link.wire.send(SegmentType.STATUS_DATA, flags=int(inferred.CLOSE_FLAGS))
    link.finish(reason, amq, normal=True, by_partner=by_partner)


def unexpected_status(link: Link[Any], segment: Segment) -> ChannelError:
    """Return the error for a STATUS_DATA segment that answers nothing."""
    return ChannelError(
        f"STATUS_DATA with flags {segment.flags1:#04x} in state {link.state.value}",
        StatusCode.PROTOCOL_SEGMENT_ERROR,
    )


def refuse_security(_part: object, _segment: Segment, _now: float) -> None:
    """Refuse SECURITY_DATA, the segment of security exits. Always raises ``ChannelError``."""
    raise ChannelError(
        "a security exit of the partner wants an answer",
        StatusCode.SECURITY_FAILURE,
        amq="AMQ9552",
        retryable=False,
    )
