"""Requests of the queue manager's own agents, which act for others; see :mod:`requests` for what requests are."""

from __future__ import annotations

from typing import NamedTuple

from mqbridge.mappings.body import Body
from mqbridge.mappings.descriptor import ByteOrder


class Whose(NamedTuple):
    """Asks with whose authority a message was put that was got under syncpoint, by its token. Outcome: `PutBy`."""

    tag: int
    token: bytes


class Undeliverable(NamedTuple):
    """A message that an agent cannot put where its names lead: it is returned, discarded or dead-lettered, with the
    exception report that it asks for (channels.md 7.2). Outcome: `Disposed`, or `Failed` with the original ``reason``
    where nothing of this can be done.

    ``fast``: it may be lost. ``user``: with whose authority it came.
    """

    tag: int
    object_name: str
    object_q_mgr_name: str
    descriptor: bytes
    body: Body
    order: ByteOrder
    ccsid: int
    reason: int
    use_dead_letter_queue: bool
    fast: bool
    user: str
