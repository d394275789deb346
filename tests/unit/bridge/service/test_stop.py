from __future__ import annotations

import json
import signal
import socket
import threading
from pathlib import Path

import pytest

from support.processes.running_service import STOP_LIMIT, MakeService, RunningService, UnixConnection, wait_for


@pytest.fixture
def service(make_service: MakeService) -> RunningService:
    """A queue manager that is started as users start it."""
    return make_service(fresh=True)


@pytest.fixture
def patient(make_service: MakeService, tmp_path: Path) -> RunningService:
    """A queue manager that would wait for who holds up its end, longer than `STOP_LIMIT`."""
    return make_service(options=stop_wait(tmp_path, 2 * STOP_LIMIT))


def stop_wait(folder: Path, seconds: float) -> tuple[str, ...]:
    file = folder / "qm.toml"
    file.write_text(f"[queue_manager]\nstop_wait = {seconds}\n", encoding="utf-8")
    return ("--config", str(file))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(service: RunningService, number: int) -> None:
    service.put("DEV.QUEUE.1", "kept", Persistence=1)
    service.signal(number)
    assert service.wait() == 0
    assert not (service.data / "running.json").exists()
    assert not service.ready_file.exists()
    assert "AMQ8004I: queue manager EARTH ended" in service.log
    service.start()
    assert service.depth("DEV.QUEUE.1") == 1


def test_sigkill_keeps_persistent_messages_and_only_those(service: RunningService) -> None:
    service.mqsc("DEFINE QLOCAL(MINE) MAXDEPTH(77)")
    for number in range(20):
        service.put("MINE", f"persistent {number}", Persistence=1)
        service.put("MINE", f"other {number}", Persistence=0)
    service.restart(kill=True)
    texts = [message["body"]["text"] for message in service.browse("MINE")]
    assert texts == [f"persistent {number}" for number in range(20)]
    assert service.attribute("DISPLAY QLOCAL(MINE) MAXDEPTH", "MAXDEPTH") == "77"


def test_a_store_in_memory_keeps_nothing(make_service: MakeService) -> None:
    service = make_service(options=("--store", "memory"))
    service.put("DEV.QUEUE.1", "gone", Persistence=1)
    service.restart()
    assert service.depth("DEV.QUEUE.1") == 0


def test_who_waits_for_a_message_is_told_that_it_ends(patient: RunningService) -> None:
    answers = []

    def wait() -> None:
        path = "/ibmmq/rest/v2/messaging/qmgr/{qmgr}/queue/DEV.QUEUE.1/message?wait=60000"
        answers.append(patient.http("DELETE", path))

    waiting = threading.Thread(target=wait)
    waiting.start()
    wait_for("waiter", lambda: patient.attribute("DISPLAY QSTATUS(DEV.QUEUE.1) IPPROCS", "IPPROCS") == "1")
    assert patient.stop() == 0
    waiting.join(STOP_LIMIT)
    assert answers[0].status == 503
    assert json.loads(answers[0].body)["error"][0]["reasonCode"] == 2161


def test_a_connection_that_says_nothing_does_not_hold_up_the_end(patient: RunningService) -> None:
    with socket.create_connection(("127.0.0.1", patient.port), 20) as silent:
        silent.send(b"TSH ")
        assert patient.stop() == 0


def _stalled(service: RunningService) -> UnixConnection:
    """A client that asks for much and reads nothing."""
    service.put("DEV.QUEUE.1", b"x" * (4 << 20))
    connection = UnixConnection(str(service.ready["admin"]).removeprefix("unix:"))
    path = f"/ibmmq/rest/v2/messaging/qmgr/{service.name}/queue/DEV.QUEUE.1/message"
    headers = {"Accept": "application/octet-stream", "ibm-mq-rest-csrf-token": ""}
    connection.request("DELETE", path, headers=headers)
    wait_for("answer under way", lambda: service.depth("DEV.QUEUE.1") == 0)
    return connection


def test_a_second_signal_forces_at_once(patient: RunningService) -> None:
    connection = _stalled(patient)
    patient.signal()
    wait_for("quiescing", lambda: "is ending" in patient.log)
    assert patient.process is not None
    assert patient.process.poll() is None
    patient.signal()
    assert patient.wait() == 0
    connection.close()


def test_after_stop_wait_it_forces(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service(options=stop_wait(tmp_path, 0.3))
    connection = _stalled(service)
    assert service.stop() == 0
    connection.close()
