"""The three kinds of constant family, from which every enumeration of this package is made.

* :class:`MQInt`: one value out of a list (``MQRC``, ``MQFB``, ``SegmentType``).
* :class:`MQFlags`: a word of bits (``MQRO``, ``ControlFlags1``).
* :class:`MQText`: a short text (``MQFMT``, ``StrucId``).

A value that the family does not know is never refused and never changed: ``MQRC(99999)`` is an ``MQRC``
that equals 99999 and reads ``MQRC_99999``; ``MQRO(0x10000000)`` reads ``MQRO_0x10000000``. Such values are
made when asked for and not remembered, so bytes from a hostile partner cannot make a family grow.

Where several names share a value, the first one is the name that is shown; the others are aliases.
Hot paths keep plain integers and make a member only to show it.
"""

from __future__ import annotations

import enum
from typing import Self

U32 = 0xFFFFFFFF
_or, _and, _xor = int.__or__, int.__and__, int.__xor__


def _number(family: type, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError(f"{family.__name__} has no {text!r}") from None


class MQInt(enum.IntEnum):
    """An integer with a name out of a list.

    ``str()`` gives the name with the family's prefix (``"MQRC_NOT_AUTHORIZED"``); an unknown value gives prefix
    and number (``"MQRC_99999"``). It is an ``int`` in every other way.
    """

    @classmethod
    def prefix(cls) -> str:
        """Prefix of all names: the name of the family and an underscore."""
        return cls.__name__ + "_"

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = str(int(value))
        member._value_ = int(value)
        return member

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the member for a name with or without prefix, or for a number (``"0x10"``, ``"16"``,
        ``"MQRC_99999"``).

        Raises ``ValueError`` when the text is none of these.
        """
        name = text.strip().upper().removeprefix(cls.prefix().upper())
        known = cls.__members__.get(name)
        return known if known is not None else cls(_number(cls, name))

    @property
    def known(self) -> bool:
        """Return whether the family has a name for this value."""
        return self._value_ in type(self)._value2member_map_

    def __str__(self) -> str:
        return self.prefix() + self._name_

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec) if spec and spec[-1] in "bcdoxXn" else format(str(self), spec)


class WireInt(MQInt):
    """An :class:`MQInt` whose names carry no prefix (``"MESSAGE_DATA"``); an unknown value reads ``0x7F``."""

    @classmethod
    def prefix(cls) -> str:
        """Return no prefix: these names are unique."""
        return ""

    def __str__(self) -> str:
        return self._name_ if self.known else f"0x{self._value_:02X}"


class MQFlags(enum.IntEnum):
    """A word of option bits.

    ``str()`` names the bits, widest named group first, and shows what is left in hexadecimal:
    ``"MQRO_COA_WITH_DATA | MQRO_PASS_MSG_ID | 0x10000"``. A word without bits gives the family's name for zero,
    or ``"0"``. Names ending in ``_MASK`` group bits for tests and are not used to show a word. ``|``, ``&``,
    ``^`` and ``~`` (within 32 bits) give members again; ``in`` asks whether all bits of one word are in another.
    """

    @classmethod
    def prefix(cls) -> str:
        """Prefix of all names: the name of the family and an underscore."""
        return cls.__name__ + "_"

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"0x{int(value) & U32:X}"
        member._value_ = int(value)
        return member

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Word for names or numbers joined by ``|``; the prefix may be left out. Raises ``ValueError``."""
        total = 0
        for part in text.split("|"):
            name = part.strip().upper().removeprefix(cls.prefix().upper())
            known = cls.__members__.get(name)
            total |= int(known) if known is not None else _number(cls, name)
        return cls(total)

    @property
    def known(self) -> bool:
        """Return whether the family has a name for exactly this word."""
        return self._value_ in type(self)._value2member_map_

    def parts(self) -> list[str]:
        """Return the prefixed names of the bits that are set, and the unnamed rest in hexadecimal as last entry."""
        rest = self._value_ & U32 if self._value_ < 0 else self._value_
        names = []
        for member in sorted(type(self), key=lambda flag: (-int(flag).bit_count(), int(flag))):
            bits = int(member) & U32
            if bits and bits & rest == bits and not member._name_.endswith("_MASK"):
                names.append((bits, self.prefix() + member._name_))
                rest &= ~bits
        shown = [name for _, name in sorted(names)]
        if rest:
            shown.append(f"0x{rest:X}")
        return shown

    def __str__(self) -> str:
        if not self._value_:
            zero = type(self)._value2member_map_.get(0)
            return self.prefix() + zero._name_ if zero is not None else "0"
        return " | ".join(self.parts())

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec) if spec and spec[-1] in "bcdoxXn" else format(str(self), spec)

    def __contains__(self, other: int) -> bool:
        return int(self) & int(other) == int(other)

    @classmethod
    def _of(cls, value: int) -> Self:
        """Return a member, as a call of the family does, in a fifth of the time; words are computed on hot paths."""
        known = cls._value2member_map_.get(value)
        if known is None:
            known = cls._missing_(value)
        return NotImplemented if known is None else known  # type: ignore[return-value]

    def __or__(self, other: int) -> Self:
        return self._of(_or(self, other))

    def __and__(self, other: int) -> Self:
        return self._of(_and(self, other))

    def __xor__(self, other: int) -> Self:
        return self._of(_xor(self, other))

    def __invert__(self) -> Self:
        return self._of(_and(~int(self), U32))

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__


class WireFlags(MQFlags):
    """An :class:`MQFlags` whose names carry no prefix (``"FIRST | LAST"``)."""

    @classmethod
    def prefix(cls) -> str:
        """Return no prefix: these names are unique."""
        return ""


class MQText(enum.StrEnum):
    """A text with a name, for example a format name. ``str()`` is the text itself, without padding.

    Trailing blanks and NULs do not count when a member is looked up; an unknown text survives unchanged.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        text = value.partition("\0")[0].rstrip(" ")
        known = cls._value2member_map_.get(text)
        if known is not None:
            return known  # type: ignore[return-value]
        member = str.__new__(cls, text)
        member._name_ = text
        member._value_ = text
        return member

    @property
    def known(self) -> bool:
        """Return whether the family has a name for this text."""
        return self._value_ in type(self)._value2member_map_

    @property
    def mq_name(self) -> str:
        """Name with the family's prefix, ``"MQFMT_STRING"``; for an unknown text the text itself."""
        return f"{type(self).__name__}_{self._name_}" if self.known else self._value_
