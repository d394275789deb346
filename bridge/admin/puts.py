"""``POST …/queue/{queue}/message``: one message, as text or as bytes, or a stream of them as JSON lines.

The query parameter ``rqmname`` names another queue manager that the message is for. In a unit of work (header
``mqbridge-unit``) a put is answered when it is part of the unit, otherwise when it is on disk.
"""

from __future__ import annotations

import codecs
import json
from typing import Any, Final

from mqbridge.bridge.message_json import message_from_json, property_header
from mqbridge.bridge.message_json.fields import build_message
from mqbridge.bridge.message_json.properties import header_descriptor
from mqbridge.bridge.queue_manager import MQError, PutOptions, Target, UnitOfWork
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter, PartedBody
from mqbridge.mappings.message import Message
from mqbridge.mappings.rfh2 import FolderValue
from mqbridge.protocol.constants import MQFMT, MQPER, MQPMO, MQRC, NATIVE_REVERSED

from .descriptor_headers import requested_fields, requested_properties
from .errors import TOO_LARGE, UNSUPPORTED_TYPE, RestError, bad_request, from_mq_error
from .exchange import NDJSON, OCTETS, Exchange
from .handlers import Handler

MAX_LINE: Final = 32 << 20
"""Bytes of one JSON line; longer messages are put as bytes."""
UTF_8: Final = 1208
_TEXT_TYPES: Final = frozenset(
    ("text/plain", "text/html", "text/xml", "application/json", "application/xml")
)  # what IBM's API takes
_OPTIONS: Final = int(MQPMO.FAIL_IF_QUIESCING)


def put_messages(exchange: Exchange) -> Handler:
    """The handler for the media type of the body. Raises `RestError` 415."""
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
    """What both forms have in common: the target and the unit of work."""

    target: Target
    unit: UnitOfWork | None = None
    options: PutOptions

    def begin(self) -> None:
        """Resolves the names and takes the unit of work."""
        exchange = self.exchange
        manager = self.context.manager
        self.target = manager.resolve(exchange.names["queue"], exchange.query.get("rqmname", ""))
        self.target.require_puttable()
        name = exchange.header("mqbridge-unit")
        if name is not None:
            unit = exchange.unit = self.context.units.use(name)
            if unit.separate:
                raise bad_request("messages cannot be put in a separate unit of work")
            self.unit = unit.parts[0]
        syncpoint = MQPMO.NO_SYNCPOINT if self.unit is None else MQPMO.SYNCPOINT
        self.options = PutOptions(options=_OPTIONS | int(syncpoint), application=exchange.application)


class PutMessage(_Put):
    """One message; its data go from the socket to the store piece by piece."""

    def __init__(self, exchange: Exchange, *, is_text: bool) -> None:
        super().__init__(exchange)
        self._decoder = codecs.getincrementaldecoder("utf-8")() if is_text else None
        self._fields: dict[str, Any] = {}
        self._writer: BodyWriter | None = None
        self._limit = 0

    def begin(self) -> None:
        """Reads the headers; refuses a body that is too long before it comes."""
        super().begin()
        fields = requested_fields(self.exchange)
        if self._decoder is not None:
            fields.setdefault("format", str(MQFMT.STRING))
            fields.setdefault("coded_char_set_id", UTF_8)
        manager = self.context.manager
        queue = self.target.require_puttable()
        self._limit = min(manager.objects.manager.integer("MAXMSGL"), queue.max_message_length)
        announced = self.exchange.header("content-length")
        if announced is not None and announced.isdigit() and int(announced) > self._limit:
            raise self._too_long()
        persistence = fields.get("persistence", int(MQPER.AS_Q_DEF))
        if persistence == MQPER.AS_Q_DEF:
            persistence = self.target.path[0].def_persistence
        self._writer = manager.body_writer(persistent=bool(persistence))
        self._fields = self._describe(fields)

    def _describe(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Writes the header with the properties, if there are any, and says what the descriptor is then."""
        properties = requested_properties(self.exchange)
        folders: dict[str, list[FolderValue]] = {}
        given = self.exchange.header("ibm-mq-md-correlationId") or ""
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
            body_encoding=fields.get("encoding", int(NATIVE_REVERSED)),
            body_ccsid=fields.get("coded_char_set_id", 0) or UTF_8,
            folders=folders,
        )
        self._writer.write(header)
        return {**fields, **header_descriptor()}

    def _too_long(self) -> MQError:
        queue = self.target.require_puttable()
        short = self._limit == queue.max_message_length
        reason = MQRC.MSG_TOO_BIG_FOR_Q if short else MQRC.MSG_TOO_BIG_FOR_Q_MGR
        return MQError(reason, f"more than {self._limit} bytes")

    def write(self, data: bytes) -> None:
        """Takes a part of the data."""
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
        """Puts the message: 201 with its id."""
        if self._decoder is not None:
            self._check_text(b"", final=True)
        assert self._writer is not None
        body = self._writer.finish()
        self._writer = None
        try:
            message = build_message(body, self._fields)
            warning = await self._put(message)
        except Exception:
            if isinstance(body, PartedBody):
                body.give_back()
            raise
        prefix = "ID:" if self.exchange.version >= 3 else ""
        headers = {"ibm-mq-md-messageId": prefix + message.md.msg_id.hex()}
        if warning:
            headers["mqbridge-reason"] = str(warning)
        self.exchange.answer(201, headers=headers)

    async def _put(self, message: Message) -> int:
        manager, now = self.context.manager, self.context.now()
        if self.unit is not None:
            return manager.put(self.target, message, self.options, self.unit, now)
        warning = 0

        def call(then: Any) -> None:
            nonlocal warning
            warning = manager.put(self.target, message, self.options, None, now, then)

        await self.context.stored(call)
        return warning

    def abandon(self) -> None:
        """Gives back what was written."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.abandon()


class PutLines(_Put):
    """Many messages, one JSON object a line, all or none.

    Outside a unit of work the request is one: it must not hold more messages than MAXUMSGS. In a unit the messages
    before a wrong one are part of the unit. The answer is 201 with a line ``{"messageId": …}`` for each.
    """

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange)
        self._rest = bytearray()
        self._searched = 0
        self._answers: list[str] = []
        self._own: UnitOfWork | None = None

    def begin(self) -> None:
        """Opens a unit of work where none is given."""
        super().begin()
        if self.unit is None:
            self.unit = self._own = self.context.manager.begin(self)
            self.options.options = _OPTIONS | int(MQPMO.SYNCPOINT)

    def write(self, data: bytes) -> None:
        """Puts the lines that are whole."""
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
            message = message_from_json(line)
            warning = self.context.manager.put(self.target, message, self.options, self.unit, self.context.now())
        except MQError as error:
            found = from_mq_error(error)
            raise RestError(found.status, f"message {len(self._answers) + 1}: {error}", reason=error.reason) from error
        except RestError:
            raise
        except Exception as error:
            raise bad_request(f"message {len(self._answers) + 1}: {error}", message_id="MQWB0301E") from error
        answer: dict[str, Any] = {"messageId": message.md.msg_id.hex()}
        if warning:
            answer["reason"] = warning
        self._answers.append(json.dumps(answer))

    async def run(self) -> None:
        """Commits, if the unit is the request's own."""
        if self._rest.strip():
            self._put(bytes(self._rest))
        own, self._own = self._own, None
        if own is not None:
            await self.context.commit(own)
        self.exchange.answer(201, NDJSON, "".join(f"{line}\n" for line in self._answers).encode())

    def abandon(self) -> None:
        """Backs the request's own unit out."""
        own, self._own = self._own, None
        if own is not None:
            self.context.backout(own)
