"""Java's names of character sets, the values of JMS_IBM_Character_Set (jms-mapping.md 3.2)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.numbers import order_of

from .errors import JmsFormatError

_NAMES: Final[dict[int, str]] = {
    37: "IBM037", 273: "IBM273", 277: "IBM277", 278: "IBM278", 280: "IBM280", 284: "IBM284", 285: "IBM285",
    290: "IBM290", 297: "IBM297", 367: "US-ASCII", 420: "IBM420", 424: "IBM424", 437: "IBM437", 500: "IBM500",
    737: "x-IBM737", 775: "IBM775", 813: "ISO-8859-7", 819: "ISO-8859-1", 833: "x-IBM833", 838: "IBM-Thai",
    850: "IBM850", 852: "IBM852", 855: "IBM855", 856: "x-IBM856", 857: "IBM857", 858: "IBM00858", 860: "IBM860",
    861: "IBM861", 862: "IBM862", 863: "IBM863", 864: "IBM864", 865: "IBM865", 866: "IBM866", 869: "IBM869",
    870: "IBM870", 871: "IBM871", 874: "x-IBM874", 875: "x-IBM875", 878: "KOI8-R", 912: "ISO-8859-2",
    913: "ISO-8859-3", 915: "ISO-8859-5", 916: "ISO-8859-8", 920: "ISO-8859-9", 921: "x-IBM921", 923: "ISO-8859-15",
    932: "x-IBM942C", 936: "GBK", 943: "x-IBM943C", 949: "x-IBM949", 950: "x-IBM950", 954: "x-IBM33722",
    970: "x-IBM970", 1025: "x-IBM1025", 1026: "IBM1026", 1047: "IBM1047", 1051: "hp-roman8", 1089: "ISO-8859-6",
    1097: "x-IBM1097", 1112: "x-IBM1112", 1122: "x-IBM1122", 1123: "x-IBM1123", 1140: "IBM01140", 1141: "IBM01141",
    1142: "IBM01142", 1143: "IBM01143", 1144: "IBM01144", 1145: "IBM01145", 1146: "IBM01146", 1147: "IBM01147",
    1148: "IBM01148", 1149: "IBM01149", 1200: "UTF-16", 1201: "UTF-16BE", 1202: "UTF-16LE", 1208: "UTF-8",
    1250: "windows-1250", 1251: "windows-1251", 1252: "windows-1252", 1253: "windows-1253", 1254: "windows-1254",
    1255: "windows-1255", 1256: "windows-1256", 1257: "windows-1257", 1258: "windows-1258", 1275: "x-MacRoman",
    1280: "x-MacGreek", 1281: "x-MacTurkish", 1282: "x-MacCentralEurope", 1283: "x-MacCyrillic", 1381: "x-IBM1381",
    1383: "x-IBM1383", 1392: "GB18030", 5050: "x-IBM33722", 5346: "windows-1250", 5347: "windows-1251",
    5348: "windows-1252", 5349: "windows-1253", 5350: "windows-1254", 5353: "windows-1257", 5488: "GB18030",
    13488: "UTF-16", 17584: "UTF-16", 33722: "x-IBM33722",
}  # fmt: skip
"""Names that IBM's client gives, by CCSID."""
_OTHER_NAMES: Final = {
    "UTF8": 1208,
    "UTF-16": 1200,
    "X-UTF-16LE-BOM": 1200,
    "UNICODEBIG": 1200,
    "ASCII": 367,
    "ISO8859_1": 819,
    "LATIN1": 819,
    "CP1252": 1252,
}
_WIDE: Final = "UTF-16"
_LITTLE_ENDIAN: Final = "x-UTF-16LE-BOM"
_MAX_CCSID: Final = 65535


def charset_name(ccsid: int, encoding: int) -> str:
    """Return the name of a CCSID, its number where Java has none; that of UTF-16 depends on the Encoding."""
    name = _NAMES.get(ccsid, str(ccsid))
    return _LITTLE_ENDIAN if name == _WIDE and order_of(encoding) is ByteOrder.LITTLE else name


def ccsid_of(name: str) -> int:
    """Return the CCSID of a name in any case, or of a number as text. Raises `JmsFormatError`."""
    if name.isascii() and name.isdecimal() and 0 < int(name) <= _MAX_CCSID:
        return int(name)
    ccsid = _CCSIDS.get(name.upper())
    if ccsid is None:
        raise JmsFormatError(f"JMS_IBM_Character_Set: {name[:40]!r} is no character set")
    return ccsid


_CCSIDS: Final = {name.upper(): ccsid for ccsid, name in reversed(_NAMES.items())} | _OTHER_NAMES
"""The lowest CCSID of each name."""
