"""``mqbridge protocol``: drafts learnt from captures, and captures checked by descriptions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mqbridge.bridge.cli.decode import command as decode
from mqbridge.bridge.cli.protocol import command
from mqbridge.bridge.config.protocol_files import load_protocol
from mqbridge.captures import Direction
from support.captures.files import record
from support.learning.made_captures import PORT, capture_of
from support.learning.made_protocols import orders, streams_of

pytest.importorskip("numpy")


def run(*words: str | Path, status: int = 0) -> Result:
    result = CliRunner().invoke(command, [str(word) for word in words])
    assert result.exit_code == status, result.output + str(result.exception)
    return result


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("learnt") / "host.pcap"
    file.write_bytes(capture_of(streams_of(orders, connections=12, messages=30)))
    return file


@pytest.mark.spec("M-172")
def test_a_protocol_is_learnt_and_explains_what_it_was_learnt_from(capture: Path, tmp_path: Path) -> None:
    shown = run("learn", capture, "--port", str(PORT), "--output", tmp_path / "host").output
    assert "length in bytes 2-3, big-endian, of what follows" in shown
    assert "every message builds back to its bytes" in shown
    assert "'ORDER'" in shown
    protocol = load_protocol(tmp_path / "host" / "protocol.toml")
    assert set(protocol.scripts) == {"initiator", "responder"}
    other = tmp_path / "other.pcap"
    other.write_bytes(capture_of(streams_of(orders, connections=3, messages=10, seed=9)))
    assert "explained 100.0 %" in run("check", tmp_path / "host" / "protocol.toml", other, "--port", str(PORT)).output


def test_what_a_description_does_not_explain_is_status_1(capture: Path, tmp_path: Path) -> None:
    run("learn", capture, "--port", str(PORT), "--output", tmp_path)
    strange = tmp_path / "strange.pcap"
    strange.write_bytes(
        record((Direction.INITIATOR, bytes.fromhex("abcd0001 63")), (Direction.RESPONDER, bytes.fromhex("ffff")))
    )
    result = json.loads(run("check", tmp_path / "protocol.toml", strange, "--json", status=1).output)
    assert result["complete"] is False
    assert result["unexplained"]["no transaction is it"]["first"][0]["extract"] == "abcd000163"


def test_what_cannot_be_learnt_is_status_1_and_says_why(tmp_path: Path) -> None:
    file = tmp_path / "one.hex"
    file.write_text("C> 01 02 03\n")
    shown = run("learn", file, "--output", tmp_path / "out", status=1).output
    assert "nothing is claimed" in shown
    assert not (tmp_path / "out").exists()


def test_values_that_pass_name_their_fields(capture: Path, tmp_path: Path) -> None:
    shown = run("learn", capture, "--port", str(PORT), "--known", "verb=CANCEL", "--output", tmp_path).output
    assert "verb: request-01 at 9 (ascii)" in shown
    assert "verb" in load_protocol(tmp_path / "protocol.toml").transactions["request-01"].fields
    run("learn", capture, "--known", "nonsense", status=2)


def test_other_files_are_status_2(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\0\1\2\3")
    assert "neither a capture nor" in run("learn", tmp_path / "picture", status=2).output
    assert "cannot be read" in run("check", tmp_path / "none.toml", tmp_path / "picture", status=2).output


HALF_KNOWN = """
[protocol]
name = "half"
[framing]
kind = "length"
position = 2
width = 2
counts = "rest"
[[transaction]]
name = "alive"
recognise = [{ position = 4, value = "07" }]
template = "abcd 0000 07"
[[transaction.field]]
name = "length"
position = 2
length = 2
type = "unsigned"
compute = { kind = "length", of = { from = 4 } }
"""


def test_what_a_description_does_not_know_is_learnt_and_added(capture: Path, tmp_path: Path) -> None:
    (tmp_path / "half.toml").write_text(HALF_KNOWN)
    words = ("learn", capture, "--port", str(PORT), "--grammar", tmp_path / "half.toml", "--output", tmp_path / "out")
    shown = run(*words).output
    assert "messages are known by the description" in shown
    assert "every message builds back to its bytes" in shown
    protocol = load_protocol(tmp_path / "out" / "protocol.toml")
    assert {"alive", "answer"} < set(protocol.transactions) <= {"alive", "answer", "request-43", "request-4f"}
    assert run("check", tmp_path / "out" / "protocol.toml", capture).exit_code == 0
    again = run("learn", capture, "--grammar", tmp_path / "out" / "protocol.toml").output
    assert "no message: there is nothing to compare" in again


def test_decode_shows_messages_by_their_description(capture: Path, tmp_path: Path) -> None:
    run("learn", capture, "--port", str(PORT), "--output", tmp_path)
    words = ["--protocol", str(tmp_path / "protocol.toml"), str(capture)]
    result = CliRunner().invoke(decode, [*words, "--json"])
    assert result.exit_code == 0
    shown = json.loads(result.output)
    assert shown["complete"]
    assert len(shown["messages"]) == 12 * 30
    first = shown["messages"][0]
    assert first["fields"]["length"]["value"] == first["length"] - 4
    assert "request-01  initiator 1, offset 0" in CliRunner().invoke(decode, words).output
    assert CliRunner().invoke(decode, ["--protocol", "none.toml", str(capture)]).exit_code == 2
    assert "--port goes with --protocol" in CliRunner().invoke(decode, ["--port", "7000", str(capture)]).output
