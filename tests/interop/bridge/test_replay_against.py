"""``mqbridge replay --against``: sessions recorded at one queue manager process, played to another, over sockets."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mqbridge
from mqbridge.bridge.cli import cli
from support.captures.files import JMS_CAPTURE
from support.captures.recording_proxy import Proxy
from support.processes.ports import free_port
from support.processes.running_service import RunningService, wait_for

OBJECTS = """
DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN) MCAUSER('app') SHARECNV({conversations})
DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('app')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)
DEFINE QLOCAL(Q)
DEFINE QLOCAL(TARGET)
DEFINE QLOCAL(UNIFORM.QUEUE)
ALTER QMGR CCSID(819) DEADQ(DEV.DEAD.LETTER.QUEUE)
DEFINE CHANNEL(EARTH.SATURN) CHLTYPE(RCVR) MCAUSER('app')
"""
SENDER = """
DEFINE QLOCAL(SATURN) USAGE(XMITQ)
DEFINE CHANNEL(EARTH.SATURN) CHLTYPE(SDR) XMITQ(SATURN) CONNAME('127.0.0.1({port})') BATCHSZ(5)
DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME(SATURN)
"""
SERVER = """
DEFINE QLOCAL(EARTH) USAGE(XMITQ)
DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(SVR) XMITQ(EARTH) BATCHSZ(5) DISCINT(1)
DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME(EARTH)
"""
REQUESTER = """
DEFINE QLOCAL(TARGET)
DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(RQSTR) CONNAME('127.0.0.1({port})') MCAUSER('app')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)
"""
MESSAGES = 12
LARGE = 100_000


def queue_manager(folder: Path, name: str, *, conversations: int = 10) -> RunningService:
    script = OBJECTS.format(conversations=conversations)
    return RunningService(folder / name, name, mqsc=script, options=("--store", "memory"))


def program(port: int) -> None:
    """Calls of many kinds, as a program makes them."""
    with mqbridge.connect(f"mq://127.0.0.1:{port}/?channel=OPEN", application="recorded") as manager:
        with manager.queue("Q") as queue:
            for number in range(5):
                queue.put(f"message {number}", persistent=bool(number % 2))
            queue.put("x" * 2000)
            assert len(list(manager.browse("Q"))) == 6
            assert [len(queue.get().data) for _ in range(6)] == [9] * 5 + [2000]
            assert queue.get(wait=0.1) is None
        with manager.transaction():
            manager.put("Q", bytes(range(256)) * 500)
        assert manager.get("Q") is not None
        with pytest.raises(mqbridge.MQError):
            manager.put("NO.SUCH.QUEUE", "never")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The recordings ``shared`` and ``single`` (a program's sessions) and ``sender``; each is made once."""
    folder = tmp_path_factory.mktemp("recorded")
    found: dict[str, Path] = {}

    def recorded(name: str, work: Callable[[int, RunningService], None], **options: Any) -> Path:
        place = folder / name
        service = queue_manager(place, "SATURN", **options).start()
        proxy = Proxy(place, f"127.0.0.1:{service.port}")
        try:
            work(proxy.port, service)
            assert proxy.stop() == 0
        finally:
            proxy.close()
            service.close()
        return proxy.output

    def channel(port: int, receiver: RunningService) -> None:
        sender = RunningService(
            folder / "EARTH", "EARTH", mqsc=SENDER.format(port=port), options=("--store", "memory")
        ).start()
        try:
            for number in range(MESSAGES):
                sender.put("FAR", f"message {number}", Persistence=number % 2)
            sender.put("FAR", "x" * LARGE, Persistence=1)
            sender.mqsc("START CHANNEL(EARTH.SATURN)")
            wait_for("all messages", lambda: receiver.depth("TARGET") == MESSAGES + 1)
            sender.mqsc("STOP CHANNEL(EARTH.SATURN)")
        finally:
            assert sender.stop() == 0

    def recording(name: str) -> Path:
        if name not in found:
            if name == "sender":
                found[name] = recorded(name, channel)
            else:
                conversations = 10 if name == "shared" else 0
                found[name] = recorded(name, lambda port, _: program(port), conversations=conversations)
        return found[name]

    return recording


