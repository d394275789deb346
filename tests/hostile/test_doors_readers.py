"""Clients, message channels and browsers that ask and do not read the answers."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mqbridge
from mqbridge.protocol.constants import MQGMO, MQOO
from support.channels.socket_partner import SocketListener
from support.clients.program import CHANNEL
from support.clients.socket_program import SocketProgram, program
from support.processes.endpoint_host import EndpointHost
from support.processes.running_service import MakeService, RunningService, wait_for

MIB = 1 << 20
LONG = 6 * MIB
"""More than the system takes ahead for a connection (4 MiB by default): what it has taken counts as sent."""
SCRIPT = f"""
    ALTER QMGR MAXMSGL(104857600)
    DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('app') MAXMSGL(104857600)
    SET CHLAUTH({CHANNEL}) TYPE(BLOCKUSER) USERLIST('nobody')
    DEFINE QLOCAL(LONG) MAXDEPTH(100000) MAXMSGL(104857600)
    DEFINE QLOCAL(SHORT)
"""
CONFIGURATION = """
[queue_manager]
name = "MARS"
[channels]
stalled_timeout = {timeout}
[limits]
unsent = "{unsent}"
"""


@pytest.fixture
def make_mars(make_service: MakeService, tmp_path: Path) -> Callable[..., RunningService]:
    """Return a maker of queue managers MARS with these settings."""

    def make(timeout: float, unsent: str) -> RunningService:
        file = tmp_path / "queue-manager.toml"
        file.write_text(CONFIGURATION.format(timeout=timeout, unsent=unsent), encoding="utf-8")
        service = make_service("MARS", mqsc=SCRIPT, options=("--config", str(file)), start=False)
        service.recordings = None  # these conversations end in the middle
        return service.start()

    return make


def memory(service: RunningService) -> int:
    """Bytes of memory that the process has."""
    status = Path(f"/proc/{service.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def client(service: RunningService, **options: Any) -> SocketProgram:
    """A client whose own system takes little ahead of it."""
    made = program(SimpleNamespace(port=service.port), **options)  # type: ignore[arg-type]
    made.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return made


def fill(service: RunningService, count: int, persistence: int) -> None:
    """Put long messages."""
    for number in range(count):
        service.put("LONG", number.to_bytes(4, "big") * (LONG // 4), Persistence=persistence)


@pytest.mark.faulty_traffic
@pytest.mark.parametrize(("shared", "persistence"), [(False, 1), (True, 0)])
def test_who_does_not_read_holds_no_memory_and_is_ended_and_nothing_is_lost(
    make_mars: Callable[..., RunningService], shared: bool, persistence: int, long_form: bool
) -> None:
    count = 150 if long_form else 24
    service = make_mars(30 if long_form else 4, "8 MiB")
    fill(service, count, persistence)
    before = memory(service)
    with ExitStack() as stack:
        for number in range(count):
            reader = stack.enter_context(client(service, conversations=10 if shared else 0))
            handle = reader.opens("LONG", int(MQOO.INPUT_SHARED))
            bits = int(MQGMO.NO_WAIT | (MQGMO.SYNCPOINT if number % 2 else 0))
            if shared:
                reader.send(reader.request_msgs(handle, get_msg_options=bits, max_msg_length=-1))
            else:
                reader.send(reader.get_segment(handle, bits, room=2 * LONG))
        wait_for(
            "all messages on their way", lambda: f"UNCOM({count})" in str(service.mqsc("DISPLAY QSTATUS(LONG) ALL"))
        )
        held = memory(service) - before
        wait_for("the end of all readers", lambda: service.log.count("nothing was taken for") >= count, 60)
    assert held < 24 * MIB, f"{held / MIB:.1f} MiB"
    wait_for("all messages back", lambda: service.depth("LONG") == count, 60)
    assert "AMQ9206E: error sending data" in service.log
    with mqbridge.connect(f"mq://127.0.0.1:{service.port}/MARS?channel={CHANNEL}") as manager:
        queue = manager.queue("LONG")
        found = [queue.get(wait=30) for _ in range(count)]
    assert [len(message.data) for message in found if message is not None] == [LONG] * count
    assert len({message.data for message in found if message is not None}) == count


@pytest.mark.faulty_traffic
def test_copies_for_browsers_are_bounded_too_and_others_go_on(make_mars: Callable[..., RunningService]) -> None:
    service = make_mars(60, "8 MiB")
    fill(service, 1, 1)
    with ExitStack() as stack:
        readers = [stack.enter_context(client(service, conversations=0)) for _ in range(40)]
        before = memory(service)
        for reader in readers:
            handle = reader.opens("LONG", int(MQOO.BROWSE))
            reader.send(reader.get_segment(handle, int(MQGMO.BROWSE_FIRST), room=2 * LONG))
        with client(service, conversations=0) as bystander:
            handle = bystander.opens("SHORT", int(MQOO.INPUT_SHARED | MQOO.OUTPUT))
            for _ in range(50):
                assert bystander.puts(b"x" * 1000, handle).outcome == (0, 0)
                assert len(bystander.gets(handle).data) == 1000
        assert memory(service) - before < 64 * MIB
        reasons = [reader.hear().outcome[1] for reader in readers]
        assert set(reasons) == {0, 2102}
        assert reasons.count(2102) > 5  # what the system takes for a reader counts as sent


@pytest.mark.faulty_traffic
def test_calls_without_end_whose_answers_nobody_reads(make_mars: Callable[..., RunningService]) -> None:
    service = make_mars(3, "8 MiB")
    with client(service, conversations=0) as asks:
        service.put("SHORT", b"x" * 60_000)
        handle = asks.opens("SHORT", int(MQOO.BROWSE))
        browse = asks.get_segment(handle, int(MQGMO.BROWSE_FIRST), room=100_000)
        before = memory(service)
        asks.socket.settimeout(0.5)
        try:
            while True:
                asks.socket.sendall(browse * 100)
        except OSError:
            pass
        assert memory(service) - before < 16 * MIB
        wait_for("the end of the client", lambda: "nothing was taken for" in service.log, 30)


@pytest.fixture
def long_answer(make_mars: Callable[..., RunningService]) -> RunningService:
    """Return MARS with long messages."""
    service = make_mars(2, "8 MiB")
    fill(service, 8, 1)
    return service


def test_a_rest_client_that_does_not_read_is_ended_and_the_messages_are_back(long_answer: RunningService) -> None:
    service = long_answer
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(service.ready["admin"]).removeprefix("unix:"))
    connection.request(
        "DELETE",
        "/ibmmq/rest/v2/messaging/qmgr/MARS/queue/LONG/message",
        headers={"ibm-mq-rest-csrf-token": "", "Accept": "application/x-ndjson"},
    )
    wait_for("the end of the client", lambda: "REST client" in service.log, 30)
    connection.close()
    wait_for("all messages back", lambda: len(service.browse("LONG")) == 8, 30)


def test_a_message_channel_whose_partner_takes_nothing_is_ended_and_its_messages_are_back() -> None:
    with closing(EndpointHost(stalled_timeout=0.5)) as host, SocketListener(small_buffers=True) as listener:
        host.sender(listener.name, BATCHLIM=0, MAXMSGL=100 * MIB)
        for _ in range(10):
            host.put(bytes(MIB))
        host.start()
        with listener.accept():
            line = host.until_logged("AMQ9206")
            assert "nothing was taken for" in line[2]
            host.until_status("RETRYING")
            host.thread.until(lambda: host.visible("VENUS") == 10, "all messages back")
            host.thread.until(lambda: host.channel_manager.unsent.total == 0, "nothing waits any more")


def test_a_partner_that_reads_slowly_is_not_ended() -> None:
    with closing(EndpointHost(stalled_timeout=0.5)) as host, SocketListener(small_buffers=True) as listener:
        host.sender(listener.name, BATCHLIM=0, MAXMSGL=100 * MIB)
        for _ in range(3):
            host.put(bytes(MIB))
        host.start()
        with listener.accept() as venus:
            for _ in range(20):
                time.sleep(0.05)
                venus.next()
                venus.next()
            assert not [line for line in host.log if line[0] == "AMQ9206"]
            venus.reset()
