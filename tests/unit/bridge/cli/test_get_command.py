from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from support.processes.running_service import RunningService


def fill(service: RunningService, queue: str, count: int, size: int = 0) -> None:
    service.client.put_lines(
        queue,
        b"\n".join(b'{"body": {"text": "%d%s"}}' % (n, b" " + b"x" * size if size else b"") for n in range(count)),
    )


def texts(service: RunningService, queue: str) -> list[str]:
    return [message["body"]["text"] for message in service.browse(queue)]


def test_one_message_is_got_as_text_with_one_newline(shared_service: RunningService, queue: str) -> None:
    for text in ("Käse", "ends itself\n", "", "two\nlines"):
        shared_service.put(queue, text)
    results = [shared_service.command("get", queue) for _ in range(4)]
    assert [result.stdout for result in results] == ["Käse\n", "ends itself\n", "\n", "two\nlines\n"]
    assert {(result.exit_code, result.stderr) for result in results} == {(0, "")}


def test_text_of_another_code_page_is_shown_in_utf_8(shared_service: RunningService, queue: str) -> None:
    shared_service.put(queue, "Müller".encode("cp500"), Format="MQSTR", CodedCharSetId=500)
    shared_service.put(queue, "Meier".encode("utf-16-be"), Format="MQSTR", CodedCharSetId=1200, Encoding=273)
    assert shared_service.command("get", "--all", queue).stdout == "Müller\nMeier\n"


def test_browse_leaves_messages_where_they_are(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue, 3)
    assert shared_service.command("browse", queue).stdout == "0\n"
    assert shared_service.command("browse", "--count", "2", queue).stdout == "0\n1\n"
    assert shared_service.command("browse", "--all", queue).stdout == "0\n1\n2\n"
    assert texts(shared_service, queue) == ["0", "1", "2"]


def test_count_and_all(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue, 450)
    result = shared_service.command("get", "--count", "250", queue)
    assert result.stdout.split() == [str(n) for n in range(250)]
    result = shared_service.command("get", "--all", queue)
    assert result.stdout.split() == [str(n) for n in range(250, 450)]
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("command", ["get", "browse"])
def test_fewer_than_asked_for_is_status_0_with_a_note(shared_service: RunningService, queue: str, command: str) -> None:
    fill(shared_service, queue, 2)
    result = shared_service.command(command, "--count", "5", queue)
    assert (result.exit_code, result.stdout) == (0, "0\n1\n")
    assert result.stderr == "2 of 5 messages came\n"


@pytest.mark.parametrize("command", ["get", "browse"])
@pytest.mark.parametrize("arguments", [(), ("--all",), ("--count", "3"), ("--json",)])
def test_nothing_is_status_1_with_2033(
    shared_service: RunningService, queue: str, command: str, arguments: tuple[str, ...]
) -> None:
    result = shared_service.command(command, *arguments, queue)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"MQRC_NO_MSG_AVAILABLE (2033): {queue}\n"


def test_other_reasons_are_status_1(shared_service: RunningService, queue: str) -> None:
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in shared_service.command("get", "NO.SUCH").stderr
    shared_service.mqsc(f"ALTER QLOCAL({queue}) GET(DISABLED)")
    for command in ("get", "browse"):
        result = shared_service.command(command, queue)
        assert result.exit_code == 1
        assert "MQRC_GET_INHIBITED (2016)" in result.stderr


def test_ids_select(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue, 3)
    identifier = shared_service.browse(queue)[1]["MQMD"]["MsgId"]
    shared_service.put(queue, "related", CorrelId="c0ffee")
    assert shared_service.command("browse", "--msg-id", identifier, queue).stdout == "1\n"
    assert shared_service.command("get", "--msg-id", identifier.upper(), queue).stdout == "1\n"
    assert shared_service.command("get", "--correl-id", "c0ffee", queue).stdout == "related\n"
    assert shared_service.command("get", "--msg-id", identifier, queue).exit_code == 1


def test_waiting_ends_with_a_message_or_with_the_time(shared_service: RunningService, queue: str) -> None:
    began = time.monotonic()
    assert shared_service.command("get", "--wait", "0.2", queue).exit_code == 1
    assert time.monotonic() - began >= 0.2
    process = shared_service.spawn("get", "--wait", "60", "--count", "2", queue)
    shared_service.put(queue, "first")
    assert process.stdout is not None
    assert process.stdout.readline() == b"first\n"
    shared_service.put(queue, "second")
    assert process.stdout.read() == b"second\n"
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


