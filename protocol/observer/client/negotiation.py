"""INITIAL_DATA of both ends of a client connection (client-observed.md 1, mq-wire.md 8.1)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, final

from mqbridge.protocol.channel.agreement import PASSWORD_LEVEL, can_share
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ByteOrder, ControlFlags1
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.mqi.states import CONNECTION
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import parse_initial_data
from mqbridge.protocol.text import decode_field

from .call_observations import ClientSegmentOutOfState
from .connection_observations import ClientAgreed, ClientProposed

CLEAR_ALGORITHM: Final = 0
MAX_STATEMENTS: Final = 256
"""Maximum number of cached INITIAL_DATA: many connections begin with the same bytes."""
MAX_REMEMBERED: Final = 512
"""Longest cached INITIAL_DATA in bytes."""
_UNUSED_ALGORITHM: Final = b"\xff\xff"
_NO_COMPRESSION: Final = frozenset((0x00, 0xFF))
_ERROR: Final = int(ControlFlags1.ERROR)


def field_text(raw: bytes, ccsid: int) -> str:
    """Return the text of a field; if its CCSID has no codec, its printable ASCII."""
    try:
        return decode_field(raw, ccsid)
    except ConversionError:
        return decode_field(bytes(byte if 32 <= byte < 127 else 63 for byte in bytes(raw).split(b"\0")[0]), 819)


_Statement = tuple[int, int, int, int, int, str, str, int, str, tuple[int, ...], bool]
"""Values of :class:`ClientProposed`, from ``fap_level`` to ``compressed``."""


def _read_statement(raw: bytes, order: ByteOrder, ccsid: int) -> _Statement:
    """Parse an INITIAL_DATA. Raises ``StructureError``."""
    body = parse_initial_data(raw, order)
    record = body.record
    words = [record.pal[at : at + 2] for at in range(0, len(record.pal), 2)] if body.has("pal") else []
    return (
        record.fap_level,
        record.max_transmission_size,
        record.max_message_size,
        record.heartbeat_interval,
        max(0, record.conv_per_socket) if body.has("conv_per_socket") else 0,
        field_text(record.channel_name, ccsid),
        field_text(record.q_mgr_name, ccsid),
        ccsid,
        field_text(record.product_id, ccsid),
        tuple(int.from_bytes(word, order.endian) for word in words if word != _UNUSED_ALGORITHM),
        body.has("msg_comp_list")
        and any(entry not in _NO_COMPRESSION for entry in record.hdr_comp_list + record.msg_comp_list),
    )


_read_once: Final = lru_cache(MAX_STATEMENTS)(_read_statement)


@final
class ClientNegotiationObserver:
    """Rounds of INITIAL_DATA.

    ``agreed``: negotiated values, None before. ``shared``: segments carry conversation and request ids (TSHM), and
    messages are streamed. ``state``: NEGOTIATING or RUNNING, of ``CONNECTION``.
    """

    __slots__ = ("_log", "_offered", "_overview", "_rounds", "agreed", "shared", "state")

    def __init__(self, log: ObservationLog, overview: Overview) -> None:
        self._log, self._overview = log, overview
        self.agreed: ClientProposed | None = None
        self.shared = False
        self.state = State.NEGOTIATING
        self._offered: ClientProposed | None = None
        self._rounds = 0

    def receive(self, segment: Segment) -> bool:
        """Take an INITIAL_DATA; return whether it completes the negotiation. Raises ``StructureError``."""
        log, overview = self._log, self._overview
        read = _read_statement if segment.body_length > MAX_REMEMBERED else _read_once
        values = read(segment.body, segment.order, segment.ccsid)
        server = log.direction is not Direction.INITIATOR
        self._rounds += not server
        error = bool(segment.flags1 & _ERROR)
        stated = ClientProposed(log.direction, log.place, *values, error=error, rounds=self._rounds)
        log.observations.append(stated)
        if Trigger.VALUES_CHANGED not in CONNECTION[self.state] and not overview.uncertain:
            possible = tuple(trigger.value for trigger in CONNECTION[self.state])
            log.add(ClientSegmentOutOfState, segment.conversation_id, "INITIAL_DATA", self.state.value, possible)
        overview.channel = stated.channel or overview.channel
        if not server:
            self._offered = stated
            overview.queue_manager = overview.queue_manager or stated.queue_manager
            return False
        overview.queue_manager = stated.queue_manager or overview.queue_manager
        if stated.error:
            return False
        self.agreed = stated
        self.shared = can_share(stated.conversations, stated.fap_level)
        self.state = State.RUNNING
        log.add(ClientAgreed, stated, self._offered)
        return True

    @property
    def heartbeat_interval(self) -> int:
        """Return the interval in seconds, 0 for none or unknown."""
        return 0 if self.agreed is None else self.agreed.heartbeat_interval

    @property
    def passwords_protected(self) -> bool | None:
        """Return whether passwords of CONAUTH_INFO are protected by an algorithm; None before the agreement."""
        agreed = self.agreed
        if agreed is None:
            return None
        if agreed.fap_level < PASSWORD_LEVEL:
            return False
        return bool(agreed.password_algorithms) and agreed.password_algorithms[0] != CLEAR_ALGORITHM
