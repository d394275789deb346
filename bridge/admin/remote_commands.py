"""Commands for another queue manager: sent over a channel to its command server, which replies.

A command is sent as MQSC text in a PCF message (MQCMD_ESCAPE) to SYSTEM.ADMIN.COMMAND.QUEUE, as IBM's REST API does
through a gateway queue manager. Its message id is random, and only replies with that correlation id are accepted, so
nobody who has not seen the command can forge one. Command and replies are not persistent and expire with the request.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.bridge.agents.command_server.identifiers import IDENTIFIERS, LAST_INTEGER
from mqbridge.bridge.queue_manager import MQError, RetrievedMessage
from mqbridge.bridge.queue_manager.calls.requests import Commit, PutOne, Wanted
from mqbridge.bridge.queue_manager.mqsc import read_fields
from mqbridge.bridge.queue_manager.mqsc.words import NOUN_SYNONYMS
from mqbridge.bridge.queue_manager.objects import KINDS
from mqbridge.bridge.queue_manager.objects.default_objects import COMMAND_QUEUE
from mqbridge.bridge.queue_manager.objects.values import Integer, Switch, TextList, WordList
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import (
    MQCACF,
    MQCC,
    MQCFC,
    MQCFT,
    MQCMD,
    MQFMT,
    MQGMO,
    MQIACF,
    MQMO,
    MQMT,
    MQOO,
    MQPER,
    MQPMO,
    MQRC,
    MQRO,
)
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures.pcf import Parameter, PCFMessage, make_pcf, parse_pcf, string_parameter
from mqbridge.protocol.text import decode_text, encode_text

from .errors import NOT_FOUND, SERVER_ERROR, RestError, bad_request, status_of
from .exchange import RestExchange
from .message_sources import MessageSource
from .program import RestProgram

REPLY_QUEUE: Final = "SYSTEM.REST.REPLY.QUEUE"
"""Queue for replies, as in IBM MQ."""
PATIENCE: Final = 30
"""Seconds for the whole reply: IBM's mqRestRequestTimeout."""
_MQSC: Final = 1
_ID_LENGTH: Final = 24
_ANSWER: Final = 1_000
"""Cost of one reply message, in units of turns."""
_PUT: Final = int(MQPMO.NO_SYNCPOINT | MQPMO.FAIL_IF_QUIESCING)
_GET: Final = int(MQGMO.SYNCPOINT | MQGMO.FAIL_IF_QUIESCING)
_BY_CORREL_ID: Final = int(MQMO.MATCH_CORREL_ID)
_REPORT: Final = int(MQRO.EXCEPTION | MQRO.DISCARD_MSG | MQRO.PASS_DISCARD_AND_EXPIRY)


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """One reply message: completion code, reason, and lines of text."""

    completion: int
    reason: int
    lines: list[str]


async def ask_command_server(exchange: RestExchange, text: str) -> list[RemoteAnswer]:
    """Run one MQSC command at ``exchange.remote``. Raises `RestError`, `MQError`."""
    name = b""
    while not name.strip(b"\0"):
        name = secrets.token_bytes(_ID_LENGTH)
    replies = _open_replies(exchange, name)
    try:
        _send(exchange, replies.program, name, text)
        return await _collect(replies)
    finally:
        replies.close()
        exchange.context.pump()


def _open_replies(exchange: RestExchange, name: bytes) -> _Replies:
    try:
        return _Replies(exchange, name)
    except MQError as error:
        if error.reason != MQRC.UNKNOWN_OBJECT_NAME:
            raise
        raise RestError(
            SERVER_ERROR,
            f"{REPLY_QUEUE}, where answers are to come, is not there",
            reason=error.reason,
            message_id="MQWB0004E",
            action=f"DEFINE QLOCAL({REPLY_QUEUE})",
        ) from error


def _send(exchange: RestExchange, program: RestProgram, name: bytes, text: str) -> None:
    """Put the command."""
    context = exchange.context
    ccsid = context.manager.objects.manager.integer("CCSID")
    try:
        encoded = encode_text(text, ccsid)
    except ConversionError as error:
        raise bad_request(f"the command has characters that CCSID {ccsid} has not: {error}") from error
    parameters = [
        Parameter(MQCFT.INTEGER, MQIACF.ESCAPE_TYPE, _MQSC),
        string_parameter(MQCACF.ESCAPE_TEXT, encoded, ccsid),
    ]
    message = Message.build(
        make_pcf(NATIVE_ORDER, MQCMD.ESCAPE, parameters).build(),
        order=NATIVE_ORDER,
        ccsid=ccsid,
        msg_type=MQMT.REQUEST,
        report=_REPORT,
        expiry=PATIENCE * 10,
        format=MQFMT.ADMIN,
        encoding=NATIVE_ORDER.encoding,
        coded_char_set_id=ccsid,
        persistence=MQPER.NOT_PERSISTENT,
        msg_id=name,
        reply_to_q=REPLY_QUEUE,
        reply_to_q_mgr=context.name,
    )
    names = COMMAND_QUEUE, exchange.remote
    try:
        program.call(PutOne(program.tag, *names, message.raw_md, message.body, _PUT, message.order, message.ccsid))
    except MQError as error:
        if error.reason not in (MQRC.UNKNOWN_REMOTE_Q_MGR, MQRC.UNKNOWN_OBJECT_Q_MGR):
            raise
        raise RestError(
            NOT_FOUND,
            f"Could not query the queue manager '{exchange.remote}': no way to it is known here",
            reason=error.reason,
            message_id="MQWB0009E",
            action="define a transmission queue of its name, and a channel",
        ) from error


