"""Recorded connections: ``mqbridge record`` and ``[record]``, with real sockets and processes."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mqbridge
from mqbridge.captures import CapturedSegment, CloseReason, FlowClosed, read_flows, read_segments
from mqbridge.protocol.constants import SegmentType
from support.captures.recording_proxy import LIMIT, Proxy
from support.processes.ports import free_port
from support.processes.running_service import RunningService, wait_for

PCAP_HEADER = 24


@pytest.fixture
def make_proxy(tmp_path: Path) -> Iterator[Callable[..., Proxy]]:
    made: list[Proxy] = []

    def make(target: str | int, *options: str, **more: str) -> Proxy:
        made.append(Proxy(tmp_path, f"127.0.0.1:{target}" if isinstance(target, int) else target, *options, **more))
        return made[-1]

    yield make
    for proxy in made:
        proxy.close()


def put_and_get(port: int, text: str = "hello") -> None:
    with mqbridge.connect(f"mq://127.0.0.1:{port}/EARTH?channel=DEV.APP.SVRCONN") as manager:
        manager.put("DEV.QUEUE.1", text)
        found = manager.get("DEV.QUEUE.1", wait=LIMIT)
        assert found is not None
        assert found.text == text


def segments(path: Path) -> list[CapturedSegment]:
    read = read_segments(path)
    found = list(read)
    assert read.flows.error is None
    assert all(isinstance(each, CapturedSegment) for each in found)
    return [each for each in found if isinstance(each, CapturedSegment)]


def reasons(path: Path) -> list[CloseReason]:
    """What the connections of a recording ended by."""
    return [event.reason for event in read_flows(path) if isinstance(event, FlowClosed)]


def test_a_client_through_the_proxy_is_recorded_whole(
    service: RunningService, make_proxy: Callable[..., Proxy]
) -> None:
    proxy = make_proxy(service.port)
    put_and_get(proxy.port)
    # The client goes first; the end of its connection comes through afterwards.
    wait_for("the end", lambda: reasons(proxy.output) == [CloseReason.ENDED], LIMIT)
    assert proxy.stop() == 0
    types = [each.segment.type for each in segments(proxy.output)]
    assert types[0] == SegmentType.INITIAL_DATA
    assert {SegmentType.MQCONN, SegmentType.MQCONN_REPLY, SegmentType.MQDISC, SegmentType.MQDISC_REPLY} <= set(types)
    assert reasons(proxy.output) == [CloseReason.ENDED]


def test_large_messages_pass_whole_in_both_directions(
    service: RunningService, make_proxy: Callable[..., Proxy]
) -> None:
    proxy = make_proxy(service.port)
    put_and_get(proxy.port, "x" * 3_000_000)
    assert proxy.stop(signal.SIGTERM) == 0
    assert sum(each.segment.length for each in segments(proxy.output)) > 6_000_000


def test_what_passes_is_on_disk_within_seconds_while_the_proxy_runs(
    service: RunningService, make_proxy: Callable[..., Proxy]
) -> None:
    proxy = make_proxy(service.port)
    put_and_get(proxy.port)
    # Whoever looks while it is written may see half of a packet at its end.
    wait_for("the recording", lambda: len(list(read_segments(proxy.output))) > 8, LIMIT)
    assert proxy.process.poll() is None


def test_a_half_close_and_a_reset_pass_as_they_are(make_proxy: Callable[..., Proxy]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        proxy = make_proxy(server.getsockname()[1])
        with socket.create_connection(("127.0.0.1", proxy.port), LIMIT) as near:
            near.sendall(b"question")
            near.shutdown(socket.SHUT_WR)
            far, _ = server.accept()
            far.settimeout(LIMIT)
            assert b"".join(iter(lambda: far.recv(100), b"")) == b"question"
            far.sendall(b"answer")
            far.close()
            assert b"".join(iter(lambda: near.recv(100), b"")) == b"answer"
        with socket.create_connection(("127.0.0.1", proxy.port), LIMIT) as near:
            far, _ = server.accept()
            near.sendall(b"x")
            assert far.recv(1) == b"x"
            far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            far.close()
            with pytest.raises(ConnectionResetError):
                near.recv(1)
        assert proxy.stop() == 0
    assert reasons(proxy.output) == [CloseReason.ENDED, CloseReason.RESET]


def fill(near: socket.socket) -> int:
    """Send until nothing is taken any more; how many bytes were."""
    sent = 0
    try:
        while sent < 1 << 30:
            sent += near.send(bytes(1 << 20))
    except TimeoutError:
        pass
    return sent


def test_an_end_that_does_not_read_makes_the_other_wait(make_proxy: Callable[..., Proxy]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        proxy = make_proxy(server.getsockname()[1])
        with socket.create_connection(("127.0.0.1", proxy.port), LIMIT) as near:
            far, _ = server.accept()
            near.settimeout(1.0)
            sent = fill(near)
            got = 0
            far.settimeout(LIMIT)
            near.settimeout(LIMIT)
            ender = threading.Thread(target=near.shutdown, args=(socket.SHUT_WR,))
            ender.start()
            while data := far.recv(1 << 20):
                got += len(data)
            ender.join()
            far.close()
        assert got == sent
        assert sent < 100 << 20
        assert proxy.stop() == 0


def test_a_queue_manager_that_is_not_there_cuts_the_caller_off(make_proxy: Callable[..., Proxy]) -> None:
    proxy = make_proxy(free_port())
    with pytest.raises(ConnectionResetError), socket.create_connection(("127.0.0.1", proxy.port), LIMIT) as near:
        near.recv(1)  # the reset may come while this end still connects
    assert proxy.stop() == 0
    assert "refused" in proxy.errors.read_text()


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ({"target": "nowhere:port"}, 2, "HOST:PORT"),
        ({"target": "localhost:0"}, 2, "HOST:PORT"),
        ({"listen": "tcp"}, 2, "no endpoint"),
        ({"listen": "tcp:99999999"}, 3, "cannot listen"),
    ],
)
def test_a_wrong_option_is_named(
    make_proxy: Callable[..., Proxy], options: dict[str, str], status: int, words: str
) -> None:
    proxy = make_proxy(**{"target": "localhost:1414", **options})
    proxy.process.communicate(timeout=LIMIT)
    assert proxy.process.returncode == status
    assert words in proxy.errors.read_text()


def test_a_port_in_use_and_an_output_that_cannot_be_written_end_the_start(
    make_proxy: Callable[..., Proxy], tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (tmp_path / "recorded.pcap").write_bytes(b"the recording of yesterday")
        proxy = make_proxy(1414, listen=f"tcp:{port}:interface=127.0.0.1")
        proxy.process.communicate(timeout=LIMIT)
        assert proxy.process.returncode == 3
        assert proxy.output.read_bytes() == b"the recording of yesterday"
        assert "Address already in use" in proxy.errors.read_text()
    proxy = make_proxy(1414, "--output", str(tmp_path / "none" / "a.pcap"))
    proxy.process.communicate(timeout=LIMIT)
    assert proxy.process.returncode == 3
    assert "No such file" in proxy.errors.read_text()


def test_a_name_that_ends_in_a_slash_is_a_folder_that_is_made(make_proxy: Callable[..., Proxy], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as far:
        proxy = make_proxy(far.getsockname()[1], "--output", f"{tmp_path}/new/")
        with socket.create_connection(("127.0.0.1", proxy.port)), far.accept()[0]:
            wait_for("the capture", lambda: (tmp_path / "new").is_dir() and any((tmp_path / "new").iterdir()), LIMIT)
        assert proxy.stop() == 0
    assert [path.suffix for path in (tmp_path / "new").iterdir()] == [".pcap"]


def test_a_queue_manager_records_what_its_configuration_says(
    make_service: Callable[..., RunningService], tmp_path: Path
) -> None:
    service = make_service(start=False)
    (service.folder / "queue-manager.toml").write_text(
        '[queue_manager]\nname = "EARTH"\n[record]\ndirectory = "captures"\nfile_size = "100 KiB"\n', encoding="utf-8"
    )
    service.options += ["--config", "queue-manager.toml"]
    service.recordings = None
    service.start()
    put_and_get(service.port)
    put_and_get(service.port, "x" * 300_000)
    put_and_get(service.port)
    assert service.stop() == 0
    files = sorted((service.folder / "captures").iterdir())
    assert len(files) >= 2
    assert {file.name.partition("-")[0] for file in files} == {"EARTH"}
    assert all(file.suffix == ".pcap" for file in files)
    # One after the other they are one capture: a connection that moved goes on with its sequence numbers.
    whole = tmp_path / "whole.pcap"
    whole.write_bytes(files[0].read_bytes() + b"".join(file.read_bytes()[PCAP_HEADER:] for file in files[1:]))
    found = segments(whole)
    assert sum(each.segment.type == SegmentType.MQCONN for each in found) == 3
    assert sum(each.segment.type == SegmentType.MQDISC_REPLY for each in found) == 3
