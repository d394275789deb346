"""Giving back what many messages have in memory, in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .bodies import HeldBody, release

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.turns import Steps

_FREED: Final = 10
"""Units of work for a body that is given back."""


def free(core: Core, bodies: Iterable[HeldBody]) -> Steps:
    """Gives back what bodies in memory hold, in pieces."""
    yield 0
    for held in bodies:
        core.memory_used -= release(core.store, held)
        yield _FREED
