"""Conversion of text between character sets (mqi.md 14).

A character that the target does not have becomes its substitution character; bytes that are no text of the source
fail (mqi.md 14).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mqbridge.protocol.constants import MQRC, ByteOrder
from mqbridge.protocol.errors import ConversionError, MQBridgeError
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.text import codec_for

_DOUBLE_BYTE: Final = frozenset(
    (932, 936, 943, 949, 950, 954, 970, 1363, 1370, 1375, 1381, 1383, 1386, 1392, 5050, 5488, 33722)
)
_BY_ENCODING: Final = frozenset((1200, 13488, 17584))
"""Two-byte Unicode sets whose byte order follows the Encoding."""
_WIDE: Final = _BY_ENCODING | {1201, 1202, 1232, 1234}


class NotConvertedError(MQBridgeError):
    """``reason``: the MQRC of the warning that a get ends with: 2110 to 2119, 2150, 2190."""

    def __init__(self, reason: int, detail: str) -> None:
        super().__init__(f"{MQRC(reason)}: {detail}")
        self.reason = int(reason)


class DataEncoding(NamedTuple):
    """Encoding and CodedCharSetId of data."""

    encoding: int
    ccsid: int

    def order(self, reason: int) -> ByteOrder:
        """Return the byte order of integers. Raises `NotConvertedError` with ``reason`` if the Encoding names none."""
        try:
            return integer_order(self.encoding)
        except ConversionError as error:
            raise NotConvertedError(reason, str(error)) from error

    def codec(self, ccsid_reason: int, encoding_reason: int) -> str:
        """Return the Python codec of the character set. Raises `NotConvertedError` with one of the reasons."""
        order = self.order(encoding_reason) if self.ccsid in _BY_ENCODING else ByteOrder.BIG
        try:
            return codec_for(self.ccsid, order=order)
        except ConversionError as error:
            raise NotConvertedError(ccsid_reason, str(error)) from error


def codecs_of(source: DataEncoding, target: DataEncoding) -> tuple[str, str]:
    """Return the Python codecs of both character sets. Raises `NotConvertedError` 2111, 2112, 2115, 2116."""
    return (
        source.codec(MQRC.SOURCE_CCSID_ERROR, MQRC.SOURCE_INTEGER_ENC_ERROR),
        target.codec(MQRC.TARGET_CCSID_ERROR, MQRC.TARGET_INTEGER_ENC_ERROR),
    )


def recode(raw: bytes, source: DataEncoding, target: DataEncoding) -> bytes:
    """Convert text of any length. Raises `NotConvertedError` 2111, 2112, 2115, 2116, 2150, 2119."""
    from_codec, to_codec = codecs_of(source, target)
    if from_codec == to_codec:
        return raw
    return _decoded(raw, from_codec, source.ccsid).encode(to_codec, "replace")


def recode_field(raw: bytes, source: DataEncoding, target: DataEncoding) -> bytes:
    """Convert the text of a fixed-length field, padded with blanks or without trailing blanks as needed. Raises
    `NotConvertedError` as `recode` does, 2190 if the text does not fit."""
    from_codec, to_codec = codecs_of(source, target)
    if from_codec == to_codec:
        return raw
    text = _decoded(raw, from_codec, source.ccsid)
    made = text.encode(to_codec, "replace")
    if len(made) > len(raw):
        made = text.rstrip(" \0").encode(to_codec, "replace")
    blank = " ".encode(to_codec)
    missing, odd = divmod(len(raw) - len(made), len(blank))
    if missing < 0 or odd:
        raise NotConvertedError(MQRC.CONVERTED_STRING_TOO_BIG, f"{text!r} in {len(raw)} bytes of CCSID {target.ccsid}")
    return made + blank * missing


def require_header_text(form: DataEncoding, reason: int) -> None:
    """Raise `NotConvertedError` with ``reason`` for a character set in which headers cannot be written."""
    if form.ccsid in _WIDE:
        raise NotConvertedError(reason, f"a header cannot be in CCSID {form.ccsid}")


def _decoded(raw: bytes, codec: str, ccsid: int) -> str:
    try:
        return raw.decode(codec)
    except UnicodeError as error:
        reason = MQRC.DBCS_ERROR if ccsid in _DOUBLE_BYTE else MQRC.NOT_CONVERTED
        raise NotConvertedError(reason, f"not valid in CCSID {ccsid}: {error}") from error
