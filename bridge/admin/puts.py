"""``POST …/queue/{queue}/message``: puts one message, as text or bytes, or a stream of messages as JSON lines.

Query parameters: ``rqmname`` names another queue manager as the destination; ``context=all`` keeps the context that the
descriptor has (MQPMO_SET_ALL_CONTEXT); ``alternateUser`` puts with the authority of that user. In a unit of work
(header ``mqbridge-unit``) a put is answered when it is part of the unit, otherwise when it is on disk.
"""

from __future__ import annotations

import codecs
from typing import Any, Final

from mqbridge.bridge.message_json import message_from_json, property_header
from mqbridge.bridge.message_json.fields import build_message
from mqbridge.bridge.message_json.properties import header_descriptor
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.outcomes import Opened, Placed, Staging
from mqbridge.bridge.queue_manager.calls.requests import Close, Commit, Open, Put, PutOne, Stage
from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts, BodyWriter
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.mappings.rfh2 import FolderValue
from mqbridge.protocol.constants import MQFMT, MQOO, MQPER, MQPMO, MQRC

from .descriptor_headers import requested_fields, requested_properties
from .errors import TOO_LARGE, UNSUPPORTED_TYPE, RestError, bad_request, from_mq_error
from .exchange import NDJSON, OCTETS, RestExchange
from .handlers import Handler
from .program import RestProgram
from .units import RestUnit

MAX_LINE: Final = 32 << 20
"""Maximum bytes of a JSON line; longer messages must be put as bytes."""
UTF_8: Final = 1208
_TEXT_TYPES: Final = frozenset(
    ("text/plain", "text/html", "text/xml", "application/json", "application/xml")
)  # what IBM's API takes
_OPEN: Final = int(MQOO.OUTPUT | MQOO.FAIL_IF_QUIESCING)
_SYNCPOINT: Final = int(MQPMO.FAIL_IF_QUIESCING | MQPMO.SYNCPOINT)
_NO_SYNCPOINT: Final = int(MQPMO.FAIL_IF_QUIESCING | MQPMO.NO_SYNCPOINT)
_SET_ALL_CONTEXT: Final = int(MQPMO.SET_ALL_CONTEXT)  # the same bit of MQOO and MQPMO
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
_MSG_ID: Final = slice(48, 72)
"""Place of MsgId in a descriptor."""


def put_messages(exchange: RestExchange) -> Handler:
    """Return the handler for the media type of the body. Raises `RestError` 415."""
    kind = exchange.media_type
    if kind == NDJSON:
        return PutLines(exchange)
    if kind == OCTETS:
        return PutMessage(exchange, is_text=False)
    if kind in _TEXT_TYPES:
        if exchange.charset not in ("utf-8", "utf8"):
            raise RestError(
                UNSUPPORTED_TYPE, f"text must be in UTF-8, not {exchange.charset[:40]!r}", message_id="MQWB0305E"
            )
        return PutMessage(exchange, is_text=True)
    allowed = ", ".join((*sorted(_TEXT_TYPES), OCTETS, NDJSON))
    raise RestError(UNSUPPORTED_TYPE, f"Content-Type must be one of {allowed}", message_id="MQWB0306E")


class _Put(Handler):
    """What both forms have in common: the open queue and the unit of work."""

    def __init__(self, exchange: RestExchange) -> None:
        super().__init__(exchange)
        self.unit: RestUnit | None = None
        self.program: RestProgram | None = None
        self._hobj: int | None = None
        self._context = 0
        self._alternate_user = ""

    def open(self, persistence: int = MQPER.AS_Q_DEF) -> Staging:
        """Open the queue for output, in the unit of work that the header names. Returns the longest message and the
        writer of its data. Raises `RestError`, `MQError`."""
        exchange = self.exchange
        context = exchange.query.get("context", "")
        if context not in ("", "all"):
            raise bad_request(f"context is 'all', not {context[:40]!r}")
        self._context = _SET_ALL_CONTEXT if context else 0
        self._alternate_user = exchange.query.get("alternateUser", "")
        unit = self.unit = exchange.use_unit()
        if unit is not None and unit.separate:
            raise bad_request("messages cannot be put in a separate unit of work")
        program = self.program = exchange.program() if unit is None else unit.program
        name, manager_name = exchange.names["queue"], exchange.query.get("rqmname", "")
        opened: Opened = program.call(Open(program.tag, name, manager_name, _OPEN | self._context))
        self._hobj = opened.hobj
        if opened.created:
            raise MQError(MQRC.Q_DELETED, name)
        staging: Staging = program.call(Stage(program.tag, self._hobj, persistence))
        return staging

    def request(self, message: Message, options: int) -> Put | PutOne:
        """The request that puts a message. ``options``: MQPMO bits."""
        assert self.program is not None
        assert self._hobj is not None
        options |= self._context
        what = (message.raw_md, message.body)
        if not self._alternate_user:
            return Put(self.program.tag, self._hobj, *what, options, message.order, message.ccsid)
        names = self.exchange.names["queue"], self.exchange.query.get("rqmname", "")
        options |= _ALTERNATE_USER
        user = self._alternate_user
        return PutOne(self.program.tag, *names, *what, options, message.order, message.ccsid, alternate_user=user)

    def end(self) -> None:
        """Close the queue; uncommitted work outside the header's unit is backed out."""
        program, self.program = self.program, None
        if program is None:
            return
        if self.unit is None:
            program.end()
        elif self._hobj is not None:
            program.call(Close(program.tag, self._hobj, 0))


