"""The learner: drafts of protocols that nobody has described, from their messages alone.

It knows no protocol: what it claims rests on the bytes that it was given, and each claim says on how many of them, and
how likely random bytes had made it.
"""

from __future__ import annotations

from .claims import Claim
from .draft import Draft, Kind, Options, learn
from .framing import Framing
from .kinds import KindKey
from .layout import Field, Layout
from .messages import INITIATOR, RESPONDER, Message, Piece, Stream

__all__ = [
    "INITIATOR",
    "RESPONDER",
    "Claim",
    "Draft",
    "Field",
    "Framing",
    "Kind",
    "KindKey",
    "Layout",
    "Message",
    "Options",
    "Piece",
    "Stream",
    "learn",
]
