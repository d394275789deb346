"""What the ends of connections say, whatever they speak: from captures on any port, lines of hex and printed dumps.

`open_dialogues` finds out what a file is. Its events are those of `events`; what could not be read is in its notes.
"""

from __future__ import annotations

from .events import Began, Dialogues, Ended, Event, Lost, Sent
from .files import UnreadableError, open_dialogues

__all__ = ["Began", "Dialogues", "Ended", "Event", "Lost", "Sent", "UnreadableError", "open_dialogues"]
