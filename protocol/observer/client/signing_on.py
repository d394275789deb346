"""How a client connection begins, as a third party sees it: negotiation, user, password (client-observed.md 1, 2).

The base of the part: what it knows as a whole, and what it tells next.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.channel.status import meaning_of
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.mqi.states import CONNECTION, CONVERSATION, ConversationState, ConversationTrigger
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.observer.observations import Observation, Place
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import parse_conauth, parse_initial_data, parse_status_data, parse_userid
from mqbridge.protocol.text import decode_field

from .call_observations import OutOfState
from .connection_observations import (
    ClientAgreed,
    ClientProposed,
    ConversationStarted,
    CredentialsAnswered,
    CredentialsSeen,
    Stage,
    StatusSeen,
)
from .tracking import MAX_CONVERSATIONS, Track, Waiting

SHARED_HEADERS: Final = frozenset({b"TSHM", b"\xe3\xe2\xc8\xd4"})
SHARING_LEVEL: Final = 9
"""FAP level from which conversations share a socket."""
PROTECTING_LEVEL: Final = 13
"""FAP level from which passwords are protected where the ends agree on an algorithm (client-observed O-022, O-023)."""
CLEAR_ALGORITHM: Final = 0
MAX_STATEMENTS: Final = 256
"""INITIAL_DATA that are remembered, for many connections begin with the same bytes, and"""
MAX_REMEMBERED: Final = 512
"""bytes of one at the most."""
MAX_SIGN_ONS: Final = 100
"""Users of one connection that are remembered."""
_UNUSED_ALGORITHM: Final = b"\xff\xff"
_NO_COMPRESSION: Final = frozenset((0x00, 0xFF))
_CLOSE: Final = int(ControlFlags1.CLOSE_CHANNEL)
_ERROR: Final = int(ControlFlags1.ERROR)
_INITIATOR: Final = Direction.INITIATOR


def field_text(raw: bytes, ccsid: int) -> str:
    """Text of a field; where its CCSID has no codec that of its printable ASCII."""
    try:
        return decode_field(raw, ccsid)
    except ConversionError:
        return decode_field(bytes(byte if 32 <= byte < 127 else 63 for byte in bytes(raw).split(b"\0")[0]), 819)


_Statement = tuple[int, int, int, int, int, str, str, int, str, tuple[int, ...], bool]
"""Values of :class:`ClientProposed`, from ``fap_level`` to ``compressed``."""


def _read_statement(raw: bytes, order: ByteOrder, ccsid: int) -> _Statement:
    """What an INITIAL_DATA states. Raises ``StructureError``."""
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
        tuple(int.from_bytes(word, order) for word in words if word != _UNUSED_ALGORITHM),
        body.has("msg_comp_list")
        and any(entry not in _NO_COMPRESSION for entry in record.hdr_comp_list + record.msg_comp_list),
    )


_read_once: Final = lru_cache(MAX_STATEMENTS)(_read_statement)


class SigningOn:
    """The part until its first call. ``agreed``: what both ends go by, None before; see the protocol ``Part``."""

    def __init__(self, whole: bool) -> None:
        self.channel = ""
        self.queue_manager = ""
        self.user = ""
        self.outcome = "open"
        self.reason = 0
        self.uncertain = not whole
        self.state = State.NEGOTIATING
        self.agreed: ClientProposed | None = None
        self.password_given = False
        """Whether a password came along."""
        self.connected = False
        """Whether any conversation has had an MQCONN that did not fail."""
        self._offered: ClientProposed | None = None
        self._rounds = 0
        self._said: set[tuple[str, str, bool, bool | None]] = set()
        self._tracks: dict[int, Track] = {}
        self._over: dict[int, None] = {}
        self._told: list[Observation] = []
        self._direction = _INITIATOR
        self._place = Place(0.0, 0, 0)
        self._closing = False

    @property
    def shared(self) -> bool:
        """Whether segments carry conversation and request, and messages stream (TSHM)."""
        agreed = self.agreed
        return agreed is not None and agreed.conversations > 0 and agreed.fap_level >= SHARING_LEVEL

    @property
    def heartbeat_interval(self) -> int:
        """Seconds, 0 for none or not known."""
        return 0 if self.agreed is None else self.agreed.heartbeat_interval

    def _tell(self, kind: Callable[..., Observation], *values: object, **named: object) -> None:
        """Tell an observation of the segment at hand."""
        self._told.append(kind(self._direction, self._place, *values, **named))

    # Conversations

    def _track(self, segment: Segment) -> Track | None:
        """The conversation that a segment belongs to; None where there are too many, or it is over."""
        number = segment.conversation_id
        track = self._tracks.get(number)
        if track is None:
            if number in self._over and self._direction is not _INITIATOR:
                return None  # on its way when the client ended the conversation
            if len(self._tracks) >= MAX_CONVERSATIONS:
                self.uncertain = True
                return None
            known = not self.uncertain
            if known and self.state is not State.NEGOTIATING and (self._tracks or not self.shared):
                self._out_of_state(number, f"conversation {number}", "not started", ())
                known = False
            track = self._tracks[number] = Track(number, unsure=not known)
            if known:
                self._tell(ConversationStarted, number, self._place)
        return track

    def _out_of_state(self, conversation: int, what: str, state: str, possible: tuple[str, ...]) -> None:
        self._tell(OutOfState, conversation, what, state, possible)

    def _step(self, track: Track, trigger: ConversationTrigger, what: str) -> None:
        """Take a step; where the table has none tell it, take the traffic as the truth and go on from there."""
        if track.step(trigger):
            return
        if not track.unsure:
            possible = tuple(found.value for found in CONVERSATION[track.state])
            self._out_of_state(track.id, what, track.state.value, possible)
        for state, following in CONVERSATION.items():
            if trigger in following and trigger is not ConversationTrigger.END:
                track.state = following[trigger]
                return
            assert state is not None

    # INITIAL_DATA

    def _initial_data(self, segment: Segment) -> None:
        read = _read_statement if segment.body_length > MAX_REMEMBERED else _read_once
        values = read(segment.body, segment.order, segment.ccsid)
        server = self._direction is not _INITIATOR
        self._rounds += not server
        error = bool(segment.flags1 & _ERROR)
        stated = ClientProposed(self._direction, self._place, *values, error=error, rounds=self._rounds)
        channel = stated.channel
        self._told.append(stated)
        if Trigger.VALUES_CHANGED not in CONNECTION[self.state] and not self.uncertain:
            possible = tuple(trigger.value for trigger in CONNECTION[self.state])
            self._out_of_state(segment.conversation_id, "INITIAL_DATA", self.state.value, possible)
        self.channel = channel or self.channel
        if not server:
            self._offered = stated
            self.queue_manager = self.queue_manager or stated.queue_manager
        else:
            self.queue_manager = stated.queue_manager or self.queue_manager
            if not stated.error:
                self._agree(stated)

    def _agree(self, stated: ClientProposed) -> None:
        self.agreed = stated
        self.state = State.RUNNING
        self._tell(ClientAgreed, stated, self._offered)
        if not self.shared and 0 not in self._tracks:
            self._tracks[0] = Track(0, unsure=self.uncertain)
            self._tell(ConversationStarted, 0, self._place)

    # USERID_DATA and CONAUTH_INFO

    def _user_id(self, segment: Segment) -> None:
        track = self._track(segment)
        uid = parse_userid(segment.body_view, segment.order)
        ccsid = segment.ccsid
        name = field_text(uid.long_user_id, ccsid) if uid.has("long_user_id") else ""
        name = name or field_text(uid.user_id, ccsid)
        self.user = self.user or name
        password = bool(field_text(uid.password, ccsid))
        self._says_who(segment, "USERID_DATA", name, password, protected=False if password else None)
        if track is not None:
            self._step(track, ConversationTrigger.SIGN_ON, "USERID_DATA")

    def _credentials(self, segment: Segment) -> None:
        track = self._track(segment)
        caut = parse_conauth(segment.body_view, segment.order)
        name = field_text(caut.user_id, segment.ccsid)
        self.user = name or self.user
        password = caut.password_length > 0
        self._says_who(segment, "CONAUTH_INFO", name, password, protected=self._protected() if password else None)
        if track is not None:
            self._step(track, ConversationTrigger.SIGN_ON, "CONAUTH_INFO")
            self._wait_for(
                track,
                Waiting(segment.type, "CONAUTH_INFO", segment.request_id, 0, self._place, segment.length, 0),
            )

    def _says_who(self, segment: Segment, kind: str, name: str, password: bool, *, protected: bool | None) -> None:
        self.password_given = self.password_given or password
        said = kind, name, password, protected
        repeated = said in self._said
        if len(self._said) < MAX_SIGN_ONS:
            self._said.add(said)
        self._tell(CredentialsSeen, segment.conversation_id, *said, repeated)

    def _protected(self) -> bool | None:
        """Whether passwords are protected by an algorithm."""
        agreed = self.agreed
        if agreed is None:
            return None
        if agreed.fap_level < PROTECTING_LEVEL:
            return False
        return bool(agreed.password_algorithms) and agreed.password_algorithms[0] != CLEAR_ALGORITHM

    def _wait_for(self, track: Track, call: Waiting) -> None:
        raise NotImplementedError

    # STATUS_DATA

    def _status(self, segment: Segment) -> None:
        body = parse_status_data(segment.body_view, segment.order)
        code = 0 if body is None else body.code
        flags = segment.flags1
        track = self._tracks.get(segment.conversation_id)
        sign_on = (
            next((call for call in track.waiting if call.type == SegmentType.CONAUTH_INFO), None) if track else None
        )
        if sign_on is not None and track is not None and self._direction is not _INITIATOR:
            track.waiting.remove(sign_on)
            accepted = not flags & _ERROR
            self._tell(CredentialsAnswered, track.id, accepted, code, sign_on.asked)
            if not accepted:
                self._refused(code)
            return
        if flags & _ERROR or code:
            self._error_status(segment, code)
        elif flags & _CLOSE:
            self._closing = True

    def _error_status(self, segment: Segment, code: int) -> None:
        stage = Stage.CONNECTED if self.connected else Stage.NEGOTIATION
        if stage is Stage.NEGOTIATION and self.agreed is not None:
            stage = Stage.SIGN_ON
        shared = segment.struc_id in SHARED_HEADERS
        heeded = bool(segment.flags1 & _CLOSE) and not (shared and self.agreed is not None)
        meaning = meaning_of(StatusCode(code)).reason
        self._tell(StatusSeen, segment.conversation_id, code, meaning, segment.flags1, stage, heeded)
        if heeded:
            self.reason = code
            self._refused(code)

    def _refused(self, reason: int) -> None:
        """Somebody may not come in; the connection goes on if others are there."""
        if not self.connected:
            self.outcome, self.reason = "refused", reason


def is_over(state: ConversationState) -> bool:
    """Whether nobody is connected in a conversation of that state."""
    return state in (ConversationState.STARTED, ConversationState.DISCONNECTED, ConversationState.ENDED)
