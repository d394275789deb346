"""Fields of structures, from which the grammars are written.

Each function returns one named Construct field and attaches a :class:`Field` to it: IBM's name, a short description,
the version or level that introduced it, and the family of constants its values belong to. The attribute name is IBM's
name in snake case (``PutApplName`` → ``put_appl_name``), so each name is written once.

:class:`Numbers` provides the integers of one byte order; a grammar is a function of it (see ``protocol.grammar``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import construct

from .constants import ByteOrder
from .constants.base import MQFlags, MQInt, MQText

Family: TypeAlias = type[MQInt] | type[MQFlags] | type[MQText] | Callable[[int], str]
"""The names of a field's values: an enumeration of ``protocol.constants``, or a function such as ``feedback_name`` that
returns a name, or the number as text if it has none."""

Kind: TypeAlias = Literal["char", "bytes", "int", "part"]
"""``char``: text in the character set of the surrounding data, padded with blanks or NULs. ``bytes``: not text, never
converted. ``int``: an integer. ``part``: anything else (a list, a switch, a nested structure)."""

_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """Return the attribute name for an IBM name: ``ReplyToQMgr`` → ``reply_to_q_mgr``, ``LUWID`` → ``luwid``."""
    return _WORD_STARTS.sub("_", name).lower()


@dataclass(frozen=True, slots=True)
class Field:
    """Description of one field, apart from its layout.

    ``name``: as IBM writes it; in a run of structures with the structure in front, ``MD.MsgId``. ``key``: the attribute
    name. ``meaning``: a few words. ``since``: the version (``"v2"``) or FAP level (``"FAP 9"``) that introduced it, or
    ``""``. ``names``: the family of its values, or None. ``default``: the value in a new record. ``secret``: it holds a
    password.
    """

    name: str
    key: str
    kind: Kind
    meaning: str
    since: str = ""
    names: Family | None = None
    default: Any = None
    secret: bool = False


_NOTES: Final = "mq_field"


def notes(subcon: Any) -> Field | None:
    """Return the :class:`Field` attached to a Construct field, or None."""
    found = getattr(subcon, _NOTES, None)
    return found if isinstance(found, Field) else None


def part(
    name: str,
    subcon: Any,
    meaning: str,
    *,
    kind: Kind = "part",
    since: str = "",
    names: Family | None = None,
    default: Any = None,
    secret: bool = False,
) -> Any:
    """Return a field with an arbitrary Construct layout: ``part("Records", Array(this.recs_present, RECORD), "…")``."""
    key = snake_case(name)
    named = construct.Renamed(subcon, newname=key, newdocs=meaning)
    setattr(named, _NOTES, Field(name, key, kind, meaning, since, names, default, secret))
    return named


def char(
    name: str,
    length: Any,
    meaning: str,
    *,
    since: str = "",
    names: Family | None = None,
    default: bytes | None = None,
    secret: bool = False,
) -> Any:
    """Return a character field; ``length`` in bytes, a number or a ``this`` expression. Defaults to blanks."""
    if default is None and isinstance(length, int):
        default = b" " * length
    elif default is not None and isinstance(length, int):
        default = default.ljust(length)
    return part(
        name, construct.Bytes(length), meaning, kind="char", since=since, names=names, default=default, secret=secret
    )


def raw(
    name: str,
    length: Any,
    meaning: str,
    *,
    since: str = "",
    default: bytes | None = None,
    secret: bool = False,
) -> Any:
    """Return a field of bytes that are not text; ``length`` is a number or a ``this`` expression. Defaults to NULs."""
    if default is None and isinstance(length, int):
        default = bytes(length)
    return part(name, construct.Bytes(length), meaning, kind="bytes", since=since, default=default, secret=secret)


class Numbers:
    """The integer fields of one byte order; grammar functions take one of these.

    ``u`` is unsigned, ``i`` signed, the number is the size in bits; ``network_u32`` is big-endian in both orders
    (mq-wire.md 1.2). ``order`` is theirs.
    """

    def __init__(self, order: ByteOrder) -> None:
        self.order = order
        big = order is ByteOrder.BIG
        self._u8 = construct.Int8ub
        self._u16 = construct.Int16ub if big else construct.Int16ul
        self._u32 = construct.Int32ub if big else construct.Int32ul
        self._u64 = construct.Int64ub if big else construct.Int64ul
        self._i16 = construct.Int16sb if big else construct.Int16sl
        self._i32 = construct.Int32sb if big else construct.Int32sl
        self._i64 = construct.Int64sb if big else construct.Int64sl

    @staticmethod
    def _integer(
        name: str, subcon: Any, meaning: str, since: str, names: Family | None, default: int, secret: bool = False
    ) -> Any:
        return part(name, subcon, meaning, kind="int", since=since, names=names, default=default, secret=secret)

    def u8(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return a field of one unsigned byte."""
        return self._integer(name, self._u8, meaning, since, names, default)

    def u16(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return an unsigned field of two bytes."""
        return self._integer(name, self._u16, meaning, since, names, default)

    def i16(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return a signed field of two bytes."""
        return self._integer(name, self._i16, meaning, since, names, default)

    def u32(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return an unsigned field of four bytes."""
        return self._integer(name, self._u32, meaning, since, names, default)

    def i32(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return a signed field of four bytes."""
        return self._integer(name, self._i32, meaning, since, names, default)

    def u64(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return an unsigned field of eight bytes."""
        return self._integer(name, self._u64, meaning, since, names, default)

    def i64(self, name: str, meaning: str, *, since: str = "", names: Family | None = None, default: int = 0) -> Any:
        """Return a signed field of eight bytes."""
        return self._integer(name, self._i64, meaning, since, names, default)

    def network_u32(self, name: str, meaning: str, *, since: str = "", default: int = 0) -> Any:
        """Return an unsigned field of four bytes that is always big-endian."""
        return self._integer(name, construct.Int32ub, meaning, since, None, default)

    def plain(self, type_name: Literal["u8", "u16", "u32", "u64", "i16", "i32", "i64"]) -> Any:
        """Return the bare Construct integer, for lists: ``Array(this.count, numbers.plain("i32"))``."""
        return getattr(self, "_" + type_name)
