"""The definition of a queue: its kind and its properties, and its row in the registry (mqe.md 6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import check_priority
from mqbridge.protocol.everyplace.names import Address, check_name

from . import queue_properties as rows
from .properties import Alterable, Property
from .queue_kinds import QueueKind
from .queue_properties import BY_FIELD, PROPERTIES

ANY: Final = "*"
"""Name of a bridge queue that stands for every queue of its queue manager."""
_NUMBER: Final = "number"
_COMPUTED: Final = (rows.CREATION_DATE, rows.NAME, rows.OWNER)
"""Properties in a row of the registry that nobody sets."""
_DEMANDS: Final = (rows.AUTHENTICATOR, rows.CRYPTOR, rows.COMPRESSOR)
_FROM_ONE: Final = (rows.MAX_MSG_SIZE, rows.MAX_Q_SIZE)
_NOT_NEGATIVE: Final = (rows.EXPIRY, rows.POLL_INTERVAL, rows.MAX_IDLE_TIME)


class QueueDefinition:
    """A queue as it was defined. ``number``: of its messages in the store. ``created``: milliseconds since 1970.
    ``demands``: whether it demands any protection, of channels or for messages at rest.

    The owner of a store-and-forward queue is the queue manager to which it pushes, or the one that has the definition
    if it only holds; that of a home-server queue is the server from which it pulls.

    Raises `EveryplaceError` SYNTAX for names, ADMIN_INVALID_FIELD for properties that this kind does not have.
    """

    __slots__ = ("_values", "created", "demands", "kind", "number")

    def __init__(
        self, kind: QueueKind, address: Address, number: int = 0, values: Mapping[Property, Any] | None = None
    ) -> None:
        if not (kind is QueueKind.MQ_BRIDGE and address.queue == ANY):
            check_name(address.queue, "queue")
        check_name(address.queue_manager, "queue manager")
        self.kind = kind
        self.number = number
        self.created = 0
        self.demands = False
        # By field: a string has its hash, and these are looked up for every message.
        self._values: dict[str, Any] = {rows.NAME.field: address.queue, rows.OWNER.field: address.queue_manager}
        for row, value in (values or {}).items():
            self.set(row, value)

    @property
    def name(self) -> str:
        """Its name."""
        return str(self._values[rows.NAME.field])

    @property
    def owner(self) -> str:
        """The queue manager that has the real queue."""
        return str(self._values[rows.OWNER.field])

    @property
    def address(self) -> Address:
        """Name and owner."""
        return Address(self.name, self.owner)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of it (E-141)."""
        return tuple(self.value(rows.ALIASES))

    @property
    def entries(self) -> tuple[str, ...]:
        """Queue managers for which it stores messages (E-131)."""
        return tuple(self.value(rows.ENTRIES))

    @property
    def synchronous(self) -> bool:
        """Whether calls on it go to its owner at once."""
        return bool(self.value(rows.MODE) == rows.SYNCHRONOUS)

    def value(self, row: Property) -> Any:
        """Return a property; the default of one that was not given."""
        if row is rows.CLASS:
            return self.kind.value
        if row is rows.CREATION_DATE:
            return self.created
        return self._values.get(row.field, row.default)

    def set(self, row: Property, value: Any) -> None:
        """Give a property a value; None its default. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
        if self.kind not in row.queues:
            raise row.invalid(f"a {self.kind.value} queue does not have it")
        if row.alterable is Alterable.READ_ONLY or row in (rows.NAME, rows.OWNER, rows.CLASS):
            raise row.invalid("it cannot be given a value")
        if value is None:
            self._values.pop(row.field, None)
            self._look_at_demands()
            return
        value = row.checked(value)
        try:
            if row in (rows.ALIASES, rows.ENTRIES):
                for name in value:
                    check_name(name, "name")
            if row in (rows.REMOTE_QUEUE, rows.MQ_QUEUE_MANAGER) and value:
                check_name(value, "name", for_mq=True)
            if row is rows.PRIORITY:
                check_priority(value)
        except EveryplaceError as error:
            raise row.invalid(error.text) from None
        if (row in _NOT_NEGATIVE and value < 0) or (row in _FROM_ONE and value != rows.NO_LIMIT and value < 1):
            raise row.invalid(f"{value} is too small")
        if row is rows.MODE and value not in (rows.SYNCHRONOUS, rows.ASYNCHRONOUS):
            raise row.invalid(f"{value} is no mode")
        self._values[row.field] = value
        self._look_at_demands()

    def _look_at_demands(self) -> None:
        self.demands = any(self.value(row) for row in _DEMANDS)

    def given(self) -> dict[Property, Any]:
        """Return the properties that were given a value."""
        return {BY_FIELD[name]: value for name, value in self._values.items()}

    def copy(self) -> QueueDefinition:
        """Return an equal definition."""
        found = QueueDefinition(self.kind, self.address, self.number)
        found.created = self.created
        found._values = dict(self._values)
        found.demands = self.demands
        return found

    def fields(self) -> Fields:
        """Return it as a fields object, for the registry."""
        found = Fields(self.kind.value)
        for row in PROPERTIES:
            if row.field in self._values:
                found.put(row.field, self._values[row.field], row.types[0])
        found.put(_NUMBER, self.number, FieldType.LONG)
        found.put(rows.CREATION_DATE.field, self.created, rows.CREATION_DATE.type)
        return found

    @classmethod
    def read(cls, fields: Fields) -> QueueDefinition:
        """Return the definition of a row of the registry. Raises `EveryplaceError`."""
        try:
            kind = QueueKind(fields.type)
        except ValueError:
            raise EveryplaceError(Code.STORE, f"{fields.type!r} is no kind of queue") from None
        address = Address(fields.get(rows.NAME.field), fields.get(rows.OWNER.field))
        found = cls(kind, address, fields.get(_NUMBER, FieldType.LONG))
        for name in fields:
            row = BY_FIELD.get(name)
            if row is not None and row not in _COMPUTED:
                found.set(row, row.read(fields))
        if rows.CREATION_DATE.field in fields:
            found.created = fields.get(rows.CREATION_DATE.field, FieldType.LONG)
        return found
