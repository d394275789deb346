"""Play: one end of a recorded session for a live other end, by equal key fields, else by what was most frequent."""

from __future__ import annotations

import io
import random
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.captures.described import DescribedMessages
from mqbridge.captures.dialogues import open_dialogues
from mqbridge.captures.play import Answerer, Asker, Player, Recorded, ScriptedEnd
from mqbridge.mappings.templates import Role, ScriptError
from support.partners.old_host import ANSWER, LOGON, ORDER, REFUSAL, WELCOME, Connection, OldHost, ebcdic, packet
from support.partners.stand import host_protocol, host_text
from support.processes.ports import free_port
from support.processes.running_service import wait_for

NOW = 1_700_000_000.0
TIME = bytes.fromhex("20261123235900")


def order(number: int, identity: bytes, text: str, action: str = "ORDER") -> bytes:
    return packet(ORDER, struct.pack(">I7s8s", number, TIME, identity) + ebcdic(action.ljust(8)) + ebcdic(text))


def recording(*orders: tuple[str, str], connections: int = 1) -> bytes:
    """Lines of hex of what the host was asked and said."""
    lines = []
    for connection in range(connections):
        lines.append("# --- socket")
        host = Connection(OldHost())
        asked = [packet(LOGON, ebcdic("EARTH".ljust(8)))]
        asked += [
            order(number, bytes([connection, number] * 4), text, action)
            for number, (action, text) in enumerate(orders, 1)
        ]
        for each in asked:
            lines += [f"C> {each.hex()}", f"S> {host.receive(each).hex()}"]
    return "\n".join(lines).encode()


def recorded(text: bytes, role: Role) -> Recorded:
    protocol = host_protocol()
    return Recorded(protocol, role, DescribedMessages(protocol, open_dialogues(io.BytesIO(text), None, None)))


ORDERS = [("ORDER", "apples"), ("ORDER", "pears"), ("ORDER", "pears"), ("REFUSE", "x"), ("ORDER", "plums")]


@pytest.fixture
def host() -> Answerer:
    """The host, played."""
    player = Answerer(recorded(recording(*ORDERS), "responder"), random.Random(1))
    player.connected(NOW)
    assert player.take() == b""
    player.receive_data(packet(LOGON, ebcdic("MARS    ")), NOW)
    assert player.take() == packet(WELCOME)
    player.take_lines()
    return player


def said(player: Player, data: bytes) -> bytes:
    player.receive_data(data, NOW)
    return player.take()


@pytest.mark.parametrize(("text", "action"), [("apples", "ORDER"), ("pears", "ORDER"), ("plums", "ORDER")])
def test_the_answer_is_the_one_for_equal_key_fields_with_the_id_that_was_given(host: Answerer, text: str, action: str):
    answer = said(host, order(77, b"live id!", text, action))
    assert answer[4] == ANSWER
    assert answer[5:13] == b"live id!"
    assert answer.endswith(ebcdic(f"done {text}"))
    (line,) = host.take_lines()
    assert line.startswith(f"request → answer, recorded for action '{action}', order '{text}' (packet ")


def test_values_that_came_back_in_the_recording_come_back_in_play(host: Answerer):
    codes = [said(host, order(number, b"live id!", "pears"))[13:15] for number in (7, 8)]
    assert codes == [ebcdic("07"), ebcdic("08")]


def test_repeats_take_turns_as_they_were_recorded():
    lines = recording(("ORDER", "pears"), ("ORDER", "pears"))
    player = Answerer(recorded(lines, "responder"), random.Random(1))
    player.connected(NOW)
    packets = []
    for number in range(3):
        said(player, order(number, b"live id!", "pears"))
        packets += [line.rpartition("packet ")[2] for line in player.take_lines()]
    assert packets[0] != packets[1]
    assert packets[0] == packets[2]


def test_a_recorded_refusal_is_repeated(host: Answerer):
    answer = said(host, order(1, b"live id!", "x", "REFUSE"))
    assert (answer[4], answer[5:13]) == (REFUSAL, b"live id!")


def test_any_other_gets_the_most_frequent_answer_and_the_log_says_so(host: Answerer):
    answer = said(host, order(1, b"live id!", "something else"))
    assert (answer[4], answer[5:13]) == (ANSWER, b"live id!")
    (line,) = host.take_lines()
    assert "the most frequent (" in line
    assert " of 5)" in line
    assert "no key fields are equal" in line
    assert host.complete


def test_what_was_never_recorded_gets_no_answer(host: Answerer):
    assert said(host, packet(5, b"\0\0\0\1")) == b""
    assert said(host, packet(0x77)) == b""
    lines = host.take_lines()
    assert "nothing was recorded" in lines[0]
    assert "ca fe 00 01 77" in lines[1]
    assert not host.complete
    said(host, b"nonsense of any kind")
    assert host.over


