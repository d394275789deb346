"""A page of a browser whose name leads to the admin endpoint (DNS rebinding), and pages that merely ask it."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path

import pytest

from mqbridge.bridge.admin.allowed_hosts import AllowedHosts
from mqbridge.bridge.admin.errors import RestError
from mqbridge.bridge.cli.connecting import connect
from mqbridge.bridge.rest_client import RestResponse
from support.processes.running_service import LOCAL_LISTENER, MakeService, RunningService, UnixConnection
from support.processes.web_door import PASSWORDS, as_user, with_users

COMMAND = b'{"type": "runCommand", "parameters": {"command": "DEFINE QLOCAL(FOREIGN)"}}'


def ask(address: str, *headers: tuple[str, str], path: str = "EARTH/mqsc") -> RestResponse:
    """Run MQSC with these headers alone."""
    if address.startswith("unix:"):
        connection: http.client.HTTPConnection = UnixConnection(address.removeprefix("unix:"))
    else:
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    try:
        connection.putrequest("POST", f"/ibmmq/rest/v2/admin/action/qmgr/{path}", skip_host=True)
        user = as_user("anne").items()
        for name, value in (*headers, *user, ("ibm-mq-rest-csrf-token", ""), ("Content-Type", "application/json")):
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(COMMAND)))
        connection.endheaders(COMMAND)
        response = connection.getresponse()
        return RestResponse(response.status, {}, response.read())
    finally:
        connection.close()


@pytest.fixture
def reached_by_port(make_service: MakeService, tmp_path: Path) -> RunningService:
    """Return a queue manager whose admin endpoint is a port that may be called mq.example.com too."""
    configuration = tmp_path / "queue-manager.toml"
    configuration.write_text(
        '[admin]\nendpoint = "tcp:0:interface=127.0.0.1"\nhosts = ["mq.example.com"]\n', encoding="utf-8"
    )
    return with_users(make_service(options=("--config", str(configuration), "--store", "memory"), start=False)).start()


def test_a_foreign_name_runs_no_commands_at_a_port(
    reached_by_port: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = reached_by_port
    monkeypatch.setenv("MQSAMP_USER_ID", "anne")
    monkeypatch.setenv("MQBRIDGE_PASSWORD", PASSWORDS["anne"])
    address = str(service.ready["admin"])
    port = address.rpartition(":")[2]
    evil = f"rebound.example.net:{port}"
    refused: list[tuple[tuple[str, str], ...]] = [
        (("Host", evil), ("Origin", f"http://{evil}")),
        (("Host", evil),),
        (("Host", f"127.0.0.1.{evil}"),),
        (("Host", f"127.0.0.1:{port}"), ("Host", evil)),
        (("Host", f"127.0.0.1:{port}"), ("Origin", f"http://{evil}")),
        (("Host", f"127.0.0.1:{port}"), ("Origin", "null")),
        (("Host", f"localhost:{port}"), ("Origin", "http://localhost:1")),
        (("Host", f"localhost:{port}"), ("Origin", f"http://localhost:{port}@example.net")),
        (("Host", f"mq.example.com@example.net:{port}"),),
        (("Host", ""),),
    ]
    for headers in refused:
        answer = ask(address, *headers)
        assert answer.status == 403, headers
        (error,) = answer.document["error"]
        assert error["type"] == "rest"
        assert error["message"].startswith(error["msgId"])
    assert "AMQ5042W: a request to the admin endpoint was refused, from 127.0.0.1" in service.log
    assert "rebound.example.net" in service.log
    with connect(str(service.data), None, "test") as client:
        assert "AMQ8147E" in str(client.mqsc("DISPLAY QLOCAL(FOREIGN)"))

    allowed: list[tuple[tuple[str, str], ...]] = [
        (("Host", f"127.0.0.1:{port}"), ("Origin", f"http://127.0.0.1:{port}")),
        (("Host", f"LOCALHOST.:{port}"),),
        (("Host", f"[::1]:{port}"),),
        (("Host", f"mq.example.com:{port}"), ("Origin", "https://mq.example.com")),
        (("Host", socket.gethostname()),),
        (),
    ]
    for headers in allowed:
        assert ask(address, *headers).status in (200, 400), headers  # 400: HTTP/1.1 wants a Host
    assert service.command("mqsc", "-e", "DISPLAY QLOCAL(FOREIGN)").exit_code == 0


def test_a_foreign_name_runs_no_commands_on_the_unix_socket(make_service: MakeService) -> None:
    service = make_service(options=("--store", "memory"), listen=LOCAL_LISTENER)
    address = str(service.ready["admin"])
    assert ask(address, ("Host", "rebound.example.net")).status == 403
    assert ask(address, ("Host", "localhost"), ("Origin", "http://rebound.example.net")).status == 403
    assert ask(address, ("Host", "localhost")).status == 200


@pytest.mark.parametrize("wrong", ["", "a b", "[::1", "localhost:x", "localhost/..", "127.1", "::ffff:8.8.8.8"])
def test_what_is_no_name_of_ours(wrong: str) -> None:
    with pytest.raises(RestError):
        AllowedHosts().check([wrong], [], None)