@pytest.fixture(scope="module")
def mars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A queue manager that has seen none of it."""
    service = queue_manager(tmp_path_factory.mktemp("mars"), "MARS")
    yield service.start()
    service.close()


def replay(path: Path, port: int, *options: str, text: bool = False) -> tuple[Result, Any]:
    arguments = ["replay", str(path), "--against", f"127.0.0.1:{port}", *([] if text else ["--json"]), *options]
    result = CliRunner().invoke(cli, arguments, prog_name="mqbridge", catch_exceptions=False)
    return result, result.stdout if text else json.loads(result.stdout)


@pytest.mark.spec("mq-wire.md 5.4", "mq-wire.md 8.1")
def test_a_recorded_program_gets_the_same_answers(recordings: Callable[[str], Path], mars: RunningService) -> None:
    result, report = replay(recordings("shared"), mars.port)
    assert (result.exit_code, report["different"], report["version"]) == (0, [], 1)
    assert report["equal"] > 1000
    assert {"id", "put time", "queue manager"} <= report["masks"].keys()
    assert report["allowed"] == sum(report["masks"].values()) < report["equal"] / 10
    assert [flow["notes"] for flow in report["flows"]] == [[]]
    assert mars.depth("Q") == 0


def test_conversations_that_do_not_share_are_played_too(recordings: Callable[[str], Path], tmp_path: Path) -> None:
    service = queue_manager(tmp_path, "MARS", conversations=0).start()
    try:
        result, report = replay(recordings("single"), service.port)
        assert (result.exit_code, report["different"]) == (0, [])
        mismatched, report = replay(recordings("shared"), service.port, "--wait", "1")
        assert mismatched.exit_code == 1
        assert "SHARECNV" in report["flows"][0]["notes"][-1]
    finally:
        service.close()


def test_a_changed_queue_manager_is_seen(recordings: Callable[[str], Path], tmp_path: Path) -> None:
    service = queue_manager(tmp_path, "MARS").start()
    try:
        service.mqsc("ALTER QLOCAL(Q) MAXMSGL(200000)", "ALTER CHANNEL(OPEN) CHLTYPE(SVRCONN) MAXMSGL(1000000)")
        result, report = replay(recordings("single"), service.port, "--wait", "1")
        assert "conversations" not in result.stdout
        result, report = replay(recordings("shared"), service.port)
        assert (result.exit_code, report["different"]) == (0, [])
        assert report["masks"]["negotiated"] >= 1
        service.mqsc("DELETE QLOCAL(Q)")
        result, report = replay(recordings("shared"), service.port, "--wait", "1")
        assert result.exit_code == 1
        reasons = [row for row in report["different"] if (row["structure"], row["field"]) == ("API", "Reason")]
        assert (reasons[0]["recorded"], reasons[0]["seen"]) == (0, 2085)
        assert {row["seen"] for row in reasons} <= {2085, 2019}
        assert reasons[0].keys() >= {"flow", "segment", "structure", "field", "recorded", "seen"}
        text = replay(recordings("shared"), service.port, "--wait", "1", text=True)[1]
        assert "API.Reason" in text
        assert "2085" in text
    finally:
        service.close()


@pytest.mark.spec("channels.md 5.3")
def test_a_recorded_sender_is_played_with_the_numbers_that_are_expected(
    recordings: Callable[[str], Path], mars: RunningService
) -> None:
    capture = recordings("sender")
    result, report = replay(capture, mars.port)
    assert (result.exit_code, report["different"]) == (0, [])
    assert mars.depth("TARGET") == MESSAGES + 1
    result, report = replay(capture, mars.port)
    assert result.exit_code == 1
    expected = MESSAGES + 2
    assert f"refuses message sequence number 1, it expects {expected}" in report["flows"][0]["notes"][0]
    assert mars.depth("TARGET") == MESSAGES + 1
    result, report = replay(capture, mars.port, "--sequence", str(expected))
    assert (result.exit_code, report["different"]) == (0, [])
    assert mars.depth("TARGET") == 2 * (MESSAGES + 1)
    data = [message["body"].get("text", "") for message in mars.browse("TARGET")]
    assert data[: MESSAGES + 1] == data[MESSAGES + 1 :]


def test_a_recorded_requester_asks_another_server_channel(tmp_path: Path) -> None:
    def serves(name: str) -> RunningService:
        service = RunningService(tmp_path / name, name, mqsc=SERVER, options=("--store", "memory")).start()
        for number in range(MESSAGES):
            service.put("FAR", f"message {number}", Persistence=number % 2)
        return service

    saturn = serves("SATURN")
    (tmp_path / "proxy").mkdir()
    proxy = Proxy(tmp_path / "proxy", f"127.0.0.1:{saturn.port}")
    earth = RunningService(
        tmp_path / "EARTH", "EARTH", mqsc=REQUESTER.format(port=proxy.port), options=("--store", "memory")
    ).start()
    mars = serves("MARS")
    try:
        earth.mqsc("START CHANNEL(SATURN.EARTH)")
        wait_for("all messages", lambda: earth.depth("TARGET") == MESSAGES)
        wait_for("the end", lambda: "AMQ9545" in saturn.log)
        assert proxy.stop() == 0
        result, report = replay(proxy.output, mars.port)
        assert (result.exit_code, report["different"]) == (0, [])
        assert {"batch", "id", "put time"} <= report["masks"].keys()
        assert mars.depth("EARTH") == 0  # confirmed, with its own LUWIDs
    finally:
        proxy.close()
        for service in (earth, saturn, mars):
            service.close()


def test_the_captured_session_of_2025(mars: RunningService) -> None:
    result, report = replay(JMS_CAPTURE, mars.port, "--flow", "10", "--flow", "11", "--flow", "12", "--flow", "13")
    assert (result.exit_code, report["different"]) == (0, [])
    assert report["equal"] > 6000
    assert [flow["flow"] for flow in report["flows"]] == [10, 11, 12, 13]
    assert mars.depth("UNIFORM.QUEUE") == 16
    result, text = replay(JMS_CAPTURE, mars.port, text=True)
    assert result.exit_code == 1  # nine were refused there
    assert text.count("2035") == 9


def test_a_user_signs_on_in_place_of_the_recorded_one(tmp_path: Path) -> None:
    service = queue_manager(tmp_path, "MARS").start()
    try:
        added = CliRunner().invoke(
            cli, ["user", "add", "app", "--data", str(service.data)], input="open sesame\n", catch_exceptions=False
        )
        assert added.exit_code == 0, added.output
        service.mqsc(
            "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) FAILDLAY(0)",
            "ALTER QMGR CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)",
            "REFRESH SECURITY TYPE(CONNAUTH)",
        )
        result, report = replay(JMS_CAPTURE, service.port, "--flow", "13")
        assert result.exit_code == 1
        assert "the password is masked" in report["flows"][0]["notes"][0]
        password = tmp_path / "password"
        password.write_text("open sesame\n", encoding="utf-8")
        options = ["--user", "app", "--password-file", str(password), "--flow", "13"]
        result, report = replay(JMS_CAPTURE, service.port, *options)
        assert (result.exit_code, report["different"]) == (0, []), report
        assert "open sesame" not in result.stdout
    finally:
        service.close()


# Endpoints that are none


def one_connection(serve: Callable[[socket.socket], None]) -> tuple[int, threading.Thread]:
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        with listener:
            connection, _ = listener.accept()
            with connection:
                serve(connection)

    thread = threading.Thread(target=run)
    thread.start()
    return int(listener.getsockname()[1]), thread


def test_a_closed_port_is_said() -> None:
    port = free_port()
    result, _ = replay(JMS_CAPTURE, port, text=True)
    assert result.exit_code == 20
    assert result.stderr == f"mqbridge: 127.0.0.1:{port}: no connection: [Errno 111] Connection refused\n"


def test_an_endpoint_that_goes_away_is_said_where_it_did() -> None:
    port, thread = one_connection(lambda connection: connection.recv(1) and None)
    result, report = replay(JMS_CAPTURE, port, "--flow", "1", "--flow", "2")
    thread.join()
    assert result.exit_code == 1
    first, second = (flow["notes"][-1] for flow in report["flows"])
    assert first.startswith("the endpoint ended the connection before segment")
    assert "Connection re" in second  # refused, or reset before anybody took it


def test_a_peer_that_hangs_is_given_up_in_time() -> None:
    gone = threading.Event()
    port, thread = one_connection(lambda _: gone.wait(100) and None)
    began = time.monotonic()
    result, report = replay(JMS_CAPTURE, port, "--flow", "13", "--wait", "0.3")
    took = time.monotonic() - began
    gone.set()
    thread.join()
    assert result.exit_code == 1
    assert took < 60
    assert report["flows"][0]["notes"][-2:] == ["no answer within 0.3 seconds, in front of segment 5", "given up"]


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"], ids=["nothing", "something else"])
def test_a_peer_that_is_no_queue_manager(said: bytes) -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(said)

    port, thread = one_connection(serve)
    result, report = replay(JMS_CAPTURE, port, "--flow", "13")
    thread.join()
    assert result.exit_code == 1
    note = report["flows"][0]["notes"][-1]
    assert ("no segments" if said else "ended the connection") in note


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--user", "joe"], "--user goes with --against"),
        (["--against", "a b"], "is not of the form HOST:PORT"),
        (["--against", "h:1", "--password-file", "-"], "--password-file goes with --user"),
        (["--against", "h:1", "--fail-on", "warning"], "--against judges nothing"),
    ],
)
def test_wrong_usage(options: list[str], text: str) -> None:
    result = CliRunner().invoke(cli, ["replay", str(JMS_CAPTURE), *options], prog_name="mqbridge", input="")
    assert result.exit_code == 2
    assert text in result.stderr


def test_a_file_that_is_no_capture(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("no capture at all", encoding="utf-8")
    result, _ = replay(path, 1, text=True)
    assert result.exit_code == 2
    assert "neither pcap nor pcapng" in result.stderr
