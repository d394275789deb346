"""Putting the replies to a command: descriptor, reply queue, dead-letter queue (channels.md 9.3)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.command_server.host import CommandServerHost
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered
from mqbridge.bridge.queue_manager.calls.outcomes import Disposed, Failed
from mqbridge.bridge.queue_manager.calls.requests import Commit, PutOne
from mqbridge.bridge.queue_manager.objects.default_objects import COMMAND_QUEUE
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQFMT, MQMT, MQPMO, MQRO

MAX_IN_UNIT: Final = 1_000
"""Maximum number of replies in one unit of work; the others go into further ones."""
_DISCARD_TOO: Final = int(MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG)
_UNLIMITED: Final = -1
_FOR_USER: Final = int(MQPMO.SYNCPOINT | MQPMO.ALTERNATE_USER_AUTHORITY)


class CommandReplies:
    """The replies to ``request``, put for ``user`` in the unit of work of ``session`` that got it. ``ended``: all were
    put."""

    __slots__ = ("_host", "_in_unit", "_request", "_session", "_user", "ended")

    def __init__(self, host: CommandServerHost, session: Session, request: Message, user: str) -> None:
        self._host = host
        self._session = session
        self._request = request
        self._user = user
        self._in_unit = 1
        """Messages in the unit of work: the command, and replies since the last commit."""
        self.ended = False

    def put(self, answer: bytes, now: Time) -> None:
        """Put a reply to the reply queue; if that fails, to the dead-letter queue."""
        if self._in_unit >= MAX_IN_UNIT:
            self.commit(now)
        self._in_unit += 1
        self._put(self._message(answer), now)

    def commit(self, now: Time) -> None:
        """Commit the command and its replies."""
        self._in_unit = 0
        self._session.submit(Commit(0), now)

    def dead_letter_command(self, reason: int, now: Time) -> None:
        """Put the command itself on the dead-letter queue."""
        self._put_dead_letter(self._request.copy(), COMMAND_QUEUE, "", reason, now)

    def _put(self, message: Message, now: Time) -> None:
        md = self._request.md
        name, manager_name = md.reply_to_q, md.reply_to_q_mgr
        request = PutOne(
            0,
            name,
            manager_name,
            message.raw_md,
            message.body,
            _FOR_USER,
            message.order,
            message.ccsid,
            alternate_user=self._user,
        )
        outcome = self._session.submit(request, now)
        if isinstance(outcome, Failed):
            self._host.log("AMQ8507", name, outcome.reason)
            self._put_dead_letter(message, name, manager_name, outcome.reason, now)

    def _put_dead_letter(self, message: Message, name: str, manager_name: str, reason: int, now: Time) -> None:
        request = DisposeUndelivered(
            0,
            name,
            manager_name or self._host.manager.name,
            message.raw_md,
            message.body,
            message.order,
            message.ccsid,
            reason,
            use_dead_letter_queue=True,
            fast=not message.md.persistence,
            user=self._user,
        )
        outcome = self._session.submit(request, now)
        if isinstance(outcome, Failed):
            self._log_lost(outcome.reason)
        elif isinstance(outcome, Disposed) and not outcome.disposal.dead_lettered:
            self._log_lost(reason)

    def _log_lost(self, reason: int) -> None:
        """Log that a command or a reply is lost."""
        self._host.log("AMQ8509", self._request.md.msg_id.hex(), reason)

    def _message(self, data: bytes) -> Message:
        """A reply message: ids according to the Report options of the command, with its persistence and priority."""
        source = self._request.md
        ccsid = self._host.manager.objects.manager.integer("CCSID")
        wanted = source.report
        ids = {"correl_id": source.correl_id if wanted & MQRO.PASS_CORREL_ID else source.msg_id}
        if wanted & MQRO.PASS_MSG_ID:
            ids["msg_id"] = source.msg_id
        passes = wanted & MQRO.PASS_DISCARD_AND_EXPIRY
        return Message.build(
            data,
            order=NATIVE_ORDER,
            ccsid=ccsid,
            msg_type=MQMT.REPLY,
            report=MQRO.DISCARD_MSG if wanted & _DISCARD_TOO == _DISCARD_TOO else 0,
            expiry=source.expiry if passes else _UNLIMITED,
            format=MQFMT.ADMIN,
            encoding=NATIVE_ORDER.encoding,
            coded_char_set_id=ccsid,
            persistence=source.persistence,
            priority=source.priority,
            **ids,
        )
