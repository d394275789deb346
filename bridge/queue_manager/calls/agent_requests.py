"""Requests that only the queue manager's own agents make; see :mod:`requests` for their common fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mqbridge.mappings.body import Body
from mqbridge.protocol.constants import ByteOrder


class InquirePutAuthority(NamedTuple):
    """Ask with whose authority a message was put that was got under syncpoint; ``token`` identifies it.

    Outcome: `PutAuthority`, or `Failed` 2331 for an unknown token.
    """

    tag: int
    token: bytes


class DisposeUndelivered(NamedTuple):
    """Dispose of a message that an agent cannot deliver: return, discard or dead-letter it (channels.md 7.2).

    The exception report that the message requests is put too. Outcome: `Disposed`, or `Failed` with the original
    ``reason`` if no disposal is possible.

    ``dead_letter_queue``: instead of that of the queue manager, which is used if that put fails. ``fast``: a fast
    message of a channel, which may be lost and is outside the unit of work. ``user``: the user with
    whose authority the message came. ``token``: identifies a message that a channel has got and cannot send. It is
    removed from its queue in the same unit of work, and put back if that fails; the user recorded in its row, if any,
    replaces ``user``.
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
    dead_letter_queue: str = ""


class PutMany(NamedTuple):
    """Put several messages of an agent to one destination; the first failure ends the request.

    ``messages``: MQMD and data of each. ``options``: as in `PutOne`, without an alternate user. ``topic``: topic string
    to publish to, instead of a queue. ``checked``: descriptors and headers are checked and completed as those of
    programs, not stored unchanged. Outcome: `PlacedMany`.
    """

    tag: int
    object_name: str
    object_q_mgr_name: str
    messages: Sequence[tuple[bytes, Body]]
    options: int
    order: ByteOrder
    ccsid: int
    topic: str = ""
    checked: bool = False


class PutReceived(NamedTuple):
    """Put several messages that a channel has received for one destination, as `PutOne` with all context does; the
    first failure ends the request.

    ``messages``: MQMD of version 1 and data of each, in one piece. Outcome: `PlacedMany`.
    """

    tag: int
    object_name: str
    object_q_mgr_name: str
    messages: Sequence[bytes]
    order: ByteOrder
    ccsid: int


class OpenSource(NamedTuple):
    """Open a queue for the gets of an agent that is no channel, shared with others. ``selection_string``: its gets and
    waits select by it. ``checked``: the agent's user must be authorized to get. Outcome: `Opened`."""

    tag: int
    queue_name: str
    selection_string: str = ""
    checked: bool = True


class GetMany(NamedTuple):
    """Get the first messages of a transmission queue for a channel, or of a queue that `OpenSource` has opened.

    ``most``: maximum number of messages. ``room``: bytes of data after which no further message is got.
    ``uncommitted``: messages already in the unit of work, which count towards MAXUMSGS. The messages are held until
    `Commit`, `Backout` or `Settle` names their tokens. Outcome: `RetrievedMany`.
    """

    tag: int
    hobj: int
    most: int
    room: int
    uncommitted: int = 0


class HoldMessages(NamedTuple):
    """Take the messages at given positions off a queue; positions without a message are ignored.

    After a restart this restores the messages of a batch in doubt (channels.md 5.4). ``read``: return the messages too.
    Outcome: `MessagesHeld`, or `RetrievedMany` with ``read``.
    """

    tag: int
    queue_name: str
    positions: tuple[int, ...]
    read: bool = False
