"""Character sets: from an MQ coded character set identifier (CCSID) to text and back.

Each supported CCSID maps to a Python codec, from Python itself or the ``ebcdic`` package: ASCII and PC code pages,
Windows and ISO code pages, Unicode, the Japanese, Chinese and Korean sets without shift characters, and the single-byte
EBCDIC pages. Where IBM's and Python's tables differ in rare characters, the nearest codec is used (943 as Microsoft's
932, 1363 as Microsoft's 949). Mixed EBCDIC sets that shift between one and two bytes (930, 933, 935, 937, 939, 1364,
1388, 1390, 1399 …) are known to be EBCDIC but have no codec. The EBCDIC new line (0x15) decodes as U+0085 in Python's
pages and as line feed in those of ``ebcdic``.

The two-byte Unicode sets 1200, 13488 and 17584 follow the byte order of the accompanying Encoding: pass ``order``.
Values of 0 and below are placeholders for another CCSID; :func:`resolve_ccsid` resolves them.

Follows mq-wire.md 1.3 and 1.5, mqi.md 14.
"""

from __future__ import annotations

import codecs
from typing import Final

from .constants import MQCCSI, ByteOrder
from .errors import ConversionError


def _find_ebcdic(name: str) -> codecs.CodecInfo | None:
    """Return an EBCDIC codec that Python lacks; the tables are loaded on first use."""
    if not name.startswith("cp"):
        return None
    import ebcdic

    found: codecs.CodecInfo | None = ebcdic.lookup(name) if name in ebcdic.codec_names else None
    return found


codecs.register(_find_ebcdic)

_SAME_NUMBER = (  # code pages that Python calls cp<number>
    437, 720, 737, 775, 850, 852, 855, 856, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874, 950,
    1125, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258,
)  # fmt: skip

_ISO_8859 = {
    819: 1, 912: 2, 913: 3, 914: 4, 915: 5, 1089: 6, 813: 7, 4909: 7, 9005: 7, 916: 8, 920: 9, 919: 10, 921: 13,
    923: 15,
}  # fmt: skip

_OTHERS = {
    367: "ascii",
    878: "koi8_r",
    1168: "koi8_u",
    1051: "hp_roman8",
    1275: "mac_roman",
    1280: "mac_greek",
    1281: "mac_turkish",
    1282: "mac_latin2",
    1283: "mac_cyrillic",
    # Unicode
    1201: "utf_16_be",
    1202: "utf_16_le",
    1208: "utf_8",
    1232: "utf_32_be",
    1234: "utf_32_le",
    # Japanese
    932: "cp932",
    943: "cp932",
    954: "euc_jp",
    5050: "euc_jp",
    33722: "euc_jp",
    # Chinese
    936: "gbk",
    1381: "gb2312",
    1383: "gb2312",
    1386: "gbk",
    1392: "gb18030",
    5488: "gb18030",
    1370: "cp950",
    1375: "big5hkscs",
    # Korean
    949: "cp949",
    970: "euc_kr",
    1363: "cp949",
}

_EBCDIC_SINGLE_BYTE = (
    37, 273, 277, 278, 280, 284, 285, 290, 297, 420, 424, 500, 833, 838, 870, 871, 875, 1025, 1026, 1047, 1097, 1112,
    1122, 1123, 1140, 1141, 1142, 1143, 1144, 1145, 1146, 1147, 1148, 1149,
)  # fmt: skip

_EBCDIC_MIXED = (930, 931, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399, 5026, 5035)

_UTF_16_BY_ENCODING = (1200, 13488, 17584)

CODECS: Final[dict[int, str]] = {
    **{ccsid: f"cp{ccsid}" for ccsid in _SAME_NUMBER},
    **{4096 + ccsid: f"cp{ccsid}" for ccsid in range(1250, 1259)},  # 5346 to 5354: Windows pages with the euro
    **{ccsid: f"iso8859_{part}" for ccsid, part in _ISO_8859.items()},
    **{ccsid: f"cp{ccsid:03}" for ccsid in _EBCDIC_SINGLE_BYTE},
    **dict.fromkeys(_UTF_16_BY_ENCODING, "utf_16_be"),
    **_OTHERS,
}
"""Python codec name by CCSID; two-byte Unicode in big-endian order."""

NAME_CCSIDS: Final[frozenset[int]] = frozenset(CODECS).difference(_UTF_16_BY_ENCODING, (1201, 1202, 1232, 1234))
"""CCSIDs with a codec in which every character of an object name is one byte, as fixed-length fields need."""

_CODECS: Final = {
    ByteOrder.BIG: CODECS,
    ByteOrder.LITTLE: {**CODECS, **dict.fromkeys(_UTF_16_BY_ENCODING, "utf_16_le")},
}

