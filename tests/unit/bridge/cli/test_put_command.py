from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.processes.running_service import RunningService, wait_for

ID = re.compile(r"[0-9a-f]{48}")


def texts(service: RunningService, queue: str) -> list[str]:
    return [message["body"]["text"] for message in service.browse(queue)]


def test_a_text_is_put_and_its_id_printed(shared_service: RunningService, queue: str) -> None:
    result = shared_service.command("put", queue, "zwei Äpfel")
    assert (result.exit_code, result.stderr) == (0, "")
    (message,) = shared_service.browse(queue)
    assert result.stdout == message["MQMD"]["MsgId"] + "\n"
    assert message["body"]["text"] == "zwei Äpfel"
    assert message["MQMD"]["Format"] == "MQSTR"
    assert message["MQMD"]["PutApplName"] == "mqbridge put"


def test_every_option_arrives(shared_service: RunningService, queue: str) -> None:
    options = ["--persistent", "--priority", "6", "--expiry", "3000", "--correl-id", "c0ffee", "--reply-to", "R@MARS"]
    options += ["--property", "colour=red=blue", "--property", "n:i4=-5", "--format", "MYTEXT"]
    assert shared_service.command("put", *options, queue, "x").exit_code == 0
    (message,) = shared_service.browse(queue)
    md = message["MQMD"]
    assert (md["Persistence"], md["Priority"], md["ReplyToQ"], md["ReplyToQMgr"]) == (1, 6, "R", "MARS")
    assert md["CorrelId"] == "c0ffee".ljust(48, "0")
    assert 0 < md["Expiry"] <= 3000
    assert message["properties"] == {
        "colour": {"type": "string", "value": "red=blue"},
        "n": {"type": "i4", "value": -5},
    }
    assert message["headers"][0]["fields"]["Format"] == message["body"]["format"] == "MYTEXT"
    assert message["body"]["hex"] == "78"


def test_persistence_follows_the_queue_unless_told(shared_service: RunningService, queue: str) -> None:
    shared_service.mqsc(f"ALTER QLOCAL({queue}) DEFPSIST(YES)")
    shared_service.command("put", queue, "x")
    shared_service.command("put", "--non-persistent", queue, "x")
    assert [message["MQMD"]["Persistence"] for message in shared_service.browse(queue)] == [1, 0]


def test_a_message_for_another_queue_manager(shared_service: RunningService, queue: str) -> None:
    shared_service.mqsc(f"ALTER QLOCAL({queue}) USAGE(XMITQ)")
    assert shared_service.command("put", "--qmgr", queue, "FAR.AWAY", "x").exit_code == 0
    (message,) = shared_service.browse(queue)
    header = message["headers"][0]
    assert (header["structure"], header["fields"]["RemoteQName"]) == ("MQXQH", "FAR.AWAY")


def test_a_file_is_put_as_it_is(shared_service: RunningService, queue: str, tmp_path: Path) -> None:
    text, binary, long = tmp_path / "text", tmp_path / "binary", tmp_path / "long"
    text.write_text("zeile 1\nzeile ü\n", encoding="utf-8")
    binary.write_bytes(b"\x00\xff\n")
    long.write_bytes(b"0123456789abcdef" * (3 << 16))
    for file in (text, binary, long):
        result = shared_service.command("put", "--file", str(file), queue)
        assert ID.fullmatch(result.stdout.strip())
    first, second, third = shared_service.browse(queue)
    assert (first["MQMD"]["Format"], first["body"]["text"]) == ("MQSTR", "zeile 1\nzeile ü\n")
    assert (second["MQMD"]["Format"], second["body"]["hex"]) == ("", "00ff0a")
    assert third["body"]["length"] == 3 << 20


def test_standard_input_is_one_message_or_many_lines(shared_service: RunningService, queue: str) -> None:
    shared_service.command("put", queue, input="one\ntwo\n")
    shared_service.command("put", "--file", "-", queue, input=b"\xff")
    assert [message["body"]["hex"] for message in shared_service.browse(queue)] == [b"one\ntwo\n".hex(), "ff"]


def test_lines_of_a_file_are_messages(shared_service: RunningService, queue: str, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes("eins\n\nzwei \t\n\xff".encode("latin-1"))
    result = shared_service.command("put", "--lines", "--persistent", "--file", str(file), queue)
    assert len(result.stdout.split()) == 4
    messages = shared_service.browse(queue)
    assert [message["body"].get("text") for message in messages] == ["eins", "", "zwei \t", None]
    assert messages[3]["body"]["hex"] == "ff"
    assert {message["MQMD"]["Persistence"] for message in messages} == {1}


def test_a_line_with_nuls_is_put_as_bytes(shared_service: RunningService, queue: str) -> None:
    result = shared_service.command("put", "--lines", queue, input=b"one\ntw\0o\n")
    assert (result.exit_code, result.stderr) == (0, "")
    first, second = shared_service.browse(queue)
    assert (first["MQMD"]["Format"], first["body"]["text"]) == ("MQSTR", "one")
    assert (second["MQMD"]["Format"], second["body"]["hex"]) == ("", b"tw\0o".hex())


def test_lines_of_control_characters_are_no_longer_on_their_way(shared_service: RunningService, queue: str) -> None:
    result = shared_service.command("put", "--lines", queue, input=b"\x01" * 1000 + b"\nsmall\n")
    assert (result.exit_code, result.stderr) == (0, "")
    found = [(message["MQMD"]["Format"], message["body"]["text"]) for message in shared_service.browse(queue)]
    assert found == [("MQSTR", "\x01" * 1000), ("MQSTR", "small")]
    # As text in JSON this were more than a service takes; so it says what is wrong with the message.
    result = shared_service.command("put", "--lines", queue, input=b"\x01" * (7 << 20))
    assert result.exit_code == 1
    assert "MQRC_MSG_TOO_BIG_FOR_Q (2030)" in result.stderr


def test_lines_of_a_pipe_are_put_as_they_come(shared_service: RunningService, queue: str) -> None:
    import subprocess

    process = shared_service.spawn("put", "--lines", queue, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"first\nsec")
    process.stdin.flush()
    wait_for("first line", lambda: texts(shared_service, queue) == ["first"])
    process.stdin.write(b"ond")
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, b"")
    assert len(output.split()) == 2
    assert texts(shared_service, queue) == ["first", "second"]


