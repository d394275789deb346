"""The end of a queue manager with a gateway: in peace, so that rules hear of it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from support.formats.installed import install
from support.gateway_device import Device, StreamTransport, enrol, operate
from support.processes.ports import free_port
from support.processes.running_service import MakeService, wait_for

CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""
FAREWELL = """
from mqbridge.bridge.everyplace.rules.queue_manager_rule import QueueManagerRule
from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address


def note(text):
    with open("rules", "a", encoding="utf-8") as file:
        file.write(text + "\\n")


class OfManager(QueueManagerRule):
    def __init__(self, text):
        self._owner = None

    def activate(self, owner, now):
        self._owner = owner
        note("manager begins")

    def close(self, now):
        note("manager ends")
        self._owner.put(Address("LAST", "HUB"), Message(), now)


class OfQueue(QueueRule):
    def __init__(self, text):
        pass

    def close(self):
        note("queue ends")
"""


@pytest.mark.spec("E-231", "E-234", "E-236", "E-239", "E-495", "E-510")
def test_rules_hear_of_the_end(make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "queue-manager.toml").write_text(CONFIGURATION, encoding="utf-8")
    options = ("--config", str(tmp_path / "queue-manager.toml"))
    hub = make_service("EARTH", start=False, options=options)
    entries = {"queue-manager-rule.farewell": "farewell:OfManager", "queue-rule.farewell": "farewell:OfQueue"}
    install(hub.folder, entries, source=FAREWELL, module="farewell", name="farewell", group="mqbridge.everyplace")
    hub.start()
    port = free_port()
    for words in (
        ("create", "local", "LAST", "--rule", "farewell"),
        ("update", "queue-manager", "--rule", "farewell"),
        ("create", "listener", "SIDE", "--adapter", "tcp", "--endpoint", f"127.0.0.1:{port}"),
        ("start", "listener", "SIDE"),
    ):
        result = operate(hub, "admin", "HUB", *words)
        assert result.exit_code == 0, result.output
    moon = Device(
        "MOON",
        "HUB",
        lambda: StreamTransport("127.0.0.1", int(hub.ready["everyplace"]["plain"].rpartition(":")[2])),
        enrol(hub, "MOON")["token"],
    )
    moon.pulls()
    moon.run_until(lambda: moon.line is not None and moon.line.ready)

    def said() -> list[str]:
        file = hub.folder / "rules"
        return file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []

    def size() -> str:
        return operate(hub, "admin", "HUB", "inquire", "queue", "LAST", "--current-size").output

    wait_for("the listener", lambda: opens(port))
    wait_for("the rule", lambda: "manager begins" in said())
    assert hub.command("routes", "--stop", "HUB").exit_code == 0
    wait_for("the end", lambda: said()[1:] == ["manager ends", "queue ends"])
    wait_for("the end of the listener", lambda: not opens(port))
    moon.run_until(lambda: moon.line is None or not moon.line.ready)
    assert hub.command("routes", "--start", "HUB").exit_code == 0
    wait_for("the listener", lambda: opens(port))
    moon.run_until(lambda: moon.line is not None and moon.line.ready)
    assert "current-size  1" in size()
    moon.close()
    hub.restart()
    assert said()[-3:] == ["manager ends", "queue ends", "manager begins"]
    assert "current-size  2" in size()


def opens(port: int) -> bool:
    """Whether somebody listens."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
