"""The message descriptor: a view of the MQMD with which a message was received.

:class:`Descriptor` reads text as ``str``, numbers as ``int`` and ids as ``bytes``; assigning a field changes its bytes
alone, so all others stay as they were received, padding and all. :func:`reader` and :func:`patcher` make functions
that read or replace a few fields of a descriptor without taking it apart. Names, places and defaults of the fields
come from the grammar (``protocol.structures``, mq-wire.md 5.7).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Self, TypeVar, overload

from mqbridge.protocol.constants import MQCCSI, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.records import Slot
from mqbridge.protocol.structures import MD, MD1, parse_md
from mqbridge.protocol.structures.md import MDRecord
from mqbridge.protocol.text import decode_field
from mqbridge.protocol.text import encode_field as encode_field

_T = TypeVar("_T")
_BLANKS: Final = (b" ", b"\x40")
"""In ASCII and in EBCDIC."""
_SLOTS: Final[dict[str, Slot]] = {slot.field.key: slot for slot in MD.slots}
_PACKS: Final = {key: struct.Struct("<" + slot.code).pack for key, slot in _SLOTS.items()}
"""Fail for a number that does not fit its field."""


class _Field:
    """One field of the view; ``_key`` is its name in the grammar."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = name
        self._size = _SLOTS[name].size

    def _raw(self, descriptor: Descriptor) -> Any:
        record = descriptor.record
        try:
            return getattr(record, self._key)
        except AttributeError:
            return _SLOTS[self._key].field.default

    def _change(self, descriptor: Descriptor, value: Any) -> None:
        descriptor.change(self._key, value)


class _Number(_Field):
    @overload
    def __get__(self, descriptor: None, owner: type) -> Self: ...
    @overload
    def __get__(self, descriptor: Descriptor, owner: type) -> int: ...
    def __get__(self, descriptor: Descriptor | None, owner: type) -> int | Self:
        if descriptor is None:
            return self
        value: int = self._raw(descriptor)
        return value

    def __set__(self, descriptor: Descriptor, value: int) -> None:
        self._change(descriptor, int(value))


class _Text(_Field):
    @overload
    def __get__(self, descriptor: None, owner: type) -> Self: ...
    @overload
    def __get__(self, descriptor: Descriptor, owner: type) -> str: ...
    def __get__(self, descriptor: Descriptor | None, owner: type) -> str | Self:
        if descriptor is None:
            return self
        return decode_field(self._raw(descriptor), descriptor.ccsid)

    def __set__(self, descriptor: Descriptor, value: str) -> None:
        self._change(descriptor, encode_field(value, self._size, descriptor.ccsid))


class _Bytes(_Field):
    @overload
    def __get__(self, descriptor: None, owner: type) -> Self: ...
    @overload
    def __get__(self, descriptor: Descriptor, owner: type) -> bytes: ...
    def __get__(self, descriptor: Descriptor | None, owner: type) -> bytes | Self:
        if descriptor is None:
            return self
        value: bytes = self._raw(descriptor)
        return value

    def __set__(self, descriptor: Descriptor, value: bytes) -> None:
        if len(value) > self._size:
            raise LocalProtocolError(f"MD.{self._key}: {len(value)} bytes given, the field has {self._size}")
        self._change(descriptor, bytes(value).ljust(self._size, b"\0"))


class Descriptor:
    """A mutable view of an MQMD of either version.

    Reading a version-2 field of a version-1 descriptor gives its default; assigning one makes it version 2. Text that
    does not fit its field or its code page raises ``ConversionError``, a number out of range ``LocalProtocolError``.
    """

    __slots__ = ("_record", "ccsid", "changed")

    def __init__(self, record: MDRecord, ccsid: int) -> None:
        self._record = record
        self.ccsid = ccsid
        self.changed = False

    @property
    def record(self) -> MDRecord:
        """Raw fields as bytes and numbers; do not change them directly."""
        return self._record

    def change(self, key: str, value: Any) -> None:
        """Set one field of the record to bytes or a number."""
        if not hasattr(self._record, key):
            values = {**self._record.as_dict(), "version": 2}
            self._record = MD.codec(self._record.ORDER)(**values)
        if isinstance(value, int):
            try:
                _PACKS[key](value)
            except struct.error:
                raise LocalProtocolError(f"MD.{_SLOTS[key].field.name}: value {value} does not fit") from None
        setattr(self._record, key, value)
        self.changed = True

    def set(self, **fields: Any) -> None:
        """Set several fields. Raises ``TypeError`` for an unknown name."""
        for key, value in fields.items():
            if key not in _SLOTS:
                raise TypeError(f"a message descriptor has no field {key}")
            setattr(self, key, value)

    def build(self) -> bytes:
        """Return the descriptor's bytes: 324 or 364."""
        return self._record.build()

    version = _Number()
    report = _Number()
    msg_type = _Number()
    expiry = _Number()
    feedback = _Number()
    encoding = _Number()
    coded_char_set_id = _Number()
    format = _Text()
    priority = _Number()
    persistence = _Number()
    msg_id = _Bytes()
    correl_id = _Bytes()
    backout_count = _Number()
    reply_to_q = _Text()
    reply_to_q_mgr = _Text()
    user_identifier = _Text()
    accounting_token = _Bytes()
    appl_identity_data = _Text()
    put_appl_type = _Number()
    put_appl_name = _Text()
    put_date = _Text()
    put_time = _Text()
    appl_origin_data = _Text()
    group_id = _Bytes()
    msg_seq_number = _Number()
    offset = _Number()
    msg_flags = _Number()
    original_length = _Number()


