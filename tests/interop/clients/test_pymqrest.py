"""`pymqrest`, a library of others that administers queue managers by IBM MQ's REST API, at our admin endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.processes.running_service import LOCAL_LISTENER, RunningService
from support.processes.web_door import PASSWORDS, with_users

pymqrest = pytest.importorskip("pymqrest", reason="pymqrest is not installed (it needs Python 3.12)")

pytestmark = [pytest.mark.interop("pymqrest"), pytest.mark.spec("channels.md 17.2")]

CONFIGURATION = f"""
listener = [{{ endpoint = "{LOCAL_LISTENER}" }}]
[admin]
endpoint = "tcp:0:interface=127.0.0.1"
[services]
enabled = true
"""
NOTHING = {
    "chstatus": 3065, "lsstatus": 3250, "svstatus": 3252, "sbstatus": 3153, "conn": 3200, "apstatus": 4097,
    "queue": 2085, "clusqmgr": 2085, "policy": 3328,
}  # fmt: skip
"""The reason of each display for which there is nothing."""
QUICKLY = {"timeout_seconds": 20.0, "poll_interval_seconds": 0.05}


@pytest.fixture
def session(make_service: Callable[..., RunningService], tmp_path: Path) -> Any:
    """A session at a queue manager of its own, by version 2 of the API."""
    file = tmp_path / "qm.toml"
    file.write_text(CONFIGURATION, encoding="utf-8")
    service = with_users(make_service(listen=None, options=("--config", str(file)), start=False)).start()
    address = json.loads((service.data / "running.json").read_text(encoding="utf-8"))["admin"]
    return pymqrest.MQRESTSession(
        f"{address}/ibmmq/rest/v2",
        service.name,
        credentials=pymqrest.BasicAuth("anne", PASSWORDS["anne"]),
        mapping_strict=False,  # its tables lack LISTENER and SERVICE, which every status has
    )


def test_a_listener_is_started_stopped_and_started_anew(session: Any) -> None:
    quickly = pymqrest.SyncConfig(**QUICKLY)
    session.define_listener("DOOR", request_parameters={"transport_type": "TCP", "port": 0, "ip_address": "127.0.0.1"})
    assert session.start_listener_sync("DOOR", config=quickly).operation.value == "started"
    assert session.restart_listener("DOOR", config=quickly).operation.value == "restarted"
    assert session.stop_listener_sync("DOOR", config=quickly).operation.value == "stopped"
    (shown,) = session.display_lsstatus("DOOR")
    assert (shown["status"], shown["process_id"]) == ("STOPPED", 0)


def test_a_service_is_started_stopped_and_started_anew(session: Any) -> None:
    quickly = pymqrest.SyncConfig(**QUICKLY)
    attributes = {
        "service_type": "SERVER",
        "start_command": "/bin/sleep",
        "start_arguments": "600",
        "stop_command": "/bin/kill",
        "stop_arguments": "+MQ_SERVER_PID+",
    }
    session.define_service("SLEEPER", request_parameters=attributes)
    assert session.start_service_sync("SLEEPER", config=quickly).operation.value == "started"
    assert session.restart_service("SLEEPER", config=quickly).operation.value == "restarted"
    assert session.stop_service_sync("SLEEPER", config=quickly).operation.value == "stopped"


def test_what_is_not_there(session: Any) -> None:
    for display, reason in NOTHING.items():
        with pytest.raises(pymqrest.MQRESTCommandError) as caught:
            getattr(session, f"display_{display}")("NO.SUCH.*" if display != "conn" else "*")
        assert caught.value.payload["overallReasonCode"] == 3008
        assert [entry["reasonCode"] for entry in caught.value.payload["commandResponse"]] == [reason], display


def test_objects_are_made_as_they_ought_to_be(session: Any) -> None:
    for depth, action in ((5000, "created"), (5001, "updated"), (5001, "unchanged")):
        assert session.ensure_qlocal("Q", request_parameters={"max_queue_depth": str(depth)}).action.value == action
    (entity,) = session.display_entauth("", request_parameters={"PRINCIPAL": "app", "OBJNAME": "Q", "OBJTYPE": "QUEUE"})
    assert "PUT" in entity["AUTHLIST"]
    (service,) = session.display_authserv("")
    assert service["user_id_support"] == "YES"
