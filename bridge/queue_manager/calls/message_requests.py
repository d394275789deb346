"""Requests that are made for each message; see :mod:`requests` for their common fields."""

from __future__ import annotations

from typing import Any, NamedTuple, final

from mqbridge.bridge.queue_manager.options import ANY_LENGTH, NO_ID, NO_TOKEN
from mqbridge.bridge.queue_manager.values import Value
from mqbridge.mappings.body import Body
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQCCSI, MQGMO, MQMO, ByteOrder


@final
class Put(Value):
    """MQPUT. ``context``: handle whose saved context MQPMO_PASS_* passes on. ``delay``: delivery delay in milliseconds.
    Outcome: `Placed`; with MQPMO_ASYNC_RESPONSE at once, and never `Failed`."""

    __slots__ = ("body", "ccsid", "context", "delay", "descriptor", "hobj", "options", "order", "tag")

    def __init__(
        self,
        tag: int,
        hobj: int,
        descriptor: bytes,
        body: Body,
        options: int,
        order: ByteOrder,
        ccsid: int,
        context: int = 0,
        delay: int = 0,
    ) -> None:
        self.tag = tag
        self.hobj = hobj
        self.descriptor = descriptor
        self.body = body
        self.options = options
        self.order = order
        self.ccsid = ccsid
        self.context = context
        self.delay = delay

    def held(self) -> tuple[Any, ...]:
        """Return its fields."""
        return (
            self.tag,
            self.hobj,
            self.descriptor,
            self.body,
            self.options,
            self.order,
            self.ccsid,
            self.context,
            self.delay,
        )


class Wanted(NamedTuple):
    """Selection and form of the message of a get or browse; all gets of a stream share one `Wanted`.

    ``options``: MQGMO bits. ``match``: MQMO bits. ``max_length``: buffer length in bytes, or ``ANY_LENGTH``.
    ``encoding`` and ``ccsid``: of the data, for MQGMO_CONVERT. ``asks_again``: see `GetOptions`.
    """

    options: int = int(MQGMO.NO_WAIT)
    match: int = int(MQMO.NONE)
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    token: bytes = NO_TOKEN
    max_length: int = ANY_LENGTH
    gmo_version: int = 4
    md_version: int = 2
    encoding: int = NATIVE_ORDER.encoding
    ccsid: int = MQCCSI.Q_MGR
    asks_again: bool = False


@final
class Get(Value):
    """MQGET, destructive or browsing by its MQGMO bits. Outcome: `RetrievedMessage`, or `Failed` 2033.

    ``wait_interval``: milliseconds for MQGMO_WAIT, or ``UNLIMITED``. A message got outside syncpoint is held until
    `Settle` confirms that it has arrived.
    """

    __slots__ = ("hobj", "tag", "wait_interval", "wanted")

    def __init__(self, tag: int, hobj: int, wanted: Wanted, wait_interval: int = 0) -> None:
        self.tag = tag
        self.hobj = hobj
        self.wanted = wanted
        self.wait_interval = wait_interval

    def held(self) -> tuple[Any, ...]:
        """Return its fields."""
        return self.tag, self.hobj, self.wanted, self.wait_interval


@final
class Settle(Value):
    """Settle messages that were got, by their tokens.

    ``arrived``: the program has received them; they are removed. ``back``: they return to their places with their
    BackoutCount unchanged. Outcome: `Done` when the removal is on disk; if the store refuses it, the messages return to
    their queues uncounted. With tag 0 the outcome does not wait for the store.
    """

    __slots__ = ("arrived", "back", "tag")

    def __init__(self, tag: int, arrived: tuple[bytes, ...] = (), back: tuple[bytes, ...] = ()) -> None:
        self.tag = tag
        self.arrived = arrived
        self.back = back

    def held(self) -> tuple[Any, ...]:
        """Return its fields."""
        return self.tag, self.arrived, self.back
