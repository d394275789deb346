"""The files of a data directory: ``queues.data`` and one file of messages for each queue (M-108, M-109).

A record of ``queues.data`` has 63 bytes: name 32, size 5, length 5, type 1, address 15, port 5. A time-out (10) and the
name at the other manager (32) may follow, as in a framed CREATE (K-03, K-05). A message is its time stamp (10), its
length (5) and its text; the thesis does not say more than that it is text. Records may each be followed by a line feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import AddressValueError, IPv4Address
from typing import Final, NamedTuple

from .codes import MoqError
from .names import MAX_NAME, queue_name
from .requests import Create, QueueType
from .text_fields import read_number, read_text, write_number, write_text

QUEUES_FILE: Final = "queues.data"
_WIDTHS: Final = (MAX_NAME, 5, 5, 1, 15, 5)
_RECORD: Final = sum(_WIDTHS)
_TIMEOUT: Final = 10
_STAMP: Final = 10
_LENGTH: Final = 5


class StoredMessage(NamedTuple):
    """A message of a file. ``stamp``: seconds since 1970."""

    stamp: int
    text: bytes


def read_queues(data: bytes) -> list[Create]:
    """Return the queues of ``queues.data``. Raises ``ValueError`` that says in which record what is wrong."""
    if b"\n" in data:
        records = [line.rstrip(b"\r") for line in data.split(b"\n") if line.strip()]
    else:
        records = [data[at : at + _RECORD] for at in range(0, len(data), _RECORD)]
    return [_read_queue(record, number) for number, record in enumerate(records, 1)]


def write_queues(queues: Iterable[Create]) -> bytes:
    """Return ``queues.data`` of some queues, a line each. Raises ``ValueError`` for a value that does not fit."""
    return b"".join(_write_queue(queue) + b"\n" for queue in queues)


def read_messages(data: bytes) -> Iterator[StoredMessage]:
    """Yield the messages of a file, in order. Raises ``ValueError`` that says at which byte what is wrong."""
    at = 0
    while at < len(data):
        head = data[at : at + _STAMP + _LENGTH]
        try:
            if len(head) < _STAMP + _LENGTH:
                raise ValueError("the file ends")
            stamp, length = read_number(head[:_STAMP]), read_number(head[_STAMP:])
            start = at + len(head)
            text = data[start : start + length]
            if len(text) < length:
                raise ValueError("the file ends")
        except ValueError as error:
            raise ValueError(f"message at byte {at}: {error}") from error
        yield StoredMessage(stamp, text)
        at = start + length
        at += data[at : at + 1] == b"\n"


def write_messages(messages: Iterable[StoredMessage]) -> bytes:
    """Return the file of some messages. Raises ``ValueError`` for one that does not fit."""
    return b"".join(
        write_number(each.stamp, _STAMP, "the time stamp")
        + write_number(len(each.text), _LENGTH, "the length")
        + each.text
        + b"\n"
        for each in messages
    )


def _read_queue(record: bytes, number: int) -> Create:
    try:
        if len(record) < _RECORD - 20:  # blanks at the end may be gone
            raise ValueError(f"{len(record)} bytes are too few")
        fields, at = [], 0
        for width in (*_WIDTHS, _TIMEOUT, MAX_NAME):
            fields.append(record[at : at + width])
            at += width
        name, size, length, kind, address, port, timeout, remote_name = fields
        queue = Create(
            queue_name(read_text(name)), read_number(size), read_number(length), QueueType(kind.decode("ascii"))
        )
        if queue.type is QueueType.REMOTE:
            where = str(IPv4Address(read_text(address)))
            queue = queue._replace(address=where, port=read_number(port), remote_name=read_text(remote_name))
        return queue._replace(timeout=read_number(timeout))
    except (AddressValueError, MoqError, ValueError) as error:
        raise ValueError(f"record {number}: {error}") from error


def _write_queue(queue: Create) -> bytes:
    record = (
        write_text(queue.queue, MAX_NAME, "the name")
        + write_number(queue.size, 5, "the size")
        + write_number(queue.length, 5, "the length")
        + queue.type.value.encode()
        + write_text(queue.address, 15, "the address")
        + write_number(queue.port, 5, "the port")
    )
    if queue.timeout or queue.remote_name:
        record += write_number(queue.timeout, _TIMEOUT, "the time-out")
        record += write_text(queue.remote_name, MAX_NAME, "the name at the other manager")
    return record
