"""``mqbridge decode``: every kind of input, both forms of output, and the exit status."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner, Result

from mqbridge.bridge.cli import cli
from mqbridge.captures import Direction
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MD, make_rfh2
from support.captures.files import pcap, record
from support.captures.tls_sessions import Tls, TlsSession
from support.captures.vectors import VECTORS, from_hex, thesis
from support.tshark.run import TSHARK

THESIS = sorted((VECTORS / "thesis").glob("*.hex"))
CAPTURE = VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"


def decode(*arguments: str | Path, data: bytes | None = None) -> Result:
    result = CliRunner().invoke(cli, ["decode", *map(str, arguments)], input=data)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def as_json(*arguments: str | Path, data: bytes | None = None, status: int = 0) -> dict[str, Any]:
    result = decode("--json", *arguments, data=data)
    assert result.exit_code == status, result.output
    shown: dict[str, Any] = json.loads(result.stdout)
    assert shown["complete"] is (status == 0) is (not shown["errors"])
    return shown


@pytest.mark.spec("mq-wire.md 7.9")
@pytest.mark.parametrize("file", THESIS, ids=lambda file: file.name)
def test_real_packets_as_json(file: Path) -> None:
    shown = as_json(file)
    assert shown["input"] == "segments"
    (segment,) = shown["segments"]
    data = from_hex(file.read_text())
    assert (segment["offset"], segment["length"], segment["direction"]) == (0, len(data), None)
    assert sum(part["length"] for part in segment["structures"]) == len(data)
    warnings = ["offset 44: MSH.MessageLength says 438, 437 bytes are there"]
    assert shown.get("warnings") == (warnings if file.name.startswith("06") else None)


@pytest.mark.parametrize("file", THESIS, ids=lambda file: file.name)
def test_real_packets_as_a_tree(file: Path) -> None:
    result = decode(file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Segment 1: offset 0, ")
    assert "  TSH  (offset 0, 28 bytes)" in lines
    assert all(line == line.rstrip() and line.isprintable() for line in lines)
    if "message-data" in file.name:
        assert "    PutApplName       WebSphere MQ\\bin\\amqsput.exe" in lines
        assert lines[-1].strip() in ("hola", "Mensaje 0")
    assert ("warning: offset 44" in result.stderr) is file.name.startswith("06")


@pytest.mark.spec("mq-wire.md 5.14")
def test_the_capture_of_a_real_client() -> None:
    shown = as_json(CAPTURE)
    segments = shown["segments"]
    assert len(segments) == 506
    assert {segment["direction"] for segment in segments} == {"initiator", "responder"}
    assert {segment["flow"] for segment in segments} == set(range(1, 14))
    first = segments[0]
    assert (first["packet"], int(first["time"])) == (7, 1757727215)
    seen = {part["structure"] for segment in segments for part in segment["structures"] if "fields" in part}
    assert seen == {
        "API",
        "CAUT",
        "CONN",
        "CloseOptions",
        "DataLength",
        "FCNO",
        "FOPA",
        "ID",
        "INQ",
        "LPOO",
        "MD",
        "MQCFH",
        "MQCFIN",
        "MQCFST",
        "MQRFH2",
        "OD",
        "OpenOptions",
        "PMO",
        "SOCKET",
        "SPI",
        "SPIVerb",
        "SPOI",
        "SPOO",
        "SPOU",
        "SPQI",
        "SPQO",
        "SPQU",
        "TSH",
        "TSHC",
        "TSHM",
        "UID",
    }
    for segment in segments:
        assert sum(part["length"] for part in segment["structures"]) == segment["length"]
        passwords = [
            part["fields"]["Password"] for part in segment["structures"] if "Password" in part.get("fields", {})
        ]
        assert set(passwords) <= {"", "********"}
    assert "MQCONN_REPLY" in decode(CAPTURE).stdout


def test_marked_lines_keep_their_directions() -> None:
    text = f"# two sockets\nC> 0.1 {thesis(1).hex()}\nS> 0.2 {thesis(2).hex()}\nC> {thesis(3).hex()}\n"
    text += f"# --- socket 2\nC> {thesis(4).hex()}\n"
    segments = as_json("-", data=text.encode())["segments"]
    assert [(segment["direction"], segment["offset"]) for segment in segments] == [
        ("initiator", 0), ("responder", 0), ("initiator", 132), ("initiator", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("packed", ["", "gzip", "zstd"])
@pytest.mark.parametrize("hexadecimal", [False, True])
def test_raw_bytes_text_and_packed_ones_say_the_same(packed: str, hexadecimal: bool) -> None:
    data = thesis(1) + thesis(3)
    if hexadecimal:
        data = data.hex(" ", 4).encode()
    if packed == "gzip":
        data = gzip.compress(data[:50], mtime=0) + gzip.compress(data[50:])
    elif packed == "zstd":
        data = zstandard.compress(data[:50]) + zstandard.compress(data[50:])
    assert [segment["length"] for segment in as_json("-", data=data)["segments"]] == [132, 480]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_captures_are_known_however_they_are_packed(pack: Callable[[bytes], bytes]) -> None:
    data = pack(record((Direction.INITIATOR, thesis(1))))
    assert [segment["packet"] for segment in as_json("-", data=data)["segments"]] == [4]


def test_what_was_not_read_of_a_capture_is_said() -> None:
    shown = as_json("-", data=pcap(b"1", b"2", link_type=147))
    assert shown["warnings"] == [
        "packets not read: 2 (a link type that is not known)",
        "no MQ segment was found (packets: 2)",
    ]
    shown = as_json("-", data=record((Direction.INITIATOR, b"GET / HTTP/1.1")))
    assert shown["warnings"] == ["no MQ segment was found (packets: 8)"]


def test_tls_in_a_capture_is_named_and_read_with_its_keys(tmp_path: Path) -> None:
    keylog, capture = tmp_path / "keys.log", tmp_path / "tls.pcap"
    session = TlsSession(Tls.V1_3, "mq.example.com", keylog)
    session.send(Direction.INITIATOR, thesis(1))
    capture.write_bytes(record(*session.wire))
    (error,) = as_json(capture, status=1)["errors"]
    assert error.startswith("flow 1, initiator, offset 0: TLS cannot be read (")
    assert error.endswith(" bytes, TLS 1.3, server name mq.example.com)")
    if TSHARK is not None:
        assert [segment["length"] for segment in as_json("--keylog", keylog, capture)["segments"]] == [132]


def message() -> bytes:
    descriptor = MD.codec(ByteOrder.LITTLE)(version=2, format=b"MQHRF2  ", coded_char_set_id=1208).build()
    header = make_rfh2(
        ByteOrder.LITTLE, [b"<mcd><Msd>jms_text</Msd></mcd>"], format=b"MQSTR   ", coded_char_set_id=1208
    )
    return descriptor + header.build() + "héllo".encode()


def test_a_message_is_known_by_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "message.bin"
    file.write_bytes(message())
    shown = as_json(file)
    assert shown["input"] == "message"
    assert [part["structure"] for part in shown["structures"]] == ["MQMD", "MQRFH2"]
    assert shown["structures"][1]["folders"] == [
        {
            "name": "mcd",
            "text": "<mcd><Msd>jms_text</Msd></mcd>",
            "values": [{"name": "Msd", "type": "string", "value": "jms_text"}],
        }
    ]
    assert shown["body"]["text"] == "héllo"
    lines = decode(file).stdout.splitlines()
    assert lines[0] == "MQMD  (offset 0, 364 bytes)"
    assert lines[-1] == "  héllo"


def test_folders_with_values_of_every_kind() -> None:
    folder = b"<usr><n dt='i4'>7</n><x dt='r8'>NaN</x><y xsi:nil='true'></y><t>text</t></usr>"
    result = decode("-", data=make_rfh2(ByteOrder.BIG, [folder, b"<usr><broken>"], format=b"MQSTR   ").build())
    assert result.exit_code == 1
    assert result.stderr == "error: offset 0: MQRFH2 folder usr: <broken> has no end\n"
    shown = [line.strip() for line in result.stdout.splitlines()]
    assert shown[shown.index("<usr>") + 1 :][:4] == ["n = 7  (i4)", "x = nan  (r8)", "y = None", "t = text"]


def test_what_the_missing_descriptor_would_have_said() -> None:
    shown = as_json("--format", "MQSTR", "--ccsid", "37", "-", data="Grüße".encode("cp037"))
    assert shown["body"] == {
        "offset": 0,
        "length": 5,
        "format": "MQSTR",
        "ccsid": 37,
        "text": "Grüße",
        "hex": "Grüße".encode("cp037").hex(),
    }
    header = message()[364:]
    shown = as_json("--as", "message", "--format", "MQHRF2", "--encoding", "546", "--ccsid", "1208", "-", data=header)
    assert shown["structures"][0]["length"] + shown["body"]["length"] == len(header)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "the input is empty"),
        (b"# nothing\n", "begins neither a segment nor a message"),
        (b"hello, world", "offset 0: 68656c6c begins neither a segment nor a message; --as says which it is"),
        (b"54 53 48 2", "line 1 ends with half a byte"),
        (thesis(3)[:100], "offset 52: XQH ends inside RemoteQMgrName"),
        (thesis(1) + bytes(30), "offset 132: segment at byte 132: 00000000 begins no segment header"),
        (message()[:380], "RFH2 ends inside"),
        (gzip.compress(thesis(1), mtime=0)[:-12], "the gzip data ends too early"),
        (b"\x1f\x8bnot gzip at all", "the gzip data is damaged: "),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"\1\2\3", "capture: "),
    ],
)
def test_what_cannot_be_decoded_is_said_and_gives_status_1(data: bytes, error: str) -> None:
    result = decode("-", data=data)
    assert result.exit_code == 1
    if "XQH" not in error:
        assert error in result.stderr
    shown = as_json("-", data=data, status=1)
    assert shown["errors"]


def test_what_could_be_decoded_is_still_shown() -> None:
    segments = as_json("-", data=thesis(1) + thesis(3)[:300], status=1)["segments"]
    assert segments[1]["structures"][-1]["structure"] == "MD"
    assert segments[1]["structures"][-1]["fields"]["Format"] == "MQSTR"


def test_segments_may_be_demanded() -> None:
    assert as_json("--as", "segments", "-", data=message(), status=1)["segments"] == []
    shown = as_json("--as", "message", "-", data=thesis(4), status=0)
    assert (shown["structures"], shown["body"]["length"]) == ([], 28)


def test_a_file_that_is_not_there() -> None:
    result = decode("no-such-file")
    assert result.exit_code == 2
    assert "No such file" in result.output
