"""Attributes of objects as data: a row for each attribute, and a table for each kind of object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mqbridge.protocol.constants import MQEVR, MQIA, MQMON, MQOT, MQPER, MQPROP, MQPRT, MQXPT

from .errors import AttributeUnknown
from .values import NAME, Integer, Switch, Text, TextList, Value, ValueType, Word, WordList

Numbers: TypeAlias = Mapping[str, int]
"""Number of each word of an attribute in MQINQ, MQSET and PCF."""
NO_NUMBERS: Numbers = {}

# Words that several attributes and displays share (channels.md 17.3 and 17.4). The first word is the default of an
# attribute that names no other.
NO_YES: Numbers = {"NO": 0, "YES": 1}
YES_NO: Numbers = {"YES": 1, "NO": 0}
OFF_ON: Numbers = {"OFF": 0, "ON": 1}
DISABLED_ENABLED: Numbers = {"DISABLED": MQEVR.DISABLED, "ENABLED": MQEVR.ENABLED}
ENABLED_DISABLED: Numbers = {"ENABLED": MQEVR.ENABLED, "DISABLED": MQEVR.DISABLED}
EXCEPTIONS: Numbers = {**DISABLED_ENABLED, "EXCEPTION": MQEVR.EXCEPTION}
LEVELS: Numbers = {
    "QMGR": MQMON.Q_MGR,
    "OFF": MQMON.OFF,
    "LOW": MQMON.LOW,
    "MEDIUM": MQMON.MEDIUM,
    "HIGH": MQMON.HIGH,
    "NONE": MQMON.NONE,
}
SWITCHES: Numbers = {"QMGR": MQMON.Q_MGR, "OFF": MQMON.OFF, "ON": MQMON.ON, "NONE": MQMON.NONE}
"""Monitoring and statistics, by level or not; what an attribute may have of them varies."""
PERSISTENCE: Numbers = {"NO": MQPER.NOT_PERSISTENT, "YES": MQPER.PERSISTENT}
RESPONSES: Numbers = {"SYNC": MQPRT.SYNC_RESPONSE, "ASYNC": MQPRT.ASYNC_RESPONSE}
PROPERTY_CONTROL: Numbers = {
    "COMPAT": MQPROP.COMPATIBILITY,
    "NONE": MQPROP.NONE,
    "ALL": MQPROP.ALL,
    "FORCE": MQPROP.FORCE_MQRFH2,
    "V6COMPAT": MQPROP.V6COMPAT,
}
IMAGE_RECOVERY: Numbers = {"QMGR": 2, "YES": 1, "NO": 0}
TRANSPORTS: Numbers = {word: MQXPT[word] for word in ("LU62", "TCP", "NETBIOS", "SPX", "UDP", "ALL")}
CONTROL: Numbers = {"MANUAL": 2, "QMGR": 0, "STARTONLY": 1}
CLIENT_CHECKS: Numbers = {"OPTIONAL": 0, "NONE": 1, "REQUIRED": 3, "REQDADM": 2, "ASQMGR": 4}
"""MQCHK: whose passwords are asked for. ASQMGR: NONE while every listener is on a loopback address, else REQUIRED."""
ENTITIES: Numbers = {"PRINCIPAL": 1, "GROUP": 2}
OBJECT_TYPES: Numbers = {
    "AUTHINFO": MQOT.AUTH_INFO,
    "CHANNEL": MQOT.CHANNEL,
    "CLNTCONN": MQOT.CLNTCONN_CHANNEL,
    "COMMINFO": MQOT.COMM_INFO,
    "LISTENER": MQOT.LISTENER,
    "NAMELIST": MQOT.NAMELIST,
    "PROCESS": MQOT.PROCESS,
    "QMGR": MQOT.Q_MGR,
    "QUEUE": MQOT.Q,
    "RQMNAME": MQOT.REMOTE_Q_MGR_NAME,
    "SERVICE": MQOT.SERVICE,
    "TOPIC": MQOT.TOPIC,
    "ALL": MQOT.ALL,
}


@dataclass(frozen=True, slots=True)
class DisplayField:
    """A field of a display.

    `name`: MQSC keyword. `identifier`: parameter id in PCF, for attributes also the selector of MQINQ and MQSET: up to
    2000 an integer, up to 4000 a text, above a byte string; 0 if no public list has one, then it is not in PCF
    messages. `numbers`: PCF values of its words.
    """

    name: str
    identifier: int = 0
    numbers: Numbers = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attribute(DisplayField):
    """One attribute of an object: a row of the table of its kind.

    `synonyms`: of the keyword. `create_only`: DEFINE sets it, ALTER cannot change it. `read_only`: shown, but never set
    by a command. `inquired`: MQINQ has it, for kinds of object that can be inquired.
    """

    type: ValueType = NAME
    default: Value = ""
    synonyms: tuple[str, ...] = ()
    create_only: bool = False
    read_only: bool = False
    inquired: bool = True

    def number_of(self, value: Value) -> int | str:
        """The form of a value outside MQSC: a number for an integer identifier, else a text, lists with commas."""
        if isinstance(value, tuple):
            return ",".join(value)
        if isinstance(value, bool):
            value = "YES" if value else "NO"
        if isinstance(value, int) or self.identifier > MQIA.LAST:
            return value
        return int(value) if value.isdecimal() else int(self.numbers[value])

    def value_of(self, number: int) -> Value | None:
        """The value that a number stands for in MQSET; None for one that the attribute cannot have."""
        if isinstance(self.type, Integer):
            return number if self.type.low <= number <= self.type.high else None
        word = next((word for word, each in self.numbers.items() if each == number), None)
        return word == "YES" if isinstance(self.type, Switch) and word is not None else word


def integer(
    name: str,
    identifier: int,
    low: int,
    high: int,
    default: int,
    *,
    words: Numbers = NO_NUMBERS,
    numbers: Numbers = NO_NUMBERS,
    inquired: bool = True,
) -> Attribute:
    """An attribute that is a number from `low` to `high` or one of `words`, which stand for other numbers.

    `numbers` are those of the words outside MQSC, where they differ.
    """
    return Attribute(name, identifier, numbers, Integer(low, high, dict(words)), default, inquired=inquired)


def word(
    name: str,
    identifier: int,
    numbers: Numbers,
    *,
    only: Sequence[str] = (),
    default: str = "",
    create_only: bool = False,
) -> Attribute:
    """An attribute that is a word of `numbers`, or of `only`; the first is the default unless another is named."""
    taken = tuple(only or numbers)
    return Attribute(name, identifier, numbers, Word(taken), default or taken[0], create_only=create_only)


def words(name: str, identifier: int, count: int, numbers: Numbers, *only: str, inquired: bool = True) -> Attribute:
    """An attribute that is a list of words of `numbers`, or of `only`; the first word alone is the default."""
    taken = tuple(only or numbers)
    return Attribute(name, identifier, numbers, WordList(taken, count), (taken[0],), inquired=inquired)


def text(
    name: str,
    identifier: int,
    length: int,
    default: str = "",
    *,
    secret: bool = False,
    create_only: bool = False,
    inquired: bool = True,
) -> Attribute:
    """An attribute that is a text of up to `length` characters."""
    kind = Text(length, secret=secret)
    return Attribute(name, identifier, NO_NUMBERS, kind, default, create_only=create_only, inquired=inquired)


def named(name: str, identifier: int, default: str = "", *synonyms: str) -> Attribute:
    """An attribute that is the name of an object, or blank."""
    return Attribute(name, identifier, NO_NUMBERS, Text(48, name=True), default, synonyms)


def texts(name: str, identifier: int, count: int, length: int, *, names: bool = False) -> Attribute:
    """An attribute that is a list of texts, empty by default; `names`: of objects."""
    return Attribute(name, identifier, NO_NUMBERS, TextList(count, length, name=names), ())


def switch(on: str, identifier: int, default: bool) -> Attribute:
    """An attribute that is a keyword or its NO form, kept as a bool under the keyword."""
    return Attribute(on, identifier, {"NO": 0, "YES": 1}, Switch(on, "NO" + on), default)


def shown(
    name: str, identifier: int, length: int = 48, default: Value = "", numbers: Numbers = NO_NUMBERS
) -> Attribute:
    """An attribute that commands cannot set."""
    kind: ValueType = Text(length) if isinstance(default, str) else Integer(-(2**63), 2**63 - 1)
    return Attribute(name, identifier, numbers, kind, default, read_only=True)


class Table(Mapping[str, Attribute]):
    """The attributes of one kind of object, by keyword and in alphabetical order.

    `find` also knows synonyms and NO forms.
    """

    __slots__ = ("_attributes", "_keywords", "defaults")

    def __init__(self, attributes: Iterable[Attribute]) -> None:
        ordered = sorted(attributes, key=lambda attribute: attribute.name)
        self._attributes = {attribute.name: attribute for attribute in ordered}
        if len(self._attributes) != len(ordered):
            raise ValueError("an attribute is listed twice")
        self._keywords: dict[str, Attribute] = dict(self._attributes)
        for attribute in ordered:
            self._keywords.update((synonym, attribute) for synonym in attribute.synonyms)
            if isinstance(attribute.type, Switch):
                self._keywords[attribute.type.off] = attribute
        self.defaults: dict[str, Value] = {attribute.name: attribute.default for attribute in ordered}

    def __getitem__(self, name: str) -> Attribute:
        return self._attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    def find(self, keyword: str) -> Attribute:
        """The attribute of a keyword, a synonym or a NO form; raises `AttributeUnknown`."""
        attribute = self._keywords.get(keyword)
        if attribute is None:
            raise AttributeUnknown(f"'{keyword}' is no attribute of this object")
        return attribute

    def rows(self, *names: str) -> list[Attribute]:
        """The attributes of these names, in this order."""
        return [self._attributes[name] for name in names]
