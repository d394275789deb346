"""SC-33: MyOpenQ compatibility, all commands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from mqbridge.protocol.myopenq import BareRequest, Browse, Command, Create, Get, NamedRequest, Put, QueueType
from support.myopenq.doors import FramedLine, exchange, port_of, write_configuration
from support.processes.running_service import RunningService

pytestmark = pytest.mark.spec("SC-33")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("doors")
    (folder / "admin.allow").write_text("127.0.0.1 # the tools on this machine\n", encoding="utf-8")
    (folder / "user.allow").write_text("127.0.0.2, SHARED\n", encoding="utf-8")
    files = 'admin_allow = "admin.allow"\nuser_allow = "user.allow"'
    options = write_configuration(folder, files, f'mode = "framed"\n{files}')
    made = RunningService(folder / "EARTH", options=options)
    yield made.start()
    made.close()


def text(value: str, width: int) -> bytes:
    return value.encode().ljust(width)


def packet(command: str, variable: bytes, *, signed: bool, stamp: str = "1700000000") -> bytes:
    """A packet written as the tables of the specification have it, by no code of ours."""
    behind = stamp.encode() + text(command, 10) + variable
    digest = hashlib.md5(behind).hexdigest().encode() if signed else b" " * 32
    return digest + behind


@pytest.mark.parametrize("signed", [False, True], ids=["digest empty", "digest correct"])
@pytest.mark.parametrize("step", [0, 1], ids=["at once", "byte by byte"])
@pytest.mark.spec(
    "M-002", "M-010", "M-011", "M-012", "M-013", "M-014", "M-017", "M-019", "M-021", "M-022", "M-024", "M-025",
    "M-026", "M-027", "M-028", "M-029", "M-031", "M-032", "M-033", "M-034", "M-036", "M-038", "M-052", "M-054",
    "M-060", "M-062", "M-065", "M-068", "M-069", "M-070", "M-071", "M-072",
)  # fmt: skip
def test_every_command_byte_by_byte(service: RunningService, signed: bool, step: int) -> None:
    port, prefix = port_of(service), f"Q{signed:d}{step}"
    name, remote = text(prefix, 32), text(f"{prefix}R", 32)

    def ask(command: str, variable: bytes, total: int) -> bytes:
        data = packet(command, variable, signed=signed)
        assert len(data) == total
        return exchange(port, data, step)

    assert ask("CREATE", name + b"00005" + b"00020" + b"L", 95) == b"SUCCESS"
    address = text("192.0.2.1", 15) + b"09803"
    assert ask("CREATE", remote + b"00003" + b"00010" + b"R" + address, 115) == b"SUCCESS"
    for message in (b"one", b"two", b"three"):
        size = b"%05d" % len(message)
        assert ask("PUT", name + size + message, 89 + len(message)) == b"SUCCESS"
    assert ask("PUT", remote + b"00005waits", 94) == b"SUCCESS"
    assert ask("BROWSE", name + b"00001", 89) == b"one"
    assert ask("BROWSE", name + b"00002", 89) == b"two"
    assert ask("COUNT", name, 84) == b"3"
    assert ask("COUNT", remote, 84) == b"1"
    description = b"name=%s;size=5;length=20;timeout=0;type=local;ip=;port=;count=3" % prefix.encode()
    assert ask("DISPLAY", name, 84) == description
    shown = ask("DISPLAY", remote, 84)
    assert b";type=remote;ip=192.0.2.1;port=9803;count=1" in shown
    assert ask("GET", name, 84) == b"one"
    found = service.browse(prefix)
    assert [each["body"]["text"] for each in found] == ["two", "three"]
    assert ask("PURGE", name, 84) == b"SUCCESS"
    assert ask("COUNT", name, 84) == b"0"
    for queue in (name, remote):
        assert ask("DELETE", queue, 84) == b"SUCCESS"
    assert exchange(port, packet("COUNT", name, signed=signed)).startswith(b"MOQ-1003 ")


@pytest.mark.spec("M-005", "M-019", "M-036", "M-037", "M-073")
def test_a_framed_connection_carries_any_number_of_packets(service: RunningService) -> None:
    with FramedLine(port_of(service, "D1")) as line:
        assert line.ask(Create("F", 5, 20, QueueType.LOCAL, timeout=60)).code == 0
        for message in (b"", b"MOQ-1007 message not found"[:20], b"x"):
            assert line.ask(Put("F", message)).code == 0
        assert [line.ask(Get("F")).payload for _ in range(3)] == [b"", b"MOQ-1007 message not"[:20], b"x"]
        assert line.ask(Get("F", 1)).code == 1007
        assert line.ask(NamedRequest(Command.DELETE, "F")).code == 0


@pytest.mark.spec("M-001", "M-054", "M-071")
def test_programs_of_mq_share_the_queues(service: RunningService) -> None:
    service.mqsc("DEFINE QLOCAL(SHARED)")
    service.put("SHARED", "from MQ")
    port = port_of(service)
    assert exchange(port, packet("GET", text("SHARED", 32), signed=False)) == b"from MQ"
    assert exchange(port, packet("PUT", text("SHARED", 32) + b"00004text", signed=False)) == b"SUCCESS"
    got = service.get("SHARED")
    assert got is not None
    assert (got["body"]["text"], got["MQMD"]["Format"], got["MQMD"]["Persistence"]) == ("text", "MQSTR", 1)
    service.mqsc("DELETE QLOCAL(SHARED) PURGE")


@pytest.mark.spec("M-051", "M-094", "M-095", "M-097", "M-098")
def test_rights_are_read_again_when_their_file_changes(service: RunningService) -> None:
    service.mqsc("DEFINE QLOCAL(SHARED)")
    port, count = port_of(service), packet("COUNT", text("SHARED", 32), signed=False)
    file = service.folder.parent / "user.allow"
    assert exchange(port, count, source="127.0.0.2") == b"0"
    assert exchange(port, count, source="127.0.0.3").startswith(b"MOQ-4001 ")
    file.write_text("127.0.0.3/32, SHARED\nnonsense\n", encoding="utf-8")
    assert exchange(port, count, source="127.0.0.3") == b"0"
    assert exchange(port, count, source="127.0.0.2").startswith(b"MOQ-4001 ")
    assert "user.allow line 2 grants nothing" in service.log
    service.mqsc("DELETE QLOCAL(SHARED)")


@pytest.mark.spec("M-023", "M-031", "M-064")
def test_shutdown_ends_the_server(service: RunningService) -> None:
    data = packet("SHUTDOWN", b"", signed=True)
    assert len(data) == 52
    assert exchange(port_of(service), data) == b"SUCCESS"
    assert service.wait() == 0
    service.start()
    assert exchange(port_of(service), data) == b"SUCCESS"  # a repeat, which is known
    with FramedLine(port_of(service, "D1")) as line:
        assert line.ask(Browse("NOBODYS")).code == 1003
        assert line.ask(BareRequest(Command.SHUTDOWN)).code == 0
    assert service.wait() == 0
