"""Status of asynchronous puts, for MQSTAT (mqi.md 5.5, mq-wire.md 5.17)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.calls.outcomes import PutNames, PutStatus
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.protocol.constants import MQCC

STAT_ASYNC_ERROR: Final = 0
STAT_RECONNECTION: Final = 1
STAT_RECONNECTION_ERROR: Final = 2
_NOTHING: Final = PutStatus()


class AsynchronousPuts:
    """Counts of the asynchronous puts of one connection, and the first error or warning among them."""

    __slots__ = ("_status",)

    def __init__(self) -> None:
        self._status = _NOTHING

    def succeeded(self, names: PutNames, warning: int = 0) -> None:
        """Count a put that has succeeded. ``warning``: 0 or a reason code."""
        status = self._status
        if not warning:
            self._status = status._replace(success_count=status.success_count + 1)
            return
        self._status = status._replace(warning_count=status.warning_count + 1)
        if status.completion == MQCC.OK:
            self._note(MQCC.WARNING, warning, names)

    def failed(self, names: PutNames, error: MQError) -> None:
        """Count a put that has failed."""
        status = self._status
        self._status = status._replace(failure_count=status.failure_count + 1)
        if status.completion != MQCC.FAILED:
            self._note(MQCC.FAILED, error.reason, names)

    def stored(self, names: PutNames, warning: int, error: MQError | None) -> None:
        """Count a put after the store's answer. ``error``: None, or why the store refused it."""
        if error is None:
            self.succeeded(names, warning)
        else:
            self.failed(names, error)

    def _note(self, completion: int, reason: int, names: PutNames) -> None:
        self._status = self._status._replace(
            completion=completion,
            reason=reason,
            object_name=names.object_name,
            object_q_mgr_name=names.object_q_mgr_name,
            resolved_object_name=names.resolved_object_name,
            resolved_q_mgr_name=names.resolved_q_mgr_name,
        )

    def take(self) -> PutStatus:
        """Return the status so far and reset it."""
        taken, self._status = self._status, _NOTHING
        return taken
