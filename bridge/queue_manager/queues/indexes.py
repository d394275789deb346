"""Finding messages by an id without passing over the others: made when the first get asks, kept up from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final

from .lanes import Lane
from .rows import GROUPED, POSITION_BYTES, flags_of, group_fields, parse_row

_ZEROS: Final = bytes(24)


class IdKind(Enum):
    """Which id an index is of."""

    MSG_ID = "MsgId"
    CORREL_ID = "CorrelId"
    GROUP_ID = "GroupId"
    GROUPS = "groups and segments"
    """Not an `IdIndex` but a `groups.GroupIndex`."""


def _msg_id(row: bytes) -> bytes:
    return parse_row(row).msg_id


def _correl_id(row: bytes) -> bytes:
    return parse_row(row).correl_id


def _group_id(row: bytes) -> bytes:
    return group_fields(row).group_id if flags_of(row) & GROUPED else _ZEROS


_ID_OF: Final[dict[IdKind, Callable[[bytes], bytes]]] = {
    IdKind.MSG_ID: _msg_id,
    IdKind.CORREL_ID: _correl_id,
    IdKind.GROUP_ID: _group_id,
}


class IdIndex:
    """Rows of one queue by one id. Rows whose id is zeros are left out: zeros are never searched for."""

    __slots__ = ("_found", "_id_of")

    def __init__(self, kind: IdKind, rows: Iterable[bytes]) -> None:
        self._id_of = _ID_OF[kind]
        self._found: dict[bytes, bytes | Lane] = {}
        for row in rows:
            self.add(row)

    def add(self, row: bytes) -> None:
        """Takes a row in."""
        key = self._id_of(row)
        if key == _ZEROS:
            return
        found = self._found.get(key)
        if found is None:
            self._found[key] = row
        elif isinstance(found, Lane):
            found.append(row)
        else:
            lane = Lane()
            lane.append(found)
            lane.append(row)
            self._found[key] = lane

    def remove(self, row: bytes) -> None:
        """Takes a row out; one that is not there is passed over."""
        key = self._id_of(row)
        found = self._found.get(key)
        if isinstance(found, Lane):
            found.remove(row)
            if not found:
                del self._found[key]
        elif found is not None and found[:POSITION_BYTES] == row[:POSITION_BYTES]:
            del self._found[key]

    def rows(self, key: bytes) -> Iterable[bytes]:
        """Rows with this id in the order of delivery. The index must not change meanwhile."""
        found = self._found.get(key)
        if found is None:
            return ()
        return found if isinstance(found, Lane) else (found,)
