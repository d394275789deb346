"""How a structure is written, and what can be done with it.

A structure is one Construct grammar in one file of ``protocol.structures``, a function of the byte order::

    from mqbridge.protocol.fields import Numbers, char, raw
    from mqbridge.protocol.grammar import Structure

    def _tm(n: Numbers) -> Construct:
        return Struct(
            char("StrucId", 4, "`TM` and two blanks", default=b"TM"),
            n.u32("Version", "1", default=1),
            char("QName", 48, "queue that triggered"),
            n.u32("ApplType", "kind of application to start", names=MQAT),
            …
        )

    TM = Structure("TM", _tm, TmBig, TmLittle, mq_name="MQTM", spec="mq-wire.md 5.15")

Field names are IBM's; the attribute name is the same in snake case (``QName`` → ``q_name``). ``protocol.fields``
has the fields: ``char`` (text), ``raw`` (ids), ``n.u8 … n.i64`` (integers of the byte order), ``part`` (anything
else: ``part("Records", Array(this.recs_present, …), "…")``). Lengths are numbers or ``this`` expressions, not
lambdas.

``TmBig`` and ``TmLittle`` are the fast record classes of a fixed layout; ``make layouts`` writes them into
``protocol/layouts/tm.py``, from which the grammar imports them (see ``protocol.records``).

``TM.grammar(order)`` is the Construct grammar, ``TM.codec(order)`` the record class of a byte order (where the layout
is fixed; where no class is named, one that works field by field), ``TM.fields`` says what the fields are. ``TM.parse``
reads any layout through the grammar and gives a ``Container`` with the same attribute names. Layouts that grew with
versions are written whole, each later field with ``since="v2"``; :meth:`Structure.first` gives the shorter ones.

A grammar may be made of others: ``Struct("msh" / MSH.layout(n), "xqh" / XQH.layout(n))`` wrapped in a ``Structure``
is a run, read and built as one.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast, overload

import construct

from .constants import ByteOrder
from .errors import LocalProtocolError, StructureError
from .fields import Field, Numbers, notes
from .records import Buffer, Record, Slot, fits, short_input, unfit_value
from .slots import record_class, slots_of

_NUMBERS: Final = {order: Numbers(order) for order in ByteOrder}

RecordT = TypeVar("RecordT", bound=Record)
FirstT = TypeVar("FirstT", bound=Record)

Layout: TypeAlias = Callable[[Numbers], Any]
"""Makes the grammar of a byte order."""


class Structure(Generic[RecordT]):
    """One structure in both byte orders.

    ``name``: as in mq-wire.md 9.22, unpadded (``"MD"``). ``big``, ``little``: record classes of a fixed layout, from
    ``protocol.layouts``; without them, classes are made when they are asked for. ``mq_name``: IBM's name of the
    declaration (``"MQMD"``); the same as ``name`` for structures that exist on the wire only. ``spec``: where it is
    described.
    """

    @overload
    def __init__(
        self: Structure[Any], name: str, layout: Layout, *, mq_name: str | None = None, spec: str = ""
    ) -> None: ...

    @overload
    def __init__(
        self,
        name: str,
        layout: Layout,
        big: type[RecordT],
        little: type[RecordT],
        *,
        mq_name: str | None = None,
        spec: str = "",
    ) -> None: ...

    def __init__(
        self,
        name: str,
        layout: Layout,
        big: type[Any] | None = None,
        little: type[Any] | None = None,
        *,
        mq_name: str | None = None,
        spec: str = "",
    ) -> None:
        self.name = name
        self.mq_name = mq_name or name
        self.layout = layout
        self.spec = spec
        self._grammars: dict[ByteOrder, Any] = {}
        self.records: tuple[type[RecordT], type[RecordT]] | None = (
            None if big is None or little is None else (big, little)
        )
        self._codecs: dict[ByteOrder, type[RecordT]] = {}
        self._leading: dict[ByteOrder, tuple[tuple[Any, int, Field], ...]] = {}
        self._firsts: dict[tuple[int, str | None], Structure[Any]] = {}

    def __repr__(self) -> str:
        return f"<Structure {self.name}>"

    def grammar(self, order: ByteOrder) -> Any:
        """Return the Construct grammar; it is built once."""
        if order not in self._grammars:
            self._grammars[order] = self.layout(_NUMBERS[order])
        return self._grammars[order]

    def codec(self, order: ByteOrder) -> type[RecordT]:
        """Return the record class of a fixed layout. Raises ``TypeError`` if the layout is not fixed."""
        found = self._codecs.get(order)
        if found is None:
            found = self._codecs[order] = self._codec(order)
        return found

    def _codec(self, order: ByteOrder) -> type[RecordT]:
        grammar = self.grammar(order)
        if self.records is None:
            return cast(type[RecordT], record_class(self.name, grammar, order))
        made = next(each for each in self.records if each.ORDER is order)
        made.SLOTS = slots_of(grammar, order)
        return made

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Fields of a fixed layout with offset and size; a run is flattened. Raises ``TypeError`` otherwise."""
        return slots_of(self.grammar(ByteOrder.BIG), ByteOrder.BIG)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Descriptions of the fields, in layout order."""
        found = (notes(subcon) for subcon in self.grammar(ByteOrder.BIG).subcons)
        return tuple(field for field in found if field is not None)

    @cached_property
    def size(self) -> int:
        """Length of a fixed layout in bytes. Raises ``TypeError`` otherwise."""
        last = self.slots[-1]
        return last.offset + last.size

    def leading(self, order: ByteOrder) -> tuple[tuple[Any, int, Field], ...]:
        """Return the fields before the first one whose size depends on others: Construct field, bytes, description."""
        if order not in self._leading:
            found = []
            for subcon, field in zip(self.grammar(order).subcons, self.fields, strict=True):
                try:
                    found.append((subcon, subcon.sizeof(), field))
                except construct.SizeofError:
                    break
            self._leading[order] = tuple(found)
        return self._leading[order]

    @overload
    def first(self, size: int, name: str | None = None) -> Structure[Any]: ...

    @overload
    def first(self, size: int, name: str | None, big: type[FirstT], little: type[FirstT]) -> Structure[FirstT]: ...

    def first(
        self, size: int, name: str | None = None, big: type[Any] | None = None, little: type[Any] | None = None
    ) -> Structure[Any]:
        """Return the structure made of the fields within the first ``size`` bytes: an earlier version. It is built
        once; where it has classes of its own, whoever asks first names them.

        Raises ``ValueError`` if no field ends exactly there.
        """
        known = self._firsts.get((size, name))
        if known is not None:
            return known
        count = sum(slot.offset + slot.size <= size for slot in self.slots)
        if not count or self.slots[count - 1].offset + self.slots[count - 1].size != size:
            raise ValueError(f"{self.name} has no field that ends at {size}")
        made = self._firsts[size, name] = self.head(count, name, big, little)
        return made

    def head(self, count: int, name: str | None = None, big: Any = None, little: Any = None) -> Structure[Any]:
        """Return the structure of the first ``count`` fields, with classes of its own if it has them."""
        whole = self.layout

        def layout(numbers: Numbers) -> Any:
            return construct.Struct(*whole(numbers).subcons[:count])

        return Structure(name or self.name, layout, big, little, mq_name=self.mq_name, spec=self.spec)

    def parse(self, buffer: Buffer, offset: int, order: ByteOrder) -> Any:
        """Parse through the grammar into a ``Container``, nested as the grammar is.

        Raises ``StructureError`` if the bytes end too soon or do not match the grammar; never reads past the end.
        """
        return self.parse_to(buffer, offset, order)[0]

    def parse_to(self, buffer: Buffer, offset: int, order: ByteOrder) -> tuple[Any, int]:
        """Parse as :meth:`parse` does; return the values, and the offset of the first byte behind them."""
        source = _Source(bytes(memoryview(buffer)[offset:]))
        try:
            values = self.grammar(order).parse_stream(source)
            return values, offset + source.tell()
        except construct.StreamError as fault:
            if source.asked is None or source.got >= source.asked:
                raise StructureError(self.name, offset + source.start, _clause(fault)) from None
            raise short_input(
                self.name, self._field_name(fault.path), offset + source.start, source.asked, source.got
            ) from None
        except construct.ConstructError as fault:
            raise StructureError(self.name, offset + source.start, _clause(fault)) from None

    def build(self, values: Mapping[str, Any], order: ByteOrder) -> bytes:
        """Build through the grammar. Raises ``LocalProtocolError`` if a value is missing or does not fit."""
        try:
            built: bytes = self.grammar(order).build(values)
        except KeyError as fault:
            raise LocalProtocolError(f"{self.name}: no value for {fault.args[0]}") from None
        except construct.ConstructError as fault:
            raise self._unfit(fault, values) from None
        return built

    def _field_name(self, path: str | None) -> str:
        keys = (path or "").split(" -> ")[1:]
        return _name_in(self.grammar(ByteOrder.BIG), keys)

    def _unfit(self, fault: Any, values: Mapping[str, Any]) -> LocalProtocolError:
        keys = (fault.path or "").split(" -> ")[1:]
        value: Any = values
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        try:
            slot = next(slot for slot in self.slots if slot.field.key == "_".join(keys))
        except (TypeError, StopIteration):
            return LocalProtocolError(f"{self.name}.{self._field_name(fault.path)}: {_clause(fault)}")
        return unfit_value(self.name, slot.field.name, value, None if fits(slot, value) else slot.length)


class _Source(io.BytesIO):
    """A stream that remembers its last read: offset, requested length, actual length."""

    start = 0
    asked: int | None = None
    got = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.start = self.tell()
        self.asked = size
        data = super().read(size)
        self.got = len(data)
        return data


def _name_in(grammar: Any, keys: list[str]) -> str:
    """Return IBM's name of the field at a path of attribute names."""
    names = []
    for key in keys:
        subcons = getattr(grammar, "subcons", ())
        subcon = next((subcon for subcon in subcons if subcon.name == key), None)
        field = notes(subcon)
        names.append(field.name if field else key.upper() if hasattr(subcon, "subcon") else key)
        grammar = subcon
        while isinstance(grammar, construct.Subconstruct):
            grammar = grammar.subcon
    return ".".join(names)


def _clause(fault: Exception) -> str:
    """Return Construct's message for a fault, without the leading path."""
    return str(fault).split("\n")[-1]
