"""SC-36: MyOpenQ expiry, persistence, shutdown."""

from __future__ import annotations

import itertools
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from mqbridge.moq import MoqClient, MoqError, Unreachable, local_queue, remote_queue
from support.myopenq.doors import HOST, client_of, port_of, serve
from support.myopenq.holding_proxy import HoldingProxy
from support.processes.running_service import MakeService, wait_for

pytestmark = pytest.mark.spec("SC-36")


@pytest.mark.spec("M-100", "M-104", "M-105", "myopenq.md K-03")
def test_only_messages_of_a_queue_with_a_timeout_vanish(make_service: MakeService, tmp_path: Path) -> None:
    service = serve(make_service, tmp_path, 'mode = "framed"\nwrite_interval = 1')
    assert "write_interval is not used" in service.log
    with client_of(service, framed=True) as client:
        client.create(local_queue("TIMED", timeout=2))
        client.create(local_queue("KEPT"))
        begun = time.monotonic()
        for queue in ("TIMED", "KEPT"):
            client.put(queue, b"x", stamp=1)  # the sender's clock does no harm
        assert client.count("TIMED") == 1
        service.restart()
    with client_of(service, framed=True) as client:
        wait_for("the end of the message", lambda: client.count("TIMED") == 0)
        assert time.monotonic() - begun > 1.9
        with pytest.raises(MoqError, match="1007"):
            client.get("TIMED")
        assert client.get("KEPT") == b"x"


@pytest.mark.spec("M-064", "M-110", "M-113")
def test_what_was_acknowledged_is_there_after_a_shutdown_in_traffic(make_service: MakeService, tmp_path: Path) -> None:
    service = serve(make_service, tmp_path, "", 'mode = "framed"')
    with client_of(service) as client:
        client.create(local_queue("A", size=99_999))
    acknowledged: list[bytes] = []

    def traffic(number: int) -> None:
        with client_of(service, "D1", framed=True) as caller:
            for count in itertools.count():
                text = b"%d/%d" % (number, count)
                try:
                    caller.put("A", text)
                except (MoqError, Unreachable):
                    return
                acknowledged.append(text)

    callers = [threading.Thread(target=traffic, args=(number,)) for number in range(4)]
    for each in callers:
        each.start()
    wait_for("traffic", lambda: len(acknowledged) > 50)
    with client_of(service) as client:
        client.shutdown()
    for each in callers:
        each.join(30)
    assert service.wait() == 0
    service.start()
    with client_of(service, "D1", framed=True) as client:
        found = [client.get("A") for _ in range(client.count("A"))]
    assert set(acknowledged) <= set(found)
    assert len(set(found)) == len(found) <= len(acknowledged) + len(callers)


@pytest.mark.spec("M-061", "M-062", "M-063")
def test_a_remote_queue_is_created_and_deleted_with_what_waits(make_service: MakeService, tmp_path: Path) -> None:
    service = serve(make_service, tmp_path, "")
    with client_of(service) as client:
        client.create(remote_queue("AWAY", HOST, 1))  # nobody is there
        for text in (b"one", b"two"):
            client.put("AWAY", text)
        assert client.count("AWAY") == 2
        service.restart()
    with client_of(service) as client:
        assert client.count("AWAY") == 2
        assert client.browse("AWAY", 2) == b"two"
        client.delete("AWAY")
        with pytest.raises(MoqError, match="1003"):
            client.count("AWAY")
        client.create(remote_queue("AWAY", HOST, 1))
        assert client.count("AWAY") == 0


@pytest.mark.faulty_traffic
@pytest.mark.spec("M-061", "M-062", "M-101", "M-102")
def test_the_sender_of_a_queue_starts_and_ends_with_it(make_service: MakeService, tmp_path: Path) -> None:
    service = serve(make_service, tmp_path, 'mode = "framed"')
    line = HoldingProxy(port_of(service))
    try:
        with client_of(service, framed=True) as client:
            client.create(local_queue("THERE"))
            client.create(remote_queue("AWAY", HOST, line.port, remote_name="THERE"))
            client.put("AWAY", b"one")
            assert client.get("THERE", 30) == b"one"
            wait_for("the answer", lambda: client.count("AWAY") == 0)
            line.holding = True
            client.put("AWAY", b"in doubt")
            assert client.get("THERE", 30) == b"in doubt"
            client.put("AWAY", b"waits")
            assert client.count("AWAY") == 2
            client.delete("AWAY")
            assert "AWAY" not in service.command("routes").output
            line.cut()
            client.create(remote_queue("AWAY", HOST, line.port, remote_name="THERE"))
            client.put("AWAY", b"new")
            assert client.get("THERE", 30) == b"new"
            assert client.count("THERE") == 0
            wait_for("the end of the message", lambda: client.count("AWAY") == 0)
    finally:
        line.close()


@pytest.mark.spec("M-004", "M-106", "M-073")
def test_work_on_one_queue_does_not_hold_up_another(make_service: MakeService, tmp_path: Path) -> None:
    service = serve(make_service, tmp_path, 'mode = "framed"')
    with client_of(service, framed=True) as client:
        client.create(local_queue("IDLE"))
        client.create(local_queue("BUSY"))
    got: list[bytes] = []

    def wait_at(caller: MoqClient) -> None:
        with caller:
            got.append(caller.get("IDLE", 60))

    waiting = [threading.Thread(target=wait_at, args=(client_of(service, framed=True),)) for _ in range(3)]
    for each in waiting:
        each.start()
    with client_of(service, framed=True) as client:
        for number in range(100):
            client.put("BUSY", b"%d" % number)
            assert client.get("BUSY") == b"%d" % number
        assert got == []
        for _ in waiting:
            client.put("IDLE", b"x")
    for each in waiting:
        each.join(30)
    assert got == [b"x"] * 3


@pytest.mark.spec("M-108", "M-109", "M-114")
def test_an_old_data_directory_is_brought_in_and_taken_out(make_service: MakeService, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    records = [b"ORDERS".ljust(32) + b"00100" + b"00080" + b"L" + b" " * 15 + b"00000"]
    records.append(b"Qa".ljust(32) + b"00010" + b"00080" + b"R" + b"192.0.2.1".ljust(15) + b"09803")
    (old / "queues.data").write_bytes(b"".join(records))  # as the thesis writes it: 63 bytes each, nothing between
    (old / "ORDERS").write_bytes(b"104431800000010two\napples104431800100005three")
    service = serve(make_service, tmp_path, f"data = '{old}'")
    assert f"moq import {old}" in service.log
    reach = ["-p", str(port_of(service))]

    def tool(*arguments: str) -> str:
        found = CliRunner().invoke(cli, ["moq", *arguments])
        assert found.exit_code == 0, found.output
        return found.output

    assert tool("import", *reach, str(old)) == "ORDERS: 2 messages\nQa: 0 messages\n"
    assert "ORDERS: exists" in tool("import", *reach, str(old))
    with client_of(service) as client:
        assert client.count("ORDERS") == 2
        assert client.browse("ORDERS") == b"two\napples"
        assert ";type=remote;ip=192.0.2.1;port=9803;" in client.display("Qa")
    new = tmp_path / "new"
    tool("export", *reach, str(new), "ORDERS", "Qa")
    assert (new / "queues.data").read_bytes().splitlines() == records
    assert b"00010two\napples\n" in (new / "ORDERS").read_bytes()
