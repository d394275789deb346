"""Input of ``mqbridge put``: one body, or JSON lines in batches, from text, files and standard input."""

from __future__ import annotations

import codecs
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final, NamedTuple

import click

MAX_BATCH: Final = 500
"""Messages per request, which is one unit of work."""
MAX_BATCH_BYTES: Final = 1 << 20
"""Bytes of lines after which a request is sent."""
MAX_LINE: Final = 15 << 20
"""Longest line in bytes; in hexadecimal, with its descriptor, the service still accepts it."""
_READ_SIZE: Final = 1 << 20
_IN_MEMORY: Final = 16 << 20
_FILLER: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
TEXT_FORMAT: Final = "MQSTR"
UTF_8: Final = 1208


class Batch(NamedTuple):
    """JSON lines, and the number of messages in them."""

    lines: bytes
    count: int


@dataclass(slots=True)
class PutRequest:
    """Options of the command. ``query``: query parameters of every request."""

    query: dict[str, str]
    fields: dict[str, Any]
    format: str | None
    properties: dict[str, Any]
    text: str | None
    file: str | None
    lines: bool
    count: int | None
    size: int | None

    @property
    def single(self) -> bool:
        """Whether a single message is sent unchanged, from a file of any length."""
        return not self.lines and self.count is None and self.size is None and not self.properties


@contextmanager
def whole_message(request: PutRequest) -> Iterator[tuple[bytes | IO[bytes], dict[str, Any]]]:
    """Yield data and descriptor of a single message."""
    if request.text is not None:
        yield _encoded(request.text), _described(request, is_text=True)
        return
    with input_stream(request.file) as stream:
        is_text = request.format is None and _is_text(stream)
        stream.seek(0)
        yield stream, _described(request, is_text=is_text)


def _described(request: PutRequest, *, is_text: bool) -> dict[str, Any]:
    fields = dict(request.fields)
    fields["Format"] = request.format if request.format is not None else TEXT_FORMAT if is_text else ""
    if is_text or fields["Format"] == TEXT_FORMAT:
        fields["CodedCharSetId"] = UTF_8
    return fields


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise click.UsageError("the text is not valid in the terminal's character set") from error


@contextmanager
def input_stream(file: str | None) -> Iterator[IO[bytes]]:
    """Open a file that can be read twice; standard input is copied."""
    if file is not None and file != "-":
        with _open(file) as stream:
            yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        while data := sys.stdin.buffer.read1(_READ_SIZE):
            copy.write(data)
        copy.seek(0)
        yield copy


def _is_text(stream: IO[bytes]) -> bool:
    """Return whether a stream is UTF-8 without NULs."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while data := stream.read(_READ_SIZE):
            if b"\0" in data:
                return False
            decoder.decode(data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


# Many messages


def batches(request: PutRequest) -> Iterator[Batch]:
    """Yield all messages of the command, in requests."""
    return _of_lines(request) if request.lines else _of_count(request)


def _of_count(request: PutRequest) -> Iterator[Batch]:
    head, tail = _frame(request, True)
    count = request.count or 1
    fixed = None
    if request.file is not None or (request.text is None and request.size is None and not sys.stdin.isatty()):
        with input_stream(request.file) as stream:
            body = stream.read()
        fixed = _document(request, body)
    elif request.text is not None and request.size is None:
        fixed = b"".join((head, _string(request.text), tail))
    lines: list[bytes] = []
    size = 0
    for number in range(1, count + 1):
        line = fixed or b"".join((head, _string(_filled(request, number, count)), tail))
        lines.append(line)
        size += len(line)
        if len(lines) >= MAX_BATCH or size >= MAX_BATCH_BYTES:
            yield Batch(b"\n".join(lines), len(lines))
            lines, size = [], 0
    if lines:
        yield Batch(b"\n".join(lines), len(lines))


def _filled(request: PutRequest, number: int, count: int) -> str:
    """Return text of the requested size; generated text begins with its number."""
    text = request.text if request.text is not None else f"message {number} of {count}"
    if request.size is None:
        return text
    raw = text.encode()[: request.size].decode(errors="ignore")
    missing = request.size - len(raw.encode())
    filler = _FILLER * (missing // len(_FILLER) + 1)
    return raw + filler[:missing]


def _text(body: bytes) -> str | None:
    """Return a body as text; None if it has NULs or is not UTF-8, so that it is sent as bytes."""
    try:
        return body.decode() if b"\0" not in body else None
    except UnicodeDecodeError:
        return None


def _document(request: PutRequest, body: bytes) -> bytes:
    """Return the JSON line of a body that may not be text."""
    text = _text(body)
    head, tail = _frame(request, text is not None)
    return b"".join((head, json.dumps(body.hex()).encode() if text is None else _string(text), tail))


def _frame(request: PutRequest, is_text: bool, *, as_hex: bool = False) -> tuple[bytes, bytes]:
    """Return the JSON before and after the body in a line; ``as_hex``: the body is in hexadecimal."""
    document = {"MQMD": _described(request, is_text=is_text and request.format is None)}
    if request.properties:
        document["properties"] = request.properties
    head = json.dumps(document, ensure_ascii=False).encode().removesuffix(b"}")
    return head + (b', "body": {"text": ' if is_text and not as_hex else b', "body": {"hex": '), b"}}"


def _string(text: str) -> bytes:
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise click.UsageError("the text is not valid in the terminal's character set") from error


def _of_lines(request: PutRequest) -> Iterator[Batch]:
    """Yield one message per line as soon as lines are available: a pause in a pipe delays nothing."""
    plain, text_as_bytes, data = _frame(request, True), _frame(request, True, as_hex=True), _frame(request, False)
    for raw in _line_groups(request.file):
        lines: list[bytes] = []
        size = 0
        for line in raw:
            text = _text(line)
            head, tail = data if text is None else plain
            body = b"" if text is None else _string(text)
            if len(body) > 2 * len(line) + 2:  # control characters, of which each becomes six
                head, tail = text_as_bytes
                text = None
            if text is None:
                body = json.dumps(line.hex()).encode()
            lines.append(b"".join((head, body, tail)))
            size += len(line)
            if len(lines) >= MAX_BATCH or size >= MAX_BATCH_BYTES:
                yield Batch(b"\n".join(lines), len(lines))
                lines, size = [], 0
        if lines:
            yield Batch(b"\n".join(lines), len(lines))


def _line_groups(file: str | None) -> Iterator[list[bytes]]:
    """Yield lines without their ends, in the groups in which they arrive."""
    with _open(file) as stream:
        yield from _groups(stream)


@contextmanager
def _open(file: str | None) -> Iterator[Any]:
    """Open a file, or standard input, with ``read1``."""
    if file is None or file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = open(file, "rb")  # noqa: SIM115 - closed below; only its opening is the user's fault
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}") from error
    with stream:
        yield stream


def _groups(stream: Any) -> Iterator[list[bytes]]:
    rest = b""
    while data := stream.read1(_READ_SIZE):
        *lines, rest = (rest + data).split(b"\n")
        if len(rest) > MAX_LINE:
            raise click.UsageError(f"a line is longer than {MAX_LINE} bytes; --file without --lines puts it whole")
        if lines:
            yield lines
    if rest:
        yield [rest]
