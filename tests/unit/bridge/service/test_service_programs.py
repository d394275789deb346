"""SERVICE objects of a queue manager that runs programs: started, shown, stopped, and gone with it."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.processes.running_service import RunningService, wait_for

MakeService = Callable[..., RunningService]

SERVER = """
import os, signal, sys, time
sys.stdout.write(f"{os.getpid()} {sys.argv[1:]} {os.getcwd()}\\n")
sys.stdout.flush()
sys.stderr.write("to the errors\\n")
if "deaf" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    file = tmp_path / "server.py"
    file.write_text(SERVER, encoding="utf-8")
    return file


@pytest.fixture
def runs(make_service: MakeService, tmp_path: Path) -> Callable[..., RunningService]:
    def made(text: str = "[services]\nenabled = true\n") -> RunningService:
        file = tmp_path / "qm.toml"
        file.write_text(f"{text}\n[queue_manager]\nstop_wait = 1\n", encoding="utf-8")
        return make_service(options=("--config", str(file)))

    return made


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def defines(service: RunningService, name: str, server: Path, more: str = "", arguments: str = "") -> None:
    folder = server.parent
    service.mqsc(
        f"DEFINE SERVICE({name}) SERVTYPE(SERVER) STARTCMD('{sys.executable}') STARTARG('\"{server}\" {arguments}') "
        f"STDOUT('{folder}/{name}.out') STDERR('{folder}/{name}.err') {more}"
    )


def asks(service: RunningService, verb: str, qualifier: str, name: str, **more: Any) -> Any:
    """The one entry of the answer to a command."""
    document = {"type": "runCommandJSON", "command": verb, "qualifier": qualifier, "name": name, **more}
    headers = {"Content-Type": "application/json"}
    path = "/ibmmq/rest/v2/admin/action/qmgr/{qmgr}/mqsc"
    (entry,) = service.http("POST", path, json.dumps(document).encode(), headers).document["commandResponse"]
    return entry


def status(service: RunningService, name: str) -> Any:
    entry = asks(service, "display", "svstatus", name, responseParameters=["all"])
    return entry.get("parameters", {"reason": entry["reasonCode"]})


def said(server: Path, name: str) -> str:
    out = server.parent / f"{name}.out"
    wait_for("the program speaks", lambda: out.exists() and "ready" in out.read_text(encoding="utf-8"))
    return out.read_text(encoding="utf-8")


def test_a_server_is_started_shown_and_stopped(runs: Callable[..., RunningService], server: Path) -> None:
    service = runs()
    defines(
        service, "S", server, "STOPCMD('/bin/kill') STOPARG('+MQ_SERVER_PID+')", "one ''two words'' +QMNAME+ +NONE+"
    )
    assert status(service, "S") == {"reason": 3252}
    assert service.mqsc("START SERVICE(S)") == ["AMQ8733I: start of service accepted."]
    shown = status(service, "S")
    pid = shown["pid"]
    assert isinstance(pid, int)
    assert (shown["status"], shown["servtype"], shown["control"]) == ("RUNNING", "SERVER", "MANUAL")
    assert str(shown["startda"]).startswith("20")
    first = said(server, "S").splitlines()[0]
    assert first == f"{pid} ['one', 'two words', '{service.name}', '+NONE+'] {service.data}"
    assert (server.parent / "S.err").read_text(encoding="utf-8") == "to the errors\n"
    assert "SERVICE_RUNNING" not in service.log
    assert service.command("mqsc", "-e", "START SERVICE(S)").exit_code == 10
    assert service.command("mqsc", "-e", "DELETE SERVICE(S)").exit_code == 10
    service.mqsc("STOP SERVICE(S)")
    wait_for("it has ended", lambda: status(service, "S")["status"] == "STOPPED")
    assert not is_there(pid)
    assert status(service, "S")["pid"] == 0
    assert service.command("mqsc", "-e", "STOP SERVICE(S)").exit_code == 10
    assert f"AMQ5028I: server of service S has started, process {pid}" in service.log
    assert f"AMQ5029I: server of service S has ended, process {pid}, status -15" in service.log
    service.mqsc("START SERVICE(S)")
    assert status(service, "S")["status"] == "RUNNING"


def test_services_start_and_end_with_the_queue_manager(runs: Callable[..., RunningService], server: Path) -> None:
    service = runs()
    defines(service, "WITH", server, "CONTROL(QMGR)")
    defines(service, "DEAF", server, "CONTROL(QMGR)", "deaf")
    defines(service, "STAYS", server, "CONTROL(STARTONLY)")
    defines(service, "BY.HAND", server)
    defines(service, "WRONG", server, "CONTROL(QMGR)")
    service.mqsc("ALTER SERVICE(WRONG) STARTCMD('/no/such/program')")
    service.restart()
    pids = {name: int(said(server, name).split()[0]) for name in ("WITH", "DEAF", "STAYS")}
    assert all(map(is_there, pids.values()))
    assert status(service, "BY.HAND") == {"reason": 3252}
    assert "AMQ5032W: service WRONG could not be started: service WRONG: /no/such/program: No such file" in service.log
    try:
        service.stop()
        assert not is_there(pids["WITH"])
        assert not is_there(pids["DEAF"])
        assert is_there(pids["STAYS"])
    finally:
        os.kill(pids["STAYS"], signal.SIGKILL)


def test_commands_run_beside_each_other_and_have_no_status(runs: Callable[..., RunningService], tmp_path: Path) -> None:
    service = runs()
    marks = tmp_path / "marks"
    service.mqsc(f"DEFINE SERVICE(C) SERVTYPE(COMMAND) STARTCMD('/bin/echo') STARTARG('mark') STDOUT('{marks}')")
    service.mqsc("START SERVICE(C)", "START SERVICE(C)")
    wait_for("both have spoken", lambda: marks.exists() and marks.read_text(encoding="utf-8") == "mark\nmark\n")
    assert status(service, "C") == {"reason": 3252}


@pytest.mark.parametrize(
    ("attributes", "reason", "text"),
    [
        ("STARTCMD('sleep')", 3176, "not an absolute path"),
        ("STARTCMD('/no/such/program')", 3176, "No such file or directory"),
        ("STARTCMD('/etc/passwd')", 3177, "Permission denied"),
        ("STARTCMD('/bin/echo') STARTARG('\"open')", 3176, "No closing quotation"),
        ("STARTCMD('/bin/echo') STDOUT('/no/such/folder/file')", 3176, "No such file or directory"),
    ],
    ids=["relative", "missing", "not executable", "quotes", "output"],
)
def test_a_program_that_cannot_be_run(
    runs: Callable[..., RunningService], attributes: str, reason: int, text: str
) -> None:
    service = runs()
    service.mqsc(f"DEFINE SERVICE(S) SERVTYPE(SERVER) {attributes}")
    entry = asks(service, "start", "service", "S")
    assert entry["reasonCode"] == reason
    assert text in entry["message"][0]
    assert status(service, "S") == {"reason": 3252}


def test_nothing_is_run_unless_the_configuration_says_so(runs: Callable[..., RunningService], server: Path) -> None:
    service = runs("")
    defines(service, "S", server, "CONTROL(QMGR)")
    result = service.command("mqsc", "-e", "START SERVICE(S)")
    assert (result.exit_code, "[services] enabled is false" in result.stdout) == (10, True)
    service.restart()
    assert "AMQ5032W: service S could not be started: [services] enabled is false" in service.log
    assert not (server.parent / "S.out").exists()
