"""Waiting for a message, as a value (mqi.md 8)."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from .options import GetOptions


@define(eq=False)
class Waiter:
    """A get or browse that waits at a queue.

    ``owner`` is whatever the caller wants to find in the :class:`~bridge.queue_manager.effects.Wake`. ``until``:
    seconds since the epoch, None for MQWI_UNLIMITED. ``options`` tell what it waits for, whether it browses and
    whether it fails when the queue manager quiesces. ``queue`` is the name of the queue while it waits.
    """

    owner: Any
    options: GetOptions = field(factory=GetOptions)
    until: float | None = None
    queue: str = ""
