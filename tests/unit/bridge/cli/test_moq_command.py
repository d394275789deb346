"""``mqbridge moq``: the tools with the parameters of the thesis, their output and their status."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from mqbridge.bridge.cli.moq import command
from mqbridge.moq import Access, MoqClient, Unreachable, local_queue
from support.myopenq.doors import HOST, client_of, port_of, serve
from support.processes.ports import free_port
from support.processes.running_service import MakeService, RunningService


@pytest.fixture
def service(make_service: MakeService, tmp_path: Path) -> RunningService:
    return serve(make_service, tmp_path, "", 'mode = "framed"')


class Tools:
    """The tools at one door."""

    def __init__(self, *reach: str) -> None:
        self.reach = reach

    def __call__(self, tool: str, *arguments: str) -> tuple[int, str]:
        found = CliRunner().invoke(cli, ["moq", tool, *self.reach, *arguments])
        return found.exit_code, found.output.removesuffix("\n")


@pytest.mark.spec(
    "M-003", "M-075", "M-076", "M-077", "M-078", "M-079", "M-080", "M-081", "M-082", "M-083", "M-084", "M-085", "M-006",
    "myopenq.md K-02", "myopenq.md K-13",
)  # fmt: skip
def test_every_tool(service: RunningService) -> None:
    tools = Tools("-s", HOST, "-p", str(port_of(service)))
    framed = Tools("-p", str(port_of(service, "D1")), "--framed")
    assert tools("create", "-q", "A", "-t", "local", "-size", "3", "-ml", "20") == (0, "SUCCESS")
    assert framed("create", "-q", "T", "-t", "local", "-timeout", "60") == (0, "SUCCESS")
    remote = ("-t", "remote", "-rs", "192.0.2.1", "-rp", "1234", "-size", "7")
    assert framed("create", "-q", "R", *remote, "--remote-name", "THERE") == (0, "SUCCESS")
    assert tools("display", "-q", "A") == (0, "name=A;size=3;length=20;timeout=0;type=local;ip=;port=;count=0")
    assert tools("display", "-q", "T") == (0, "name=T;size=1024;length=1024;timeout=60;type=local;ip=;port=;count=0")
    shown = "name=R;size=7;length=1024;timeout=0;type=remote;ip=192.0.2.1;port=1234;count=0"
    assert tools("display", "-q", "R") == (0, shown)
    assert tools("put", "-q", "A", "-m", "two apples") == (0, "SUCCESS")
    assert framed("put", "-q", "A", "-m", "drei Äpfel") == (0, "SUCCESS")
    assert tools("count", "-q", "A") == (0, "2")
    assert tools("browse", "-q", "A") == (0, "two apples")
    assert tools("browse", "-q", "A", "-n", "2") == (0, "drei Äpfel")
    assert tools("get", "-q", "A") == (0, "two apples")
    assert framed("get", "-q", "A", "--wait", "1") == (0, "drei Äpfel")
    assert framed("get", "-q", "A", "--wait", "1") == (1, "MOQ-1007 message not found")
    assert tools("put", "-q", "A", "-m", "x", "--digest") == (0, "SUCCESS")
    assert tools("purge", "-q", "A") == (0, "SUCCESS")
    assert tools("delete", "-q", "A") == (0, "SUCCESS")
    assert tools("count", "-q", "A") == (1, "MOQ-1003 queue does not exist")
    assert tools("shutdown") == (0, "SUCCESS")
    assert service.wait() == 0


@pytest.mark.spec("M-085", "M-006")
def test_what_cannot_be_reached_is_status_2() -> None:
    port = free_port()
    status, output = Tools("-p", str(port))("count", "-q", "A")
    assert (status, output.startswith(f"{HOST}({port}): ")) == (2, True)
    with MoqClient(HOST, port) as client, pytest.raises(Unreachable):
        client.count("A")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "-q", "A"), "Missing option '-t'"),
        (("create", "-q", "A", "-t", "remote"), "needs -rs"),
        (("put", "-q", "A"), "Missing option '-m'"),
        (("count",), "Missing option '-q'"),
    ],
)
def test_what_is_missing_is_said(arguments: tuple[str, ...], words: str) -> None:
    status, output = Tools()(*arguments)
    assert (status, words in output) == (2, True), output


def test_files_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("", encoding="utf-8")
    assert Tools()("count", "-q", "A", "--secret-file", str(tmp_path / "none"))[0] == 1
    assert "first line is empty" in Tools()("count", "-q", "A", "--secret-file", str(tmp_path / "empty"))[1]
    assert Tools()("import", str(tmp_path))[0] == 1
    (tmp_path / "queues.data").write_bytes(b"nonsense")
    assert "record 1" in Tools()("import", str(tmp_path))[1]


def test_every_tool_has_a_help() -> None:
    for name, each in command.commands.items():
        found = CliRunner().invoke(cli, ["moq", name, "--help"])
        assert found.exit_code == 0
        assert each.help
        assert "-s IP" in found.output


@pytest.mark.spec("M-056", "M-089", "M-091", "M-007")
def test_programs_repeat_by_stamp(service: RunningService) -> None:
    with client_of(service, "D1", framed=True, sign=True) as client:
        client.create(local_queue("A"))
        for _ in range(3):
            client.put("A", b"once", stamp=7)
        for _ in range(3):
            client.put("A", b"thrice")  # in one second, and yet three packets
        assert client.count("A") == 4
        assert client.get("A", stamp=9) == client.get("A", stamp=9) == b"once"
    other = Access(framed=True, timeout=0.2)
    with MoqClient(HOST, port_of(service, "D1"), other) as client:
        assert client.get("A", wait=5) == b"thrice"
