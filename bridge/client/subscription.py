"""A subscription to a topic, with the queue for its publications."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self, Unpack

from mqbridge.protocol.constants import MQCO, MQRC, MQSO, MQSR
from mqbridge.protocol.mqi_client import Calls, SubscriptionName, publications, subscribed

from .errors import error_for
from .message import Message
from .objects import GetArguments, OpeningQueueManager, close_handles, result, select_message

_MANAGED: Final = int(MQSO.CREATE | MQSO.RESUME | MQSO.MANAGED | MQSO.FAIL_IF_QUIESCING)
_NON_DURABLE: Final = int(MQSO.CREATE | MQSO.MANAGED | MQSO.FAIL_IF_QUIESCING)
_DURABLE: Final = int(MQSO.DURABLE)


class Subscription:
    """A subscription with a managed queue; gets and iteration are those of a queue, without selectors.

    A ``durable`` one has a name, survives closing, and is resumed by its name. ``options``: further MQSO options.
    Raises `MQError`.
    """

    def __init__(
        self,
        manager: OpeningQueueManager,
        topic: str,
        *,
        durable: str = "",
        selector: str = "",
        object_name: str = "",
        options: int = 0,
    ) -> None:
        self.manager = manager
        self.topic = topic
        self.name = durable or topic
        self.durable = bool(durable)
        bits = (_MANAGED | _DURABLE if durable else _NON_DURABLE) | options
        named = SubscriptionName(options=bits, topic=topic, object_name=object_name, name=durable, selector=selector)
        call = manager.link.do(Calls.subscribe, named, 0)
        self._queue, self._subscription, _ = result(call, subscribed, self.name)
        self._open = True

    def get(self, **how: Unpack[GetArguments]) -> Message | None:
        """Get a publication; None if none arrives in time. Arguments and errors as for `Queue.get`."""
        return select_message(self.manager, self.name, self._input, how)

    def messages(self, **how: Unpack[GetArguments]) -> Iterator[Message]:
        """Get publications until none arrives in time."""
        while (message := self.get(**how)) is not None:
            yield message

    def __iter__(self) -> Iterator[Message]:
        """Get the publications that have arrived."""
        return self.messages()

    def _input(self, selector: str) -> int:
        if selector:
            raise ValueError("the selector of a subscription is given when it is made")
        self._check_open()
        return self._queue

    def _check_open(self) -> None:
        if not self._open:
            raise error_for(MQRC.HOBJ_ERROR, f"{self.name}: the subscription is closed")

    def request(self) -> int:
        """Request the retained publications (MQSUBRQ). Returns how many are sent. Raises `MQError`."""
        self._check_open()
        action, handle = MQSR.ACTION_PUBLICATION, self._subscription
        call = self.manager.link.do(Calls.request_publications, handle, action)
        return result(call, publications, self.name)

    def close(self, *, remove: bool = False) -> None:
        """Close it. ``remove``: delete a durable one with its messages. Raises `MQError`."""
        if not self._open:
            return
        self._open = False
        if self.manager.link.closed:
            return
        last = MQCO.REMOVE_SUB if remove else MQCO.KEEP_SUB if self.durable else MQCO.NONE
        close_handles(self.manager, ((self._queue, MQCO.NONE), (self._subscription, last)), self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Subscription {self.name}>"