async def _collect(replies: _Replies) -> list[RemoteAnswer]:
    """Get the reply messages, up to the last."""
    exchange, context = replies.exchange, replies.context
    until, answers = context.now() + PATIENCE, []
    while True:
        got = await replies.fetch_or_wait(max(0, int((until - context.now()) * 1000)))
        if got is None:
            raise RestError(
                SERVER_ERROR,
                f"queue manager '{exchange.remote}' has not answered within {PATIENCE} seconds",
                reason=MQRC.NO_MSG_AVAILABLE,
                message_id="MQWB0004E",
                action=f"look at the channels both ways, at its command server, and at who may put on {REPLY_QUEUE}",
            )
        md = got.message.md
        if md.msg_type == MQMT.REPORT:
            raise RestError(
                status_of(md.feedback),
                f"queue manager '{exchange.remote}' did not take the command",
                reason=md.feedback,
                message_id="MQWB0103E" if md.feedback == MQRC.NOT_AUTHORIZED else "MQWB0004E",
            )
        pcf = _parse_response(got.message)
        answers.append(RemoteAnswer(pcf.record.comp_code, pcf.record.reason, _lines(pcf, md.coded_char_set_id)))
        if pcf.record.control == MQCFC.LAST:
            return answers
        await context.work(_ANSWER)


def _parse_response(message: Message) -> PCFMessage:
    order = order_of(message.md.encoding)
    try:
        if order is not None and message.md.format == MQFMT.ADMIN:
            return parse_pcf(message.data, 0, order)
    except StructureError:
        pass
    raise RestError(SERVER_ERROR, "the answer is no PCF message", reason=MQRC.UNEXPECTED_ERROR, message_id="MQWB0004E")


def _lines(pcf: PCFMessage, ccsid: int) -> list[str]:
    """The text of a reply; the name of its reason if it has none, as for a refusal."""
    texts = [each for each in pcf.parameters if each.parameter == MQCACF.ESCAPE_TEXT and isinstance(each.value, bytes)]
    try:
        lines = [
            line.rstrip()
            for each in texts
            for line in decode_text(each.value, each.ccsid if each.ccsid > 0 else ccsid).rstrip(" \0").split("\n")
        ]
    except ConversionError as error:
        raise RestError(SERVER_ERROR, f"the answer: {error}", message_id="MQWB0004E") from error
    return lines or ([str(MQRC(pcf.record.reason))] if pcf.record.reason else [])


class _Replies(MessageSource):
    """The replies to the command with a message id; each is committed when the next one is requested."""

    access = int(MQOO.INPUT_SHARED)

    def __init__(self, exchange: RestExchange, name: bytes) -> None:
        super().__init__(exchange, Wanted(_GET, _BY_CORREL_ID, correl_id=name), REPLY_QUEUE)

    async def _get(self, wanted: Wanted, milliseconds: int = 0) -> RetrievedMessage | None:
        self._commit()
        return await super()._get(wanted, milliseconds)

    def close(self) -> None:
        """Close the queue."""
        self._commit()
        super().close()

    def _commit(self) -> None:
        self.program.call(Commit(self.program.tag))


# Entries of the response

_ATTRIBUTES: Final = {
    keyword: attribute.type
    for info in KINDS.values()
    for table in info.tables.values()
    for keyword, attribute in table.items()
}
"""Type of each attribute, by keyword."""
_BARE: Final = {
    word: (keyword, shown)
    for keyword, kind in _ATTRIBUTES.items()
    if isinstance(kind, Switch)
    for word, shown in ((kind.on, "YES"), (kind.off, "NO"))
}
"""Keyword and value of attributes written without parentheses."""


def line_entries(answers: Sequence[RemoteAnswer]) -> Iterator[dict[str, Any]]:
    """The entries of ``commandResponse`` of runCommand."""
    return ({"completionCode": each.completion, "reasonCode": each.reason, "text": each.lines} for each in answers)


def parameter_entries(answers: Sequence[RemoteAnswer], noun: str) -> Iterator[dict[str, Any]]:
    """The entries of ``commandResponse`` of runCommandJSON: one for each row; without rows one with the messages, if
    any."""
    numbers = IDENTIFIERS.get(NOUN_SYNONYMS.get(noun, noun), {})
    messages: list[str] = []
    rows = False
    for answer in answers:
        fields = read_fields(answer.lines[1:])
        if fields and answer.completion != MQCC.FAILED:
            rows = True
            parameters = dict(_field(keyword, text, numbers.get(keyword, 0)) for keyword, text in fields.items())
            yield {"completionCode": answer.completion, "reasonCode": answer.reason, "parameters": parameters}
        else:
            messages += answer.lines
    if not rows:
        worst = max(answers, key=lambda each: each.completion)
        entry: dict[str, Any] = {"completionCode": worst.completion, "reasonCode": worst.reason}
        yield {**entry, "message": messages} if worst.completion == MQCC.FAILED else entry


def _field(keyword: str, text: str | None, number: int) -> tuple[str, Any]:
    """A keyword in lower case and its value in the form of runCommandJSON. ``number``: its PCF parameter."""
    if text is None:
        word, shown = _BARE.get(keyword, (keyword, "YES"))
        return word.lower(), shown
    kind = _ATTRIBUTES.get(keyword)
    if isinstance(kind, TextList | WordList):
        return keyword.lower(), [] if text == kind.show(()) else [each.strip() for each in text.split(",")]
    counted = isinstance(kind, Integer) or 0 < number <= LAST_INTEGER
    return keyword.lower(), int(text) if counted and text.isdecimal() else text
