"""A listener that other machines can reach needs users; on the loopback interface nobody is asked."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from mqbridge.bridge.security.users_file import UsersFile
from support.processes.running_service import MakeService, RunningService
from support.queue_manager.security_records import people

EVERYWHERE = "tcp:0:interface=0.0.0.0"
NOBODY_IS_ASKED = "ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(NONE)"


def refused(service: RunningService) -> str:
    service.launch()
    assert service.wait() == 2
    return service.log


def with_users(service: RunningService) -> RunningService:
    UsersFile(service.data / "users").change(lambda _: people(app="secret"))
    return service


def test_without_users_the_command_to_type_is_told_and_helps(make_service: MakeService) -> None:
    service = make_service(start=False, listen=EVERYWHERE)
    log = refused(service)
    assert "other machines can reach the listener on 0.0.0.0" in log
    assert service.output == ""
    (line,) = [line.strip() for line in log.splitlines() if " user add " in line]
    words = shlex.split(line)
    assert words[-5:] == ["user", "add", "app", "--data", "data"]
    with_users(service)
    service.process = None
    service.start()
    assert service.ready["listeners"][0]["host"] == "0.0.0.0"


def test_the_line_that_asks_nobody_helps_too(make_service: MakeService) -> None:
    service = make_service(start=False, listen=EVERYWHERE)
    assert NOBODY_IS_ASKED in refused(service)
    assert make_service(listen=EVERYWHERE, mqsc=NOBODY_IS_ASKED).ready["listeners"]


@pytest.mark.parametrize("listen", ["tcp:0:interface=127.0.0.1", "tcp:0:interface=127.0.0.2", "unix:door"])
def test_on_the_loopback_interface_no_users_are_needed(make_service: MakeService, listen: str) -> None:
    assert make_service(listen=listen).ready["listeners"]


def test_a_defined_listener_counts_as_well(make_service: MakeService) -> None:
    define = "DEFINE LISTENER(WIDE) TRPTYPE(TCP) PORT(0) CONTROL(QMGR)"
    assert "all addresses" in refused(make_service(start=False, mqsc=define))
    assert len(with_users(make_service(start=False, mqsc=define, name="MARS")).start().ready["listeners"]) == 2


def test_start_listener_is_refused_until_there_is_a_user(service: RunningService) -> None:
    service.mqsc("DEFINE LISTENER(WIDE) TRPTYPE(TCP) PORT(0)")
    result = service.command("mqsc", "-e", "START LISTENER(WIDE)")
    assert result.exit_code == 10
    assert "there is no user" in result.stdout
    with_users(service)
    service.mqsc("START LISTENER(WIDE)")


def test_a_damaged_file_of_users_ends_the_start(make_service: MakeService) -> None:
    service = make_service(start=False)
    service.data.mkdir(mode=0o700)
    file = service.data / "users"
    file.write_text("joe\n", encoding="utf-8")
    file.chmod(0o600)
    assert "users, line 1: not name:groups:hash" in refused(service)


def test_the_configuration_is_named_where_it_was_given(make_service: MakeService, tmp_path: Path) -> None:
    configuration = tmp_path / "qm.toml"
    configuration.write_text('[security]\nusers = "who"\n', encoding="utf-8")
    service = make_service(start=False, listen=EVERYWHERE, options=("--config", str(configuration)))
    (line,) = [line for line in refused(service).splitlines() if " user add " in line]
    option, place = shlex.split(line)[-2:]
    assert option == "--config"
    assert (service.folder / place).resolve() == configuration
    UsersFile(tmp_path / "who").change(lambda _: people(app="secret"))
    service.process = None
    service.start()
