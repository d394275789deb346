"""Partners in real processes: a host that knows nothing of MQ, a message channel of ours, kills, faults of the file."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.config import parse_configuration
from mqbridge.bridge.service.errors import StartError
from mqbridge.bridge.service.partners import Partners
from support.partners.old_host import Connection, OldHost, ebcdic
from support.partners.stand import AT_LEAST_ONCE, host_text
from support.processes.ports import free_port
from support.processes.running_service import MakeService, RunningService, wait_for
from support.tls.authority import Authority

SUPPORT = Path(__file__).parents[3] / "support" / "partners"
QUEUES = """
DEFINE QLOCAL(HOST.REQUESTS) MAXDEPTH(999999)
DEFINE QLOCAL(HOST.INPUT)
DEFINE QLOCAL(ANSWERS) MAXDEPTH(999999)
"""
HOST = """
[[partner]]
name = "host"
protocol = "host.toml"
endpoint = "tcp:127.0.0.1:{port}"
send = "HOST.REQUESTS"
receive = "HOST.INPUT"
values = {{ user = "EARTH", action = "ORDER" }}
retry_interval = 0.1
longest_retry = 0.2
"""


class HostProcess:
    """The made-up host in a process of its own. ``port``: where it listens. ``taken``: lines of its journal."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        file = folder / "port"
        command = [sys.executable, "-S", str(SUPPORT / "old_host.py"), str(file), str(folder / "journal"), *options]
        self.process = subprocess.Popen(command)
        wait_for("the host listens", file.exists)
        self.port = int(file.read_text(encoding="utf-8"))

    @property
    def taken(self) -> list[tuple[int, str]]:
        journal = self.folder / "journal"
        lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
        return [(int(line.split("\t")[0]), line.split("\t")[3]) for line in lines]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostProcess]:
    made = HostProcess(tmp_path)
    yield made
    made.close()


def partner(
    make_service: MakeService, folder: Path, text: str, *, mqsc: str = QUEUES, start: bool = True
) -> RunningService:
    file = folder / "qm.toml"
    file.write_text(text, encoding="utf-8")
    if not (folder / "host.toml").exists():
        (folder / "host.toml").write_text(host_text(), encoding="utf-8")
    return make_service(mqsc=mqsc, options=("--config", str(file)), start=start)


def ask(service: RunningService, text: str, queue: str = "HOST.REQUESTS") -> str:
    return service.put(queue, text, ReplyToQ="ANSWERS", Persistence=1, MsgType=1)


@pytest.mark.spec("M-120", "M-164")
def test_a_program_asks_a_host_that_knows_nothing_of_mq(make_service: MakeService, tmp_path: Path, host: HostProcess):
    service = partner(make_service, tmp_path, HOST.format(port=host.port))
    asked = ask(service, "two apples")
    answer = service.get("ANSWERS", 20)
    assert answer is not None
    assert answer["MQMD"]["CorrelId"] == asked
    assert answer["body"]["text"] == "done two apples"
    assert host.taken == [(1, "two apples")]
    (row,) = service.client.call("GET", service.client.own_path("routes")).document["routes"]
    assert (row["name"], row["kind"], row["state"], row["carried"]) == ("host", "partner", "RUNNING", 2)
    assert "host" in service.command("routes").output
    assert "arrive exactly once, known by request.id" in service.log
    service.command("routes", "--stop", "host")
    wait_for("it is stopped", lambda: "AMQ5088" in service.log)
    ask(service, "pears")
    assert host.taken == [(1, "two apples")]
    service.command("routes", "--start", "host")
    assert service.get("ANSWERS", 20) is not None
    assert service.stop() == 0


@pytest.mark.spec("M-174")
def test_a_description_is_read_again_for_the_next_session(make_service: MakeService, tmp_path: Path, host: HostProcess):
    service = partner(make_service, tmp_path, HOST.format(port=host.port))
    ask(service, "one")
    assert service.get("ANSWERS", 20) is not None
    (tmp_path / "host.toml").write_text("nonsense", encoding="utf-8")
    service.command("routes", "--stop", "host")
    service.command("routes", "--start", "host")
    wait_for("the fault is told", lambda: "AMQ5089" in service.log)
    ask(service, "two")
    assert service.get("ANSWERS", 20) is not None
    (tmp_path / "host.toml").write_text(host_text(("idle = 30", "idle = 20")), encoding="utf-8")
    service.command("routes", "--stop", "host")
    service.command("routes", "--start", "host")
    ask(service, "three")
    assert service.get("ANSWERS", 20) is not None
    assert service.log.count("AMQ5089") == 1


