"""The transformer ``json``: free fields as JSON text, for MQ programs that know no fields objects. It is ours.

============================  ====================================  ===================================
field                         JSON                                  and back
============================  ====================================  ===================================
ascii, unicode                text                                  unicode
boolean                       true, false                           boolean
byte, short, int, long        number                                int, or long if it is too large
float, double                 number with a fraction or exponent    double
untyped, byte[]               ``{"base64": "…"}``                   untyped
fields                        object                                fields
array                         array of the same                     array of unicode, int, long, double
null, an empty array          null                                  untyped, null
============================  ====================================  ===================================

Properties that an MQMD has (mqe.md E-435) are in the MQMD and not in the text; the type string is lost.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from typing import Any, Final

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields, natural_type
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.mq_style import IN_HEADER, MQ_STYLE, OWN, STRING
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.text import decode_text

from .base import BaseTransformer, build
from .descriptor_fields import common_values, read_common
from .transformer import Outgoing

BYTES: Final = "base64"
"""Name of the only member of an object that stands for bytes."""
_LONG: Final = range(-(2**63), 2**63)
_INT: Final = range(-(2**31), 2**31)
_RECURSIVE: Final = (ValueError, RecursionError)


class JsonTransformer:
    """Free fields as JSON text of format MQSTR, and such text as free fields; all else as the base transformer.

    That includes what the other side cannot say: a number that JSON does not have, an array of objects.
    """

    def __init__(self) -> None:
        self._base = BaseTransformer()

    def activate(self, parameters: Sequence[str]) -> None:
        """See `Transformer`."""
        self._base.activate(parameters)

    def to_mq(self, message: EveryplaceMessage, queue: Address, options: MQPMO, now: float) -> Outgoing:
        """See `Transformer`."""
        text = text_of(message)
        if text is None:
            return self._base.to_mq(message, queue, options, now)
        return Outgoing(build(text.encode(), {**common_values(message, now), "format": STRING}), options)

    def from_mq(self, message: Message, target: Address, now: float) -> EveryplaceMessage:
        """See `Transformer`."""
        fields = _fields_of(message)
        if fields is None:
            return self._base.from_mq(message, target, now)
        found = EveryplaceMessage.of(fields)
        read_common(found, message.md, now)
        return found


def text_of(message: EveryplaceMessage) -> str | None:
    """Return the JSON text of free fields; None if JSON cannot say them, and for an MQ-style message."""
    if message.type == MQ_STYLE or any(name in OWN for name in message):
        return None
    try:
        found = {name: _json(message, name) for name in message if name not in IN_HEADER}
        if tuple(found) == (BYTES,):
            return None
        return json.dumps(found, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except _RECURSIVE:
        return None


def fields_of_text(text: str) -> Fields | None:
    """Return the fields that a JSON text is; None for one that is no object, or that fields cannot say."""
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        if not isinstance(found, Fields) or any(name in IN_HEADER or name in OWN for name in found):
            return None
        # A dump has limits of depth and number.
        return Fields.of_body(found.body())
    except (*_RECURSIVE, EveryplaceError):
        return None


def _fields_of(message: Message) -> Fields | None:
    if message.md.format.rstrip() != STRING:
        return None
    try:
        return fields_of_text(decode_text(message.data, message.md.coded_char_set_id))
    except (ConversionError, UnicodeError):
        return None


def _json(fields: Fields, name: str) -> Any:
    """Return a field as what `json` writes. Raises ``ValueError`` for fields with the name that stands for bytes."""
    value = fields.get(name)
    if isinstance(value, bytes):
        return None if not value and fields.type_of(name).is_array else {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, Fields):
        if tuple(value) == (BYTES,):
            raise ValueError(name)
        return {each: _json(value, each) for each in value}
    if isinstance(value, tuple):
        return list(value) or None
    return value


def _object(members: list[tuple[str, Any]]) -> Fields | bytes:
    """The fields object, or the bytes, that a JSON object is. Raises ``ValueError`` or `EveryplaceError`."""
    if len(members) == 1 and members[0][0] == BYTES and isinstance(members[0][1], str):
        return base64.b64decode(members[0][1], validate=True)
    found = Fields()
    for name, value in members:
        if name in found:
            raise ValueError(name)
        _put(found, name, value)
    return found


def _put(fields: Fields, name: str, value: Any) -> None:
    if isinstance(value, list):
        fields.put(name, value or None, _array_type(value) if value else FieldType.UNTYPED)
        return
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(name)
    fields.put(name, value, natural_type(value))


def _array_type(values: list[Any]) -> FieldType:
    """The type of an array. Raises `EveryplaceError` TYPE for one that no array of fields can be."""
    kinds = {type(each) for each in values}
    if kinds == {str}:
        return FieldType.UNICODE_ARRAY
    if kinds == {int} and all(each in _LONG for each in values):
        return FieldType.INT_ARRAY if all(each in _INT for each in values) else FieldType.LONG_ARRAY
    if kinds in ({float}, {int, float}) and all(abs(each) < math.inf for each in values):
        return FieldType.DOUBLE_ARRAY
    raise EveryplaceError(Code.TYPE, "the elements of an array are of one type, text or numbers")


def _constant(text: str) -> Any:
    raise ValueError(text)
