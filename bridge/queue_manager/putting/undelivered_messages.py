"""Messages that a channel cannot put (channels.md 7.2 steps 2 to 6)."""

from __future__ import annotations

from enum import Enum

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.putting.dead_lettering import put_dead_letter
from mqbridge.bridge.queue_manager.putting.reporting import send_report
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.reports import ReportKind
from mqbridge.protocol.constants import MQRC, MQRO
from mqbridge.protocol.errors import MQBridgeError

_RETURN = int(MQRO.EXCEPTION_WITH_FULL_DATA)


class Disposal(Enum):
    """Outcome of a message that could not be delivered."""

    RETURNED = "returned to its sender as an exception report with all data"
    DISCARDED = "discarded, as it asked"
    DEAD_LETTERED = "put on the dead-letter queue"
    LOST = "lost: non-persistent and fast, and no dead-letter queue took it"

    @property
    def dead_lettered(self) -> bool:
        """Whether it is on the dead-letter queue."""
        return self is Disposal.DEAD_LETTERED


def dispose(
    core: Core,
    message: Message,
    queue_name: str,
    queue_manager_name: str,
    reason: int,
    options: PutOptions,
    unit: UnitOfWork,
    now: Time,
    *,
    use_dead_letter_queue: bool,
    fast: bool,
    dead_letter_queue: str = "",
) -> Disposal:
    """Dispose of a message that a channel cannot put, in a unit of work (channels.md 7.2 steps 2 to 6).

    It is returned to its sender, discarded or dead-lettered with MQDLH, with the exception report that it requests.
    ``dead_letter_queue``: instead of that of the queue manager, which is used if that put fails.
    Raises `MQError` with the original reason if the batch must be backed out and the channel ended (step 5).
    """
    undelivered = _UndeliveredMessage(core, message, queue_name, queue_manager_name, reason, options, unit, now, fast)
    try:
        return undelivered.dispose(use_dead_letter_queue, dead_letter_queue)
    except MQError as error:
        raise MQError(reason, f"{queue_name}: not delivered, and the dead-letter queue failed ({error})") from error


class _UndeliveredMessage:
    """A message that could not be delivered, with everything needed to dispose of it."""

    def __init__(
        self,
        core: Core,
        message: Message,
        queue_name: str,
        queue_manager_name: str,
        reason: int,
        options: PutOptions,
        work: UnitOfWork,
        now: Time,
        fast: bool,
    ) -> None:
        self.core = core
        self.message = message
        self.destination = (queue_name, queue_manager_name)
        self.reason = int(reason)
        self.application = options.application
        self.user = options.authority
        self.work = work
        self.now = now
        self.fast = fast
        try:
            self.report = message.md.report if message.md.reply_to_q else message.md.report & MQRO.DISCARD_MSG
        except MQBridgeError:
            self.report = MQRO.NONE

    def dispose(self, use_dead_letter_queue: bool, dead_letter_queue: str) -> Disposal:
        """Take steps 2 to 4 and 6. Raises `MQError` if none of them is possible (step 5)."""
        if self.report & MQRO.DISCARD_MSG:
            self._send_report()
            returned = self.report & _RETURN == _RETURN
            return Disposal.RETURNED if returned else Disposal.DISCARDED
        try:
            self._put_dead_letter(use_dead_letter_queue, dead_letter_queue)
        except MQError:
            if not self.fast:
                raise
            self._send_report()
            return Disposal.LOST
        self._send_report()
        return Disposal.DEAD_LETTERED

    def _put_dead_letter(self, use_dead_letter_queue: bool, queue: str) -> None:
        if not use_dead_letter_queue:
            raise MQError(MQRC.UNKNOWN_OBJECT_NAME, "USEDLQ(NO)")
        if queue:
            try:
                self._put_on(queue)
            except MQError as error:
                self.core.log("AMQ5102", queue, error.reason)
            else:
                return
        self._put_on("")

    def _put_on(self, queue: str) -> None:
        """Put it, with an MQDLH, on a queue, or the dead-letter queue if that is blank. Raises `MQError`."""
        put_dead_letter(
            self.core,
            self.message,
            *self.destination,
            self.reason,
            self.application,
            self.user,
            self.work,
            self.now,
            queue=queue,
        )

    def _send_report(self) -> None:
        """Put the exception report, if requested; that of a fast message is given up if it cannot be put."""
        if not ReportKind.EXCEPTION.asked(self.report):
            return
        try:
            send_report(
                self.core,
                self.message,
                ReportKind.EXCEPTION,
                self.reason,
                self.application,
                self.user,
                self.work,
                self.now,
            )
        except MQError as error:
            if not self.fast:
                raise
            self.core.log("AMQ7310", ReportKind.EXCEPTION.name, self.destination[0], error.reason)
