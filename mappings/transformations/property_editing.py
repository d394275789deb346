"""Setting and removing one property where it stands: all other bytes of the headers stay (jms-mapping.md 4)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.folders import folder_name
from mqbridge.mappings.properties.names import split_name
from mqbridge.mappings.properties.property import folder_value
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.mappings.rfh2 import FolderError, FolderValue
from mqbridge.mappings.rfh2.editing import has_value, with_value, without_value
from mqbridge.protocol.chain import HeaderChain
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.structures.rfh2 import RFH2, RulesAndFormatting2
from mqbridge.protocol.text import decode_text, encode_text

from .errors import TransformationError
from .header_chain import chain_of, with_changed_header, without_headers
from .step import Surroundings


@dataclass(slots=True)
class _Place:
    """A folder: index of its header in the chain, index in the header, decoded text."""

    header: int
    folder: int
    text: str


def with_property(message: Message, given: Property, surroundings: Surroundings) -> Message:
    """Return the message with a property of a folder set: where it stands, else in the folder of its name, else in a
    new folder. Raises `TransformationError` for malformed headers and folders, ``ConversionError`` for characters that
    the folder's code page does not have."""
    folder, name = split_name(given.name)
    chain = chain_of(message, surroundings.formats, surroundings.ccsid)
    places = _places(chain, folder)
    if not places:
        return with_properties(message, [given])
    try:
        holding = [each for each in places if has_value(each.text, name)]
        place = holding[-1] if holding else places[-1]
        return _with_text(message, chain, place, with_value(place.text, element_of(given)))
    except FolderError as error:
        raise _malformed(folder) from error


def without_property(message: Message, name: str, surroundings: Surroundings) -> Message:
    """Return the message without a property, or group of properties; without its folder and its MQRFH2 where these hold
    nothing else. ``name`` ends with ``.*`` for a whole folder. Raises as `with_property`."""
    folder, inside = split_name(name)
    for place in reversed(_places(chain_of(message, surroundings.formats, surroundings.ccsid), folder)):
        try:
            text = "" if inside == "*" else without_value(place.text, inside)
        except FolderError as error:
            raise _malformed(folder) from error
        if text != place.text:
            chain = chain_of(message, surroundings.formats, surroundings.ccsid)
            message = _with_text(message, chain, place, text)
    return message


def _malformed(folder: str) -> TransformationError:
    return TransformationError(f"folder {folder} of the MQRFH2 is malformed", MQRC.RFH_FORMAT_ERROR)


def element_of(given: Property) -> FolderValue:
    """Return a property as its folder has it: elements of ``mcd`` and ``jms`` have types by their names."""
    folder, name = split_name(given.name)
    value = folder_value(name, given)
    if folder in ("mcd", "jms") and value.value is not None and value.type != "bin.hex":
        return FolderValue(value.name, "string", value.value)
    return value


def _places(chain: HeaderChain, name: str) -> list[_Place]:
    """Return the folders of a name, in order. Raises ``ConversionError``."""
    found = []
    for at, link in enumerate(chain.links):
        header = link.header
        if isinstance(header, RulesAndFormatting2):
            order, ccsid = header.record.ORDER, header.record.name_value_ccsid
            for number, raw in enumerate(header.folders):
                if folder_name(decode_text(raw, ccsid, errors="replace", order=order)) == name:
                    found.append(_Place(at, number, decode_text(raw, ccsid, order=order)))
    return found


def _with_text(message: Message, chain: HeaderChain, place: _Place, text: str) -> Message:
    """Return the message with a folder replaced, or taken out if there is no text; a header without folders goes."""
    link = chain.links[place.header]
    header = link.header
    assert isinstance(header, RulesAndFormatting2)
    record = header.record
    order, ccsid = record.ORDER, record.name_value_ccsid
    folders = header.folders
    if not text and len(folders) == 1:
        return without_headers(message, chain, lambda each: each is link)
    if text:
        raw = encode_text(text, ccsid, order=order)
        blank = encode_text(" ", ccsid, order=order)
        folders[place.folder] = raw + blank * (-len(raw) % 4 // len(blank))
    else:
        del folders[place.folder]
    header.rest = b"".join(part for raw in folders for part in (len(raw).to_bytes(4, order.endian), raw))
    record.struc_length = RFH2.size + len(header.rest)
    return with_changed_header(message, chain, place.header)
