"""Additions to a published message: the topic and other properties of a publication.

They are the folder ``mqps`` of an MQRFH2, as message properties travel; subscriptions defined by commands may ask for
an older form: a folder ``psc``, or an MQRFH of names and values (mqi.md 17 row 14, jms-mapping.md 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.constants.lengths import MQ_APPL_IDENTITY_DATA_LENGTH, MQ_USER_ID_LENGTH
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures import make_rfh2, parse_rfh2
from mqbridge.protocol.structures.rfh import make_rfh
from mqbridge.protocol.structures.rfh2 import RFH2, RulesAndFormatting2
from mqbridge.protocol.text import decode_text, encode_field, encode_text

from .body import joined, read_slice, without_front
from .message import Message
from .rfh2 import FolderError, FolderValue, read_folder, write_folder

FOLDER: Final = "mqps"
COMMAND_FOLDER: Final = "psc"
HEADER_CCSID: Final = 1208
"""CCSID of headers and folders that are created here."""
MAX_HEADER: Final = 4 << 20
"""Longest MQRFH2 in bytes into which a folder is inserted; a longer one gets another header in front of it."""
_LENGTH: Final = slice(8, 12)


@dataclass(slots=True)
class PublicationProperties:
    """Topic string, SubUserData of the subscription (blank: none), and whether the publication is a retained one
    delivered late (MQIsRetained)."""

    topic: str
    user_data: str = ""
    retained: bool = False

    def values(self) -> list[FolderValue]:
        """Return the elements of the folder ``mqps``."""
        found = [FolderValue("Top", "string", self.topic)]
        if self.user_data:
            found.append(FolderValue("Sud", "string", self.user_data))
        if self.retained:
            found.append(FolderValue("Ret", "boolean", True))
        return found


def identity_context(user: str, accounting_token: bytes, appl_identity_data: str, ccsid: int) -> bytes:
    """Return the three fields of identity context as in a descriptor whose text is in ``ccsid``, 76 bytes."""
    return b"".join(
        (
            encode_field(user, MQ_USER_ID_LENGTH, ccsid),
            accounting_token,
            encode_field(appl_identity_data, MQ_APPL_IDENTITY_DATA_LENGTH, ccsid),
        )
    )


def with_properties(message: Message, properties: PublicationProperties) -> Message:
    """Return the message with the folder ``mqps`` in its first MQRFH2, replacing an existing one, or in a new
    MQRFH2."""
    return with_folder(message, FOLDER, write_folder(FOLDER, properties.values()))


def with_command_folder(message: Message, properties: PublicationProperties) -> Message:
    """Return the message for PSPROP(RFH2), with a folder ``psc`` that describes the publication."""
    values = [FolderValue("Command", "string", "Publish")]
    if properties.retained:
        values.append(FolderValue("PubOpt", "string", "IsRetainedPub"))
    values.append(FolderValue("Topic", "string", properties.topic))
    return with_folder(message, COMMAND_FOLDER, write_folder(COMMAND_FOLDER, values))


def with_command_names(message: Message, properties: PublicationProperties) -> Message:
    """Return the message for PSPROP(COMPAT), behind an MQRFH with the names of the older publish/subscribe
    interface."""
    words = ["MQPSCommand", "Publish"]
    if properties.retained:
        words += ["MQPSPubOpts", "IsRetainedPub"]
    words += ["MQPSTopic", '"' + properties.topic.replace('"', '""') + '"']
    text = encode_text(" ".join(words), HEADER_CCSID)
    order = order_of(message.md.encoding) or message.order
    md = message.md
    header = make_rfh(
        order,
        text + b" " * (-len(text) % 4),
        encoding=md.encoding,
        coded_char_set_id=_following_ccsid(message),
        format=encode_field(md.format, 8, HEADER_CCSID),
    ).build()
    return _in_front(message, header, MQFMT.RF_HEADER_1, order.encoding)


def with_folder(message: Message, name: str, text: str) -> Message:
    """Return the message with a folder added to its first MQRFH2, replacing one of the same name.

    Where the data do not begin with an MQRFH2, or its code page lacks a character, a new MQRFH2 is put in front.
    """
    header = _first_header(message)
    if header is not None:
        try:
            return _inserted(message, header, name, text)
        except ConversionError:
            pass
    order = order_of(message.md.encoding) or message.order
    made = make_rfh2(
        order,
        [encode_text(text, HEADER_CCSID)],
        encoding=message.md.encoding,
        coded_char_set_id=_following_ccsid(message),
        format=encode_field(message.md.format, 8, HEADER_CCSID),
        name_value_ccsid=HEADER_CCSID,
    ).build()
    return _in_front(message, made, MQFMT.RF_HEADER_2, order.encoding)


def without_properties(message: Message) -> Message:
    """Return the message without the folder ``mqps``, and without its MQRFH2 if that has no other folder."""
    header = _first_header(message)
    if header is None:
        return message
    kept = _others(header, FOLDER)
    if len(kept) == len(header.folders) or not _texts(header):
        return message
    if kept:
        return _rebuilt(message, header, kept)
    plain = message.copy(without_front(message.body, header.record.struc_length))
    name = decode_text(header.record.format, message.md.coded_char_set_id, errors="replace").rstrip(" \0")
    plain.md.set(encoding=header.record.encoding, coded_char_set_id=header.record.coded_char_set_id, format=name)
    return plain


def published_topic(message: Message) -> str | None:
    """Return the topic string in the folder ``mqps`` of a published message; None if there is none."""
    header = _first_header(message)
    for folder in _texts(header) if header is not None else ():
        if _is(folder, FOLDER):
            try:
                found = (value.value for value in read_folder(folder).values if value.name == "Top")
                return next((str(topic) for topic in found), None)
            except FolderError:
                return None
    return None


def _following_ccsid(message: Message) -> int:
    """CodedCharSetId for a header that is put in front: what the descriptor says of the data, which it then inherits
    no longer."""
    ccsid = message.md.coded_char_set_id
    return ccsid if ccsid > 0 else message.ccsid


def _in_front(message: Message, header: bytes, name: str, encoding: int) -> Message:
    made = message.copy(joined(header, message.body))
    made.md.set(encoding=encoding, coded_char_set_id=HEADER_CCSID, format=name)
    return made


def _first_header(message: Message) -> RulesAndFormatting2 | None:
    order = order_of(message.md.encoding)
    if order is None or message.md.format != MQFMT.RF_HEADER_2:
        return None
    fixed = read_slice(message.body, 0, RFH2.size)
    length = int.from_bytes(fixed[_LENGTH], order.endian)
    if len(fixed) < RFH2.size or not RFH2.size <= length <= min(len(message.body), MAX_HEADER):
        return None
    try:
        return parse_rfh2(read_slice(message.body, 0, length), 0, order)
    except StructureError:
        return None


def _texts(header: RulesAndFormatting2) -> Sequence[str]:
    ccsid = header.record.name_value_ccsid
    try:
        return [decode_text(folder, ccsid, errors="replace") for folder in header.folders]
    except ConversionError:
        return ()


def _is(folder: str, name: str) -> bool:
    start = folder.lstrip()[: len(name) + 2]
    return start.startswith("<" + name) and start[len(name) + 1 :] in (">", " ", "/", "\t", "\r", "\n")


def _inserted(message: Message, header: RulesAndFormatting2, name: str, text: str) -> Message:
    order = header.record.ORDER
    raw = encode_text(text, header.record.name_value_ccsid, order=order)
    shown = _texts(header)
    place = next((index for index, each in enumerate(shown) if _is(each, name)), len(header.folders))
    others = _others(header, name)
    return _rebuilt(message, header, [*others[:place], raw, *others[place:]])


def _others(header: RulesAndFormatting2, name: str) -> list[bytes]:
    """Return the folders with other names."""
    return [folder for folder, shown in zip(header.folders, _texts(header), strict=False) if not _is(shown, name)]


def _rebuilt(message: Message, header: RulesAndFormatting2, folders: Sequence[bytes]) -> Message:
    """Return the message with other folders in its first MQRFH2."""
    order = header.record.ORDER
    made = make_rfh2(
        order,
        folders,
        blank=encode_text(" ", header.record.name_value_ccsid, order=order),
        struc_id=header.record.struc_id,
        encoding=header.record.encoding,
        coded_char_set_id=header.record.coded_char_set_id,
        format=header.record.format,
        flags=header.record.flags,
        name_value_ccsid=header.record.name_value_ccsid,
    ).build()
    return message.copy(joined(made, without_front(message.body, header.record.struc_length)))
