"""Users, passwords and the status segments that answer them (client-observed.md 2)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.channel.status import meaning_of
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import SHARED_HEADERS, Segment
from mqbridge.protocol.structures import parse_conauth, parse_status_data, parse_userid

from .connection_observations import ClientStatusSeen, ConnectStage, CredentialsAnswered, CredentialsSeen
from .conversations import ConversationObserver
from .negotiation import ClientNegotiationObserver, field_text
from .open_calls import OpenCalls
from .tracking import Waiting

MAX_SIGN_ONS: Final = 100
"""Users of one connection that are kept."""
_CLOSE: Final = int(ControlFlags1.CLOSE_CHANNEL)
_ERROR: Final = int(ControlFlags1.ERROR)
_CONAUTH: Final = SegmentType.CONAUTH_INFO


@final
class SignOn:
    """USERID_DATA, CONAUTH_INFO and STATUS_DATA. ``password_given``: a password was sent."""

    __slots__ = ("_conversations", "_log", "_negotiation", "_open_calls", "_overview", "_said", "password_given")

    def __init__(
        self,
        log: ObservationLog,
        overview: Overview,
        negotiation: ClientNegotiationObserver,
        conversations: ConversationObserver,
        open_calls: OpenCalls,
    ) -> None:
        self._log, self._overview, self._negotiation = log, overview, negotiation
        self._conversations, self._open_calls = conversations, open_calls
        self.password_given = False
        self._said: set[tuple[str, str, bool, bool | None]] = set()

    def user_id(self, segment: Segment) -> None:
        """Take a USERID_DATA. Raises ``StructureError``."""
        conversations, overview = self._conversations, self._overview
        track = conversations.find(segment)
        uid = parse_userid(segment.body_view, segment.order)
        ccsid = segment.ccsid
        name = field_text(uid.record.long_user_id, ccsid) if uid.has("long_user_id") else ""
        name = name or field_text(uid.record.user_id, ccsid)
        overview.user = overview.user or name
        password = bool(field_text(uid.record.password, ccsid))
        self._note_user(segment, "USERID_DATA", name, password, protected=False if password else None)
        if track is not None:
            conversations.step(track, ConversationTrigger.SIGN_ON, "USERID_DATA")

    def credentials(self, segment: Segment) -> None:
        """Take a CONAUTH_INFO. Raises ``StructureError``."""
        track = self._conversations.find(segment)
        caut = parse_conauth(segment.body_view, segment.order)
        name = field_text(caut.user_id, segment.ccsid)
        self._overview.user = name or self._overview.user
        password = caut.password_length > 0
        protected = self._negotiation.passwords_protected if password else None
        self._note_user(segment, "CONAUTH_INFO", name, password, protected=protected)
        if track is not None:
            self._conversations.step(track, ConversationTrigger.SIGN_ON, "CONAUTH_INFO")
            call = Waiting(_CONAUTH, "CONAUTH_INFO", segment.request_id, 0, self._log.place, segment.length, 0)
            self._open_calls.add(track, call)

    def _note_user(self, segment: Segment, kind: str, name: str, password: bool, *, protected: bool | None) -> None:
        self.password_given = self.password_given or password
        said = kind, name, password, protected
        repeated = said in self._said
        if len(self._said) < MAX_SIGN_ONS:
            self._said.add(said)
        self._log.add(CredentialsSeen, segment.conversation_id, *said, repeated)

    def status(self, segment: Segment) -> None:
        """Take a STATUS_DATA. Raises ``StructureError``."""
        body = parse_status_data(segment.body_view, segment.order)
        code = 0 if body is None else body.record.code
        flags = segment.flags1
        track = self._conversations.tracks.get(segment.conversation_id)
        call = next((call for call in track.waiting if call.type == _CONAUTH), None) if track else None
        if call is not None and track is not None and self._log.direction is not Direction.INITIATOR:
            track.waiting.remove(call)
            accepted = not flags & _ERROR
            self._log.add(CredentialsAnswered, track.id, accepted, code, call.asked)
            if not accepted:
                self._conversations.refuse(code)
            return
        if flags & _ERROR or code:
            self._error_status(segment, code)
        elif flags & _CLOSE:
            self._conversations.closing = True

    def _error_status(self, segment: Segment, code: int) -> None:
        negotiating = self._negotiation.agreed is None
        stage = ConnectStage.NEGOTIATION if negotiating else ConnectStage.SIGN_ON
        if self._conversations.connected:
            stage = ConnectStage.CONNECTED
        shared = segment.struc_id in SHARED_HEADERS
        heeded = bool(segment.flags1 & _CLOSE) and (negotiating or not shared)
        meaning = meaning_of(StatusCode(code)).reason
        self._log.add(ClientStatusSeen, segment.conversation_id, code, meaning, segment.flags1, stage, heeded)
        if heeded:
            self._overview.reason = code
            self._conversations.refuse(code)
