"""Requests of a session, as values: they can be compared, written down and made again.

``tag``: chosen by who asks; an outcome that comes later carries it. ``hobj``: a handle as `Opened` gave it. ``options``
are the bits of the structure that the call has in MQ (MQOO, MQCO, MQPMO, MQGMO, MQSO …). A message is given as its
MQMD of version 1 or 2 in ``order``, its text in ``ccsid``, and its data; data that are not ``bytes`` are a body handle.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager.options import ANY_LENGTH, NO_ID
from mqbridge.bridge.queue_manager.pubsub import SubscriptionRequest
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.body import Body
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQCCSI, MQGMO, MQMO, MQOT, MQPER, ByteOrder

from .agent_requests import DisposeUndelivered, GetMany, HoldMessages, InquirePutAuthority, PutMany
from .xa_requests import Recover, Xa

UNLIMITED = -1
"""MQWI_UNLIMITED: the WaitInterval of a wait without end."""


class Open(NamedTuple):
    """MQOPEN of a queue, namelist, process or the queue manager. Outcome: `Opened`."""

    tag: int
    object_name: str
    object_q_mgr_name: str
    options: int
    object_type: int = int(MQOT.Q)
    dynamic_name: str = ""
    selection_string: str = ""
    alternate_user: str = ""


class OpenTopic(NamedTuple):
    """MQOPEN of a topic by the name of an object, a topic string, or both. Outcome: `Opened`."""

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
    """MQCLOSE of whatever a handle stands for. Outcome: `Done`."""

    tag: int
    hobj: int
    options: int


class Put(NamedTuple):
    """MQPUT. ``context``: handle whose saved context MQPMO_PASS_* passes on. ``delay``: milliseconds before which the
    message is not delivered. Outcome: `Placed`; with MQPMO_ASYNC_RESPONSE at once, and never a failure."""

    tag: int
    hobj: int
    descriptor: bytes
    body: Body
    options: int
    order: ByteOrder
    ccsid: int
    context: int = 0
    delay: int = 0


class Stage(NamedTuple):
    """Begins the data of a message that arrive in parts and are to be put through a handle. ``persistence``: MQPER of
    the message. Outcome: `Staging`, or `Failed` where the queue takes no messages now."""

    tag: int
    hobj: int
    persistence: int = int(MQPER.AS_Q_DEF)


class PutOne(NamedTuple):
    """MQPUT1 to a queue; see `Put`. ``alternate_user`` counts with MQPMO_ALTERNATE_USER_AUTHORITY: that user must be
    allowed to put, and the program to stand in. Outcome: `Placed`."""

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
    """MQPUT1 to a topic; see `Put`. ``alternate_user`` counts with MQPMO_ALTERNATE_USER_AUTHORITY. Outcome:
    `Placed`."""

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
    """A put whose outcome nobody waits for, and that could not be tried: it counts as one that failed. ``hobj``, or the
    names of an MQPUT1, say where it was to go. Outcome: `Done`."""

    tag: int
    reason: int
    options: int
    hobj: int = 0
    object_name: str = ""
    object_q_mgr_name: str = ""


class Wanted(NamedTuple):
    """Which message a get or browse wants, and in what form; a stream of gets has one `Wanted` for all of them.

    ``options``: MQGMO bits. ``match``: MQMO bits. ``max_length``: bytes of room, or ``ANY_LENGTH``. ``encoding`` and
    ``ccsid``: of the data with MQGMO_CONVERT. ``asks_again``: see `GetOptions`.
    """

    options: int = int(MQGMO.NO_WAIT)
    match: int = int(MQMO.NONE)
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    token: bytes = bytes(16)
    max_length: int = ANY_LENGTH
    gmo_version: int = 4
    md_version: int = 2
    encoding: int = NATIVE_ORDER.encoding
    ccsid: int = int(MQCCSI.Q_MGR)
    asks_again: bool = False


class Get(NamedTuple):
    """MQGET, destructive or browse by its MQGMO bits. Outcome: `RetrievedMessage`, or `Failed` 2033.

    ``wait_interval``: milliseconds to wait with MQGMO_WAIT, or ``UNLIMITED``. A message that is got outside syncpoint
    is held until `Settle` says that it has arrived.
    """

    tag: int
    hobj: int
    wanted: Wanted
    wait_interval: int = 0


class Unlock(NamedTuple):
    """MQGET with MQGMO_UNLOCK. Outcome: `Done`, with 2209 where nothing was locked."""

    tag: int
    hobj: int
    wanted: Wanted


class Wait(NamedTuple):
    """Waits for a message without getting it: who consumes asynchronously. Outcome: `Available`, or `Failed` with the
    reason for which the wait has ended. ``for_gets``: waits until gets are no longer inhibited, which ends it with
    2494."""

    tag: int
    hobj: int
    wanted: Wanted
    for_gets: bool = False


class Cancel(NamedTuple):
    """Ends the waiting or searching of the request with the tag ``of``: with a ``reason``, or unseen. Outcome:
    `Done`."""

    tag: int
    of: int
    reason: int = 0


class Settle(NamedTuple):
    """Says of messages that were got, by their tokens, which have ``arrived`` with the program and which go ``back`` to
    their places, their BackoutCount as it was. Outcome: `Done` when it is on disk; where the store refuses it the
    messages are on their queues again, not counted. With tag 0 nobody waits for that: `Done` at once."""

    tag: int
    arrived: tuple[bytes, ...] = ()
    back: tuple[bytes, ...] = ()


class Begin(NamedTuple):
    """MQBEGIN. Outcome: `Failed`."""

    tag: int


class SeparateUnit(NamedTuple):
    """Makes a message that was got under syncpoint, by its token, a unit of work of its own: `Commit` with the token
    commits it, `Backout` backs it out with the rest, and MAXUMSGS does not count it. Outcome: `Done`."""

    tag: int
    token: bytes


class Commit(NamedTuple):
    """MQCMIT; ``rows`` of the caller's own go into the same transaction. With ``tokens`` only these messages are
    committed, which `SeparateUnit` has made units of work of their own. Outcome: `Done`.

    Of a channel ``tokens`` are messages that leave their queue with the rest; where the store refuses they stay held.
    """

    tag: int
    rows: tuple[Operation, ...] = ()
    tokens: tuple[bytes, ...] = ()


class Backout(NamedTuple):
    """MQBACK. ``tokens``: of a channel, the messages that go back with it, counted in their BackoutCount. Outcome:
    `Done`."""

    tag: int
    tokens: tuple[bytes, ...] = ()


class Disconnect(NamedTuple):
    """MQDISC: commits, and closes all handles. Outcome: `Done`, with 2003 as a warning."""

    tag: int


class Inquire(NamedTuple):
    """MQINQ. Outcome: `InquiredAttributes`."""

    tag: int
    hobj: int
    selectors: tuple[int, ...]
    int_count: int
    char_length: int


class Set(NamedTuple):
    """MQSET; ``characters`` has a text for each character selector. Outcome: `Done`."""

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
    """SPI RESERVE: a block of ``number`` message ids. Outcome: `Reserved`."""

    tag: int
    number: int


class Subscribe(NamedTuple):
    """MQSUB. ``hobj``: the destination, where the subscription is not managed. Outcome: `Subscribed`."""

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
    | GetMany | HoldMessages
)  # fmt: skip
