"""A header in a message tree: the fields of its fixed part, and the folders or names and values behind it.

Text of a header is in the character set that the part in front of it states, but for its letters being ASCII or EBCDIC,
which its identifier tells with certainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from mqbridge.mappings.conversion.headers import convert_header
from mqbridge.mappings.conversion.text import DataEncoding, NotConvertedError
from mqbridge.protocol.chain import ChainedHeader
from mqbridge.protocol.dissection.headers import link_name
from mqbridge.protocol.dissection.shown import readable_ccsid
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.records import Slot
from mqbridge.protocol.structures import RulesAndFormatting, RulesAndFormatting2
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.text import decode_field, encode_field

from .element import Element, Value
from .errors import ContentError
from .finding import values_at
from .fixed_fields import check_field_value
from .folders import Folders
from .name_values import NameValues
from .paths import Step

_FIXED: Final = frozenset(
    (
        "struc_id", "version", "struc_length", "name_value_ccsid", "recs_present", "put_msg_rec_fields",
        "object_rec_offset", "put_msg_rec_offset", "src_env_length", "src_env_offset", "src_name_length",
        "src_name_offset", "dest_env_length", "dest_env_offset", "dest_name_length", "dest_name_offset",
    )
)  # fmt: skip
"""Fields that say how the header is laid out."""
_SAVING: Final = ("RFH2", "RFH")


class Variable(Protocol):
    """What stands behind the fixed part of a header, by names."""

    changed: bool

    def elements(self) -> list[Element]:
        """Return all of it, in order."""
        ...

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to."""
        ...

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set what steps lead to."""
        ...

    def remove(self, steps: Sequence[Step]) -> bool:
        """Delete what steps lead to; return whether there was anything."""
        ...

    def build(self) -> bytes:
        """Return the bytes."""
        ...


class HeaderPart:
    """One header. ``name``: IBM's, ``"MQRFH2"``. ``raw``: its bytes as they were read, None for a new one."""

    __slots__ = ("_ccsid", "_link", "_raw", "_slots", "_variable", "changed", "name")

    def __init__(self, link: ChainedHeader, raw: bytes | None) -> None:
        record = link.header.record
        self.name = link.format if link.plug_in is not None else link_name(link)
        self._link = link
        self._raw = raw
        ebcdic = bool(record.struc_id[0] & 0x80) if link.plug_in is None else link.plug_in.is_ebcdic(record, link.ccsid)
        self._ccsid = readable_ccsid(link.ccsid, ebcdic=ebcdic)
        self._slots: dict[str, Slot] = {
            slot.field.name: slot for slot in record.SLOTS if link.header.has(slot.field.key)
        }
        self._variable: Variable | None = None
        self.changed = raw is None

    @property
    def form(self) -> DataEncoding:
        """Encoding and character set of the header itself, as it was read."""
        return DataEncoding(self._link.encoding, self._link.ccsid)

    @property
    def announced_as(self) -> str:
        """Format that announces this header; empty for one that follows another of itself (the MQMD of an MQXQH)."""
        return "" if self._link.name == "MD" else self._link.format

    @property
    def says_what_follows(self) -> bool:
        """Whether it has the fields Format, Encoding and CodedCharSetId."""
        return "Format" in self._slots

    @property
    def may_name_domain(self) -> bool:
        """Whether it is an MQRFH or MQRFH2."""
        return self._link.plug_in is None and self._link.name in _SAVING

    @property
    def format(self) -> str:
        """Format of what follows."""
        return str(self._field(self._slots["Format"]))

    @format.setter
    def format(self, name: str) -> None:
        self._set(self._slots["Format"], name)

    def form_behind(self, own: DataEncoding) -> DataEncoding:
        """Return encoding and character set of what follows, if this header is written in ``own``."""
        record = self._record
        if "Encoding" not in self._slots or "CodedCharSetId" not in self._slots:
            return own
        return DataEncoding(record.encoding, record.coded_char_set_id if record.coded_char_set_id > 0 else own.ccsid)

    def describe(self, form: DataEncoding) -> None:
        """Say what the data behind the header are like."""
        record = self._record
        record.encoding, record.coded_char_set_id = form
        self.changed = True

    @property
    def _record(self) -> Any:
        return self._link.header.record

    @property
    def variable(self) -> Variable | None:
        """What stands behind the fixed part, if it has names."""
        if self._variable is None and self._link.plug_in is None:
            header = self._link.header
            if isinstance(header, RulesAndFormatting2):
                self._variable = Folders(header)
            elif isinstance(header, RulesAndFormatting):
                self._variable = NameValues(header, self._ccsid)
        return self._variable

    @property
    def was_changed(self) -> bool:
        """Whether anything in it was set or deleted, or it is new."""
        return self.changed or (self._variable is not None and self._variable.changed)

    def _field(self, slot: Slot) -> Value:
        value: Value = getattr(self._record, slot.field.key)
        if slot.field.kind == "char" and isinstance(value, bytes):
            return decode_field(value, self._ccsid)
        return value

    def _set(self, slot: Slot, value: object) -> None:
        fitting = check_field_value(slot.field.kind, value)
        if isinstance(fitting, str):
            fitting = self._encoded(fitting, slot)
        elif isinstance(fitting, bytes):
            if len(fitting) > slot.size:
                raise ContentError(f"{len(fitting)} bytes given, the field has {slot.size}")
            fitting = fitting.ljust(slot.size, b"\0")
        old = getattr(self._record, slot.field.key)
        setattr(self._record, slot.field.key, fitting)
        try:
            self._record.build()
        except Exception:
            setattr(self._record, slot.field.key, old)
            raise
        self.changed = True

    def _encoded(self, text: str, slot: Slot) -> bytes:
        try:
            return encode_field(text, slot.size, self._ccsid)
        except ConversionError:
            if slot.field.secret:
                raise ContentError(f"it does not fit into {slot.size} bytes of CCSID {self._ccsid}") from None
            raise

    def _slot_at(self, steps: Sequence[Step]) -> Slot | None:
        step = steps[0]
        if len(steps) > 1 or step.attribute or step.name is None or step.occurrence not in (None, 1):
            return None
        return self._slots.get(step.name)

    def secret_fields(self) -> list[str]:
        """Return the names of the fields that hold passwords."""
        return [name for name, slot in self._slots.items() if slot.field.secret]

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to."""
        slot = self._slot_at(steps)
        if slot is not None:
            return [self._field(slot)]
        if steps[0].name is None:
            return values_at(self.element(), steps)
        return [] if self.variable is None else self.variable.values(steps)

    def element(self) -> Element:
        """Return the whole header as an element."""
        fields = [Element(name, self._field(slot)) for name, slot in self._slots.items() if name != "StrucId"]
        return Element(self.name, children=fields + ([] if self.variable is None else self.variable.elements()))

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set a field or what stands behind the fixed part. Raises `ContentError` and what values raise."""
        slot = self._slot_at(steps)
        if slot is not None:
            if slot.field.key in _FIXED:
                raise ContentError("it says how the header is laid out and stays")
            self._set(slot, value)
        elif self.variable is None:
            raise ContentError("there is no such field")
        elif steps[0].name in self._slots:
            raise ContentError("nothing is below a field")
        else:
            self.variable.assign(steps, value)

    def remove(self, steps: Sequence[Step]) -> bool:
        """Delete what stands behind the fixed part; return whether there was anything."""
        if self._slot_at(steps) is not None:
            raise ContentError("a field of the fixed part stays")
        return self.variable is not None and self.variable.remove(steps)

    def build(self, form: DataEncoding) -> bytes:
        """Return the header's bytes in a form. Raises `ContentError` where that is not possible."""
        variable = self._variable
        if self._raw is not None and not self.changed and (variable is None or not variable.changed):
            if form == self.form:
                return self._raw
        elif variable is not None and variable.changed:
            header: Body = self._link.header
            header.rest = variable.build()
            header.record.struc_length = header.known + len(header.rest)
            variable.changed, self.changed = False, True
        self._link.length = self._link.header.known + len(self._link.header.rest)
        if form == self.form:
            return self._link.header.build()
        if self._link.plug_in is not None:
            raise ContentError("a header of a plug-in is not written in another encoding")
        try:
            converted = convert_header(self._link, form)
        except NotConvertedError as fault:
            raise ContentError(f"it cannot be written in {form.encoding}, CCSID {form.ccsid}: {fault}") from None
        return converted.build()