class PutMessage(_Put):
    """The handler that puts one message, whose data are stored as they arrive."""

    def __init__(self, exchange: RestExchange, *, is_text: bool) -> None:
        super().__init__(exchange)
        self._decoder = codecs.getincrementaldecoder("utf-8")() if is_text else None
        self._fields: dict[str, Any] = {}
        self._writer: BodyWriter | None = None
        self._limit = self._reason = 0

    def begin(self) -> None:
        """Read the headers; refuses a body that is too long before it arrives."""
        fields = requested_fields(self.exchange)
        if self._decoder is not None:
            fields.setdefault("format", str(MQFMT.STRING))
            fields.setdefault("coded_char_set_id", UTF_8)
        staging = self.open(fields.get("persistence", MQPER.AS_Q_DEF))
        if self._alternate_user and self.unit is None:
            raise bad_request("alternateUser needs a unit of work, or messages as JSON lines")
        self._writer, self._limit, self._reason = staging.writer, staging.longest, staging.too_long
        announced = self.exchange.header("content-length")
        if announced is not None and announced.isdigit() and int(announced) > self._limit:
            raise self._too_long()
        self._fields = self._describe(fields)

    def _describe(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Write the RFH2 with the properties, if any, and return the descriptor fields that then apply."""
        properties = requested_properties(self.exchange)
        folders: dict[str, list[FolderValue]] = {}
        given = self.exchange.header("ibm-mq-md-correlationid") or ""
        if self.exchange.version >= 3 and given and not given.startswith("ID:"):
            folders["jms"] = [FolderValue("Cid", "string", given)]
        if not properties and not folders:
            return fields
        assert self._writer is not None
        if self._decoder is not None:
            folders = {"mcd": [FolderValue("Msd", "string", "jms_text")], **folders}
        header = property_header(
            properties,
            body_format=fields.get("format", ""),
            body_encoding=fields.get("encoding", NATIVE_ORDER.encoding),
            body_ccsid=fields.get("coded_char_set_id", 0) or UTF_8,
            folders=folders,
        )
        self._writer.write(header)
        return {**fields, **header_descriptor()}

    def _too_long(self) -> MQError:
        return MQError(self._reason, f"more than {self._limit} bytes")

    def write(self, data: bytes) -> None:
        """Write a part of the data."""
        assert self._writer is not None
        if len(self._writer) + len(data) > self._limit:
            raise self._too_long()
        if self._decoder is not None:
            self._check_text(data)
        self._writer.write(data)

    def _check_text(self, data: bytes, final: bool = False) -> None:
        assert self._decoder is not None
        try:
            self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            raise bad_request(f"the body is not UTF-8: {error.reason}", message_id="MQWB0301E") from error

    async def run(self) -> None:
        """Put the message: 201 with its id."""
        if self._decoder is not None:
            self._check_text(b"", final=True)
        assert self._writer is not None
        body = self._writer.finish()
        self._writer = None
        try:
            placed = await self._put(build_message(body, self._fields))
        except Exception:
            if isinstance(body, BodyInParts):
                body.give_back()
            raise
        prefix = "ID:" if self.exchange.version >= 3 else ""
        headers = {"ibm-mq-md-messageId": prefix + _message_id(placed)}
        if placed.reason:
            headers["mqbridge-reason"] = str(placed.reason)
        self.end()
        self.exchange.answer(201, headers=headers)

    async def _put(self, message: Message) -> Placed:
        assert self.program is not None
        request = self.request(message, _NO_SYNCPOINT if self.unit is None else _SYNCPOINT)
        placed: Placed = await self.program.ask(request)
        return placed

    def abandon(self) -> None:
        """Discard what was written."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.abandon()
        self.end()


class PutLines(_Put):
    """The handler that puts many messages, one JSON object on each line, all or none.

    Outside a unit of work the request is one unit, limited by MAXUMSGS. In a unit of work the messages before an
    invalid one stay in the unit. The answer is 201 with a line ``{"messageId": …}`` for each.
    """

    def __init__(self, exchange: RestExchange) -> None:
        super().__init__(exchange)
        self._rest = bytearray()
        self._searched = 0
        self._answers: list[str] = []

    def begin(self) -> None:
        """Open the queue."""
        self.open()

    def write(self, data: bytes) -> None:
        """Put the lines that are complete."""
        self._rest += data
        end = self._rest.rfind(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._rest)
            if self._searched > MAX_LINE:
                raise RestError(
                    TOO_LARGE,
                    f"line {len(self._answers) + 1} is longer than {MAX_LINE} bytes; put long messages as {OCTETS}",
                )
            return
        lines = bytes(self._rest[:end]).split(b"\n")
        del self._rest[: end + 1]
        self._searched = 0
        for line in lines:
            if line.strip():
                self._put(line)

    def _put(self, line: bytes) -> None:
        try:
            assert self.program is not None
            placed: Placed = self.program.call(self.request(message_from_json(line), _SYNCPOINT))
        except MQError as error:
            found = from_mq_error(error)
            raise RestError(found.status, f"message {len(self._answers) + 1}: {error}", reason=error.reason) from error
        except RestError:
            raise
        except Exception as error:
            raise bad_request(f"message {len(self._answers) + 1}: {error}", message_id="MQWB0301E") from error
        reason = f', "reason": {placed.reason}' if placed.reason else ""
        self._answers.append(f'{{"messageId": "{_message_id(placed)}"{reason}}}\n')

    async def run(self) -> None:
        """Commit, if the unit is the request's own."""
        if self._rest.strip():
            self._put(bytes(self._rest))
        if self.unit is None:
            assert self.program is not None
            await self.program.ask(Commit(self.program.tag))
        self.end()
        self.exchange.answer(201, NDJSON, "".join(self._answers).encode())

    def abandon(self) -> None:
        """Back out the request's own unit."""
        self.end()


def _message_id(placed: Placed) -> str:
    """MsgId of a message put, in hexadecimal."""
    return placed.descriptor[_MSG_ID].hex()
