"""The program of a device: what it says, and its statuses."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.device.program.main import COMMANDS, main
from mqbridge.bridge.everyplace.secrets import FINGERPRINT, KEY, Secrets
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.everyplace import QueueManager
from mqbridge.protocol.everyplace.token import Token


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "moon.mqe")


class Program:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.error = ""

    def __call__(self, *words: str, status: int = 0) -> str:
        assert main(words) == status
        said, self.error = self._capsys.readouterr()
        return said

    def misused(self, *words: str) -> str:
        with pytest.raises(SystemExit) as raised:
            main(words)
        assert raised.value.code == 2
        return self._capsys.readouterr().err


@pytest.fixture
def mqe(capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(capsys)


def test_a_message_is_put_without_network_shown_and_got(mqe: Program, file: str) -> None:
    assert mqe("create", file, "--gateway", "mqes://earth:8081", "--mq", "SATURN").endswith(
        "its gateway is EARTH, and SATURN behind it\n"
    )
    first = mqe("put", file, "ORDERS@SATURN", "two apples")
    assert first.startswith("MOON+")
    assert first.endswith("  on disk; 1 waits for SATURN\n")
    assert mqe("put", file, "ORDERS@SATURN", "more", "--priority", "9").endswith("  on disk; 2 waits for SATURN\n")
    assert "(byte)Msg_Priority=9\n" in mqe("dump", file, "ORDERS@SATURN")
    assert "OutgoingQ@EARTH  2 for EARTH, SATURN\n" in mqe("status", file)
    assert mqe("check", file, "ORDERS@SATURN") == (
        "ORDERS@SATURN → store-and-forward queue OutgoingQ@EARTH over connection EARTH\n"
    )
    mqe("put", file, "SYSTEM.DEFAULT.LOCAL.QUEUE", "--field", "apples=2", "--field", "colour=red")
    assert "(unicode)apples=2" in mqe("browse", file, "SYSTEM.DEFAULT.LOCAL.QUEUE")
    assert mqe("get", file, "SYSTEM.DEFAULT.LOCAL.QUEUE") == "(unicode)apples=2\n(unicode)colour=red\n"
    mqe("get", file, "SYSTEM.DEFAULT.LOCAL.QUEUE", status=1)
    assert "Q_NO_MATCHING_MSG" in mqe.error


def test_texts_come_from_standard_input_and_bytes_from_files(
    mqe: Program, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = "SYSTEM.DEFAULT.LOCAL.QUEUE"
    mqe("create", file)
    monkeypatch.setattr(sys, "stdin", io.StringIO("from standard input"))
    mqe("put", file, queue)
    (tmp_path / "body").write_bytes(b"\x01\x02")
    mqe("put", file, queue, "--bytes", str(tmp_path / "body"), "--expires-after", "60", "--reply-to", "REPLIES")
    assert mqe("get", file, queue, "--all") == "from standard input\n0102\n"


@pytest.mark.spec("E-093", "E-270")
def test_administration_messages_define_queues(mqe: Program, file: str) -> None:
    mqe("create", file)
    assert mqe("admin", file, "create", "queue", "ALARMS", "--max-size", "1") == "create local ALARMS at MOON: done\n"
    mqe("put", file, "ALARMS", "fire")
    mqe("put", file, "ALARMS", "water", status=1)
    assert "Q_FULL" in mqe.error
    assert "failed" in mqe("admin", file, "create", "queue", "ALARMS", status=1)
    mqe("admin", file, "paint", "queue", "ALARMS", status=2)
    assert "create" in mqe.error


def test_a_token_becomes_key_and_fingerprint(mqe: Program, file: str) -> None:
    token = Token(b"7QK2-", b"s" * 16, b"f" * 16)
    mqe("create", file, "--gateway", "mqes://earth.example:8081", "--token", token.text().lower())
    store = SqliteStore(Path(file))
    secrets = Secrets(store, Security())
    assert secrets.value("EARTH", KEY) == token.key("MOON")
    assert secrets.value("EARTH", FINGERPRINT) == b"f" * 16
    store.close()


@pytest.mark.spec("E-571")
def test_wrong_words_end_with_status_2_and_what_to_type(mqe: Program, file: str) -> None:
    assert "COMMAND" in mqe.misused()
    assert "invalid choice" in mqe.misused("launch", file)
    assert "required" in mqe.misused("put", file)
    assert "unrecognized arguments: --colour" in mqe.misused("status", file, "--colour")
    for words, said in (
        (("create", file, "--gateway", "ftp://earth"), "mqes://"),
        (("create", file, "--gateway", "mqes://10.0.0.1:8081"), "--gateway-name EARTH"),
        (("create", file, "--token", "7QK2"), "--gateway"),
        (("create", file, "--gateway", "mqes://earth", "--token", "7QK2"), "token"),
        (("create", file, "--name", "A B"), "'A B'"),
    ):
        mqe(*words, status=2)
        assert said in mqe.error
        assert mqe.error.count("\n") == 1
    assert not Path(file).exists()
    mqe("create", file, "--gateway", "mqes://earth:many", status=1)
    mqe("status", file, status=1)
    assert f"create {file}" in mqe.error
    mqe("create", file)
    mqe("create", file, status=1)
    assert "MOON is here" in mqe.error
    mqe("put", file, "a b", "x", status=2)
    mqe("put", file, "ORDERS", "x", "--field", "a=b", status=2)
    mqe("put", file, "ORDERS", "--field", "a", status=2)
    assert "NAME=VALUE" in mqe.error
    mqe("put", file, "ORDERS", "--bytes", "/nowhere", status=2)
    mqe("check", file, "ORDERS@MARS", status=1)
    assert "ORDERS@MARS" in mqe.error


def test_a_file_in_use_is_refused_in_one_line(mqe: Program, file: str) -> None:
    mqe("create", file)
    with QueueManager.open(file, connect=False):
        mqe("status", file, status=1)
    assert "in use by another process" in mqe.error
    assert mqe.error.count("\n") == 1


def test_trigger_says_what_still_waits(mqe: Program, file: str) -> None:
    mqe("create", file, "--gateway", "mqe://localhost:1", "--mq", "SATURN")
    mqe("put", file, "ORDERS@SATURN", "two apples")
    mqe("trigger", file, "--timeout", "0.5", status=1)
    assert "1 waits for SATURN" in mqe.error
    assert "does not answer" in mqe.error


def test_a_queue_manager_of_mq_may_be_named_twice(mqe: Program, file: str) -> None:
    mqe("create", file, "--gateway", "mqe://localhost:1", "--mq", "SATURN", "--mq", "SATURN")
    assert mqe("put", file, "ORDERS@SATURN", "two apples").endswith("  on disk; 1 waits for SATURN\n")


def test_each_command_is_documented() -> None:
    text = (Path(__file__).parents[5] / "docs" / "everyplace.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n| `{name}` |" not in text] == []
