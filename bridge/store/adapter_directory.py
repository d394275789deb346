"""What a store over an adapter keeps in memory: positions of messages, keys of records, names of branches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mqbridge.bridge.store.adapter_draft import Draft
from mqbridge.bridge.store.adapter_objects import AdapterObjects
from mqbridge.bridge.store.adapter_rows import (
    BODY,
    BRANCH,
    FORMAT,
    INTENT,
    MESSAGE,
    RECORD,
    SPILLED,
    STAGED,
    MessageObject,
    decode_branch,
    decode_record,
    message_name,
    numbered,
    read_message_name,
    read_number,
)
from mqbridge.bridge.store.branch_rows import AddStaged, decode_operations
from mqbridge.bridge.store.errors import StoreDamaged


class Directory:
    """``messages``: lengths of bodies by queue and position. ``records``: numbers by table and key. ``branches``:
    numbers by name. ``free_parts``: lengths of staged parts that belong to nothing, by number.

    What there is already is noted, and what nothing refers to erased. Raises `StoreDamaged`.
    """

    def __init__(self, objects: AdapterObjects, free_parts: Mapping[int, int]) -> None:
        self._objects = objects
        self._free_parts = free_parts
        self.messages: dict[int, dict[int, int]] = {}
        self.records: dict[str, dict[bytes, int]] = {}
        self.branches: dict[bytes, int] = {}
        self._load(objects)

    def _load(self, objects: AdapterObjects) -> None:
        names = [name for name in objects.adapter.names() if name not in (FORMAT, INTENT)]
        parts: set[str] = set()
        whole = True
        for name in names:
            if name[0] == MESSAGE:
                whole &= self._note_message(objects, name, parts)
            elif name[0] == RECORD:
                table, key, _ = decode_record(objects.read(name), name)
                self.records.setdefault(table, {})[key] = read_number(name)
            elif name[0] == BRANCH:
                self._note_branch(objects, name, parts)
        for name in names:
            if name[0] in (BODY, STAGED, SPILLED, RECORD, BRANCH):
                objects.last_number = max(objects.last_number, read_number(name))
                if name[0] == SPILLED or (whole and name[0] in (BODY, STAGED) and name not in parts):
                    objects.erase(name)

    def _note_message(self, objects: AdapterObjects, name: str, parts: set[str]) -> bool:
        """Note a message. Returns whether it is whole: damage is told when it is read."""
        queue, position = read_message_name(name)
        try:
            message = MessageObject.decode(objects.read(name), name)
        except StoreDamaged:
            self.messages.setdefault(queue, {})[position] = 0
            return False
        self.messages.setdefault(queue, {})[position] = message.length
        parts.update(message.parts())
        return True

    def _note_branch(self, objects: AdapterObjects, name: str, parts: set[str]) -> None:
        branch, operations = decode_branch(objects.read(name), name)
        self.branches[branch] = read_number(name)
        for operation in decode_operations(operations, name):
            if isinstance(operation, AddStaged):
                parts.update(numbered(STAGED, chunk.number) for chunk in operation.body.chunks)

    def apply(self, draft: Draft) -> None:
        """Take over what has been committed."""
        for (queue, position), message in draft.messages.items():
            if message is not None:
                self.messages.setdefault(queue, {})[position] = message.length
            elif self.messages.get(queue, {}).pop(position, None) is not None and not self.messages[queue]:
                del self.messages[queue]
        for (table, key), (number, value) in draft.records.items():
            if value is None:
                self.records.get(table, {}).pop(key, None)
            else:
                self.records.setdefault(table, {})[key] = number
        for branch, (number, operations) in draft.branches.items():
            if operations is None:
                self.branches.pop(branch, None)
            else:
                self.branches[branch] = number

    # What a draft asks

    def message(self, queue: int, position: int) -> MessageObject | None:
        """Return a message, or None. Raises `StoreDamaged`."""
        if position not in self.messages.get(queue, {}):
            return None
        name = message_name(queue, position)
        return MessageObject.decode(self._objects.read(name), name)

    def positions(self, queue: int) -> Iterable[int]:
        """Return the positions of a queue's messages, in any order."""
        return self.messages.get(queue, {})

    def record_number(self, table: str, key: bytes) -> int | None:
        """Return the number of a record, or None."""
        return self.records.get(table, {}).get(key)

    def branch(self, branch: bytes) -> tuple[int, bytes] | None:
        """Return number and operations of a prepared branch, or None."""
        number = self.branches.get(branch)
        if number is None:
            return None
        name = numbered(BRANCH, number)
        return number, decode_branch(self._objects.read(name), name)[1]

    def staged_length(self, part: int) -> int | None:
        """Return the length of a staged part that belongs to nothing, or None."""
        return self._free_parts.get(part)

    def new_number(self) -> int:
        """Return a number that no object has."""
        return self._objects.new_number()

    def write_ahead(self, name: str, data: bytes) -> None:
        """Write an object to which nothing refers yet. Raises `StoreFull`."""
        self._objects.write(name, data)
