"""A gateway in a real process: devices enrol, connect over sockets, put and pull."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from mqbridge.bridge.rest_client import RestFailure
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.token import Token, fingerprint_of
from support.gateway_device import Device, StreamTransport, enrol, operate
from support.processes.failing_starts import FailingStarts
from support.processes.ports import free_port
from support.processes.running_service import MakeService, RunningService, wait_for
from support.tls.authority import Authority

CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
timeout = 2
"""


class Hub:
    """A gateway, and devices of it."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.made: list[Device] = []

    @property
    def port(self) -> int:
        return int(self.service.ready["everyplace"]["plain"].rpartition(":")[2])

    def device(self, name: str, token: str | None = None) -> Device:
        if token is None:
            token = enrol(self.service, name)["token"]
        found = Device(name, "HUB", lambda: StreamTransport("127.0.0.1", self.port), token)
        self.made.append(found)
        return found

    def row(self, name: str) -> dict[str, object]:
        rows = self.service.client.call("GET", self.service.client.own_path("everyplace")).document["devices"]
        return next(each for each in rows if each["name"] == name)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("gateway")
    (folder / "queue-manager.toml").write_text(CONFIGURATION, encoding="utf-8")
    options = ("--config", str(folder / "queue-manager.toml"))
    service = RunningService(folder, options=options)
    yield service.start()
    service.close()


@pytest.fixture
def hub(running: RunningService) -> Iterator[Hub]:
    found = Hub(running)
    yield found
    for each in found.made:
        each.close()


@pytest.mark.spec("E-245", "E-246", "E-247", "E-248", "E-262")
def test_devices_reach_each_other_over_the_gateway(hub: Hub) -> None:
    moon, mars = hub.device("MOON"), hub.device("MARS")
    moon.sends_to("REPLIES", "MARS")
    mars.pulls()
    for number in range(20):
        moon.put("REPLIES@MARS", f"apple {number}")
    moon.run_until(lambda: moon.waiting("REPLIES", "MARS") == 0)
    assert hub.row("MARS")["waiting"] == 20
    assert hub.row("MOON")["connected"] == "calls"
    mars.run_until(lambda: len(mars.texts("REPLIES")) == 20)
    assert mars.texts("REPLIES") == [f"apple {number}" for number in range(20)]
    mars.run_until(lambda: hub.row("MARS")["waiting"] == 0)
    moon.put("REPLIES@MARS", "while both are there")
    moon.run_until(lambda: moon.waiting("REPLIES", "MARS") == 0)
    mars.run_until(lambda: len(mars.texts("REPLIES")) == 21)


@pytest.mark.spec("SC-01", "E-193")
def test_programs_of_mq_and_devices_reach_each_other(hub: Hub) -> None:
    moon = hub.device("EUROPA")
    hub.service.mqsc(
        "DEFINE QLOCAL(ORDERS)",
        "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)",
    )
    moon.sends_to("ORDERS", "EARTH")
    moon.pulls()
    moon.put("ORDERS@EARTH", "two apples")
    moon.run_until(lambda: moon.waiting("ORDERS", "EARTH") == 0)
    found = hub.service.get("ORDERS")
    assert found is not None
    hub.service.mqsc("DEFINE QREMOTE(TO.EUROPA) RNAME(REPLIES) RQMNAME(EUROPA) XMITQ(EVERYPLACE.HUB)")
    hub.service.put("TO.EUROPA", "three pears", Persistence=1)
    moon.run_until(lambda: moon.count("REPLIES") == 1)


def test_what_waits_for_a_device_outlives_the_gateway(hub: Hub) -> None:
    moon, mars = hub.device("IO"), hub.device("TITAN")
    moon.sends_to("REPLIES", "TITAN")
    mars.pulls()
    moon.put("REPLIES@TITAN", "one")
    moon.run_until(lambda: moon.waiting("REPLIES", "TITAN") == 0)
    hub.service.restart(kill=True)
    moon.put("REPLIES@TITAN", "two")
    moon.run_until(lambda: moon.waiting("REPLIES", "TITAN") == 0)
    mars.run_until(lambda: mars.texts("REPLIES") == ["one", "two"])


@pytest.mark.spec("E-440", "E-571")
def test_a_key_belongs_to_one_device(hub: Hub) -> None:
    found = enrol(hub.service, "VESTA")
    assert found["gateway"] == f"mqe://localhost:{hub.port}"
    assert "waits for its first connection" in operate(hub.service, "status").output
    moon = hub.device("VESTA", found["token"])
    moon.pulls()
    moon.run_until(lambda: hub.row("VESTA")["enrolment"] == "enrolled")
    again = hub.device("VESTA", found["token"])
    again.pulls()
    again.run_until(lambda: again.alarms)
    assert "was used before, by another queue manager" in again.alarms[0]
    secret = Token.parse(found["token"])
    for place in (hub.service.log, operate(hub.service, "status", "--json").output):
        assert found["token"][10:] not in place
        assert secret.key("VESTA").hex() not in place
        assert secret.secret.hex() not in place
    newer = hub.device("VESTA")
    newer.pulls()
    newer.run_until(lambda: newer.line is not None and newer.line.ready)
    moon.cut()
    moon.run_until(lambda: any("does not have the key" in each for each in moon.alarms))


def test_a_revoked_device_comes_in_no_more(hub: Hub) -> None:
    moon, mars = hub.device("CERES"), hub.device("JUNO")
    for each in (moon, mars):
        each.pulls()
        each.run_until(lambda each=each: each.line is not None and each.line.ready)
    hub.service.mqsc(
        "DEFINE QLOCAL(ASTEROIDS)",
        "SET AUTHREC PROFILE(ASTEROIDS) OBJTYPE(QUEUE) PRINCIPAL('CERES') AUTHADD(BROWSE)",
        "SET AUTHREC PROFILE(ASTEROIDS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)",
    )
    may = "DISPLAY ENTAUTH PRINCIPAL('CERES') OBJNAME(ASTEROIDS) OBJTYPE(QUEUE)"
    assert "AUTHLIST(BROWSE,PUT)" in "".join(hub.service.mqsc(may))
    assert operate(hub.service, "revoke", "CERES").output == "CERES is revoked\n"
    assert "AUTHLIST(BROWSE)" in "".join(hub.service.mqsc(may))
    moon.run_until(lambda: any("does not have the key" in each for each in moon.alarms))
    assert hub.row("CERES")["enrolment"] == "revoked"
    assert "AMQ5121W: gateway HUB: CERES is turned away: CERES is revoked" in hub.service.log
    mars.step()
    assert mars.line is not None
    assert mars.line.ready
    assert operate(hub.service, "revoke", "VENUS").exit_code == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("HUB", "HUB is this queue manager"),
        ("EARTH", "EARTH is this queue manager"),
        ("MQM", "is a user or group"),
        ("two words", "is not of letters"),
        ("X" * 49, "48 are allowed"),
    ],
)
def test_names_of_others_are_not_enrolled(hub: Hub, name: str, why: str) -> None:
    result = operate(hub.service, "enrol", name)
    assert result.exit_code == 1
    assert why in result.output


def test_enrolling_prints_what_to_type(hub: Hub, tmp_path: Path) -> None:
    result = operate(hub.service, "enrol", "PALLAS", "--host", "localhost")
    start = "On the device, within an hour:  python3 mqe.pyz create pallas.mqe --gateway mqe://localhost:"
    assert result.output.startswith(f"{start}{hub.port} --gateway-name HUB --mq EARTH --token ")
    text = " ".join(hub.service.mqsc("DISPLAY QREMOTE(PALLAS) RQMNAME XMITQ"))
    assert "RQMNAME(PALLAS)" in text
    assert "XMITQ(EVERYPLACE.HUB)" in text
    hub.service.mqsc("DEFINE QLOCAL(PALLAS.ORDERS)")
    hub.service.mqsc("SET AUTHREC PROFILE(PALLAS.ORDERS) OBJTYPE(QUEUE) PRINCIPAL('PALLAS') AUTHADD(PUT)")
    hub.service.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('PALLAS') AUTHADD(CONNECT)")
    typed = result.output.split("mqe.pyz ")[1].split()
    for words in (typed, ["put", "pallas.mqe", "PALLAS.ORDERS@EARTH", "two apples"], ["trigger", "pallas.mqe"]):
        command = [sys.executable, "-m", "mqbridge.everyplace", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
    assert hub.service.command("get", "PALLAS.ORDERS").output == "two apples\n"
    mixed = operate(hub.service, "enrol", "Pallas2", "--host", "HUB.example").output
    assert "create pallas2.mqe --name Pallas2 --gateway mqe://HUB.example:" in mixed
    assert "--gateway-name" not in mixed


@pytest.mark.spec("E-571")
def test_a_web_server_in_front_is_named_by_certificate_and_address(hub: Hub, tmp_path: Path) -> None:
    front = Authority().issue("CN=shop.example", curve=True).save(tmp_path / "shop.pem")
    url = ("--front-url", "https://shop.example/servlet/MQe")
    made = enrol(hub.service, "DAVIDA", "--front", str(front), *url)
    assert made["gateway"] == "https://shop.example:443/servlet/MQe"
    der = x509.load_pem_x509_certificate(front.read_bytes()).public_bytes(Encoding.DER)
    assert Token.parse(made["token"]).fingerprint == fingerprint_of(der)
    (tmp_path / "nothing.pem").write_text("nothing")
    for words, said in (
        (("--front", str(front)), "go together"),
        (url, "go together"),
        (("--front", str(front), *url, "--certificate", str(tmp_path)), "without --certificate"),
        (("--front", str(tmp_path / "nothing.pem"), *url), "no certificate in PEM"),
        (("--front", str(front), "--front-url", "http://shop.example"), "is no address"),
        (("--front", str(front), "--front-url", "https://shop.example:x"), "is no address"),
    ):
        refused = operate(hub.service, "enrol", "BAMBERGA", *words)
        assert refused.exit_code == 2
        assert said in refused.output
    path = hub.service.client.own_path("everyplace/devices/BAMBERGA/enrol")
    for query in ({"url": "https://x"}, {"url": "http://x", "front": "0" * 32}, {"url": "https://x", "front": "zz"}):
        with pytest.raises(RestFailure) as caught:
            hub.service.client.call("POST", path, b"", {}, query)
        assert caught.value.status == 400
    assert "BAMBERGA" not in operate(hub.service, "status").output


@pytest.mark.spec("E-330")
def test_a_route_is_checked_part_by_part(hub: Hub) -> None:
    operate(hub.service, "enrol", "TRITON", "--host", "localhost")
    found = operate(hub.service, "check", "CHECKED@HUB", "--from", "TRITON")
    assert found.exit_code == 1
    assert "TRITON: taken as it was created\nTRITON: store-and-forward queue OutgoingQ@HUB" in found.output
    assert "missing at HUB: there is no queue CHECKED, and no alias of one\n  create local CHECKED" in found.output
    assert operate(hub.service, "admin", "HUB", "create", "local", "CHECKED").exit_code == 0
    found = operate(hub.service, "check", "CHECKED@HUB", "--from", "TRITON")
    assert found.exit_code == 0
    assert found.output.endswith("HUB: local queue CHECKED@HUB\nall parts are there\n")
    found = operate(hub.service, "check", "REPLIES@TRITON")
    assert found.exit_code == 0
    assert "HUB: waits until TRITON pulls it\n" in found.output
    assert "is not enrolled" in operate(hub.service, "check", "CHECKED@HUB", "--from", "NEREID").output
    hub.service.mqsc("DEFINE QLOCAL(IN.MQ)")
    assert operate(hub.service, "check", "IN.MQ@EARTH", "--from", "TRITON").exit_code == 0
    found = operate(hub.service, "check", "NOT.IN.MQ@EARTH", "--from", "TRITON")
    assert found.exit_code == 1
    assert found.output.endswith("missing at EARTH: there is no queue NOT.IN.MQ\n")


@pytest.mark.spec("E-270", "E-288", "E-134")
def test_devices_are_administered_when_they_come(hub: Hub) -> None:
    moon = hub.device("CALLISTO")
    moon.pulls()
    create = ("create", "local", "ALARMS", "--max-size", "100")
    result = operate(hub.service, "admin", "CALLISTO", *create)
    assert re.fullmatch(r"CALLISTO is away; request \d+ waits\n", result.output), result.output
    number = result.output.split()[4]
    assert operate(hub.service, "admin", "--replies").output == ""
    moon.run_until(lambda: moon.manager.queues.named(Address("ALARMS", "CALLISTO")) is not None)
    moon.run_until(lambda: "request" in operate(hub.service, "admin", "--replies").output)
    assert operate(hub.service, "admin", "--replies").output == ""
    assert number.isdigit()
    result = operate(hub.service, "admin", "HUB", "create", "local", "ORDERS")
    assert (result.exit_code, result.output) == (0, "create local ORDERS at HUB: done\n")
    again = operate(hub.service, "admin", "HUB", "create", "local", "ORDERS")
    assert again.exit_code == 1
    assert "there is a queue ORDERS@HUB" in again.output
    assert "administration 'create local ORDERS' of HUB: return code 0" in hub.service.log
    wrong = operate(hub.service, "admin", "HUB", "invent", "local", "ORDERS")
    assert wrong.exit_code == 1


@pytest.mark.spec("E-260", "E-261", "E-231")
def test_listeners_are_defined_by_administration(hub: Hub) -> None:
    port = free_port()
    words = ("create", "listener", "DOOR", "--adapter", "tcp", "--endpoint", f"127.0.0.1:{port}")
    assert operate(hub.service, "admin", "HUB", *words).output.endswith(": done\n")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 5)
    assert operate(hub.service, "admin", "HUB", "start", "listener", "DOOR").output.endswith(": done\n")
    token = enrol(hub.service, "RHEA")["token"]
    rhea = Device("RHEA", "HUB", lambda: StreamTransport("127.0.0.1", port), token)
    hub.made.append(rhea)
    rhea.pulls()
    rhea.run_until(lambda: rhea.line is not None and rhea.line.ready)
    hub.service.restart()
    rhea.run_until(lambda: rhea.line is not None and rhea.line.ready)
    assert operate(hub.service, "admin", "HUB", "stop", "listener", "DOOR").output.endswith(": done\n")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 5)
    open_door = ("create", "listener", "OPEN", "--adapter", "tcp", "--endpoint", f":{free_port()}")
    assert operate(hub.service, "admin", "HUB", *open_door).output.endswith(": done\n")
    assert operate(hub.service, "admin", "HUB", "start", "listener", "OPEN").output.endswith(": done\n")
    wait_for("the alarm", lambda: "so it needs TLS (tls, https) and an authenticator" in hub.service.log)


def test_definitions_are_applied_once_for_each_change(make_service: MakeService, tmp_path: Path) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    file = folder / "hub.ini"
    file.write_text("[create local ORDERS]\n(int)qmqs=7\n[create local PAID]\n")
    configuration = folder / "queue-manager.toml"
    configuration.write_text('[everyplace]\nname = "HUB"\ndefinitions = "hub.ini"\n')
    service = make_service("EARTH", options=("--config", str(configuration)))
    assert "7" in operate(service, "admin", "HUB", "inquire", "queue", "ORDERS", "--max-size").output
    assert operate(service, "admin", "HUB", "delete", "queue", "ORDERS").exit_code == 0
    service.restart()
    assert operate(service, "admin", "HUB", "inquire", "queue", "ORDERS").exit_code == 1
    file.write_text("[create local PAID]\n[create local ORDERS]\n(int)qmqs=8\n")
    service.restart()
    assert "8" in operate(service, "admin", "HUB", "inquire", "queue", "ORDERS", "--max-size").output
    assert "object passed over, it exists: create local PAID" in service.log


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[create local VENUS@SUN]\n", "[create local VENUS]"),
        ("[create connection VENUS]\n(ascii)conad=tcp\n", "connection has no (ascii)conad"),
        ("[invent local VENUS]\n", "invent"),
        (None, "cannot be read"),
    ],
)
def test_definitions_that_cannot_be_prevent_the_start(
    failing_starts: FailingStarts, tmp_path: Path, content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "hub.ini").write_text(content)
    (tmp_path / "queue-manager.toml").write_text('[everyplace]\nname = "HUB"\ndefinitions = "hub.ini"\n')
    status, log = failing_starts.start(tmp_path, "--config", str(tmp_path / "queue-manager.toml"))
    assert status == 2
    assert "queue-manager.toml, line 3: " in log
    assert words in log


@pytest.mark.spec("E-245", "E-251", "E-320")
def test_a_gateway_calls_another(hub: Hub, make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "queue-manager.toml").write_text(
        CONFIGURATION.replace('"HUB"', '"ZEN"').replace("timeout = 2", 'authenticator = "none"')
    )
    options = ("--config", str(tmp_path / "queue-manager.toml"))
    zen = make_service("SATURN", options=options)
    endpoint = zen.ready["everyplace"]["plain"].removeprefix("mqe://")
    assert operate(zen, "admin", "ZEN", "create", "local", "PAID").exit_code == 0
    for words in (
        ("create", "connection", "ZEN", "--adapter", "tcp", "--endpoint", endpoint),
        ("create", "remote", "PAID@ZEN", "--mode", "asynchronous"),
    ):
        result = operate(hub.service, "admin", "HUB", *words)
        assert result.exit_code == 0, result.output
    dione = hub.device("DIONE")
    dione.sends_to("PAID", "ZEN")
    dione.put("PAID@ZEN", "two apples")
    dione.run_until(lambda: dione.waiting("PAID", "ZEN") == 0)
    size = ("inquire", "queue", "PAID", "--current-size")
    wait_for("the message", lambda: "current-size  1" in operate(zen, "admin", "ZEN", *size).output)
    zen.restart(kill=True)
    assert "current-size  1" in operate(zen, "admin", "ZEN", *size).output
    good = operate(hub.service, "check", "PAID@ZEN", "--from", "DIONE")
    assert (good.exit_code, "ZEN" in good.output) == (0, True)
    bad = operate(hub.service, "check", "PAID@NOWHERE", "--from", "DIONE")
    assert (bad.exit_code, "NOWHERE" in bad.output) == (1, True)
    assert "is not enrolled" in operate(hub.service, "check", "PAID@ZEN", "--from", "NOBODY").output


def test_without_a_gateway_the_commands_say_so(make_service: MakeService) -> None:
    result = operate(make_service(), "status")
    assert result.exit_code == 1
    assert "EARTH is no gateway" in result.output


def test_without_a_gateway_nothing_of_it_is_loaded() -> None:
    program = (
        "import sys\nimport mqbridge.bridge.service, mqbridge.bridge.admin, mqbridge.bridge.cli.run\n"
        "print([name for name in sys.modules if 'everyplace' in name])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    wanted = {"bridge.config.everyplace_settings", "bridge.agents.gateway.serve_everyplace", "bridge.admin.everyplace"}
    assert set(eval(found.stdout)) == {f"mqbridge.{each}" for each in wanted}


@pytest.mark.spec("E-393", "E-396", "E-401")
def test_status_says_what_a_connection_to_a_queue_manager_elsewhere_waits_for(hub: Hub) -> None:
    for words in (
        "create mq-queue-manager SATURN --bridge MQ --host 127.0.0.1",
        f"create client-connection GATE.SVRCONN --proxy SATURN --port {free_port()} --sslciph ANY_TLS12_OR_HIGHER",
        "create mq-listener HUB.XMITQ --connection GATE.SVRCONN",
        "start mq-queue-manager SATURN --affect-children yes",
    ):
        result = operate(hub.service, "admin", "HUB", *words.split())
        assert result.exit_code == 0, result.output

    def told() -> bool:
        return "client-connection MQ/SATURN/GATE.SVRCONN  running  reason 2381" in operate(hub.service, "status").output

    wait_for("status says why", told)
    assert "key repository" in operate(hub.service, "status").output
    words = "delete mq-queue-manager SATURN --affect-children yes"
    result = operate(hub.service, "admin", "HUB", *words.split())
    assert result.exit_code == 0, result.output
