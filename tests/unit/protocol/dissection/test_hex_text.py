"""Packets kept as hexadecimal text."""

from __future__ import annotations

import pytest

from mqbridge.protocol.dissection.hex_text import HexPiece, HexTextError, is_hex_text, read_hex_text


@pytest.mark.parametrize(
    "text",
    ["54 53 48 20", "54534820\n0000", "# a packet\n\n  54 53\n", "C> 5453\nS> 0.123 4820\n", "5\n4"],
)
def test_what_is_hexadecimal_text(text: str) -> None:
    assert is_hex_text(text.encode())


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"# only\n# comments", b"TSH \0\0", b"hello", b"54 5x", b"\xff\xfe", b"D> 54"]
)
def test_what_is_not(data: bytes) -> None:
    assert not is_hex_text(data)


def test_lines_marks_seconds_and_connections() -> None:
    text = """# client: somebody
# --- socket 1
C> 0.023 5453 48
S> 20
54 5
3
# --- socket 2
C>0.1 aa
"""
    assert list(read_hex_text(text.encode())) == [
        HexPiece(1, "initiator", b"TSH"),
        HexPiece(1, "responder", b" "),
        HexPiece(1, None, b"T"),
        HexPiece(1, None, b"S"),
        HexPiece(2, "initiator", b"\xaa"),
    ]


@pytest.mark.parametrize(("text", "line"), [("54 5", 1), ("C> 545\nS> 54", 1), ("54\n5", 2)])
def test_half_a_byte_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(HexTextError, match=f"line {line} ends with half a byte"):
        list(read_hex_text(text.encode()))
