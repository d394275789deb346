"""Encoding of a prepared branch's operations.

Each operation is a tag, its fixed fields, then its variable fields, each preceded by its length. Only operations that
may occur in a branch have an encoding; nested branches are refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mqbridge.bridge.store.errors import RowError, StoreDamaged
from mqbridge.bridge.store.operations import (
    AddMessage,
    ChangeMessage,
    DropQueue,
    Operation,
    PutRecord,
    RemoveMessage,
    RemoveRecord,
    StagedBody,
)
from mqbridge.bridge.store.rows import StagedRow, join_body, read_staged_row, record_key, staged_row

_HEAD = struct.Struct(">BIQI")
"""Tag, queue, position, number of variable fields."""
_LENGTH = struct.Struct(">Q")
_ADD, _ADD_STAGED, _REMOVE, _CHANGE, _DROP, _PUT, _FORGET = range(1, 8)


@dataclass(slots=True)
class AddStaged:
    """An `AddMessage` of a branch whose staged chunks were claimed when the branch was prepared."""

    queue: int
    position: int
    index: bytes
    body: StagedRow


def encode_operations(operations: Iterable[Operation], claim: Callable[[StagedBody], StagedRow]) -> bytes:
    """Encode all operations of a branch as one row; `claim` turns a staged body into the contents of its row.

    Raises `RowError` for an operation that is not allowed in a branch.
    """
    pieces: list[bytes] = []
    for operation in operations:
        match operation:
            case AddMessage(queue, position, index, body):
                if isinstance(body, StagedBody):
                    _append(pieces, _ADD_STAGED, queue, position, index, staged_row(claim(body)))
                else:
                    _append(pieces, _ADD, queue, position, index, join_body(body))
            case RemoveMessage(queue, position):
                _append(pieces, _REMOVE, queue, position)
            case ChangeMessage(queue, position, index):
                _append(pieces, _CHANGE, queue, position, index)
            case DropQueue(queue):
                _append(pieces, _DROP, queue, 0)
            case PutRecord(table, key, value):
                record_key(table, key)
                _append(pieces, _PUT, 0, 0, table.encode(), key, value)
            case RemoveRecord(table, key):
                record_key(table, key)
                _append(pieces, _FORGET, 0, 0, table.encode(), key)
            case _:
                raise RowError(f"{type(operation).__name__} cannot stand in a branch")
    return b"".join(pieces)


def _append(pieces: list[bytes], tag: int, queue: int, position: int, *fields: bytes) -> None:
    pieces.append(_HEAD.pack(tag, queue, position, len(fields)))
    for value in fields:
        pieces += (_LENGTH.pack(len(value)), value)


def decode_operations(value: bytes, where: str) -> Iterator[Operation | AddStaged]:
    """Yield the operations of a branch's row, in order. Raises `StoreDamaged` if they are malformed."""
    try:
        for tag, queue, position, fields in _split(value):
            if tag == _ADD:
                index, body = fields
                yield AddMessage(queue, position, index, body)
            elif tag == _ADD_STAGED:
                index, row = fields
                yield AddStaged(queue, position, index, read_staged_row(row, where))
            elif tag == _REMOVE:
                yield RemoveMessage(queue, position)
            elif tag == _CHANGE:
                (index,) = fields
                yield ChangeMessage(queue, position, index)
            elif tag == _DROP:
                yield DropQueue(queue)
            elif tag == _PUT:
                table, key, record = fields
                yield PutRecord(table.decode(), key, record)
            elif tag == _FORGET:
                table, key = fields
                yield RemoveRecord(table.decode(), key)
            else:
                raise StoreDamaged(f"operation {tag} of a prepared branch is unknown", where)
    except (struct.error, ValueError) as error:
        raise StoreDamaged(f"the operations of a prepared branch make no sense: {error}", where) from error


def _split(value: bytes) -> Iterator[tuple[int, int, int, list[bytes]]]:
    at = 0
    while at < len(value):
        tag, queue, position, count = _HEAD.unpack_from(value, at)
        at += _HEAD.size
        fields: list[bytes] = []
        for _ in range(count):
            (length,) = _LENGTH.unpack_from(value, at)
            at += _LENGTH.size + length
            if at > len(value):
                raise ValueError("a field reaches past the end")
            fields.append(value[at - length : at])
        yield tag, queue, position, fields


def public_operation(operation: Operation | AddStaged) -> Operation:
    """Return an operation of a branch as callers of the store see it."""
    if isinstance(operation, AddStaged):
        return AddMessage(operation.queue, operation.position, operation.index, operation.body.as_body())
    return operation
