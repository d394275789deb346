"""Steps that take headers out and put them in front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.mappings.body import without_front
from mqbridge.mappings.dead_letter import dead_letter
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import check_name
from mqbridge.mappings.properties.folders import PROPERTY_FOLDERS
from mqbridge.mappings.rfh2 import write_folder
from mqbridge.protocol.chain import HeaderChain
from mqbridge.protocol.constants import MQAT, MQFMT, MQRC, ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures.cih import CIH
from mqbridge.protocol.structures.iih import IIH
from mqbridge.protocol.structures.rfh2 import make_rfh2
from mqbridge.protocol.structures.wih import WIH
from mqbridge.protocol.text import encode_field

from .errors import StepError, TransformationError
from .field_values import HEADER_CCSID, field_value
from .header_chain import chain_of, with_headers_in_front, without_headers
from .property_editing import element_of
from .property_places import typed_property
from .step import Surroundings

STRIPPED: Final = ("RFH2", "RFH", "DLH", "MDE", "CIH", "IIH", "WIH", "RMH", "DH")
"""Headers that ``strip-…`` takes out, beside XQH."""
ADDED: Final[dict[str, tuple[Structure[Any], str]]] = {
    "cih": (CIH, str(MQFMT.CICS)),
    "iih": (IIH, str(MQFMT.IMS)),
    "wih": (WIH, str(MQFMT.WORK_INFO_HEADER)),
}
"""Headers of fixed length that can be added: layout and Format in front of them."""
_NAME_LENGTH: Final = 48
_CHAINED: Final = frozenset(("struc_id", "version", "struc_length", "encoding", "coded_char_set_id", "format"))
"""Fields of an added header that are not given: they follow from where it stands."""


@dataclass(frozen=True, slots=True)
class StripHeaders:
    """Takes out all headers of a name; ``""``: all headers."""

    name: str = ""

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"strip-{self.name.lower() or 'headers'}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        chain = chain_of(message, surroundings.formats, surroundings.ccsid)
        if self.name == "XQH" or (not self.name and chain.find("XQH") is not None):
            message = _without_xqh(message, chain)
            if self.name:
                return message
            chain = chain_of(message, surroundings.formats, surroundings.ccsid)
        return without_headers(message, chain, lambda link: not self.name or link.name == self.name)


def _without_xqh(message: Message, chain: HeaderChain) -> Message:
    """Return the message that was put on a transmission queue: its own descriptor and data."""
    if not chain.links or chain.links[0].name != "XQH":
        return message
    if len(chain.links) == 1:
        raise TransformationError("no descriptor follows the XQH", MQRC.HEADER_ERROR)
    inner = chain.links[1]
    ccsid = 500 if inner.header.record.struc_id[0] & 0x80 else inner.ccsid
    stripped = message.copy(without_front(message.body, inner.end))
    return Message(inner.header.build(), stripped.body, order=inner.header.record.ORDER, ccsid=ccsid)


@dataclass(frozen=True, slots=True)
class AddDeadLetterHeader:
    """Puts an MQDLH in front: reason, and the queue that the message was for."""

    reason: int
    queue: str = ""
    queue_manager: str = ""

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return "add dlh"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        return dead_letter(
            message,
            self.reason,
            self.queue or surroundings.queue,
            self.queue_manager or surroundings.queue_manager,
            put_appl_type=MQAT.QMGR,
            put_appl_name=surroundings.application,
            now=surroundings.now,
        )


@dataclass(frozen=True, slots=True)
class AddFolders:
    """Puts an MQRFH2 with folders in front; ``folders``: their texts."""

    folders: tuple[bytes, ...]

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return "add rfh2"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        md = message.md
        order = message.order
        made = make_rfh2(
            order,
            self.folders,
            encoding=md.encoding,
            coded_char_set_id=md.coded_char_set_id if md.coded_char_set_id > 0 else surroundings.ccsid,
            format=encode_field(md.format, 8, HEADER_CCSID),
            name_value_ccsid=HEADER_CCSID,
        )
        return with_headers_in_front(message, [made.build()], (str(MQFMT.RF_HEADER_2), order.encoding, HEADER_CCSID))


@dataclass(frozen=True, slots=True)
class AddHeader:
    """Puts a header of fixed length in front. ``fields``: given ones, by attribute name."""

    name: str
    fields: tuple[tuple[str, int | bytes], ...]

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"add {self.name}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        structure, format_name = ADDED[self.name]
        md = message.md
        order = message.order
        record = structure.codec(order)(**dict(self.fields))
        record.encoding = md.encoding
        record.coded_char_set_id = md.coded_char_set_id if md.coded_char_set_id > 0 else surroundings.ccsid
        record.format = encode_field(md.format, 8, HEADER_CCSID)
        return with_headers_in_front(message, [record.build()], (format_name, order.encoding, HEADER_CCSID))


def header_to_add(name: str, given: Mapping[str, object]) -> AddHeader:
    """Return the step that adds a header, with fields by IBM's names. Raises `StepError`."""
    structure, _ = ADDED[name]
    record: Any = structure.codec(ByteOrder.LITTLE)()
    slots = {slot.field.name: slot for slot in structure.slots if slot.field.key not in _CHAINED}
    fields: list[tuple[str, int | bytes]] = []
    for field, value in given.items():
        slot = slots.get(field)
        if slot is None:
            raise StepError(0, f"{structure.mq_name} has no field {field!r} to be given; it has {', '.join(slots)}")
        fields.append((slot.field.key, field_value(f"{structure.mq_name}.{field}", slot.field.kind, slot.size, value)))
        setattr(record, *fields[-1])
    try:
        record.build()
    except Exception as error:
        raise StepError(0, f"{structure.mq_name}: {error}") from error
    return AddHeader(name, tuple(fields))


def folders_to_add(given: Mapping[str, object]) -> AddFolders:
    """Return the step that adds an MQRFH2 with folders of values by name. Raises `StepError`, ``PropertyNameError``,
    ``FolderError``."""
    texts = []
    for folder, values in given.items():
        if not isinstance(values, Mapping):
            raise StepError(0, f"folders = {{ usr = {{ colour = 'red' }} }} is right, not {folder} = {values!r}")
        elements = []
        for name, value in values.items():
            check_name(f"{folder}.{name}")
            elements.append(element_of(typed_property(f"{folder}.{name}", value, None)))
        attributes = {} if folder in PROPERTY_FOLDERS else {"content": "properties"}
        texts.append(write_folder(folder, elements, attributes, grouped=True).encode())
    return AddFolders(tuple(texts))


def dead_letter_header(reason: int | None, queue: object, queue_manager: object) -> AddDeadLetterHeader:
    """Return the step that adds an MQDLH. Raises `StepError`."""
    if reason is None:
        raise StepError(0, '{ add = "dlh", reason = 2053 } is right: an MQRC, or a feedback code')
    for key, name in (("queue", queue), ("queue_manager", queue_manager)):
        if not isinstance(name, str) or len(name) > _NAME_LENGTH or not name.isascii():
            raise StepError(0, f"{key} is a name of up to {_NAME_LENGTH} characters, not {name!r}")
    return AddDeadLetterHeader(reason, str(queue), str(queue_manager))