def test_json_is_the_form_of_the_contract(shared_service: RunningService, queue: str) -> None:
    shared_service.command("put", "--persistent", "--property", "colour=red", queue, "hello")
    (line,) = shared_service.command("get", "--json", queue).stdout.splitlines()
    message = json.loads(line)
    assert message["MQMD"]["Persistence"] == 1
    assert len(message["MQMD"]["MsgId"]) == 48
    assert len(message["MQMD"]["PutDate"]) == 8
    assert message["headers"][0]["structure"] == "MQRFH2"
    assert message["headers"][0]["folders"][0]["values"] == [{"name": "colour", "type": "string", "value": "red"}]
    assert message["properties"] == {"colour": {"type": "string", "value": "red"}}
    assert {key: message["body"][key] for key in ("length", "ccsid", "text", "hex")} == {
        "length": 5,
        "ccsid": 1208,
        "text": "hello",
        "hex": "68656c6c6f",
    }


def test_one_binary_body_is_written_as_it_is(shared_service: RunningService, queue: str) -> None:
    shared_service.put(queue, b"\x00\xff\n\n", Format="")
    assert shared_service.command("get", queue).stdout_bytes == b"\x00\xff\n\n"


def test_several_binary_bodies_need_json_or_a_folder(
    shared_service: RunningService, queue: str, tmp_path: Path
) -> None:
    shared_service.put(queue, "text")
    shared_service.put(queue, b"\x00\xff", Format="")
    for command in ("browse", "get"):
        result = shared_service.command(command, "--all", queue)
        assert (result.exit_code, result.stdout) == (1, "text\n")
        assert "--json" in result.stderr
        assert "--output" in result.stderr
    (message,) = shared_service.browse(queue)
    result = shared_service.command("get", "--all", "--output", str(tmp_path / "out"), queue)
    file = tmp_path / "out" / f"0001-{message['MQMD']['MsgId']}"
    assert (result.exit_code, result.stdout) == (0, f"{file}\n")
    assert file.read_bytes() == b"\x00\xff"
    assert shared_service.depth(queue) == 0


def test_files_are_numbered(shared_service: RunningService, queue: str, tmp_path: Path) -> None:
    fill(shared_service, queue, 120)
    shared_service.command("get", "--all", "--output", str(tmp_path), queue)
    files = sorted(tmp_path.iterdir())
    assert [file.name[:5] for file in files] == [f"{n:04}-" for n in range(1, 121)]
    assert [file.read_text(encoding="utf-8") for file in files] == [str(n) for n in range(120)]


def test_a_file_that_cannot_be_written_leaves_its_message(
    shared_service: RunningService, queue: str, tmp_path: Path
) -> None:
    fill(shared_service, queue, 3)
    second = shared_service.browse(queue)[1]["MQMD"]["MsgId"]
    (tmp_path / f"0002-{second}").mkdir()
    result = shared_service.command("get", "--all", "--output", str(tmp_path), queue)
    assert result.exit_code == 1
    assert texts(shared_service, queue) == ["1", "2"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("Q", "--all", "--count", "2"),
        ("Q", "--json", "--output", "d"),
        ("Q", "--count", "0"),
        ("Q", "--wait", "-1"),
        ("Q", "--msg-id", "xyz"),
        ("Q", "--no-such-option", "a"),
        (),
    ],
)
def test_wrong_usage_is_status_2(shared_service: RunningService, arguments: tuple[str, ...]) -> None:
    for command in ("get", "browse"):
        assert shared_service.command(command, *arguments).exit_code == 2


def test_output_into_a_command_that_ends_early(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue, 300, size=1000)
    process = shared_service.spawn("get", "--all", queue)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"0 ")
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    left = [int(text.split()[0]) for text in texts(shared_service, queue)]
    assert 0 < len(left) < 300
    assert left == list(range(300 - len(left), 300))


def test_json_can_be_piped_into_a_stream_of_puts(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue, 3)
    shown = shared_service.command("get", "--all", "--json", queue).stdout_bytes
    shared_service.client.put_lines(queue, shown)
    assert texts(shared_service, queue) == ["0", "1", "2"]


def test_commands_find_the_folder_by_the_environment(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue, 1)
    process = shared_service.spawn("get", queue, stdout=subprocess.PIPE)
    assert process.communicate(timeout=60) == (b"0\n", b"")
