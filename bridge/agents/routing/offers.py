"""Messages that an input has offered to its route, and which of them are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.store.interface import PutRecord
from mqbridge.mappings.message import Message

from .taken import Taken
from .works import Work

MAX_TOGETHER: Final = 50
"""Messages of one unit of work."""
MAX_BYTES_TOGETHER: Final = 4 << 20
"""Bytes of these messages, unless it is only one."""


@dataclass(eq=False, slots=True)
class Offer:
    """A message of an input. ``records``: what is stored with it, its identity and mark, or nothing. ``work``: what its
    steps make of it."""

    message: Message
    records: tuple[PutRecord, ...]
    then: Callable[[Taken], None]
    work: Work


def first_batch(offers: Iterable[Offer]) -> list[Offer]:
    """Return the first offers, as many as are put together."""
    batch: list[Offer] = []
    total = 0
    for offer in offers:
        total += len(offer.message)
        if batch and (len(batch) == MAX_TOGETHER or total > MAX_BYTES_TOGETHER):
            break
        batch.append(offer)
    return batch
