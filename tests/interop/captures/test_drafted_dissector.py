"""A dissector written from a description shows in tshark the fields that ``mqbridge decode --protocol`` shows."""

from __future__ import annotations

import io
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mqbridge.bridge.config.protocol_files import shipped_protocol
from mqbridge.captures import Direction
from mqbridge.captures.described import DescribedMessages, ReadMessage, message_json
from mqbridge.captures.dialogues import open_dialogues
from mqbridge.captures.drafts.lua_form import dissector, filter_name
from mqbridge.mappings.templates import Context, Counters, Protocol, read_protocol
from support.captures.files import record
from support.captures.vectors import thesis
from support.tshark.run import TSHARK, needs_tshark

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
EVERY_TYPE = """
[protocol]
name = "Every-Type"
[framing]
kind = "length"
position = 1
width = 2
counts = "rest"
[[transaction]]
name = "all"
from = "initiator"
recognise = [{ position = 0, value = "01", mask = "0f" }]
template = "01"
field = [
    { name = "length", position = 1, length = 2, type = "unsigned", extends = true },
    { name = "little", length = 4, type = "unsigned", order = "little", extends = true },
    { name = "odd", length = 3, type = "unsigned", extends = true },
    { name = "wide", length = 8, type = "unsigned", extends = true },
    { name = "signed", length = 2, type = "signed", order = "little", extends = true },
    { name = "code", length = 1, type = "unsigned", values = { yes = 1, no = 2 }, extends = true },
    { name = "latin", length = 8, type = "text", ccsid = 819, extends = true },
    { name = "ebcdic", length = 8, type = "text", ccsid = 1047, side = "left", extends = true },
    { name = "digits", length = 6, type = "decimal", extends = true },
    { name = "packed", length = 3, type = "packed", extends = true },
    { name = "float", length = 8, type = "float", order = "little", extends = true },
    { name = "date", length = 14, type = "time", form = "digits", format = "CCYYMMDDhhmmss", extends = true },
    { name = "short-date", length = 7, type = "time", form = "packed", format = "YYDDDhhmmssth", extends = true },
    { name = "ticks", length = 8, type = "time", form = "milliseconds", extends = true },
    { name = "hex", length = 4, type = "hex", extends = true },
    { name = "size", type = "base128" },
    { name = "part", length = { field = "size", plus = -1 }, type = "bytes" },
    { name = "wide-text", length = "rest", type = "text", ccsid = 1202 },
    { name = "end", length = 2, type = "unsigned" },
]
[[transaction]]
name = "other"
from = "responder"
field = [{ name = "rest", length = "rest" }]
"""


def decoded(capture: bytes, protocol: Protocol) -> list[tuple[str, dict[str, str]]]:
    messages = list(DescribedMessages(protocol, open_dialogues(io.BytesIO(capture))))
    assert all(isinstance(each, ReadMessage) for each in messages)
    shown = map(message_json, messages)
    return [
        (each["transaction"], {filter_name(name): str(field["value"]) for name, field in each["fields"].items()})
        for each in shown
    ]


def dissected(capture: bytes, protocol: Protocol, port: int, folder: Path) -> list[tuple[str, dict[str, str]]]:
    script, file = folder / "dissector.lua", folder / "file.pcap"
    script.write_text(dissector(protocol, port))
    file.write_bytes(capture)
    name = filter_name(protocol.name)
    words = [str(TSHARK), "-X", f"lua_script:{script}", "-d", f"tcp.port=={port},{name}", "-r", str(file), "-T", "pdml"]
    done = subprocess.run(words, capture_output=True, check=True, timeout=60)
    assert b"Lua" not in done.stderr, done.stderr
    found = []
    for element in ElementTree.fromstring(done.stdout).iter("proto"):
        if element.get("name") != name:
            continue
        fields = {each.get("name", "").removeprefix(f"{name}."): each for each in element.iter("field")}
        assert "fault" not in fields
        transaction = fields.pop("transaction").get("show", "")
        prefix = f"{filter_name(transaction)}."
        found.append((transaction, {key.removeprefix(prefix): each.get("show", "") for key, each in fields.items()}))
    return found


