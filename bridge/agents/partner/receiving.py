"""From the partner to queues: what it begins, and its answers, each on disk before it is confirmed."""

from __future__ import annotations

from functools import partial
from typing import Final

from mqbridge.bridge.agents.linking.dead_letters import dispose
from mqbridge.bridge.agents.message_channel.channel_program import OnStored
from mqbridge.bridge.agents.partner.context import PartnerContext
from mqbridge.bridge.agents.partner.from_packets import answer, delivered
from mqbridge.bridge.agents.partner.identities import KnownMessages, identity_of
from mqbridge.bridge.agents.partner.sending import REASON
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import PutMany
from mqbridge.bridge.queue_manager.calls.outcomes import PlacedMany
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.templates import Values
from mqbridge.protocol.constants import MQPMO, MQRC

_PUT: Final = int(MQPMO.SYNCPOINT)
_FOR_NOW: Final = frozenset(
    map(int, (MQRC.Q_FULL, MQRC.PUT_INHIBITED, MQRC.Q_SPACE_NOT_AVAILABLE, MQRC.Q_MGR_QUIESCING))
)
"""Reasons that pass by themselves, or with the queue's next reader."""


class PartnerReceiver:
    """Puts of one partner. Raises ``StoreDamaged``."""

    __slots__ = ("_context", "_known", "_pending")

    def __init__(self, context: PartnerContext) -> None:
        self._context = context
        settings = context.settings
        self._pending: set[bytes] = set()
        self._known = KnownMessages(settings.name, settings.remember, context.host.manager.store)

    def deliver(self, values: Values, then: OnStored, now: Time) -> MQError | None:
        """Put what the partner begins in the unit of this turn; ``then`` is called when it is on disk, or not.

        A message whose id is known is not put again. Returns why it cannot be put now; then nothing is called.
        """
        context = self._context
        digest = identity_of(context.protocol, values)
        if digest and digest in self._known:
            context.counts.repeated += 1
            context.units.add(then)
            return None
        if digest in self._pending:
            return MQError(MQRC.CALL_IN_PROGRESS, "the same message of another session is being written")
        settings = context.settings
        message = delivered(context.protocol, values, (settings.format, settings.ccsid), settings.send)
        error = self._put(message, settings.receive, "", now, patient=True)
        if error is not None:
            return error
        rows: list[Operation] = []
        number = 0
        if digest:
            self._pending.add(digest)
            number, row = self._known.next(digest)
            rows.append(row)
        context.units.add(partial(self._stored, digest, number, then), rows)
        return None

    def _stored(self, digest: bytes, number: int, then: OnStored, error: MQError | None) -> None:
        self._pending.discard(digest)
        if error is None:
            self._context.counts.received += 1
            if digest:
                self._known.keep(number, digest)
        then(error)

    def reply(self, values: Values, request: Message, now: Time) -> MQError | None:
        """Put an answer to the reply queue of a request in the unit of this turn; none is put if it names no queue.

        Returns why neither that nor the dead-letter queue takes it.
        """
        context, asked = self._context, request.md
        if not asked.reply_to_q:
            return None
        form = context.settings.format, context.settings.ccsid
        message = answer(context.protocol, values, form, request)
        error = self._put(message, asked.reply_to_q, asked.reply_to_q_mgr, now, patient=False)
        if error is None:
            context.counts.received += 1
        return error

    def _put(self, message: Message, queue: str, manager: str, now: Time, *, patient: bool) -> MQError | None:
        """Put a message, or to the dead-letter queue. ``patient``: a full queue is waited for."""
        context = self._context
        messages = [(message.raw_md, message.body)]
        request = PutMany(0, queue, manager, messages, _PUT, message.order, message.ccsid, checked=True)
        try:
            outcome = context.program.do(request, now)
            failure = outcome.failed if isinstance(outcome, PlacedMany) else None
            error = None if failure is None else failure.error()
        except MQError as fault:
            error = fault
        if error is None or (patient and error.reason in _FOR_NOW):
            return error
        context.log("AMQ5084", queue, str(error))
        names, user = (queue, manager or context.host.manager.name), context.settings.mcauser
        why = "", str(error)
        failed = dispose(context.program, message, names, *why, user, now, reason=error.reason, described_as=REASON)
        if failed is None:
            context.counts.failed += 1
        return failed
