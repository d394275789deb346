"""Conversion of formats that are handed in (mqi.md 14): by the fields of a structure, or by a plug-in's own code."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError, StructureError
from mqbridge.protocol.formats import Format
from mqbridge.protocol.structures.bodies import Body

from .text import DataEncoding, NotConvertedError, recode_field


def convert_plug_in(found: Format, data: bytes, source: DataEncoding, target: DataEncoding) -> bytes:
    """Convert the data of a format.

    A structure is written in the target's byte order and character set; a text keeps its length. Raises
    `NotConvertedError`: 2110 for data that are not of this format, and those of `recode_field`.
    """
    try:
        if found.structure is None:
            return found.convert(data, source, target)
        return found.recode(
            data,
            source.order(MQRC.SOURCE_INTEGER_ENC_ERROR),
            target.order(MQRC.TARGET_INTEGER_ENC_ERROR),
            lambda raw: recode_field(raw, source, target),
        )
    except NotConvertedError:
        raise
    except StructureError as error:
        raise NotConvertedError(MQRC.FORMAT_ERROR, str(error)) from error
    except MQBridgeError as error:
        raise NotConvertedError(MQRC.NOT_CONVERTED, str(error)) from error


def convert_plug_in_header(found: Format, header: Body, source: DataEncoding, target: DataEncoding) -> Body:
    """Return a header in another form. Raises `NotConvertedError`."""
    made = convert_plug_in(found, header.build(), source, target)
    try:
        return found.read_header(made, 0, target.order(MQRC.TARGET_INTEGER_ENC_ERROR))
    except StructureError as error:
        raise NotConvertedError(MQRC.FORMAT_ERROR, str(error)) from error