def parse_descriptor(raw: bytes, order: ByteOrder, ccsid: int) -> Descriptor:
    """Return a view of descriptor bytes. Raises ``StructureError`` as ``protocol.structures.parse_md`` does."""
    return Descriptor(parse_md(raw, 0, order), ccsid)


def new_descriptor(order: ByteOrder, ccsid: int, **fields: Any) -> Descriptor:
    """Return a version-1 descriptor of defaults (MQMD_DEFAULT) in a byte order and CCSID, with ``fields`` set.

    CodedCharSetId defaults to MQCCSI_Q_MGR. Text defaults are encoded in the CCSID, also in EBCDIC.
    """
    descriptor = Descriptor(MD1.codec(order).parse(_defaults(order, ccsid)), ccsid)
    descriptor.set(**fields)
    return descriptor


@lru_cache(maxsize=64)
def _defaults(order: ByteOrder, ccsid: int) -> bytes:
    """The bytes of a version-1 descriptor of defaults."""
    record = MD1.codec(order)()
    for slot in MD1.slots:
        if slot.field.kind == "char":
            text = slot.field.default.decode("ascii").rstrip(" ")
            setattr(record, slot.field.key, encode_field(text, slot.size, ccsid))
    record.coded_char_set_id = MQCCSI.Q_MGR
    return record.build()


def check_descriptor(raw: bytes) -> None:
    """Raise ``StructureError`` unless ``raw`` has the length of a version-1 or version-2 descriptor."""
    if len(raw) not in (MQMD_LENGTH_1, MQMD_LENGTH_2):
        raise StructureError("MD", 0, f"{len(raw)} bytes are no message descriptor")


@lru_cache(maxsize=64)
def reader(order: ByteOrder, *keys: str) -> Callable[..., tuple[Any, ...]]:
    """Return a function of (buffer, offset=0) that returns the raw values of some fields, in layout order."""
    codes = []
    position = 0
    for slot in _chosen(keys):
        codes.append(f"{slot.offset - position}x{slot.code}")
        position = slot.offset + slot.size
    return struct.Struct(order.prefix + "".join(codes)).unpack_from


@lru_cache(maxsize=64)
def patcher(order: ByteOrder, *keys: str) -> Callable[..., bytes]:
    """Return a function of (descriptor bytes, raw values) that returns the bytes with one field replaced, or several
    that follow one another in the layout."""
    slots = _chosen(keys)
    pack = struct.Struct(order.prefix + "".join(slot.code for slot in slots)).pack
    start, end = slots[0].offset, slots[-1].offset + slots[-1].size
    assert end - start == sum(slot.size for slot in slots), keys

    def patch(raw: bytes, *values: Any) -> bytes:
        return raw[:start] + pack(*values) + raw[end:]

    return patch


def format_test(*names: str) -> Callable[[bytes], bool]:
    """A function of descriptor bytes that says whether their Format is one of some names, in ASCII or EBCDIC.

    A zero and what follows it count as blanks.
    """
    at = place("format")
    known = frozenset(encode_field(name, at.stop - at.start, ccsid) for name in names for ccsid in (1208, 500))

    def test(raw: bytes) -> bool:
        name = raw[at]
        return name in known or (0 in name and any(_blanked(name, blank) in known for blank in _BLANKS))

    return test


def _blanked(name: bytes, blank: bytes) -> bytes:
    return name.partition(b"\0")[0].ljust(len(name), blank)


def bounds(key: str) -> tuple[int, int]:
    """Return where a field begins in the descriptor's bytes, and where what is behind it does."""
    (slot,) = _chosen((key,))
    return slot.offset, slot.offset + slot.size


def place(key: str) -> slice:
    """Return the position of a field in the descriptor's bytes. Compiled code does without: it takes bounds alone."""
    return slice(*bounds(key))


def _chosen(keys: tuple[str, ...]) -> list[Slot]:
    return sorted((_SLOTS[key] for key in keys), key=lambda slot: slot.offset)
