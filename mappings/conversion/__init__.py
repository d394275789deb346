"""Conversion of message data to another encoding and character set (mqi.md 14)."""

from .data import Converted, convert_data, convert_message
from .text import DataEncoding, NotConvertedError

__all__ = ["Converted", "DataEncoding", "NotConvertedError", "convert_data", "convert_message"]
