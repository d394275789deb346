"""Requests of the queue manager's own agents, which act for others; see :mod:`requests` for what requests are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mqbridge.mappings.body import Body
from mqbridge.protocol.constants import ByteOrder


class InquirePutAuthority(NamedTuple):
    """Asks with whose authority a message was put that was got under syncpoint, by its token. Outcome:
    `PutAuthority`."""

    tag: int
    token: bytes


class DisposeUndelivered(NamedTuple):
    """A message that an agent cannot put where its names lead: it is returned, discarded or dead-lettered, with the
    exception report that it asks for (channels.md 7.2). Outcome: `Disposed`, or `Failed` with the original ``reason``
    where nothing of this can be done.

    ``fast``: it may be lost, and a channel's is no part of the unit of work. ``user``: with whose authority it came.
    ``token``: of a message that a channel has got and cannot send, which leaves its queue with it and goes back if that
    fails; its row, where it says so, decides with whose authority it came.
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
    token: bytes = b""


class PutMany(NamedTuple):
    """Puts of a channel: messages with the same names and form, descriptor and data of each, until one cannot be put.

    ``options`` are those of `PutOne`, without an alternate user. Outcome: `PlacedMany`.
    """

    tag: int
    object_name: str
    object_q_mgr_name: str
    messages: Sequence[tuple[bytes, bytes]]
    options: int
    order: ByteOrder
    ccsid: int


class GetMany(NamedTuple):
    """Gets of a channel: the first messages of a transmission queue, at most ``most``, and none once ``room`` bytes of
    data are reached. They are held until `Commit`, `Backout` or `Settle` names their tokens. Outcome: `RetrievedMany`.

    ``uncommitted``: how many messages the unit of work has that these are to be part of; MAXUMSGS limits them all.
    """

    tag: int
    hobj: int
    most: int
    room: int
    uncommitted: int = 0


class HoldMessages(NamedTuple):
    """Takes the messages at some positions of a queue, as far as they are there: those of a batch that was in doubt
    when the queue manager ended (channels.md 5.4). Outcome: `MessagesHeld`."""

    tag: int
    queue_name: str
    positions: tuple[int, ...]
