"""``GET …/queue/{queue}/message`` browses, ``DELETE`` gets: one message as text or bytes, or many as JSON lines.

Query parameters: ``messageId``, ``correlationId`` and ``selector`` select; ``wait`` (milliseconds) applies to the first
message; ``limit``: number of JSON lines; ``body=text`` omits the hexadecimal form of text bodies. A message got outside
a unit of work is committed after the client's system has taken the response, which ends only then. So an incomplete
response may have been backed out.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.message_json import MessageView, message_pieces
from mqbridge.bridge.queue_manager import RetrievedMessage
from mqbridge.mappings.body import in_pieces
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError

from .descriptor_headers import ibm_headers, own_headers
from .errors import NOT_TEXT, RestError
from .exchange import MAX_WAIT, NDJSON, OCTETS, TEXT, RestExchange
from .handlers import Handler
from .message_sources import Browsing, GetsInUnit, MessageSource
from .response_stream import ResponseStream

MAX_MESSAGES: Final = 999_999_999
"""Maximum number of messages of a stream."""
TAKEN_AT_ONCE: Final = 8 << 20
"""Bytes of data after which a stream of gets ends: its messages are held in one unit of work."""
_WRITE_SIZE: Final = 64 << 10
"""Bytes gathered before they are written."""


def browse_messages(exchange: RestExchange) -> Handler:
    """Return the handler of GET."""
    return _Many(exchange, takes=False) if exchange.accepts(NDJSON) else _One(exchange, takes=False)


def get_messages(exchange: RestExchange) -> Handler:
    """Return the handler of DELETE."""
    return _Many(exchange, takes=True) if exchange.accepts(NDJSON) else _One(exchange, takes=True)


class _Reading(Handler):
    """What both forms have in common."""

    def __init__(self, exchange: RestExchange, *, takes: bool) -> None:
        super().__init__(exchange)
        self.takes = takes
        self.changes = takes
        self.wait = 0

    def begin(self) -> None:
        """Read the query parameters."""
        self.wait = self.exchange.number("wait", 0, 0, MAX_WAIT)

    async def run(self) -> None:
        """Open the queue, answer, close it."""
        source = (GetsInUnit if self.takes else Browsing)(self.exchange)
        try:
            await self.answer(source)
        finally:
            source.close()

    async def answer(self, source: MessageSource) -> None:
        """Answer with messages of the source."""
        raise NotImplementedError

    async def end(self, source: MessageSource, stream: ResponseStream) -> None:
        """Commit the messages once the client has them, then end the response; aborts it if the commit fails."""
        if isinstance(source, GetsInUnit) and source.unit is None:
            if not await stream.taken():
                return
            try:
                await source.commit()
            except MQBridgeError:
                stream.abort()
                return
        stream.finish()


class _One(_Reading):
    """One message: 200 with its data, 204 if there is none."""

    async def answer(self, source: MessageSource) -> None:
        """See the class."""
        raw = self.exchange.accepts(OCTETS)
        got = await self._first(source, raw)
        if got is None:
            self.exchange.answer(204)
            return
        message = got.message
        view = MessageView(message, self.exchange.context.manager.formats)
        headers = ibm_headers(self.exchange, message, view)
        if raw:
            stream = self.exchange.stream(200, OCTETS, {**headers, **own_headers(view)})
            await _write_data(stream, message)
        else:
            stream = self.exchange.stream(200, TEXT, headers)
            for text in view.text_pieces():
                stream.write(text.encode())
                await stream.drained()
        await self.end(source, stream)

    async def _first(self, source: MessageSource, raw: bool) -> RetrievedMessage | None:
        """The message. One that is not text stays on the queue if text was requested."""
        if raw or not isinstance(source, GetsInUnit):
            got = await source.fetch_or_wait(self.wait)
            if got is not None and not raw:
                self._require_text(got)
            return got
        first = await source.first()
        if first is None and self.wait:
            got = await source.fetch_or_wait(self.wait)
            if got is not None:
                self._require_text(got)
            return got
        if first is not None:
            self._require_text(first)
        return await source.fetch()

    def _require_text(self, got: RetrievedMessage) -> None:
        if not MessageView(got.message, self.exchange.context.manager.formats).is_text():
            raise RestError(
                NOT_TEXT,
                "the message is no text; it stays on the queue",
                message_id="MQWB0303E",
                action=f"ask for it with the header Accept: {OCTETS}, or {NDJSON}",
            )


class _Many(_Reading):
    """Messages as JSON objects, one on each line; the status is 200 even if there are none."""

    async def answer(self, source: MessageSource) -> None:
        """See the class."""
        limit = self.exchange.number("limit", MAX_MESSAGES, 1, MAX_MESSAGES)
        short = self.exchange.query.get("body") == "text"
        formats = self.exchange.context.manager.formats
        got = await source.fetch_or_wait(self.wait)
        stream = self.exchange.stream(200, NDJSON)
        lines = _Lines(stream)
        size = count = 0
        try:
            while got is not None and not self.exchange.gone:
                for piece in message_pieces(got.message, short=short, formats=formats):
                    if lines.add(piece):
                        await stream.drained()
                lines.add(b"\n")
                count += 1
                size += got.length
                if count >= limit or (self.takes and size >= TAKEN_AT_ONCE):
                    break
                outcome = source.ask()
                if outcome is None:
                    lines.write()
                    outcome = await source.outcome()
                got = source.message_of(outcome)
        finally:
            lines.write()
        await self.end(source, stream)


class _Lines:
    """Lines of a response, written in larger pieces."""

    __slots__ = ("_pieces", "_size", "_stream")

    def __init__(self, stream: ResponseStream) -> None:
        self._stream = stream
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> bool:
        """Add a piece; returns whether the gathered ones were written."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size < _WRITE_SIZE:
            return False
        self.write()
        return True

    def write(self) -> None:
        """Write the gathered pieces."""
        self._stream.write(b"".join(self._pieces))
        self._pieces.clear()
        self._size = 0


async def _write_data(stream: ResponseStream, message: Message) -> None:
    for piece in in_pieces(message.body, _WRITE_SIZE):
        stream.write(bytes(piece))
        await stream.drained()
