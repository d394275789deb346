"""A thread that reads a connection from time to time while nobody calls.

It answers the queue manager's heartbeats and notices when the connection ends. It is inactive during a call, and ends
with the connection, or when the program has dropped the queue manager.
"""

from __future__ import annotations

import threading
import weakref

from .objects import OpeningQueueManager


def keep(manager: OpeningQueueManager) -> None:
    """Look after the connection of a queue manager, if its heartbeats need it."""
    stopped, rest = manager.link.stopped, manager.link.rest
    if rest is not None:
        arguments = (weakref.ref(manager), stopped, rest)
        threading.Thread(target=_look, args=arguments, name="mqbridge client", daemon=True).start()


def _look(manager: weakref.ref[OpeningQueueManager], stopped: threading.Event, rest: float) -> None:
    while not stopped.wait(rest):
        kept = manager()
        if kept is None:
            return
        kept.link.look()
        del kept
