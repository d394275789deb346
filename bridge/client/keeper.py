"""A thread that reads a connection from time to time while nobody calls.

It answers the queue manager's heartbeats and notices when the connection ends. It is inactive during a call, and ends
with the connection, or when the program has dropped the queue manager.
"""

from __future__ import annotations

import threading
import weakref
from typing import Protocol

from .link import ClientLink


class Kept(Protocol):
    """What has the connection."""

    link: ClientLink


def keep(owner: Kept) -> None:
    """Look after the connection of ``owner``, if its heartbeats need it."""
    link = owner.link
    if link.rest is not None:
        arguments = (weakref.ref(owner), link.stopped, link.rest)
        threading.Thread(target=_look, args=arguments, name="mqbridge client", daemon=True).start()


def _look(owner: weakref.ref[Kept], stopped: threading.Event, rest: float) -> None:
    while not stopped.wait(rest):
        kept = owner()
        if kept is None:
            return
        kept.link.look()
        del kept