@pytest.mark.spec("M-156")
@pytest.mark.parametrize("once", [True, False])
def test_a_queue_manager_that_is_killed_under_way_loses_nothing(make_service: MakeService, tmp_path: Path, once: bool):
    (tmp_path / "host.toml").write_text(host_text() if once else host_text(AT_LEAST_ONCE), encoding="utf-8")
    host = HostProcess(tmp_path, *([] if once else ["--forgets"]))
    dice = random.Random(once)
    try:
        service = partner(make_service, tmp_path, HOST.format(port=host.port))
        wanted = []
        for round_ in range(4):
            before = len(host.taken)
            for number in range(20):
                wanted.append(f"{round_} {number}")
                ask(service, wanted[-1])
            wait_for("the host takes", lambda before=before: len(host.taken) > before)
            threading.Event().wait(dice.random() * 0.05)
            service.restart(kill=True)
        wait_for("all are taken", lambda: service.depth("HOST.REQUESTS") == 0 and len(host.taken) >= len(wanted))
        wait_for("all are answered", lambda: service.depth("ANSWERS") >= len(wanted))
        taken = [text for _, text in host.taken]
        numbers = [number for number, _ in host.taken]
        assert set(taken) == set(wanted)
        if once:
            assert sorted(taken) == sorted(wanted)
            assert service.depth("ANSWERS") == len(wanted)
            assert numbers == list(range(1, len(wanted) + 1))
        else:
            assert sorted(set(numbers)) == list(range(1, len(wanted) + 1))
    finally:
        host.close()


@pytest.mark.spec("SC-38", "M-156", "M-158", "M-175")
def test_five_messages_pass_to_our_own_receiver_channel_on_one_connection(make_service: MakeService, tmp_path: Path):
    there = "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL('ch.earth.saturn') CHLTYPE(RCVR) TRPTYPE(TCP)\n"
    saturn = make_service("SATURN", mqsc=there)
    here = "DEFINE QLOCAL(XMIT) USAGE(XMITQ)\nDEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME(SATURN) XMITQ(XMIT)\n"
    text = f"""
[[partner]]
name = "saturn"
protocol = "mq-capture"
endpoint = "tcp:127.0.0.1:{saturn.port}"
send = "XMIT"
values = {{ channel = "ch.earth.saturn" }}
"""
    earth = partner(make_service, tmp_path, text, mqsc=here)
    for number in range(5):
        ask(earth, f"Mensaje {number}", "FAR")
    found = [saturn.get("TARGET", 20) for _ in range(5)]
    assert [each["body"]["text"] for each in found if each] == [f"Mensaje {number}" for number in range(5)]
    assert earth.log.count("AMQ5081") == 1
    assert "at least once" in earth.log
    wait_for("the queue is empty", lambda: earth.depth("XMIT") == 0)


def test_a_host_calls_a_responder_that_ends_with_its_messages_on_disk(make_service: MakeService, tmp_path: Path):
    text = """
[[partner]]
name = "thesis"
protocol = "mq-capture"
role = "responder"
endpoint = "tcp:0:interface=127.0.0.1"
receive = "HOST.INPUT"
sessions = 2
format = "MQSTR"
ccsid = 437

[[partner]]
name = "caller"
protocol = "mq-capture"
endpoint = "tcp:127.0.0.1:{port}"
send = "HOST.REQUESTS"
values = { channel = "A", queue = "B", target-manager = "C" }
retry_interval = 0.1
"""
    port = free_port()
    text = text.replace("tcp:0:", f"tcp:{port}:").replace("{port}", str(port))
    service = partner(make_service, tmp_path, text)
    assert service.ready["partners"][0]["port"] == port
    ask(service, "hola")
    found = service.get("HOST.INPUT", 20)
    assert found is not None
    assert found["body"]["text"] == "hola"


