"""Requests of a session, as values that can be compared and recorded.

``tag``: chosen by the caller; an outcome that comes later carries it. ``hobj``: a handle from `Opened`. ``options``:
the bits of the call's MQ structure or argument (MQOO, MQCO, MQPMO, MQGMO, MQSO …). ``descriptor``: an MQMD of version 1
or 2 in byte order ``order``, with text in ``ccsid``. ``body``: the data, as ``bytes`` or as a body handle.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager.pubsub import SubscriptionRequest
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.body import Body
from mqbridge.protocol.constants import MQOT, MQPER, ByteOrder

from .agent_requests import (
    DisposeUndelivered,
    GetMany,
    HoldMessages,
    InquirePutAuthority,
    OpenSource,
    PutMany,
    PutReceived,
)
from .message_requests import Get, Put, Settle, Wanted
from .xa_requests import Recover, Xa

__all__ = ["Get", "Put", "Settle", "Wanted"]  # beside what is defined here

UNLIMITED = -1
"""MQWI_UNLIMITED: WaitInterval without a limit."""


class Open(NamedTuple):
    """MQOPEN of a queue, namelist, process or the queue manager. Outcome: `Opened`."""

    tag: int
    object_name: str
    object_q_mgr_name: str
    options: int
    object_type: int = MQOT.Q
    dynamic_name: str = ""
    selection_string: str = ""
    alternate_user: str = ""


class OpenTopic(NamedTuple):
    """MQOPEN of a topic by object name, topic string, or both. Outcome: `Opened`."""

    tag: int
    object_name: str
    object_string: str
    options: int
    alternate_user: str = ""


class OpenList(NamedTuple):
    """MQOPEN of a distribution list; ``names``: queue and queue manager of each destination. Outcome: `ListOpened`."""

    tag: int
    names: tuple[tuple[str, str], ...]
    options: int
    alternate_user: str = ""


class Close(NamedTuple):
    """MQCLOSE of any handle. Outcome: `Done`."""

    tag: int
    hobj: int
    options: int


class Stage(NamedTuple):
    """Begin the data of a message that arrives in parts and will be put through a handle. ``persistence``: MQPER of the
    message. Outcome: `Staging`, or `Failed` if the queue does not accept messages."""

    tag: int
    hobj: int
    persistence: int = MQPER.AS_Q_DEF


class PutOne(NamedTuple):
    """MQPUT1 to a queue; fields as of `Put`. With MQPMO_ALTERNATE_USER_AUTHORITY ``alternate_user`` must be authorized
    to put, and the program to act for others. Outcome: `Placed`."""

    tag: int
    object_name: str
    object_q_mgr_name: str
    descriptor: bytes
    body: Body
    options: int
    order: ByteOrder
    ccsid: int
    context: int = 0
    delay: int = 0
    alternate_user: str = ""


class PublishOne(NamedTuple):
    """MQPUT1 to a topic; fields as of `PutOne`. Outcome: `Placed`."""

    tag: int
    object_name: str
    object_string: str
    descriptor: bytes
    body: Body
    options: int
    order: ByteOrder
    ccsid: int
    context: int = 0
    delay: int = 0
    alternate_user: str = ""


class PutList(NamedTuple):
    """MQPUT to a distribution list, with a descriptor for each destination. Outcome: `ListPlaced`."""

    tag: int
    hobj: int
    descriptors: tuple[bytes, ...]
    body: Body
    options: int
    order: ByteOrder
    ccsid: int
    context: int = 0
    delay: int = 0


class PutOneList(NamedTuple):
    """MQPUT1 to a distribution list, with a descriptor for each destination. Outcome: `ListPlaced`."""

    tag: int
    names: tuple[tuple[str, str], ...]
    descriptors: tuple[bytes, ...]
    body: Body
    options: int
    order: ByteOrder
    ccsid: int
    context: int = 0
    delay: int = 0
    alternate_user: str = ""


class PutFailed(NamedTuple):
    """An asynchronous put that the agent could not try; it is counted as failed. Its destination is ``hobj``, or for an
    MQPUT1 the names. Outcome: `Done`."""

    tag: int
    reason: int
    options: int
    hobj: int = 0
    object_name: str = ""
    object_q_mgr_name: str = ""


class Unlock(NamedTuple):
    """MQGET with MQGMO_UNLOCK. Outcome: `Done`, with reason 2209 if no message was locked."""

    tag: int
    hobj: int
    wanted: Wanted


class Wait(NamedTuple):
    """Wait for a message without getting it, for an asynchronous consumer; ``for_gets``: wait until gets are no longer
    inhibited, which ends the wait with 2494. Outcome: `Available`, or `Failed` with the reason of its end."""

    tag: int
    hobj: int
    wanted: Wanted
    for_gets: bool = False


class Cancel(NamedTuple):
    """End the wait or search of the request with the tag ``of``; its outcome is ``reason``, or none if that is 0.
    Outcome: `Done`."""

    tag: int
    of: int
    reason: int = 0


class Begin(NamedTuple):
    """MQBEGIN. Outcome: `Failed` 2012 or 2128."""

    tag: int


class SeparateUnit(NamedTuple):
    """Make a message that was got under syncpoint a unit of work of its own; ``token`` identifies it. `Commit` with the
    token commits it, `Backout` backs it out with the rest, and MAXUMSGS does not count it. Outcome: `Done`."""

    tag: int
    token: bytes


class Commit(NamedTuple):
    """MQCMIT. ``rows``: the caller's own, written in the same transaction. ``tokens``: commit only these messages,
    which `SeparateUnit` has made units of their own. Outcome: `Done`.

    For a channel ``tokens`` are held messages to remove in the same transaction; if the store refuses it they stay
    held.
    """

    tag: int
    rows: tuple[Operation, ...] = ()
    tokens: tuple[bytes, ...] = ()


class Backout(NamedTuple):
    """MQBACK. ``tokens``: for a channel, held messages that return to their queues, counted in BackoutCount. Outcome:
    `Done`."""

    tag: int
    tokens: tuple[bytes, ...] = ()


class Disconnect(NamedTuple):
    """MQDISC: commit, and close all handles. Outcome: `Done`, or `Failed` with the warning 2003."""

    tag: int


class Inquire(NamedTuple):
    """MQINQ. Outcome: `InquiredAttributes`."""

    tag: int
    hobj: int
    selectors: tuple[int, ...]
    int_count: int
    char_length: int


class Set(NamedTuple):
    """MQSET; ``characters``: one value for each character selector. Outcome: `Done`."""

    tag: int
    hobj: int
    selectors: tuple[int, ...]
    integers: tuple[int, ...]
    characters: tuple[str, ...]


class Stat(NamedTuple):
    """MQSTAT. Outcome: `PutStatus`."""

    tag: int
    status_type: int


class Reserve(NamedTuple):
    """SPI RESERVE of a block of at most ``number`` message ids. Outcome: `Reserved`."""

    tag: int
    number: int


class Subscribe(NamedTuple):
    """MQSUB. ``hobj``: handle of the destination queue of an unmanaged subscription. Outcome: `Subscribed`."""

    tag: int
    hobj: int
    request: SubscriptionRequest
    alternate_user: str = ""


class RequestPublications(NamedTuple):
    """MQSUBRQ. Outcome: `Published`."""

    tag: int
    hsub: int
    action: int
    options: int


Request: TypeAlias = (
    Open | OpenTopic | OpenList | Close | Put | PutOne | PublishOne | PutList | PutOneList | PutFailed | Stage | Get
    | Unlock | Wait | Cancel | Settle | Begin | SeparateUnit | Commit | Backout | Disconnect | Inquire | Set | Stat
    | Reserve | Subscribe | RequestPublications | Xa | Recover | InquirePutAuthority | DisposeUndelivered | PutMany
    | PutReceived | GetMany | HoldMessages | OpenSource
)  # fmt: skip