def same(one: str, other: str) -> bool:
    """Whether a value is the same, as decode and as tshark writes it: bytes with colons, floats with fewer digits."""
    if one == other or one == other.replace(":", ""):
        return True
    try:
        return abs(float(one) - float(other)) <= 1e-6 * max(abs(float(one)), 1.0)
    except ValueError:
        return False


def assert_alike(sent: Iterable[tuple[Direction, bytes]], protocol: Protocol, folder: Path, port: int = 1414) -> None:
    capture = record(*sent)
    ours, theirs = decoded(capture, protocol), dissected(capture, protocol, port, folder)
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for (name, mine), (_, other) in zip(ours, theirs, strict=True):
        assert set(mine) == set(other), name
        differing = {key: (mine[key], other[key]) for key in mine if not same(mine[key], other[key])}
        assert not differing, name


def test_every_type_of_field(tmp_path: Path) -> None:
    protocol = read_protocol(EVERY_TYPE, "every.toml")
    dice = random.Random(5)
    context = Context(0.0, dice, Counters())
    sent = []
    for _ in range(20):
        values = {
            "little": dice.getrandbits(32), "odd": dice.getrandbits(24), "wide": dice.getrandbits(64),
            "signed": dice.randrange(-32768, 32768), "code": dice.randrange(4),
            "latin": dice.choice(["A", "Größe", "x y"]),
            "ebcdic": dice.choice(["HOST", "a-b", "ÄÖ"]), "digits": dice.randrange(10**6),
            "packed": dice.randrange(-99999, 99999), "float": dice.uniform(-1e6, 1e6),
            "date": float(dice.randrange(1 << 31)), "short-date": dice.randrange(1 << 31) + dice.randrange(100) / 100,
            "ticks": dice.randrange(1 << 41) / 1000, "hex": f"{dice.getrandbits(16):04x}",
            "size": (size := dice.randrange(1, 300)), "part": dice.randbytes(size - 1),
            "wide-text": "".join(dice.choices("abcÄ€", k=9)), "end": dice.getrandbits(16),
        }  # fmt: skip
        values["length"] = len(protocol.transactions["all"].build({**values, "length": 0}, context)) - 3
        sent += [(IN, protocol.write("all", values, context, "initiator")), (OUT, b"\0\0\3abc")]
    assert_alike(sent, protocol, tmp_path)


@pytest.mark.spec("M-137")
def test_the_packets_of_the_thesis(tmp_path: Path) -> None:
    sent = [(IN, thesis(1)[:132]), (OUT, thesis(2)[:132]), (IN, thesis(3) + thesis(4)), (IN, thesis(6))]
    assert_alike(sent, shipped_protocol("mq-capture"), tmp_path)


def test_messages_that_are_cut_by_their_fields(tmp_path: Path) -> None:
    text = """
[protocol]
name = "cut"
[framing]
kind = "transactions"
[[transaction]]
name = "pair"
recognise = [{ position = 0, value = "07" }]
template = "07"
field = [
    { name = "first", position = 1, length = 1, type = "unsigned", extends = true },
    { name = "one", length = { field = "first" } },
    { name = "second", length = 2, type = "unsigned" },
    { name = "two", length = { field = "second" }, type = "text", ccsid = 819 },
]
"""
    packet = bytes.fromhex("07 02 aabb 0003") + b"xyz"
    sent = [(IN, packet[:5]), (IN, packet[5:] + packet), (OUT, bytes.fromhex("07 00 0000"))]
    assert_alike(sent, read_protocol(text, "cut.toml"), tmp_path)


def test_messages_that_end_with_a_mark(tmp_path: Path) -> None:
    text = """
[protocol]
name = "lines"
[framing]
kind = "delimiter"
value = "0d0a"
[[transaction]]
name = "line"
field = [{ name = "text", length = "rest", type = "text", ccsid = 819, map = "message" }]
"""
    assert_alike(
        [(IN, b"one\r\ntwo\r"), (IN, b"\nthree\r\n"), (OUT, b"ok\r\n")], read_protocol(text, "l.toml"), tmp_path
    )
