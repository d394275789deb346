"""Conversion of the data behind the headers: text, PCF commands, IMS segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mqbridge.protocol.constants import MQCFT, MQFMT, MQRC
from mqbridge.protocol.errors import MQBridgeError, StructureError
from mqbridge.protocol.structures.pcf import CFH, Parameter, PCFMessage, parse_pcf
from mqbridge.protocol.structures.pcf_values import READERS

from .text import DataEncoding, NotConvertedError, recode, recode_field

MAX_VALUES: Final = 16_000
"""Limit of parameters and list values in a command; with more, the data are not converted (2110)."""
MAX_SEGMENTS: Final = 5_000
"""Limit of IMS segments, likewise."""
_LL: Final = 2
"""Bytes of the length at the start of an IMS segment; the ZZ bytes behind it, as many, are not converted."""


def _text(data: bytes, source: DataEncoding, target: DataEncoding) -> bytes:
    return recode(data, source, target)


def _commands(data: bytes, source: DataEncoding, target: DataEncoding) -> bytes:
    try:
        message = parse_pcf(data, 0, source.order(MQRC.SOURCE_INTEGER_ENC_ERROR), most=MAX_VALUES)
    except StructureError as error:
        raise NotConvertedError(MQRC.FORMAT_ERROR, str(error)) from error
    order = target.order(MQRC.TARGET_INTEGER_ENC_ERROR)
    parameters = [_parameter(each, source, target) for each in message.parameters]
    record = CFH.codec(order)(**message.record.as_dict())
    try:
        return PCFMessage(record, parameters, message.header_rest, message.rest).build()
    except MQBridgeError as error:
        raise NotConvertedError(MQRC.NOT_CONVERTED, str(error)) from error


def _parameter(parameter: Parameter, source: DataEncoding, target: DataEncoding) -> Parameter:
    kind = parameter.type
    if kind == MQCFT.GROUP:
        return replace(parameter, value=[_parameter(each, source, target) for each in parameter.value])
    if kind not in READERS:
        raise NotConvertedError(MQRC.NOT_CONVERTED, f"a parameter of type {kind}")
    if kind not in (MQCFT.STRING, MQCFT.STRING_LIST, MQCFT.STRING_FILTER):
        return parameter
    own = source if parameter.ccsid <= 0 else source._replace(ccsid=parameter.ccsid)
    ccsid = parameter.ccsid if parameter.ccsid <= 0 else target.ccsid
    if kind == MQCFT.STRING_LIST:
        texts = [recode_field(each, own, target) for each in parameter.value]
        return replace(parameter, value=texts, ccsid=ccsid)
    text = recode(parameter.value, own, target)
    rest = parameter.rest if len(text) == len(parameter.value) else bytes(-len(text) % 4)
    return replace(parameter, value=text, ccsid=ccsid, rest=rest)


def _ims_segments(data: bytes, source: DataEncoding, target: DataEncoding) -> bytes:
    """Convert LLZZ segments: a length of two bytes that includes itself, two bytes of flags, text."""
    from_order = source.order(MQRC.SOURCE_INTEGER_ENC_ERROR)
    to_order = target.order(MQRC.TARGET_INTEGER_ENC_ERROR)
    made: list[bytes] = []
    start = 0
    while start < len(data):
        length = int.from_bytes(data[start : start + _LL], from_order.endian)
        if length < 2 * _LL or start + length > len(data):
            raise NotConvertedError(MQRC.FORMAT_ERROR, f"LL is {length} at offset {start}")
        text = recode(data[start + 2 * _LL : start + length], source, target)
        total = 2 * _LL + len(text)
        if total >= 1 << 8 * _LL:
            raise NotConvertedError(MQRC.CONVERTED_STRING_TOO_BIG, f"{total} bytes in a segment")
        if len(made) >= 3 * MAX_SEGMENTS:
            raise NotConvertedError(MQRC.FORMAT_ERROR, f"more than {MAX_SEGMENTS} segments")
        made += [total.to_bytes(_LL, to_order.endian), data[start + _LL : start + 2 * _LL], text]
        start += length
    return b"".join(made)


CONVERTERS: Final[dict[str, Callable[[bytes, DataEncoding, DataEncoding], bytes]]] = {
    MQFMT.STRING: _text,
    MQFMT.ADMIN: _commands,
    MQFMT.PCF: _commands,
    MQFMT.EVENT: _commands,
    MQFMT.COMMAND_1: _commands,
    MQFMT.COMMAND_2: _commands,
    MQFMT.IMS_VAR_STRING: _ims_segments,
}
"""Function that converts data, by format; its arguments are the data, their present form and the target."""
