"""Recorded conversations of IBM's clients, and a real capture, in front of an observer and the rules."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Ending
from support.rules.observer_playbook import Watch
from support.transcripts.client_transcripts import transcript

START = 1_000_000.0


def watched_sockets(name: str) -> Iterator[Watch]:
    """An observer for each connection of a transcript, fed with all of it."""
    closed = [float(note.split()[0]) for note in transcript(name).notes if note.endswith(" closed")]
    for number, segments in enumerate(transcript(name).sockets()):
        watch = Watch(now=START + 100 * number)
        begin = watch.now
        for segment in segments:
            watch.now = max(watch.now, begin + segment.time - 0.001)
            side = Direction.INITIATOR if segment.side == "client" else Direction.RESPONDER
            watch.passes(side, segment.data)
        if len(closed) == 1:  # notes do not say of which connection they are
            watch.now = max(watch.now, begin + closed[0])
        watch.end(Ending.CLOSED)
        yield watch
