from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from support.processes.running_service import MakeService, RunningService, wait_for
from support.processes.web_door import with_users


def refused(service: RunningService) -> tuple[int, str]:
    """Start a queue manager that cannot start; its status and its last line."""
    service.launch()
    status = service.wait()
    return status, service.log.strip().splitlines()[-1]


def write_configuration(folder: Path, text: str) -> tuple[str, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "qm.toml"
    file.write_text(text, encoding="utf-8")
    return ("--config", str(file))


def test_it_says_where_it_is_and_what_to_type_next(make_service: MakeService) -> None:
    service = make_service(fresh=True)
    ready = service.ready
    assert ready == json.loads((service.data / "running.json").read_text(encoding="utf-8"))
    assert ready["pid"] == service.pid
    assert ready["queue_manager"] == "EARTH"
    assert [each["host"] for each in ready["listeners"]] == ["127.0.0.1"]
    assert ready["admin"] == f"unix:{service.data / 'admin.sock'}"
    assert (service.data / "admin.sock").stat().st_mode & 0o777 == 0o600
    socket.create_connection(("127.0.0.1", service.port), 5).close()
    output = wait_for("hints", lambda: "mqsc" in service.output and service.output)
    assert f"listening on 127.0.0.1:{service.port}\n" in output
    assert "queue manager EARTH is running" in output
    assert "export MQBRIDGE_DATA=data\n" in output
    assert "put DEV.QUEUE.1" in output


def test_it_runs_without_a_listener_and_logs_json(make_service: MakeService, tmp_path: Path) -> None:
    options = write_configuration(tmp_path, 'listener = []\n[log]\nformat = "json"\n')
    service = make_service(listen=None, options=options)
    assert service.ready["listeners"] == []
    service.put("DEV.QUEUE.1", "hello")
    service.stop()
    lines = [json.loads(line) for line in service.log.splitlines()]
    assert [line["id"] for line in lines][-3:] == ["AMQ8146I", "AMQ5025I", "AMQ8004I"]
    assert lines[-1]["inserts"] == ["EARTH"]


@pytest.mark.parametrize("endpoint", ["nonsense:1414", "tcp:65536", "tcp:port"])
def test_an_endpoint_that_is_none_is_a_configuration_error(make_service: MakeService, endpoint: str) -> None:
    status, line = refused(make_service(start=False, listen=endpoint))
    assert status == 2
    assert line.startswith(f"mqbridge: '{endpoint}")
    assert "is no endpoint" in line


def test_a_new_folder_gets_the_supplied_objects_and_deleted_ones_stay_deleted(service: RunningService) -> None:
    shown = " ".join(service.mqsc("DISPLAY QLOCAL(DEV.*)", "DISPLAY CHANNEL(DEV.APP.SVRCONN)", "DISPLAY QUEUE(SYS*)"))
    for name in ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE", "SYSTEM.DEFAULT.LOCAL.QUEUE"):
        assert f"QUEUE({name})" in shown
    service.mqsc("DELETE QLOCAL(DEV.QUEUE.2)", "DEFINE QLOCAL(MINE)")
    service.restart()
    shown = " ".join(service.mqsc("DISPLAY QLOCAL(*)"))
    assert "DEV.QUEUE.2" not in shown
    assert "QUEUE(MINE)" in shown


def test_a_second_process_on_the_folder_is_refused_with_the_first_one_s_pid(service: RunningService) -> None:
    second = RunningService(service.folder, "EARTH")
    status, line = refused(second)
    assert status == 3
    assert f"locked: process {service.pid} uses it" in line
    assert service.depth("DEV.QUEUE.1") == 0


def test_a_port_in_use_ends_the_start(service: RunningService, make_service: MakeService) -> None:
    other = make_service("SATURN", start=False, listen=f"tcp:{service.port}:interface=127.0.0.1")
    status, line = refused(other)
    assert status == 3
    assert f"cannot listen on tcp:{service.port}:interface=127.0.0.1: Address already in use" in line
    assert "--listen" in line
    assert not (other.data / "running.json").exists()


def test_listeners_of_other_addresses(service: RunningService) -> None:
    service.mqsc("DEFINE LISTENER(SIX) TRPTYPE(TCP) IPADDR('::1') PORT(0)")
    result = service.command("mqsc", "-e", "START LISTENER(SIX)")
    assert result.stdout.startswith(("AMQ8021I", "AMQ9218E: listener SIX cannot listen on ::1, port 0: "))
    service.mqsc(f"DEFINE LISTENER(TAKEN) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({service.port})")
    result = service.command("mqsc", "-e", "START LISTENER(TAKEN)")
    assert result.exit_code == 10
    where = f"127.0.0.1, port {service.port}"
    assert result.stdout == f"AMQ9218E: listener TAKEN cannot listen on {where}: Address already in use.\n"
    assert "AMQ6183" not in service.log


def test_an_address_that_the_machine_does_not_have_is_not_said_to_be_in_use(make_service: MakeService) -> None:
    status, line = refused(make_service(start=False, listen="tcp:0:interface=192.0.2.1"))
    assert status == 3
    assert "Cannot assign requested address; listen elsewhere" in line


def test_more_address_space_than_there_is_is_no_damage(make_service: MakeService, tmp_path: Path) -> None:
    options = write_configuration(tmp_path, '[store]\nmap_size = "900000 TiB"\n')
    status, line = refused(make_service(start=False, options=options))
    assert status == 3
    assert "map_size must be smaller" in line
    assert "damaged" not in line


def test_a_fault_of_the_configuration_has_file_line_and_nearest_key(make_service: MakeService, tmp_path: Path) -> None:
    options = write_configuration(tmp_path, '[queue_manager]\nname = "EARTH"\nstop_wiat = 5\n')
    service = make_service(start=False, options=options)
    status, line = refused(service)
    assert status == 2
    assert "qm.toml, line 3: unknown key 'stop_wiat'" in line
    assert "'stop_wait'" in line


def test_a_socket_path_that_is_too_long_moves_to_a_temporary_folder(tmp_path: Path) -> None:
    service = RunningService(tmp_path / ("long" * 30)).start()
    try:
        place = Path(str(service.ready["admin"]).removeprefix("unix:"))
        assert len(str(place)) < 100
        assert place.is_socket()
        service.put("DEV.QUEUE.1", "hello")
        assert service.command("get", "DEV.QUEUE.1").stdout == "hello\n"
        service.kill()
        service.start()  # finds what the killed one left
        assert Path(str(service.ready["admin"]).removeprefix("unix:")) == place
        assert service.stop() == 0
        assert not place.parent.exists()
        place.parent.mkdir(mode=0o755)
        place.parent.chmod(0o755)
        status, line = refused(service)
        place.parent.rmdir()
        assert status == 3
        assert "belongs to somebody else" in line
    finally:
        service.close()


def test_the_admin_endpoint_may_be_a_port(make_service: MakeService, tmp_path: Path) -> None:
    options = write_configuration(tmp_path, '[admin]\nendpoint = "tcp:0:interface=127.0.0.1"\n')
    service = with_users(make_service(options=options, start=False)).start()
    assert service.ready["admin"].startswith("http://127.0.0.1:")
    assert f"AMQ5041W: REST endpoint {service.ready['admin']} is not encrypted" in service.log
    url = service.ready["admin"].replace("//", "//anne:secret of anne@")
    assert service.command("put", "--url", url, "DEV.QUEUE.1", "hello").exit_code == 0
    assert service.command("get", "--url", url, "DEV.QUEUE.1").stdout == "hello\n"
    refused = service.command("get", "--url", service.ready["admin"], "DEV.QUEUE.1")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "not authenticated" in refused.stderr


@pytest.mark.parametrize("table", ["admin", "web"])
def test_a_port_for_users_of_other_machines_is_not_served_without_tls(
    make_service: MakeService, tmp_path: Path, table: str
) -> None:
    plain = "plain = true\n" if table == "web" else ""
    options = write_configuration(tmp_path, f'[{table}]\nendpoint = "tcp:0"\n{plain}')
    service = make_service(options=options, start=False)
    assert service.launch().wait(60) == 2
    assert "passwords would pass in clear; use TLS ([web]), or listen on 127.0.0.1" in service.log


def test_listeners_with_control_qmgr_open_at_the_start_and_one_that_cannot_is_told(service: RunningService) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        service.mqsc(
            "DEFINE LISTENER(FREE) TRPTYPE(TCP) PORT(0) IPADDR('127.0.0.1') CONTROL(QMGR)",
            f"DEFINE LISTENER(TAKEN) TRPTYPE(TCP) PORT({taken.getsockname()[1]}) IPADDR('127.0.0.1') CONTROL(QMGR)",
            "DEFINE LISTENER(MANUAL) TRPTYPE(TCP) PORT(0) IPADDR('127.0.0.1') CONTROL(MANUAL)",
        )
        service.restart()
    shown = " ".join(service.mqsc("DISPLAY LSSTATUS(*)"))
    assert "LISTENER(FREE)" in shown
    assert "LISTENER(TAKEN)" not in shown
    assert "LISTENER(MANUAL)" not in shown
    assert "AMQ9218E: listener could not be started: TAKEN" in service.log


@pytest.mark.spec("channels.md 17.4")
def test_the_command_server_starts_as_the_queue_manager_says_and_events_tell_of_start_and_end(
    service: RunningService,
) -> None:
    events = "SYSTEM.ADMIN.QMGR.EVENT"
    assert service.attribute("DISPLAY QMSTATUS CMDSERV", "CMDSERV") == "RUNNING"
    assert service.depth(events) == 1
    service.mqsc("ALTER QMGR SCMDSERV(MANUAL)", f"ALTER QLOCAL({events}) DEFPSIST(YES)")
    service.restart()
    assert service.attribute("DISPLAY QMSTATUS CMDSERV", "CMDSERV") == "STOPPED"
    assert service.depth(events) == 2
    service.mqsc("START CMDSERV")
    assert service.attribute("DISPLAY QMSTATUS CMDSERV", "CMDSERV") == "RUNNING"
