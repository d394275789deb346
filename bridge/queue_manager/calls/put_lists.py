"""MQOPEN, MQPUT and MQPUT1 of a distribution list (mqi.md 2.4, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.connections.connection import Connection
from mqbridge.bridge.queue_manager.connections.lists import DistributionList, check_list, outcome_of
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.opening import close_queue
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.bridge.security import options_of_put1
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOO, MQPMO, MQRC

from .handles import open_queue_handle
from .outcomes import DestinationOutcome, ListOpened, ListOutcome, ListPlaced, PutNames
from .puts import names_of, options_of, put_failed_as, put_options, put_through
from .requests import OpenList, PutList, PutOneList

_ASYNC: Final = int(MQPMO.ASYNC_RESPONSE)
_QUIESCING: Final = int(MQPMO.FAIL_IF_QUIESCING)
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
NO_HANDLE: Final = -1


def open_list(connection: Connection, request: OpenList, now: Time) -> ListOpened:
    """Open the queues of a distribution list. Raises `MQError` 2017, 2045, 2046, 2154 for the call as a whole."""
    connection.enter(request.options & MQOO.FAIL_IF_QUIESCING)
    check_list(len(request.names), request.options)
    connection.handles.require_room()
    opened, outcome = _open_all(connection, request.names, request.options, request.alternate_user, now)
    if outcome.invalid == len(request.names):
        return ListOpened(NO_HANDLE, outcome)
    return ListOpened(connection.handles.add(opened), outcome)


def _open_all(
    connection: Connection, names: Sequence[tuple[str, str]], options: int, alternate_user: str, now: Time
) -> tuple[DistributionList, ListOutcome]:
    core = connection.core
    destinations: list[Handle | DestinationOutcome] = []
    for name, manager_name in names:
        try:
            if resolve(core, name, manager_name).model is not None:
                raise MQError(MQRC.Q_TYPE_ERROR, f"{name} is a model queue")
            destinations.append(
                open_queue_handle(connection, name, manager_name, options, now, alternate_user=alternate_user)
            )
        except MQError as error:
            destinations.append(DestinationOutcome.of(error))
    answers = [DestinationOutcome() if isinstance(each, Handle) else each for each in destinations]
    opened = DistributionList(destinations, options, lambda handle, at: close_queue(core, handle, 0, at))
    return opened, outcome_of(destinations, answers)


def put_list(connection: Connection, request: PutList, now: Time) -> ListPlaced | None:
    """Make an MQPUT to an open list, one message to each destination; those that could not be opened fail with 2137.

    Returns None while the store has not answered. Raises `MQError` 2019, and 2154 for a wrong number of messages.
    """
    opened = connection.handles.get(request.hobj) if request.hobj in connection.handles else None
    if not isinstance(opened, DistributionList):
        raise MQError(MQRC.HOBJ_ERROR, str(request.hobj))
    if len(request.descriptors) != len(opened.destinations):
        raise MQError(MQRC.RECS_PRESENT_ERROR, f"{len(request.descriptors)} messages")
    return _ListPut(connection, request, opened.destinations).put(request.options, now)


def put_one_list(connection: Connection, request: PutOneList, now: Time) -> ListPlaced | None:
    """Make an MQPUT1 to a list. A destination that cannot be opened fails with the reason code of the open.

    Returns None while the store has not answered. Raises `MQError` 2045, 2154.
    """
    options = options_of_put1(request.options)
    connection.enter(options & MQOO.FAIL_IF_QUIESCING)
    check_list(len(request.names), options)
    opened, _ = _open_all(connection, request.names, options, request.alternate_user, now)
    if len(request.descriptors) != len(opened.destinations):
        raise MQError(MQRC.RECS_PRESENT_ERROR, f"{len(request.descriptors)} messages")
    try:
        return _ListPut(connection, request, opened.destinations, opens=True).put(
            request.options & ~_ALTERNATE_USER, now
        )
    finally:
        opened.close_at_end(now)


class _ListPut:
    """A put to a distribution list, until every destination has its outcome.

    ``opens``: whether it is an MQPUT1, which has opened the destinations itself.
    """

    __slots__ = ("_answers", "_awaited", "_connection", "_destinations", "_messages", "_opens", "_request", "_returned")

    def __init__(
        self,
        connection: Connection,
        request: PutList | PutOneList,
        destinations: Sequence[Handle | DestinationOutcome],
        *,
        opens: bool = False,
    ) -> None:
        self._connection = connection
        self._request = request
        self._destinations = tuple(destinations)
        self._opens = opens
        self._answers = [DestinationOutcome()] * len(destinations)
        self._awaited = 0
        self._messages = [
            Message(descriptor, request.body, order=request.order, ccsid=request.ccsid)
            for descriptor in request.descriptors
        ]

    def put(self, bits: int, now: Time) -> ListPlaced | None:
        """Put a message to each destination; None while the store has not answered."""
        for index, (destination, message) in enumerate(zip(self._destinations, self._messages, strict=True)):
            try:
                warning, pending = self._put_one(destination, message, bits, now)
            except MQError as error:
                failed = DestinationOutcome.of(error)
                if bits & _ASYNC:
                    put_failed_as(self._connection, self._names(destination), bits, error)
                else:
                    before = isinstance(destination, DestinationOutcome) and self._opens
                    self._answers[index] = (
                        destination if before and isinstance(destination, DestinationOutcome) else failed
                    )
                continue
            if bits & _ASYNC:
                self._unawaited(destination, warning, pending)
                continue
            self._answers[index] = DestinationOutcome.warning(warning)
            if pending is not None:
                self._awaited += 1
                pending.then = partial(self._stored, index)
        return None if self._awaited else self._outcome()

    def _put_one(
        self, destination: Handle | DestinationOutcome, message: Message, bits: int, now: Time
    ) -> tuple[int, PendingCommit | None]:
        connection, request = self._connection, self._request
        if not isinstance(destination, Handle):
            raise MQError(MQRC.OPEN_FAILED, str(destination.reason))
        options = put_options(connection, destination, bits)
        options = options_of(connection, options, request.delay, request.context)
        return put_through(connection, destination, message, options, now)

    def _names(self, destination: Handle | DestinationOutcome) -> PutNames:
        return names_of(self._connection, destination) if isinstance(destination, Handle) else PutNames()

    def _unawaited(self, destination: Handle | DestinationOutcome, warning: int, pending: PendingCommit | None) -> None:
        record, names = self._connection.put_record, self._names(destination)
        if pending is None:
            record.stored(names, warning, None)
        else:
            pending.then = partial(record.stored, names, warning)

    def _stored(self, index: int, error: MQError | None) -> None:
        """Record the store's answer for one destination."""
        if error is not None:
            self._answers[index] = DestinationOutcome.of(error)
        self._awaited -= 1
        if not self._awaited:
            self._connection.complete(self._request.tag, self._outcome())

    def _outcome(self) -> ListPlaced:
        descriptors = tuple(message.raw_md for message in self._messages)
        return ListPlaced(descriptors, outcome_of(self._destinations, self._answers))
