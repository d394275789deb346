"""The learner: drafts of protocols that nobody has described, from their messages alone.

It knows no protocol: what it claims rests on the bytes that it was given, and each claim says on how many of them, and
how likely random bytes had made it.
"""

from __future__ import annotations

from .claims import Claim
from .draft import Draft, Kind, Options, learn, learn_messages
from .framing import Framing
from .kinds import KindKey
from .layout import Field, Layout
from .messages import INITIATOR, RESPONDER, Message, Piece, Stream
from .session import Exchange, Heartbeat, KindName, Session, Step

__all__ = [
    "INITIATOR",
    "RESPONDER",
    "Claim",
    "Draft",
    "Exchange",
    "Field",
    "Framing",
    "Heartbeat",
    "Kind",
    "KindKey",
    "KindName",
    "Layout",
    "Message",
    "Options",
    "Piece",
    "Session",
    "Step",
    "Stream",
    "learn",
    "learn_messages",
]
