"""``--client``: put, get and browse over a client connection to any queue manager, with the interface of the admin
endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import TracebackType
from typing import IO, Any, Self

import click

from mqbridge.bridge.client import Message, MQUrl, Queue, QueueManager, Topic, connect
from mqbridge.bridge.message_json import md_fields, message_from_json, message_pieces
from mqbridge.bridge.message_json.fields import build_message
from mqbridge.bridge.plug_ins import try_formats
from mqbridge.protocol.formats import Formats


class ClientAccess:
    """The commands' access to a queue manager through our own client. All methods raise `MQError`."""

    def __init__(self, url: str | MQUrl | None, agent: str) -> None:
        self._manager: QueueManager = connect(url, application=agent)

    @cached_property
    def _formats(self) -> Formats:
        """Formats of plug-ins; a plug-in that cannot be used is warned of, once."""
        formats, faults = try_formats()
        for fault in faults:
            click.echo(f"warning: {fault}", err=True)
        return formats

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._manager.disconnect()
        else:
            self._manager.abort()  # what was not committed goes back

    # Puts

    def put(
        self,
        queue: str,
        data: bytes | IO[bytes],
        fields: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
    ) -> str:
        """Put one message; ``fields`` of its descriptor by IBM's names. Returns its id in hexadecimal.

        ``query``: ``rqmname``, the queue's queue manager, or ``topic``, a topic string in place of a queue.
        """
        body = data if isinstance(data, bytes) else data.read()
        message = Message.of(build_message(body, md_fields(fields or {})))
        if query and "topic" in query:
            with self._manager.topic(query["topic"]) as topic:
                return topic.put(message).hex()
        return self._manager.put(queue, message, queue_manager=(query or {}).get("rqmname", "")).hex()

    def put_lines(self, queue: str, lines: bytes, *, query: Mapping[str, str] | None = None) -> list[str]:
        """Put messages in the JSON form, one per line, all or none; return their ids."""
        asked = query or {}
        target: Queue | Topic = (
            self._manager.topic(asked["topic"])
            if "topic" in asked
            else self._manager.queue(queue, queue_manager=asked.get("rqmname", ""))
        )
        with target, self._manager.transaction():
            return [target.put(Message.of(message_from_json(line))).hex() for line in lines.splitlines()]

    # Gets

    def read(
        self,
        queue: str,
        *,
        takes: bool,
        limit: int = 1,
        wait: float = 0,
        unit: ClientUnit | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Iterator[bytes]:
        """Browse up to ``limit`` messages, or get one in the unit of work, as JSON lines; ``wait`` in seconds."""
        asked = query or {}
        short = asked.get("body") == "text"
        how: dict[str, Any] = {
            "wait": wait,
            "msg_id": bytes.fromhex(asked.get("messageId", "")),
            "correl_id": bytes.fromhex(asked.get("correlationId", "")),
            "selector": asked.get("selector", ""),
        }
        if takes:
            message = self._manager.get(queue, syncpoint=True, **how)
            if message is not None:
                yield _line(message, short, self._formats)
            return
        for number, message in enumerate(self._manager.browse(queue, **how), 1):
            yield _line(message, short, self._formats)
            if number == limit:
                return

    def unit(self, *, separate: bool = False, connection: bool = False) -> ClientUnit:
        """Return the unit of work of the connection."""
        return ClientUnit(self._manager)


class ClientUnit:
    """The unit of work of a connection."""

    def __init__(self, manager: QueueManager) -> None:
        self._manager = manager

    def commit(self, messages: int | None = None) -> None:
        """Commit."""
        self._manager.commit()


def _line(message: Message, short: bool, formats: Formats) -> bytes:
    return b"".join(message_pieces(message.stored, short=short, formats=formats)) + b"\n"
