"""Handles of a connection: numbers for what a program has open (mqi.md 1.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.objects import Definition, Kind, Objects
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCO, MQOO, MQOT, MQRC

FIRST_HANDLE: Final = 2
HANDLE_STEP: Final = 2
"""Handles are even numbers, as in IBM MQ."""
MAX_HANDLE: Final = 2**31 - 2
NO_HANDLES_LIMIT: Final = 0
"""MAXHANDS(0) means no limit here: otherwise no program could open anything."""

_KINDS: Final = {MQOT.NAMELIST: Kind.NAMELIST, MQOT.PROCESS: Kind.PROCESS, MQOT.Q_MGR: Kind.QMGR}
_ALLOWED: Final = int(MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING | MQOO.ALTERNATE_USER_AUTHORITY)


class ForeignHandle(Protocol):
    """An open object other than a queue, such as a subscription or a distribution list."""

    def close_at_end(self, now: Time) -> None:
        """Close it because its connection ends."""
        ...


@dataclass(slots=True, eq=False)
class ObjectHandle:
    """A namelist, process or the queue manager, open for MQINQ."""

    kind: Kind
    name: str
    options: int

    @property
    def object_name(self) -> str:
        """The name of the object."""
        return self.name


Opened: TypeAlias = Handle | ObjectHandle | ForeignHandle


def open_object(objects: Objects, object_type: int, name: str, options: int) -> ObjectHandle:
    """MQOPEN of a namelist, a process or the queue manager. Raises `MQError` 2043, 2045, 2046, 2085, 2194."""
    kind = _KINDS.get(MQOT(object_type))
    if kind is None:
        raise MQError(MQRC.OBJECT_TYPE_ERROR, str(object_type))
    if options & ~_ALLOWED:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, str(MQOO(options & ~_ALLOWED)))
    if not options & MQOO.INQUIRE:
        raise MQError(MQRC.OPTIONS_ERROR, "no access is asked for")
    if kind is Kind.QMGR:
        if name:
            raise MQError(MQRC.NAME_NOT_VALID_FOR_TYPE, name)
        name = objects.name
    if objects.find(kind, name) is None:
        raise MQError(MQRC.UNKNOWN_OBJECT_NAME, name)
    return ObjectHandle(kind, name, int(options))


def definition_of(objects: Objects, opened: Opened) -> Definition:
    """The definition of the object that was opened, of an alias queue the alias itself.

    Raises `MQError` 2052 (deleted), 2038 (cannot be inquired).
    """
    if isinstance(opened, ObjectHandle):
        found = objects.find(opened.kind, opened.name)
    elif isinstance(opened, Handle):
        found = objects.queue(opened.object_name)
    else:
        raise MQError(MQRC.NOT_OPEN_FOR_INQUIRE)
    if found is None:
        raise MQError(MQRC.Q_DELETED, opened.object_name)
    return found


class HandleTable:
    """The handles (Hobj) of one connection, by number."""

    __slots__ = ("_next", "_objects", "_opened")

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._opened: dict[int, Opened] = {}
        self._next = FIRST_HANDLE

    def __len__(self) -> int:
        return len(self._opened)

    def __contains__(self, number: int) -> bool:
        return number in self._opened

    def items(self) -> list[tuple[int, Opened]]:
        """All handles in order of opening."""
        return list(self._opened.items())

    def require_room(self, count: int = 1) -> None:
        """Raise `MQError` 2017 if ``count`` more handles would exceed MAXHANDS."""
        limit = self._objects.manager.integer("MAXHANDS")
        if limit != NO_HANDLES_LIMIT and len(self._opened) + count > limit:
            raise MQError(MQRC.HANDLE_NOT_AVAILABLE, f"MAXHANDS {limit}")

    def add(self, opened: Opened) -> int:
        """Assign a handle. Raises `MQError` 2017."""
        self.require_room()
        while self._next in self._opened:
            self._step()
        number = self._next
        self._step()
        self._opened[number] = opened
        return number

    def _step(self) -> None:
        self._next = self._next + HANDLE_STEP if self._next < MAX_HANDLE else FIRST_HANDLE

    def get(self, number: int) -> Opened:
        """The object of a handle. Raises `MQError` 2019."""
        opened = self._opened.get(number)
        if opened is None:
            raise MQError(MQRC.HOBJ_ERROR, str(number))
        return opened

    def queue(self, number: int, otherwise: int) -> Handle:
        """The open queue of a handle. Raises `MQError` 2019, or `otherwise` for an object of another kind."""
        opened = self._opened.get(number)
        if type(opened) is Handle:
            return opened
        if opened is None:
            raise MQError(MQRC.HOBJ_ERROR, str(number))
        raise MQError(otherwise, str(number))

    def remove(self, number: int) -> None:
        """Free a handle."""
        self._opened.pop(number, None)


def check_object_close(options: int) -> None:
    """Raise `MQError` 2045 for MQCO_DELETE of an object that is not a queue (mqi.md 3)."""
    if options & (MQCO.DELETE | MQCO.DELETE_PURGE):
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, "only dynamic queues are deleted by a close")
