"""Properties of a message: read from the folders of its MQRFH2 headers, and the MQRFH2 for new ones (jms-mapping.md 4).

A property is ``{"type": …, "value": …}``; the types are those of the attribute ``dt``. Those of folder ``usr`` have
plain names, those of other property folders the folder's name and a dot in front.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from mqbridge.mappings.properties.folders import folder_texts
from mqbridge.mappings.properties.names import MAX_NAME, USER_FOLDER
from mqbridge.mappings.rfh2 import FolderError, FolderValue, read_folder, write_folder
from mqbridge.protocol.chain import HeaderChain
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.text import encode_field

from .errors import MessageFormError

PROPERTY_TYPES: Final = ("string", "boolean", "bin.hex", "i1", "i2", "i4", "i8", "r4", "r8")
MAX_PROPERTIES: Final = 1000
"""Maximum number of properties set on one message."""

_FOLDER_CCSID: Final = 1208
_NAME: Final = re.compile(r"[^\W\d][\w$]*")
_WHOLE: Final = {"i1": 8, "i2": 16, "i4": 32, "i8": 64}


class PropertyError(MessageFormError):
    """An invalid property: name, type or value."""


def make_property(name: str, kind: str, value: Any) -> FolderValue:
    """Return a property for folder ``usr``; ``value`` may be its textual form. Raises `PropertyError`."""
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise PropertyError(f"{name[:60]!r} cannot name a property: letters, digits and _ are allowed")
    if name.upper().startswith("JMS"):
        raise PropertyError(f"property {name}: names that begin with JMS are reserved")
    if kind not in PROPERTY_TYPES:
        raise PropertyError(f"property {name}: type {kind!r} is none of {', '.join(PROPERTY_TYPES)}")
    try:
        return FolderValue(name, kind, None if value is None else _typed(kind, value))
    except (ValueError, TypeError):
        raise PropertyError(f"property {name}: {value!r} is no {kind}") from None


def _typed(kind: str, value: Any) -> str | int | float | bool:
    """The value that a folder holds. Raises ``ValueError``, ``TypeError``."""
    if kind == "boolean":
        words = {"true": True, "1": True, "false": False, "0": False}
        if isinstance(value, bool):
            return value
        if str(value).lower() not in words:
            raise ValueError(value)
        return words[str(value).lower()]
    if kind in _WHOLE:
        if isinstance(value, bool | float):
            raise TypeError(value)
        number = int(value)
        limit = 1 << (_WHOLE[kind] - 1)
        if not -limit <= number < limit:
            raise ValueError(value)
        return number
    if kind in ("r4", "r8"):
        return float(value)
    if not isinstance(value, str):
        raise TypeError(value)
    if kind == "bin.hex":
        bytes.fromhex(value)
    return value


def property_header(
    properties: list[FolderValue],
    *,
    body_format: str,
    body_encoding: int,
    body_ccsid: int,
    order: ByteOrder = ByteOrder.LITTLE,
    folders: Mapping[str, list[FolderValue]] | None = None,
) -> bytes:
    """Build an MQRFH2 with folder ``usr`` for a body; ``folders``: other folders before it, by name."""
    if len(properties) > MAX_PROPERTIES:
        raise PropertyError(f"{len(properties)} properties; {MAX_PROPERTIES} are allowed")
    texts = [write_folder(name, values) for name, values in (folders or {}).items()]
    if properties:
        texts.append(write_folder(USER_FOLDER, properties))
    header = make_rfh2(
        order,
        [text.encode() for text in texts],
        encoding=body_encoding,
        coded_char_set_id=body_ccsid,
        format=encode_field(body_format, 8, _FOLDER_CCSID),
        name_value_ccsid=_FOLDER_CCSID,
    )
    return header.build()


def header_descriptor(order: ByteOrder = ByteOrder.LITTLE) -> dict[str, Any]:
    """Return the descriptor fields of a message that begins with `property_header`."""
    return {"format": str(MQFMT.RF_HEADER_2), "encoding": order.encoding, "coded_char_set_id": _FOLDER_CCSID}


def folder_values(text: str) -> list[dict[str, Any]]:
    """Return the values of a folder as JSON. Raises ``FolderError``."""
    return [{"name": each.name, "type": each.type, "value": _plain(each)} for each in read_folder(text).values]


def _plain(value: FolderValue) -> Any:
    """The value; a number that JSON does not have as text."""
    odd = isinstance(value.value, float) and not math.isfinite(value.value)
    return str(value.value) if odd else value.value


def properties_of(chain: HeaderChain) -> dict[str, dict[str, Any]]:
    """Return the properties in the headers of a chain; malformed folders have none."""
    found: dict[str, dict[str, Any]] = {}
    for text in folder_texts(chain):
        try:
            folder = read_folder(text)
        except FolderError:
            continue
        if folder.name == USER_FOLDER:
            prefix = ""
        elif folder.attributes.get("content") == "properties":
            prefix = folder.name + "."
        else:
            continue
        for value in folder.values:
            found[prefix + value.name] = {"type": value.type, "value": _plain(value)}
    return found