def test_count_and_size_make_messages(shared_service: RunningService, queue: str) -> None:
    assert len(shared_service.command("put", "--count", "3", queue, "same").stdout.split()) == 3
    assert shared_service.command("put", "--count", "2", "--size", "30", queue).exit_code == 0
    assert shared_service.command("put", "--size", "5", queue, "long text").exit_code == 0
    assert shared_service.command("put", "--size", "0", queue).exit_code == 0
    found = texts(shared_service, queue)
    assert found[:3] == ["same"] * 3
    assert [text[:14] for text in found[3:5]] == ["message 1 of 2", "message 2 of 2"]
    assert [len(text) for text in found[3:]] == [30, 30, 5, 0]


def test_many_messages_give_a_summary(shared_service: RunningService, queue: str) -> None:
    result = shared_service.command("put", "--count", "1200", "--size", "100", queue)
    assert re.fullmatch(rf"1,200 messages put on {queue} in [\d.]+ s, [\d,]+ a second\n", result.stdout)
    assert shared_service.depth(queue) == 1200
    result = shared_service.command("put", "--lines", queue, input="x\n" * 150)
    assert len(ID.findall(result.stdout)) == 100
    assert "150 messages put" in result.stdout


def test_a_full_queue_says_how_many_were_put(shared_service: RunningService, queue: str) -> None:
    shared_service.mqsc(f"ALTER QLOCAL({queue}) MAXDEPTH(700)")
    result = shared_service.command("put", "--count", "1200", "--size", "10", queue)
    assert result.exit_code == 1
    assert result.stderr.startswith("500 messages were put before this:\n")
    assert "MQRC_Q_FULL (2053)" in result.stderr
    assert shared_service.depth(queue) == 500


def test_a_refusal_is_status_1_with_the_reason(shared_service: RunningService, queue: str) -> None:
    result = shared_service.command("put", "NO.SUCH", "x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "MQRC_UNKNOWN_OBJECT_NAME (2085): NO.SUCH\n"
    shared_service.mqsc(f"ALTER QLOCAL({queue}) PUT(DISABLED)")
    for arguments in (("x",), ("--count", "2", "x")):
        result = shared_service.command("put", queue, *arguments)
        assert result.exit_code == 1
        assert "MQRC_PUT_INHIBITED (2051)" in result.stderr


def test_a_queue_manager_that_is_not_there_is_status_1_with_2059(tmp_path: Path) -> None:
    service = RunningService(tmp_path)
    for command in (("put", "Q", "x"), ("get", "Q"), ("browse", "Q")):
        result = service.command(*command)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"MQRC_Q_MGR_NOT_AVAILABLE (2059): no queue manager runs in {service.data}")


def test_a_queue_manager_that_was_killed_is_not_there(service: RunningService) -> None:
    service.kill()
    result = service.command("get", "DEV.QUEUE.1")
    assert result.exit_code == 1
    assert "MQRC_Q_MGR_NOT_AVAILABLE (2059): no queue manager answers at " in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("Q", "text", "--lines"),
        ("Q", "text", "--file", "f"),
        ("Q", "--lines", "--count", "2"),
        ("Q", "x", "--priority", "10"),
        ("Q", "x", "--correl-id", "xyz"),
        ("Q", "x", "--correl-id", "00" * 25),
        ("Q", "x", "--property", "novalue"),
        ("Q", "x", "--format", "NINE.CHAR"),
        ("Q", "x", "--count", "0"),
        ("Q", "--file", "/no/such/file"),
        ("Q", "x", "--selector", "a=1"),
        ("Q", "x", "--url", "nonsense"),
        (),
    ],
)
def test_wrong_usage_is_status_2(shared_service: RunningService, arguments: tuple[str, ...]) -> None:
    assert shared_service.command("put", *arguments).exit_code == 2


def test_a_property_that_cannot_be_is_refused(shared_service: RunningService, queue: str) -> None:
    for given in ("a b=x", "n:i4=five", "n:nonsense=1", "JMSType=x"):
        result = shared_service.command("put", "--property", given, queue, "x")
        assert result.exit_code == 2, given
        assert "property" in result.stderr
    assert shared_service.depth(queue) == 0
