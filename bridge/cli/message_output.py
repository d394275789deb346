"""Output of messages: read in small groups, written one by one, committed by number.

Retrieved messages are in a separate unit of work that ends with our connection. A group is read completely before its
first message is written, so that the connection is free to commit; if something goes wrong, what was written is
committed and the rest is backed out.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any, Final, Self

import click

from mqbridge.bridge.cli.client_access import ClientAccess, ClientUnit
from mqbridge.bridge.cli.connecting import FAILED, INTERRUPTED, connect_either, fail, reason_of, refusals, silence
from mqbridge.bridge.message_json import message_from_json
from mqbridge.bridge.message_json.jms import jms_document, jms_lines
from mqbridge.bridge.rest_client import RestClient, Unit
from mqbridge.mappings.destinations import Destination, DestinationError
from mqbridge.mappings.jms import JmsMessage
from mqbridge.protocol.errors import MQBridgeError

from .message_lines import whole_lines

GROUP: Final = 100
"""Number of messages read and committed together."""
_EVERYTHING: Final = 999_999_999
_IN_MEMORY: Final = 16 << 20
_NOTHING: Final = "MQRC_NO_MSG_AVAILABLE (2033)"


@dataclass(slots=True)
class OutputOptions:
    """Options of ``mqbridge get`` and ``mqbridge browse``."""

    queue: str
    """Name of the queue."""
    count: int | None
    """Maximum number of messages; None without --count."""
    everything: bool
    """All messages (--all)."""
    wait: float
    """Seconds to wait for a message."""
    msg_id: str | None
    """Message id to match, hexadecimal."""
    correl_id: str | None
    """Correlation id to match, hexadecimal."""
    selector: str | None
    """Message selector."""
    as_json: bool
    """Write messages in the JSON form, one per line."""
    as_jms: bool
    """Write them as JMS messages."""
    output: Path | None
    """Folder for one file per message; None for standard output."""

    @property
    def wanted(self) -> int | None:
        """Return the number of messages; None for all."""
        return None if self.everything else self.count or 1

    @property
    def query(self) -> dict[str, str]:
        """Return the query parameters of every request."""
        query = {} if self.as_json or self.as_jms else {"body": "text"}
        if self.msg_id:
            query["messageId"] = self.msg_id
        if self.correl_id:
            query["correlationId"] = self.correl_id
        if self.selector:
            query["selector"] = self.selector
        return query


def show_messages(
    data: str | None, url: str | None, client: str | None, options: OutputOptions, *, takes: bool
) -> None:
    """Run the whole command; exits with its status."""
    if options.everything and options.count is not None:
        raise click.UsageError("give --count or --all")
    if (options.as_json or options.as_jms) and options.output is not None:
        raise click.UsageError(f"give {'--json' if options.as_json else '--jms'} or --output")
    if options.output is not None:
        try:
            options.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.UsageError(f"{options.output}: {error.strerror}") from error
    agent = f"mqbridge {'get' if takes else 'browse'}"
    with refusals(), connect_either(data, url, client, agent) as reached:
        shown = _Show(reached, options)
        status = shown.take() if takes else shown.browse()
        if status:
            sys.exit(status)
        if not shown.total:
            fail(f"{_NOTHING}: {options.queue}")
        if options.wanted is not None and options.count is not None and shown.total < options.wanted:
            click.echo(f"{shown.total} of {options.wanted} messages came", err=True)


class _Show:
    """One run of the command. ``total``: messages written."""

    def __init__(self, client: RestClient | ClientAccess, options: OutputOptions) -> None:
        self._client: Any = client
        self._options = options
        self._write: Callable[[bytes], None] = self._writer()
        self._origin: Destination | None = None
        with suppress(DestinationError):
            self._origin = Destination.queue(options.queue)
        self.total = 0

    def _writer(self) -> Callable[[bytes], None]:
        if self._options.as_jms:
            return self._as_jms
        if self._options.as_json:
            return self._as_json
        return self._to_file if self._options.output is not None else self._as_text

    # Groups

    def browse(self) -> int:
        """Write messages as they arrive; return the status of the command."""
        options = self._options
        wanted = options.wanted or _EVERYTHING
        chunks = self._client.read(options.queue, takes=False, limit=wanted, wait=options.wait, query=options.query)
        with closing(whole_lines(chunks)) as lines:
            for line in lines:
                try:
                    self._write(line)
                except _NotShown as error:
                    click.echo(str(error), err=True)
                    return FAILED
                self.total += 1
        return 0

    def take(self) -> int:
        """Get group after group; return the status of the command."""
        unit = self._client.unit(separate=True, connection=True)
        wanted = self._options.wanted
        while wanted is None or self.total < wanted:
            left = GROUP if wanted is None else min(GROUP, wanted - self.total)
            with self._group(left, unit) as lines, _DeferredInterrupt() as patient:
                before = self.total
                status = self._write_out(lines, patient)
                if self.total == before:
                    return status
                unit.commit(self.total - before)
                status = status or (INTERRUPTED if patient.asked else 0)
            if status:
                return status
        return 0

    @contextmanager
    def _group(self, limit: int, unit: Unit | ClientUnit) -> Iterator[IO[bytes]]:
        """Get up to ``limit`` messages; all have arrived before the first is returned."""
        options = self._options
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
            for data in self._client.read(
                options.queue, takes=True, limit=limit, wait=options.wait, unit=unit, query=options.query
            ):
                copy.write(data)
            copy.seek(0)
            yield copy

    def _write_out(self, lines: IO[bytes], patient: _DeferredInterrupt) -> int:
        """Write messages and count those written completely; return the status with which to exit, or 0."""
        try:
            for line in lines:
                self._write(line)
                self.total += 1
                if patient.asked:
                    return INTERRUPTED
        except BrokenPipeError:
            silence()
            return FAILED
        except KeyboardInterrupt:
            return INTERRUPTED
        except (_NotShown, OSError) as error:
            click.echo(reason_of(error) if isinstance(error, OSError) else str(error), err=True)
            return FAILED
        return 0

    # Single messages

    def _as_json(self, line: bytes) -> None:
        _out(line)

    def _as_jms(self, line: bytes) -> None:
        try:
            document = jms_document(JmsMessage.of(message_from_json(line), self._origin))
        except MQBridgeError as error:
            raise _NotShown(f"a message is no JMS message: {error}; --json shows it") from error
        if self._options.as_json:
            _out(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        else:
            _out("".join(f"{shown}\n" for shown in jms_lines(document)).encode("utf-8", "replace"))

    def _as_text(self, line: bytes) -> None:
        body = json.loads(line)["body"]
        text = body.get("text")
        if text is not None:
            data = text.encode("utf-8", "replace")
            _out(data if data.endswith(b"\n") else data + b"\n")
            return
        if self._options.wanted != 1 or sys.stdout.isatty():
            raise _NotShown(
                f"a message is no text but {body['length']} bytes; --json shows it, --output DIR writes it to a file"
            )
        _out(bytes.fromhex(body["hex"]))

    def _to_file(self, line: bytes) -> None:
        document = json.loads(line)
        body = document["body"]
        folder = self._options.output
        assert folder is not None
        file = folder / f"{self.total + 1:04}-{document['MQMD']['MsgId']}"
        with file.open("wb") as stream:
            stream.write(_data(body))
            stream.flush()
            os.fsync(stream.fileno())
        _out(f"{file}\n".encode())


def _data(body: dict[str, Any]) -> bytes:
    """Return the bytes of a body; text is encoded in UTF-8."""
    text = body.get("text")
    return bytes.fromhex(body["hex"]) if text is None else text.encode("utf-8", "replace")


def _out(data: bytes) -> None:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


class _NotShown(Exception):
    """A message that cannot be written in the requested form."""


class _DeferredInterrupt:
    """Deferral of a first Ctrl-C (``asked``), so that a message is written completely; a second one interrupts."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
