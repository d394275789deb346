"""Indexes of a queue by MsgId, CorrelId or GroupId: built at the first get by that id, and kept up from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, Protocol

from mqbridge.bridge.queue_manager.queues.priority_chains import RowChain

from .rows import GROUPED, POSITION_BYTES, Row, flags_of, group_fields

_ZEROS: Final = bytes(24)


class IdKind(Enum):
    """Which id an index is of."""

    MSG_ID = "MsgId"
    CORREL_ID = "CorrelId"
    GROUP_ID = "GroupId"
    GROUPS = "groups and segments"
    """Not an `IdIndex` but a `groups.GroupIndex`."""


def _msg_id(row: bytes) -> bytes:
    return Row(row).msg_id


def _correl_id(row: bytes) -> bytes:
    return Row(row).correl_id


def _group_id(row: bytes) -> bytes:
    return group_fields(row).group_id if flags_of(row) & GROUPED else _ZEROS


_ID_OF: Final[dict[IdKind, Callable[[bytes], bytes]]] = {
    IdKind.MSG_ID: _msg_id,
    IdKind.CORREL_ID: _correl_id,
    IdKind.GROUP_ID: _group_id,
}


class Rows(Protocol):
    """A source of rows in order of delivery."""

    def rows(self, after: bytes) -> Iterable[bytes]:
        """Rows behind a position (eight bytes; empty: all). The source must not change during the iteration."""
        ...


class RowObserver(Protocol):
    """An observer of the visible messages of a queue: an index, or a search in turns."""

    def add(self, row: bytes) -> None:
        """A message has become visible."""
        ...

    def remove(self, row: bytes) -> None:
        """A message is no longer visible."""
        ...


class Index:
    """An index of one queue, built in pieces. ``upto``: position of the last row indexed; None when it is complete."""

    __slots__ = ("upto",)

    def __init__(self) -> None:
        self.upto: bytes | None = b""

    def add(self, row: bytes) -> None:
        """Add a new row, unless building the index will come to it."""
        if self.upto is None or row[:POSITION_BYTES] <= self.upto:
            self.take(row)

    def take(self, row: bytes) -> None:
        """Add a row."""
        raise NotImplementedError

    def remove(self, row: bytes) -> None:
        """Remove a row, if it is in the index."""
        raise NotImplementedError


class _Of:
    """Rows with one id."""

    __slots__ = ("_found",)

    def __init__(self, found: bytes | RowChain | None) -> None:
        self._found = found

    def rows(self, after: bytes = b"") -> Iterable[bytes]:
        """See `Rows.rows`."""
        found = self._found
        if isinstance(found, RowChain):
            return found.next_after(after)
        return () if found is None or (after and found[:POSITION_BYTES] <= after) else (found,)


class IdIndex(Index):
    """Rows of one queue by one id. Rows whose id is all zeros are left out: no get searches for zeros."""

    __slots__ = ("_found", "_id_of")

    def __init__(self, kind: IdKind) -> None:
        super().__init__()
        self._id_of = _ID_OF[kind]
        self._found: dict[bytes, bytes | RowChain] = {}

    def take(self, row: bytes) -> None:
        """See `Index.take`."""
        key = self._id_of(row)
        if key == _ZEROS:
            return
        found = self._found.get(key)
        if found is None:
            self._found[key] = row
        elif isinstance(found, RowChain):
            found.append(row)
        else:
            chain = RowChain()
            chain.append(found)
            chain.append(row)
            self._found[key] = chain

    def remove(self, row: bytes) -> None:
        """See `Index.remove`."""
        key = self._id_of(row)
        found = self._found.get(key)
        if isinstance(found, RowChain):
            found.remove(row)
            if not found:
                del self._found[key]
        elif found is not None and found[:POSITION_BYTES] == row[:POSITION_BYTES]:
            del self._found[key]

    def of(self, key: bytes) -> Rows:
        """The rows with this id."""
        return _Of(self._found.get(key))
