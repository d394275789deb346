"""Conversion of message data to another encoding and character set (mqi.md 14)."""

from mqbridge.protocol.formats import NO_FORMATS, Formats

from .data import Converted, convert_data, convert_message
from .text import DataEncoding, NotConvertedError

__all__ = ["NO_FORMATS", "Converted", "DataEncoding", "Formats", "NotConvertedError", "convert_data", "convert_message"]
