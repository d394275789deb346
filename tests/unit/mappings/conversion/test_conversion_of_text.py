from __future__ import annotations

import pytest

from mqbridge.mappings.conversion import DataEncoding, convert_data
from mqbridge.protocol.constants import MQRC

BIG, LITTLE = 273, 546
UTF_8, LATIN_1, EBCDIC, UTF_16, SJIS = 1208, 819, 500, 1200, 943


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize(
    ("source", "data", "target", "expected"),
    [
        (DataEncoding(BIG, EBCDIC), "Grüße".encode("cp500"), DataEncoding(LITTLE, UTF_8), "Grüße".encode()),
        (DataEncoding(LITTLE, UTF_8), "Grüße".encode(), DataEncoding(BIG, EBCDIC), "Grüße".encode("cp500")),
        (DataEncoding(LITTLE, UTF_8), "日本".encode(), DataEncoding(LITTLE, SJIS), "日本".encode("cp932")),
        (DataEncoding(LITTLE, UTF_8), b"ab", DataEncoding(BIG, UTF_16), b"\0a\0b"),
        (DataEncoding(BIG, UTF_16), b"\0a\0b", DataEncoding(LITTLE, UTF_16), b"a\0b\0"),
        (DataEncoding(BIG, LATIN_1), b"a\xe4", DataEncoding(LITTLE, LATIN_1), b"a\xe4"),
        (DataEncoding(BIG, UTF_8), "10 €, 日".encode(), DataEncoding(BIG, LATIN_1), b"10 ?, ?"),
        (DataEncoding(BIG, UTF_8), "€".encode(), DataEncoding(BIG, EBCDIC), "?".encode("cp500")),
        (DataEncoding(BIG, UTF_8), b"", DataEncoding(BIG, EBCDIC), b""),
    ],
)
def test_text_is_converted(source: DataEncoding, data: bytes, target: DataEncoding, expected: bytes) -> None:
    converted = convert_data("MQSTR", source, data, target)
    assert (converted.data, converted.form, converted.reason) == (expected, target, 0)


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize(
    ("format_name", "source", "data", "target", "reason"),
    [
        ("MQSTR", DataEncoding(BIG, 99999), b"x", DataEncoding(BIG, UTF_8), MQRC.SOURCE_CCSID_ERROR),
        ("MQSTR", DataEncoding(BIG, UTF_8), b"x", DataEncoding(BIG, 99999), MQRC.TARGET_CCSID_ERROR),
        ("MQSTR", DataEncoding(0, UTF_16), b"xx", DataEncoding(BIG, UTF_8), MQRC.SOURCE_INTEGER_ENC_ERROR),
        ("MQSTR", DataEncoding(BIG, UTF_8), b"x", DataEncoding(0, UTF_16), MQRC.TARGET_INTEGER_ENC_ERROR),
        ("MQSTR", DataEncoding(BIG, UTF_8), b"\xff", DataEncoding(BIG, LATIN_1), MQRC.NOT_CONVERTED),
        ("MQSTR", DataEncoding(BIG, SJIS), b"\x81", DataEncoding(BIG, UTF_8), MQRC.DBCS_ERROR),
        ("", DataEncoding(BIG, UTF_8), b"x", DataEncoding(LITTLE, UTF_8), MQRC.FORMAT_ERROR),
        ("MYFORMAT", DataEncoding(BIG, UTF_8), b"x", DataEncoding(LITTLE, UTF_8), MQRC.FORMAT_ERROR),
        ("MQCHCOM", DataEncoding(BIG, UTF_8), b"x", DataEncoding(LITTLE, UTF_8), MQRC.FORMAT_ERROR),
        ("MQPCF", DataEncoding(BIG, UTF_8), b"x", DataEncoding(LITTLE, UTF_8), MQRC.FORMAT_ERROR),
        ("MQHRF2", DataEncoding(BIG, UTF_8), b"x" * 40, DataEncoding(LITTLE, UTF_8), MQRC.FORMAT_ERROR),
        ("MQHRF2", DataEncoding(0, UTF_8), b"x" * 40, DataEncoding(LITTLE, UTF_8), MQRC.SOURCE_INTEGER_ENC_ERROR),
        ("MQIMSVS", DataEncoding(BIG, UTF_8), b"\0\x09\0\0x", DataEncoding(LITTLE, EBCDIC), MQRC.FORMAT_ERROR),
        ("MQIMSVS", DataEncoding(BIG, UTF_8), b"\0\x03\0\0x", DataEncoding(LITTLE, EBCDIC), MQRC.FORMAT_ERROR),
    ],
)
def test_what_cannot_be_converted_stays(
    format_name: str, source: DataEncoding, data: bytes, target: DataEncoding, reason: int
) -> None:
    converted = convert_data(format_name, source, data, target)
    assert (converted.data, converted.form, converted.reason) == (data, source, reason)


@pytest.mark.spec("mqi.md 14")
def test_nothing_is_done_where_nothing_differs() -> None:
    form = DataEncoding(BIG, UTF_8)
    assert convert_data("no format known", form, b"\xff", form).reason == 0
    assert convert_data("", form, b"", DataEncoding(LITTLE, EBCDIC)).reason == 0


def test_segments_for_ims() -> None:
    data = b"\0\x07\x12\x34abc\0\x06\0\0\xc3\xa4"
    converted = convert_data("MQIMSVS", DataEncoding(BIG, UTF_8), data, DataEncoding(LITTLE, EBCDIC))
    assert converted.data == b"\x07\0\x12\x34\x81\x82\x83" + b"\x05\0\0\0" + "ä".encode("cp500")
    assert converted.reason == 0
    long = (0xFFFF).to_bytes(2, "big") + b"\0\0" + b"\xe4" * 0xFFFB
    assert (
        convert_data("MQIMSVS", DataEncoding(BIG, LATIN_1), long, DataEncoding(BIG, UTF_8)).reason
        == MQRC.CONVERTED_STRING_TOO_BIG
    )
