"""What has become of puts whose program did not wait for the outcome: MQSTAT (mqi.md 5.5, mq-wire.md 5.17)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.units_of_work import Then
from mqbridge.protocol.constants import MQCC, MQOT

Call: TypeAlias = Callable[["Then | None"], int]
"""A put that is told its continuation, and returns the reason of a warning, or 0."""

STAT_ASYNC_ERROR: Final = 0
STAT_RECONNECTION: Final = 1
STAT_RECONNECTION_ERROR: Final = 2


@dataclass(slots=True)
class PutStatus:
    """An MQSTS: counts of asynchronous puts since the last MQSTAT, and the first of them that went wrong.

    ``completion`` and ``reason`` of the first failure, else of the first warning, else 0. The names are those of the
    queue of that put: as opened, and as resolved.
    """

    completion: int = int(MQCC.OK)
    reason: int = 0
    success_count: int = 0
    warning_count: int = 0
    failure_count: int = 0
    object_type: int = int(MQOT.Q)
    object_name: str = ""
    object_q_mgr_name: str = ""
    resolved_object_name: str = ""
    resolved_q_mgr_name: str = ""


@dataclass(slots=True)
class PutNames:
    """The names by which an asynchronous put is reported, and whether they mean a remote queue."""

    object_name: str = ""
    object_q_mgr_name: str = ""
    resolved_object_name: str = ""
    resolved_q_mgr_name: str = ""
    remote: bool = False


class PutRecord:
    """Counts the asynchronous puts of one connection."""

    __slots__ = ("_status",)

    def __init__(self) -> None:
        self._status = PutStatus()

    def succeeded(self, names: PutNames, warning: int = 0) -> None:
        """A put has ended well, or with a warning."""
        status = self._status
        if not warning:
            status.success_count += 1
            return
        status.warning_count += 1
        if status.completion == MQCC.OK:
            self._note(MQCC.WARNING, warning, names)

    def failed(self, names: PutNames, error: MQError) -> None:
        """A put has failed."""
        self._status.failure_count += 1
        if self._status.completion != MQCC.FAILED:
            self._note(MQCC.FAILED, error.reason, names)

    def _note(self, completion: int, reason: int, names: PutNames) -> None:
        status = self._status
        status.completion, status.reason = int(completion), int(reason)
        status.object_name, status.object_q_mgr_name = names.object_name, names.object_q_mgr_name
        status.resolved_object_name, status.resolved_q_mgr_name = names.resolved_object_name, names.resolved_q_mgr_name

    def take(self) -> PutStatus:
        """The counts so far; counting begins anew."""
        taken, self._status = self._status, PutStatus()
        return taken

    def count(self, names: PutNames, call: Call, *, awaits_store: bool) -> bool:
        """Makes a put and counts what comes of it, once it is on disk where it ``awaits_store``; False if it failed."""
        counting = _Counting(self, names)
        try:
            warning = call(counting.stored if awaits_store else None)
        except MQError as error:
            self.failed(names, error)
            return False
        if not awaits_store:
            counting.stored(None)
        counting.placed(warning)
        return True


class _Counting:
    """One put: it counts when it was placed and the store has answered, in whatever order."""

    __slots__ = ("_error", "_names", "_record", "_stored", "_warning")

    def __init__(self, record: PutRecord, names: PutNames) -> None:
        self._record = record
        self._names = names
        self._stored = False
        self._error: MQError | None = None
        self._warning: int | None = None

    def stored(self, error: MQError | None) -> None:
        self._stored, self._error = True, error
        self._finish()

    def placed(self, warning: int) -> None:
        self._warning = warning
        self._finish()

    def _finish(self) -> None:
        if not self._stored or self._warning is None:
            return
        if self._error is None:
            self._record.succeeded(self._names, self._warning)
        else:
            self._record.failed(self._names, self._error)
