"""Registry of the definitions of one queue manager: find, define, alter, delete, load and store them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, StoreDamaged
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .definition import TABLE, Definition, date_and_time, from_record
from .errors import ObjectExists, ObjectMissing, WrongType
from .kinds import CLIENT_CHANNELS, KINDS, Kind, identity_of, space_of, subtype_of
from .names import matches
from .reasons import MQRCCF
from .rules import check_definition_name, check_fixed, check_rules, check_type, checked_values
from .values import Value

Listener: TypeAlias = Callable[[Definition | None, Definition | None], None]
"""Called with (old, new) after a change: old is None for a new definition, new is None for a deleted one."""


_EXISTS = {
    Kind.CHANNEL: ("AMQ8226", MQRCCF.CHANNEL_ALREADY_EXISTS),
    Kind.CHLAUTH: ("AMQ8150", MQRCCF.CHLAUTH_ALREADY_EXISTS),
    Kind.SUB: ("AMQ8150", MQRCCF.SUB_ALREADY_EXISTS),
}
_MISSING = {
    Kind.CHANNEL: ("AMQ8227", MQRCCF.CHANNEL_NOT_FOUND),
    Kind.CHLAUTH: ("AMQ8879", MQRCCF.CHLAUTH_NOT_FOUND),
    Kind.SUB: ("AMQ8147", MQRC.NO_SUBSCRIPTION),
}


def _exists(kind: Kind, name: str) -> ObjectExists:
    amq, reason = _EXISTS.get(kind, (None, None))
    return ObjectExists(f"{KINDS[kind].noun} {name} already exists", amq=amq, reason=reason)


def _missing(kind: Kind, name: str) -> ObjectMissing:
    amq, reason = _MISSING.get(kind, (None, None))
    return ObjectMissing(f"{KINDS[kind].noun} {name} does not exist", amq=amq, reason=reason)


@dataclass(slots=True)
class Change:
    """A change in effect in memory: `old` and `new` definition, and the operations that make it durable."""

    old: Definition | None
    new: Definition | None
    operations: list[Operation] = field(default_factory=list)


class _SubscriptionIds:
    """Generator of SUBIDs, unique for one queue manager."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last = 0

    def next(self, name: str, now: Time) -> str:
        """48 hexadecimal digits; `name` is that of the queue manager."""
        self._last = max(self._last + 1, int(now * 1_000_000))
        raw = name.encode("ascii", "replace")[:12].ljust(12)
        return (b"AMQ " + raw + (self._last & (2**64 - 1)).to_bytes(8, "big")).hex().upper()


def _stamp(new: Definition, old: Definition | None, now: Time) -> None:
    day, clock = date_and_time(now)
    if "ALTDATE" in new.table:
        new.attributes.update(ALTDATE=day, ALTTIME=clock)
    if "CRDATE" in new.table and old is None:
        new.attributes.update(CRDATE=day, CRTIME=clock)
    elif "CRDATE" in new.table and old is not None:
        new.attributes.update(CRDATE=old["CRDATE"], CRTIME=old["CRTIME"])