def test_answers_are_accepted_by_a_strict_client():
    """At least 0.99 of the answers (published for record and replay: 0.99)."""
    dice = random.Random(3)
    orders = [("ORDER", f"{dice.randrange(30)} pieces of {dice.choice('abcdefgh')}") for _ in range(200)]
    player = Answerer(recorded(recording(*orders[:100]), "responder"), dice)
    player.connected(NOW)
    said(player, packet(LOGON, ebcdic("MARS    ")))
    accepted = 0
    for number, (action, text) in enumerate(orders):
        identity = dice.randbytes(8)
        answer = said(player, order(number, identity, text, action))
        whole = answer[:2] == b"\xca\xfe" and int.from_bytes(answer[2:4], "big") == len(answer) - 4
        accepted += whole and answer[4] == ANSWER and answer[5:13] == identity and answer[15:19] == ebcdic("done")
    assert accepted >= 0.99 * len(orders)


def test_the_asking_end_is_played_with_numbers_ids_and_times_anew():
    host = OldHost()
    player = Asker(recorded(recording(*ORDERS), "initiator"), random.Random(1))
    connection = Connection(host)
    player.connected(NOW)
    while data := player.take():
        player.receive_data(connection.receive(data), NOW)
    assert player.complete
    assert player.over
    assert [(action, text) for _, action, text in host.orders] == [each for each in ORDERS if each[0] == "ORDER"]
    assert [number for number, _, _ in host.orders] != []
    assert set(host.answers).isdisjoint(bytes([0, number] * 4) for number in range(9))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (packet(REFUSAL, bytes(8)), "welcome was recorded, and refusal came"),
        (packet(0x77), "a packet that is none: ca fe 00 01 77"),
        (b"", "has closed the connection"),
        (b"\xca\xfe\xff\xff", "cannot be cut"),
    ],
)
def test_another_answer_than_was_recorded_ends_it(answer: bytes, why: str):
    player = Asker(recorded(recording(*ORDERS), "initiator"), random.Random(1))
    player.connected(NOW)
    player.receive_data(answer, NOW)
    assert player.over
    assert not player.complete
    assert why in player.take_lines()[-1]


def test_silence_ends_it():
    player = Asker(recorded(recording(*ORDERS), "initiator"), random.Random(1))
    player.connected(NOW)
    assert player.next_timeout == NOW + 10
    player.timeout(NOW + 10)
    assert (player.over, player.complete) == (True, False)


def test_a_script_alone_is_played_with_made_up_values():
    with pytest.raises(ScriptError):
        ScriptedEnd(host_protocol(), "responder", random.Random(1), {})
    player = ScriptedEnd(host_protocol(), "initiator", random.Random(1), {"user": "MARS"})
    player.connected(NOW)
    assert player.take() == packet(LOGON, ebcdic("MARS    "))
    player.receive_data(packet(WELCOME) + packet(4, b"\0\0\0\1" + ebcdic("notice")), NOW)
    assert player.take() == packet(5, b"\0\0\0\1")
    assert player.next_timeout == NOW + 30
    player.timeout(NOW + 30)
    assert player.take() == packet(7)
    player.receive_data(packet(0x77), NOW)
    assert not player.complete
    player.receive_data(b"", NOW)
    assert player.over


# The command

PLAY = [sys.executable, "-m", "mqbridge", "protocol", "play"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "host.toml").write_text(host_text(), encoding="utf-8")
    (tmp_path / "host.hex").write_bytes(recording(*ORDERS))
    return tmp_path


@pytest.fixture
def played(files: Path) -> Iterator[int]:
    """Port of the played host."""
    port = free_port()
    where = f"tcp:{port}:interface=127.0.0.1"
    command = [*PLAY, "host.toml", "--listen", where, "--with", "host.hex"]
    with (files / "out").open("wb") as out, subprocess.Popen(command, cwd=files, stdout=out) as process:
        wait_for("it listens", lambda: "listening on" in (files / "out").read_text(encoding="utf-8"))
        yield port
        process.terminate()


@pytest.mark.spec("M-120")
def test_the_command_answers_and_asks(files: Path, played: int):
    with socket.create_connection(("127.0.0.1", played), 20) as client:
        client.sendall(packet(LOGON, ebcdic("MARS    ")) + order(5, b"live id!", "apples"))
        data = b""
        while len(data) < 5 + 15 + 11:
            data += client.recv(100)
    assert data.startswith(packet(WELCOME))
    assert data[10:18] == b"live id!"
    asked = subprocess.run(
        [*PLAY, "host.toml", "--connect", f"tcp:127.0.0.1:{played}", "--with", "host.hex"],
        cwd=files,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.count("request sent") == 5
    assert "request → answer, recorded for action 'ORDER', order 'apples'" in (files / "out").read_text("utf-8")
