"""SC-34: MyOpenQ errors and limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from mqbridge.protocol.myopenq import BareRequest, Browse, Command, Get, NamedRequest, Put
from support.myopenq.doors import HOST, exchange, local, packet, port_of, serve
from support.processes.running_service import MakeService, RunningService

pytestmark = pytest.mark.spec("SC-34")


def tool(service: RunningService, *arguments: str) -> tuple[int, str]:
    """Run a tool. Returns its status and what it says."""
    name, *rest = arguments
    found = CliRunner().invoke(cli, ["moq", name, "-s", HOST, "-p", str(port_of(service)), *rest])
    return found.exit_code, found.output.strip()


def state(service: RunningService) -> list[str]:
    """All that a packet could have changed: definitions and messages."""
    rows = service.mqsc("DISPLAY QLOCAL(*) ALL")
    kept = [line for line in rows if "LPUT" not in line and "LGET" not in line]
    return [*kept, str(service.browse("A"))]


@pytest.mark.spec(
    "M-035", "M-040", "M-042", "M-043", "M-045", "M-046", "M-047", "M-048", "M-049", "M-050", "M-057", "M-066",
    "M-067", "M-085", "M-094", "M-095", "M-096", "M-097", "M-111", "M-115", "M-116",
)  # fmt: skip
def test_each_error_has_its_code_and_changes_nothing(make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "admin.allow").write_text("127.0.0.1\n", encoding="utf-8")
    (tmp_path / "user.allow").write_text("127.0.0.2, A\n", encoding="utf-8")
    settings = 'max_queues = 2\nmax_message = 10\nadmin_allow = "admin.allow"\nuser_allow = "user.allow"'
    service = serve(make_service, tmp_path, settings)
    port = port_of(service)
    for name in ("A", "B"):
        assert tool(service, "create", "-q", name, "-t", "local", "-size", "3", "-ml", "10") == (0, "SUCCESS")
    for number in range(3):
        assert tool(service, "put", "-q", "A", "-m", f"text {number}") == (0, "SUCCESS")
    before = state(service)

    def refused(code: int, data: bytes, source: str = HOST) -> None:
        answer = exchange(port, data, source=source)
        assert answer.startswith(b"MOQ-%d " % code), answer
        assert b"\n" not in answer

    for bad in ("no-name", ".hidden", "x" * 33, "a b", "ä"):
        status, output = tool(service, "create", "-q", bad, "-t", "local", "-ml", "10")
        assert (status, output) == (1, "MOQ-1001 queue name invalid"), bad
    create = packet(local("C", 3, 10))
    refused(1001, create[:52] + b"no-name".ljust(32) + create[84:])
    refused(1004, packet(local("A", 3, 10)))
    refused(3001, packet(local("C", 3, 10)))
    refused(1002, create[:84] + b"00000" + create[89:])
    refused(1002, create[:84] + b"many " + create[89:])
    refused(1005, create[:89] + b"00011" + create[94:])
    refused(3002, packet(Put("A", b"fourth")))
    refused(2001, packet(Put("B", b"eleven byte")))
    refused(1007, packet(Get("B")))
    refused(1007, packet(Browse("A", 9)))
    refused(1007, packet(Browse("A", 0)))
    for request in (Put("NONE", b"x"), Get("NONE"), Browse("NONE")):
        refused(1003, packet(request))
    for command in (Command.COUNT, Command.DISPLAY, Command.PURGE, Command.DELETE):
        refused(1003, packet(NamedRequest(command, "NONE")))
    refused(2003, b" " * 32 + b"0000000001" + b"UNKNOWN   " + bytes(40))
    signed = packet(Put("B", b"x"), sign=True)
    refused(2002, signed[:-1] + b"y")
    refused(2002, b"0" + signed[1:] if signed[:1] != b"0" else b"1" + signed[1:])
    for request in (Put("A", b"x"), Get("A"), Browse("A"), NamedRequest(Command.PURGE, "A")):
        refused(4001, packet(request), "127.0.0.3")
    refused(4001, packet(Get("B")), "127.0.0.2")
    for admin in (local("C", 3, 10), NamedRequest(Command.DELETE, "A"), BareRequest(Command.SHUTDOWN)):
        refused(4001, packet(admin), "127.0.0.2")
    refused(4001, packet(NamedRequest(Command.DELETE, "SYSTEM.DEFAULT.LOCAL.QUEUE")), "127.0.0.2")

    assert state(service) == before
    assert tool(service, "browse", "-q", "A", "-n", "3") == (0, "text 2")
    assert tool(service, "get", "-q", "B") == (1, "MOQ-1007 message not found")


@pytest.mark.spec("M-063", "M-085", "M-098", "M-099")
def test_what_is_switched_off_and_asked_for(make_service: MakeService, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret of enough bytes\n", encoding="utf-8")
    service = serve(make_service, tmp_path, "allow_shutdown = false", f"secret_file = '{secret}'")
    assert tool(service, "shutdown") == (1, "MOQ-4001 no permission")
    assert tool(service, "create", "-q", "A", "-t", "local") == (0, "SUCCESS")
    assert tool(service, "put", "-q", "A", "-m", "x") == (0, "SUCCESS")
    assert tool(service, "delete", "-q", "A") == (1, "A has 1 messages; --force deletes them too")
    assert tool(service, "delete", "-q", "A", "--force") == (0, "SUCCESS")
    keyed = ["moq", "create", "-p", str(port_of(service, "D1")), "-q", "A", "-t", "local"]
    assert CliRunner().invoke(cli, keyed).output.strip() == "MOQ-4002 not authenticated"
    assert CliRunner().invoke(cli, [*keyed, "--secret-file", str(secret)]).output.strip() == "SUCCESS"
    service.stop()
    found = CliRunner().invoke(cli, keyed)
    assert (found.exit_code, "refused" in found.output) == (2, True)
