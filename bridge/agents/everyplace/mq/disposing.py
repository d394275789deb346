"""What a client does with a message that cannot be delivered: MQDLH and dead-letter queue, and its exception report.

A queue manager does this for its own programs (`DisposeUndelivered`); one elsewhere is asked for the puts, in the unit
of work and with the authority of the connection (channels.md 7.2, 9).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqDone, MqFailure, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import OUTAGE
from mqbridge.mappings.dead_letter import dead_letter
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.reports import ReportKind, report_message
from mqbridge.protocol.constants import MQAT, MQMT, MQRC, MQRO
from mqbridge.protocol.errors import MQBridgeError

_NEW_ID: Final = bytes(24)
"""The queue manager gives the report an id."""
_Then = Callable[[PutOutcome], None]
Put = Callable[[str, str, Message, _Then], None]
"""MQPUT1 under syncpoint: queue, queue manager, message."""


class Disposing:
    """One message. ``reason``: MQRC or MQFB. ``destination``: queue and queue manager, the latter not blank.
    ``dead_letter_queue``, ``queue_manager``: of the queue manager that is asked. ``name``: ours, as an application.

    Raises ``MQBridgeError`` for a descriptor that cannot be read.
    """

    def __init__(
        self,
        put: Put,
        message: Message,
        reason: int,
        destination: tuple[str, str],
        dead_letter_queue: str,
        queue_manager: str,
        name: str,
        now: Time,
    ) -> None:
        self._put = put
        self._message = message
        self._reason = reason
        self._destination = destination
        self._dead_letter_queue = dead_letter_queue
        self._queue_manager = queue_manager
        self._name = name
        self._now = now
        options, self._reply_to = message.md.report, (message.md.reply_to_q, message.md.reply_to_q_mgr)
        self._discards = bool(options & MQRO.DISCARD_MSG)
        self._reports = bool(self._reply_to[0]) and ReportKind.EXCEPTION.asked(options)

    def begin(self, then: _Then) -> None:
        """Dispose of it. A report that nobody takes keeps a message from being discarded; one that is on the
        dead-letter queue stays there, and `MqDone` says so."""
        if not self._discards:
            self._bury(self._message, self._reason, self._destination, lambda outcome: self._buried(then, outcome))
        elif self._reports:
            self._report(then)
        else:
            then(DONE)

    def _buried(self, then: _Then, outcome: PutOutcome) -> None:
        def reported(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure) and outcome.reason not in OUTAGE:
                queue = self._reply_to[0]
                then(MqDone(f"its exception report for {queue} cannot be put: MQ says {outcome.reason}"))
            else:
                then(outcome)

        if isinstance(outcome, MqDone) and self._reports:
            self._report(reported)
        else:
            then(outcome)

    def _report(self, then: _Then) -> None:
        try:
            report = report_message(
                self._message,
                ReportKind.EXCEPTION,
                self._reason,
                queue_manager=self._queue_manager,
                msg_id=_NEW_ID,
                now=self._now,
                put_appl_type=MQAT.QMGR,
                put_appl_name=self._name,
            )
        except MQBridgeError as error:
            then(MqFailure(int(MQRC.MD_ERROR), str(error)))
            return

        def put(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqDone) or outcome.reason in OUTAGE:
                then(outcome)
            else:
                queue, queue_manager = self._reply_to
                self._bury(report, outcome.reason, (queue, queue_manager or self._queue_manager), then)

        self._put(*self._reply_to, report, put)

    def _bury(self, message: Message, reason: int, destination: tuple[str, str], then: _Then) -> None:
        """Put a message on the dead-letter queue; one that names nobody to answer asks for no answer there."""
        try:
            dead = dead_letter(
                message, reason, *destination, put_appl_type=MQAT.QMGR, put_appl_name=self._name, now=self._now
            )
        except MQBridgeError as error:
            then(MqFailure(int(MQRC.DLH_ERROR), str(error)))
            return
        if not dead.md.reply_to_q:  # MQ would not take what asks for an answer (2027)
            kind = dead.md.msg_type
            dead.md.set(report=int(MQRO.NONE), msg_type=int(MQMT.DATAGRAM) if kind == MQMT.REQUEST else kind)
        self._put(self._dead_letter_queue, "", dead, then)
