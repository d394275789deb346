"""Status of asynchronous puts, for MQSTAT (mqi.md 5.5, mq-wire.md 5.17)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.calls.outcomes import PutNames, PutStatus
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.protocol.constants import MQCC

STAT_ASYNC_ERROR: Final = 0
STAT_RECONNECTION: Final = 1
STAT_RECONNECTION_ERROR: Final = 2


class AsynchronousPuts:
    """Counts of the asynchronous puts of one connection, and the first error or warning among them."""

    __slots__ = ("_completion", "_failures", "_names", "_reason", "_successes", "_warnings")

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._successes = self._warnings = self._failures = 0
        self._completion, self._reason = int(MQCC.OK), 0
        self._names = PutNames()

    def succeeded(self) -> None:
        """Count a put that has succeeded."""
        self._successes += 1

    def warned(self, names: PutNames, warning: int) -> None:
        """Count a put that has succeeded with a warning, a reason code."""
        self._warnings += 1
        if self._completion == MQCC.OK:
            self._completion, self._reason, self._names = int(MQCC.WARNING), warning, names

    def failed(self, names: PutNames, error: MQError) -> None:
        """Count a put that has failed."""
        self._failures += 1
        if self._completion != MQCC.FAILED:
            self._completion, self._reason, self._names = int(MQCC.FAILED), error.reason, names

    def stored(self, names: PutNames, warning: int, error: MQError | None) -> None:
        """Count a put after the store's answer. ``error``: None, or why the store refused it."""
        if error is not None:
            self.failed(names, error)
        elif warning:
            self.warned(names, warning)
        else:
            self.succeeded()

    def take(self) -> PutStatus:
        """Return the status so far and reset it."""
        names = self._names
        taken = PutStatus(
            self._completion,
            self._reason,
            self._successes,
            self._warnings,
            self._failures,
            object_name=names.object_name,
            object_q_mgr_name=names.object_q_mgr_name,
            resolved_object_name=names.resolved_object_name,
            resolved_q_mgr_name=names.resolved_q_mgr_name,
        )
        self._forget()
        return taken