@pytest.mark.parametrize("certified", [True, False])
def test_sessions_inside_tls(make_service: MakeService, tmp_path: Path, certified: bool):
    port, authority = free_port(), Authority()
    authority.trust_file(tmp_path / "ca.pem")
    text = f"""
[[partner]]
name = "there"
protocol = "mq-capture"
role = "responder"
endpoint = "tcp:{port}:interface=127.0.0.1"
receive = "HOST.INPUT"
certificate = "mine"
trusted = "ca.pem"

[[partner]]
name = "here"
protocol = "mq-capture"
endpoint = "tcp:127.0.0.1:{port}"
send = "HOST.REQUESTS"
values = {{ channel = "A", queue = "B", target-manager = "C" }}
trusted = "ca.pem"
retry_interval = 0.1
"""
    text += 'certificate = "mine"\n' * certified
    service = partner(make_service, tmp_path, text, start=False)
    authority.issue("CN=mine", curve=True).save(service.data / "ssl" / "mine.pem")
    service.start()
    ask(service, "hola")
    if certified:
        assert service.get("HOST.INPUT", 20) is not None
        wait_for("it is accepted", lambda: service.depth("HOST.REQUESTS") == 0)
    else:
        wait_for("it is refused", lambda: "the caller has no certificate" in service.log)
        assert service.depth("HOST.INPUT") == 0


# The file

_TABLE = (
    '[[partner]]\nname = "host"\nprotocol = "host.toml"\nendpoint = "tcp:127.0.0.1:7000"\nsend = "A"\nreceive = "B"\n'
)


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        (("host.toml", "gone.toml"), 3, "cannot be read"),
        (("host.toml", "myopenq"), 6, "delivers no messages"),
        (("tcp:127.0.0.1:7000", "tcp:127.0.0.1"), 4, "no endpoint to connect to"),
        (('receive = "B"\n', ""), 1, "for which no queue is named"),
        (('send = "A"\n', 'send = "B"\n'), 6, "would be sent back"),
        (('send = "A"\n', 'send = "A"\nrole = "responder"\n'), 6, "no session script for the responder"),
        (('send = "A"\n', 'send = "A"\ncertificate = "x"\n'), 6, "a certificate is for TLS"),
        (('send = "A"\n', 'send = "A"\nvalues = { user = true }\n'), 6, "neither text nor a number"),
        (('send = "A"\n', 'send = "A"\nsessions = 2\n'), 6, "1 to 1000, and 1 of an initiator"),
        ((_TABLE, _TABLE + _TABLE), 8, "there are two partners 'host'"),
    ],
)
def test_faults_of_the_configuration_are_named(tmp_path: Path, change: tuple[str, str], line: int, problem: str):
    (tmp_path / "host.toml").write_text(host_text(), encoding="utf-8")
    assert change[0] in _TABLE
    configuration = parse_configuration(_TABLE.replace(*change), tmp_path / "qm.toml")
    with pytest.raises(StartError) as refused:
        Partners(configuration)
    assert problem in str(refused.value)
    assert f"qm.toml, line {line}" in str(refused.value)


def test_a_responder_inside_tls_cannot_speak_first(tmp_path: Path):
    text = host_text(
        ("[session.initiator]", "[session.responder]"), ("[[session.initiator.state]]", "[[session.responder.state]]")
    )
    turned = text.replace('from = "initiator"', 'from = "X"').replace('from = "responder"', 'from = "initiator"')
    (tmp_path / "host.toml").write_text(turned.replace('from = "X"', 'from = "responder"'), encoding="utf-8")
    table = _TABLE.replace("tcp:127.0.0.1:7000", "tcp:0:interface=127.0.0.1") + 'role = "responder"\n'
    Partners(parse_configuration(table, tmp_path / "qm.toml"))
    with pytest.raises(StartError, match="inside TLS the caller speaks first"):
        Partners(parse_configuration(table + 'certificate = "mine"\n', tmp_path / "qm.toml"))


def test_the_host_by_hand_agrees_with_itself():
    host = OldHost()
    connection = Connection(host)
    assert connection.receive(b"\xca\xfe\x00\x01\x01") == b""
    assert connection.closed
    assert ebcdic("A") == b"\xc1"