EBCDIC_CCSIDS: Final[frozenset[int]] = frozenset(_EBCDIC_SINGLE_BYTE + _EBCDIC_MIXED)
"""CCSIDs in which letters, digits and blank have their EBCDIC values, with or without a codec."""

# Everyday sets whose first half is ASCII: text without accents takes the fast decoder.
_ASCII_PAGES = frozenset((367, 437, 819, 850, 858, 912, 923, 1208, 1250, 1252))


def codec_for(ccsid: int, *, order: ByteOrder = ByteOrder.BIG) -> str:
    """Return the name of the Python codec for a CCSID.

    ``order`` is that of the two-byte Unicode sets. Raises :class:`ConversionError` if there is no
    codec, and for the special values 0 and below.
    """
    codec = _CODECS[order].get(ccsid)
    if codec is None:
        if ccsid <= 0:
            raise ConversionError(f"CCSID {MQCCSI(ccsid)} ({int(ccsid)}) stands for another one; resolve it first")
        raise ConversionError(f"no codec for CCSID {int(ccsid)}")
    return codec


def is_ebcdic(ccsid: int) -> bool:
    """Return whether letters, digits and blank have their EBCDIC values in this CCSID."""
    return ccsid in EBCDIC_CCSIDS


def same_in_ascii(*ccsids: int) -> bool:
    """Return whether ASCII text is the same bytes in all of these everyday CCSIDs."""
    return _ASCII_PAGES.issuperset(ccsids)


def resolve_ccsid(ccsid: int, *, inherited: int, default: int) -> int:
    """Return the CCSID that a CodedCharSetId field stands for.

    ``inherited`` is the CCSID of the structure that holds the field, ``default`` the queue manager's. EMBEDDED (-1) and
    INHERIT (-2) give ``inherited``; Q_MGR (0), APPL (-3) and AS_PUBLISHED (-4) give ``default``; positive values stand
    for themselves. Raises :class:`ConversionError` for other negative values.
    """
    if ccsid > 0:
        return ccsid
    if ccsid in (-1, -2):
        return inherited
    if ccsid in (0, -3, -4):
        return default
    raise ConversionError(f"CCSID {int(ccsid)} has no meaning")


def decode_text(
    raw: bytes | memoryview, ccsid: int, *, errors: str = "strict", order: ByteOrder = ByteOrder.BIG
) -> str:
    """Decode bytes to text; nothing is stripped.

    ``errors`` as in ``bytes.decode``. Raises :class:`ConversionError` for an unknown CCSID and, when strict, for bytes
    that are not valid in the character set.
    """
    try:
        return str(raw, codec_for(ccsid, order=order), errors)
    except UnicodeError as error:
        raise ConversionError(f"bytes not valid in CCSID {int(ccsid)}: {error}") from error


def encode_text(text: str, ccsid: int, *, errors: str = "strict", order: ByteOrder = ByteOrder.BIG) -> bytes:
    """Encode text. Raises :class:`ConversionError` for an unknown CCSID or a character that it lacks."""
    try:
        return text.encode(codec_for(ccsid, order=order), errors)
    except UnicodeError as error:
        raise ConversionError(f"text not possible in CCSID {int(ccsid)}: {error}") from error


def decode_field(
    raw: bytes | memoryview, ccsid: int, *, errors: str = "replace", order: ByteOrder = ByteOrder.BIG
) -> str:
    """Decode a fixed-length field: a NUL and everything after it count as blanks, trailing blanks are dropped.

    By default, invalid bytes become U+FFFD, so that a damaged name matches no object instead of failing. Raises
    :class:`ConversionError` for an unknown CCSID.
    """
    if ccsid in _ASCII_PAGES and (data := bytes(raw)).isascii():
        text = data.decode("ascii")
    else:
        text = decode_text(raw, ccsid, errors=errors, order=order)
    end = text.find("\0")
    return (text if end < 0 else text[:end]).rstrip(" ")


def encode_field(text: str, length: int, ccsid: int, *, order: ByteOrder = ByteOrder.BIG) -> bytes:
    """Encode text as a fixed-length field, padded with blanks to ``length`` bytes.

    Raises :class:`ConversionError` for an unknown CCSID, a character that it lacks, or text that is too long.
    """
    if ccsid in _ASCII_PAGES and text.isascii():
        raw, blank = text.encode("ascii"), b" "
    else:
        raw, blank = encode_text(text, ccsid, order=order), encode_text(" ", ccsid, order=order)
    if len(raw) == length:
        return raw
    if len(raw) > length:
        raise ConversionError(f"{text!r} takes {len(raw)} bytes in CCSID {int(ccsid)}, the field has {length}")
    missing, odd = divmod(length - len(raw), len(blank))
    if odd:
        raise ConversionError(f"a field of {length} bytes holds no whole number of characters of CCSID {int(ccsid)}")
    return raw + blank * missing
