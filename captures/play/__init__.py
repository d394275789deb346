"""The other side of a session, played: from recorded messages, or by the script of its description alone."""

from __future__ import annotations

from .answering import Answerer
from .asking import Asker
from .player import Player
from .recorded import Recorded
from .scripted import ScriptedEnd

__all__ = ["Answerer", "Asker", "Player", "Recorded", "ScriptedEnd"]