class Objects:
    """The definitions of the queue manager `name`, its own attributes among them (`manager`).

    `define`, `alter` and `delete` take effect at once, call the listeners, and return a `Change` whose operations the
    caller commits; `undo` reverts a change that could not be committed. Times are seconds since the epoch.
    """

    def __init__(self, name: str, now: Time) -> None:
        self._spaces: dict[str, dict[str, Definition]] = {info.space: {} for info in KINDS.values()}
        self._spaces[CLIENT_CHANNELS] = {}
        self._queues = self._spaces["QUEUE"]
        self._channels = self._spaces["CHANNEL"]
        self._listeners: list[Listener] = []
        self._subscription_ids = _SubscriptionIds()
        self._last_number = 0
        day, clock = date_and_time(now)
        identifier = f"{name}_{day}_{clock}"[:48]
        dates: dict[str, Value] = {"CRDATE": day, "CRTIME": clock, "ALTDATE": day, "ALTTIME": clock}
        self._spaces["QMGR"][name] = Definition(Kind.QMGR, name, {"QMID": identifier, **dates})
        self.name = name

    # Finding

    @property
    def manager(self) -> Definition:
        """The queue manager's own attributes (kind QMGR)."""
        return self._spaces["QMGR"][self.name]

    def queue(self, name: str) -> Definition | None:
        """The queue of any kind with this name."""
        return self._queues.get(name)

    def channel(self, name: str) -> Definition | None:
        """The channel with this name, of any type but CLNTCONN."""
        return self._channels.get(name)

    def find(self, kind: Kind, name: str, attributes: Mapping[str, Value] | None = None) -> Definition | None:
        """The definition of this kind and name; records also need the `attributes` that they match on."""
        known = attributes or {}
        found = self._spaces[space_of(kind, known)].get(identity_of(kind, name, known))
        return found if found is not None and found.kind is kind else None

    def select(self, *kinds: Kind, generic: str = "*") -> list[Definition]:
        """All definitions of these kinds whose names match `generic` (``*``, ``ABC*``, a name), sorted by name."""
        spaces = dict.fromkeys(KINDS[kind].space for kind in kinds)
        if Kind.CHANNEL in kinds:
            spaces[CLIENT_CHANNELS] = None
        found = [
            definition
            for space in spaces
            for definition in self._spaces[space].values()
            if definition.kind in kinds and matches(generic, definition.name)
        ]
        return sorted(found, key=lambda definition: (definition.name, definition.identity, definition.space))

    def __iter__(self) -> Iterator[Definition]:
        for space in self._spaces.values():
            yield from space.values()

    def __len__(self) -> int:
        return sum(len(space) for space in self._spaces.values())

    # Changing

    def add_listener(self, listener: Listener) -> None:
        """Call `listener` with (old, new) after every change, including undone ones."""
        self._listeners.append(listener)

    def define(
        self,
        kind: Kind,
        name: str,
        attributes: Mapping[str, Value],
        now: Time,
        *,
        like: str = "",
        replace: bool = False,
        supplied: bool = False,
    ) -> Change:
        """DEFINE: add a definition, or with `replace` replace one of the same name and type.

        Attributes not given are those of the object `like`, else of the default object of the kind, never of the
        replaced definition. `supplied`: a supplied object, which may lack required attributes. Raises
        `ObjectExists`, `WrongType`, `ObjectMissing` (no object `like`), `NameRefused`, `ValueRefused`,
        `AttributeUnknown`, `AttributeMissing`.
        """
        check_definition_name(kind, name)
        subtype = subtype_of(kind, attributes)
        space = self._spaces[space_of(kind, attributes)]
        old = space.get(identity_of(kind, name, attributes))
        if old is not None:
            check_type(old, kind, subtype)
            if not replace:
                raise _exists(kind, name)
        base = self._base(kind, subtype, like)
        given = checked_values(kind, subtype, attributes, altering=False)
        if old is not None:
            check_fixed(old, given)
        table = KINDS[kind].tables[subtype]
        kept = {word: value for word, value in base.items() if not table[word].read_only and word != "TOPICSTR"}
        if old is not None:
            fixed = [word for word, attribute in table.items() if attribute.create_only or attribute.read_only]
            kept.update((word, old[word]) for word in fixed)
        if subtype:
            kept[KINDS[kind].selector] = subtype
        new = Definition(kind, name, {**kept, **given})
        if kind is Kind.QLOCAL:
            new.number = old.number if old is not None else self.next_number()
        elif kind is Kind.SUB:
            if old is None:
                new.attributes["SUBID"] = self._subscription_ids.next(self.name, now)
            if new.text("TOPICSTR") and new.attributes["DESTCORL"] in ("", base.get("SUBID")):
                new.attributes["DESTCORL"] = new.attributes["SUBID"]
        check_rules(new, supplied)
        self._check_topic_string(new)
        _stamp(new, old, now)
        return self._apply(old, new)

    def alter(self, kind: Kind, name: str, attributes: Mapping[str, Value], now: Time) -> Change:
        """ALTER: change the attributes given.

        The selecting attribute (CHLTYPE …) may be given if it is that of the object. Raises `ObjectMissing`,
        `WrongType`, `ValueRefused`, `AttributeUnknown`.
        """
        old = self.existing(kind, name, attributes)
        given = checked_values(kind, old.subtype, attributes, altering=True)
        new = Definition(kind, name, {**old.attributes, **given}, old.number)
        check_rules(new, supplied=name.startswith("SYSTEM."))
        _stamp(new, old, now)
        return self._apply(old, new)

    def delete(self, kind: Kind, name: str, attributes: Mapping[str, Value] | None = None) -> Change:
        """DELETE; the caller has checked messages and open handles. Raises `ObjectMissing`, `WrongType`."""
        return self._apply(self.existing(kind, name, attributes or {}), None)

    def add(self, definition: Definition) -> Change:
        """Add a complete definition, such as that of a dynamic queue. Raises `ObjectExists`."""
        if definition.identity in self._spaces[definition.space]:
            raise _exists(definition.kind, definition.name)
        return self._apply(None, definition)

    def replace(self, old: Definition, new: Definition) -> Change:
        """Replace a definition with a complete one of the same identity, such as that of a subscription."""
        return self._apply(old, new)

    def undo(self, change: Change) -> None:
        """Revert a change in memory whose operations could not be committed; the listeners are called."""
        self._apply(change.new, change.old)

    def existing(self, kind: Kind, name: str, attributes: Mapping[str, Value]) -> Definition:
        """The definition of this kind and, if given, type. Raises `ObjectMissing`, `WrongType`."""
        found = self._spaces[space_of(kind, attributes)].get(identity_of(kind, name, attributes))
        if found is None and kind is Kind.CHANNEL:
            found = self._spaces[CLIENT_CHANNELS].get(name)
        if found is None:
            raise _missing(kind, name)
        selector = KINDS[kind].selector
        check_type(found, kind, str(attributes.get(selector, found.subtype)))
        return found

    def next_number(self) -> int:
        """A number in the store for a new local queue."""
        self._last_number += 1
        return self._last_number

    # Keeping

    def load(self, records: Iterable[tuple[bytes, bytes]]) -> int:
        """Load the records of the store's table ``objects``. Returns how many. Raises `StoreDamaged`.

        Listeners are not called.
        """
        count = 0
        for key, value in records:
            try:
                definition = from_record(value)
            except (ValueError, KeyError, TypeError) as error:
                raise StoreDamaged(f"a definition cannot be read: {error}", f"objects {key!r}") from error
            if definition.kind is Kind.QMGR:
                self._spaces["QMGR"].clear()
                self.name = definition.name
            self._spaces[definition.space][definition.identity] = definition
            self._last_number = max(self._last_number, definition.number)
            count += 1
        return count

    def operations(self) -> list[Operation]:
        """Operations that store every durable definition, for a new data folder."""
        return [PutRecord(TABLE, each.key(), each.value()) for each in self if each.durable]

    # Helpers

    def _base(self, kind: Kind, subtype: str, like: str) -> Mapping[str, Value]:
        """Attributes of the object of LIKE, else of the default object; empty if there is none."""
        info = KINDS[kind]
        name = like or info.defaults.get(subtype, "")
        selector: dict[str, Value] = {info.selector: subtype} if subtype else {}
        found = self.find(kind, name, selector) if name else None
        if like:
            if found is None:
                raise ObjectMissing(f"{info.noun} {like}, named by LIKE, does not exist")
            if found.subtype != subtype:
                raise WrongType(
                    f"{like}, named by LIKE, has {info.selector}({found.subtype}), not {info.selector}({subtype})",
                    amq="AMQ8152",
                    reason=MQRCCF.LIKE_OBJECT_WRONG_TYPE,
                )
        return found.attributes if found is not None and found.subtype == subtype else {}

    def _check_topic_string(self, new: Definition) -> None:
        """Raise `ObjectExists` if another topic object has the topic string."""
        string = new.text("TOPICSTR")
        if new.kind is not Kind.TOPIC or not string:
            return
        for other in self._spaces["TOPIC"].values():
            if other.name != new.name and other.text("TOPICSTR") == string:
                raise ObjectExists(
                    f"topic {other.name} has TOPICSTR('{string}') already", reason=MQRCCF.TOPICSTR_ALREADY_EXISTS
                )

    def _apply(self, old: Definition | None, new: Definition | None) -> Change:
        change = Change(old, new)
        if old is not None:
            del self._spaces[old.space][old.identity]
            if old.durable and (new is None or new.key() != old.key()):
                change.operations.append(RemoveRecord(TABLE, old.key()))
        if new is not None:
            self._spaces[new.space][new.identity] = new
            if new.durable:
                change.operations.append(PutRecord(TABLE, new.key(), new.value()))
        for listener in self._listeners:
            listener(old, new)
        return change
