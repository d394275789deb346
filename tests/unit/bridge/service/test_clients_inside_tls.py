"""The Python client, the commands and the recorder at a queue manager whose channel demands TLS, over real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result
from twisted.internet.defer import Deferred

import mqbridge
from mqbridge.bridge.cli import cli
from mqbridge.bridge.client import deferred
from mqbridge.bridge.security import Cost, User, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile
from support.captures.recording_proxy import Proxy
from support.processes.reactor_thread import ReactorThread
from support.processes.running_service import RunningService
from support.tls.authority import Authority

QUEUE = "DEV.QUEUE.1"
SCRIPT = """\
ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) FAILDLAY(0)
ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(MUTUAL) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLCAUTH(REQUIRED) SSLPEER('O=Space')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(PUT,GET,BROWSE,INQ)
"""
SECRET = "wonderland-secret-words"
TEXT = "a text that nobody else reads"


class Estate:
    """A queue manager with a certificate and a user, and what its clients need."""

    def __init__(self, folder: Path) -> None:
        authority = Authority()
        self.trusted = authority.trust_file(folder / "authority.pem")
        self.client = authority.issue("O=Space,CN=app", hosts=()).save(folder / "client.pem")
        self.stranger = authority.issue("O=Elsewhere,CN=app", hosts=()).save(folder / "stranger.pem")
        self.service = RunningService(folder / "earth", listen="tcp:0:interface=0.0.0.0", mqsc=SCRIPT)
        keys = self.service.data / "ssl"
        keys.mkdir(parents=True)
        self.service.data.chmod(0o700)
        authority.issue("O=Space,CN=EARTH").save(keys / f"ibmwebspheremq{self.service.name.lower()}.pem")
        authority.trust_file(keys / "trusted" / "authority.pem")
        alice = User("alice", hash_password(SECRET, b"salt" * 4, Cost(12, 8, 1)))
        UsersFile(self.service.data / "users").change(lambda _: Users().added(alice))
        self.service.start()

    def url(self, *options: str, password: str = SECRET, port: int = 0) -> str:
        place = f"127.0.0.1:{port or self.service.port}/{self.service.name}"
        return f"mqs://alice:{password}@{place}?{'&'.join((f'trusted={quote(str(self.trusted))}', *options))}"


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    estate = Estate(tmp_path_factory.mktemp("estate"))
    yield estate
    estate.service.close()


def run(*arguments: str) -> Result:
    environment = {"MQSERVER": None, "MQBRIDGE_DATA": None, "MQSSLKEYR": None}
    return CliRunner(env=environment).invoke(cli, list(arguments), prog_name="mqbridge", catch_exceptions=False)


def level(manager: mqbridge.QueueManager) -> int:
    agreed = manager.link.machine.agreed
    assert agreed is not None
    return agreed.fap_level


@pytest.mark.spec("client-observed.md O-022")
def test_passwords_go_at_the_highest_level(estate: Estate) -> None:
    with mqbridge.connect(estate.url()) as manager:
        assert level(manager) == 17
        manager.put(QUEUE, TEXT)
        message = manager.get(QUEUE)
        assert message is not None
        assert (message.text, message.user) == (TEXT, "alice")
    for password in ("wrong", ""):
        with pytest.raises(mqbridge.NotAuthorized):
            mqbridge.connect(estate.url(password=password))
    assert SECRET not in estate.service.log
    assert "AMQ5543" not in estate.service.log


def test_passwords_go_inside_tls_on_a_reactor(estate: Estate) -> None:
    async def work(password: str) -> str:
        manager = await deferred.connect(thread.reactor, estate.url(password=password), timeout=10)
        await manager.put(QUEUE, TEXT)
        message = await manager.get(QUEUE)
        await manager.disconnect()
        return message.text or "" if message is not None else ""

    thread = ReactorThread()
    try:
        assert thread.call(lambda: Deferred.fromCoroutine(work(SECRET))) == TEXT
        with pytest.raises(mqbridge.NotAuthorized):
            thread.call(lambda: Deferred.fromCoroutine(work("wrong")))
    finally:
        thread.stop()


@pytest.mark.spec("tls.md T-06")
@pytest.mark.spec("client-observed.md O-031")
@pytest.mark.parametrize(
    ("certificate", "reason", "amq"), [("client", 0, ""), ("stranger", 2397, "AMQ9636"), ("", 2059, "AMQ9637")]
)
def test_a_channel_may_demand_a_certificate(estate: Estate, certificate: str, reason: int, amq: str) -> None:
    options = [f"certificate={getattr(estate, certificate)}"] if certificate else []
    url = estate.url("channel=MUTUAL", *options)
    if not reason:
        with mqbridge.connect(url) as manager:
            assert manager.tls is not None
            assert (manager.tls.protocol, manager.tls.label) == ("TLSV13", "client")
        return
    with pytest.raises(mqbridge.MQError) as error:
        mqbridge.connect(url)
    assert error.value.reason == reason
    assert amq in estate.service.log


def test_other_cipher_specs_than_the_channel_allows_are_refused(estate: Estate) -> None:
    with pytest.raises(mqbridge.TlsFailed) as error:
        mqbridge.connect(estate.url("channel=MUTUAL", f"certificate={estate.client}", "cipher=ANY_TLS12"))
    assert error.value.reason == 2393
    with pytest.raises(mqbridge.TlsFailed, match="2397"):  # the channel is named by INITIAL_DATA only
        mqbridge.connect(estate.url("channel=MUTUAL", f"certificate={estate.client}", "cipher=ANY_TLS12", "sni=none"))


def test_commands_work_inside_tls(estate: Estate) -> None:
    url = estate.url()
    assert run("put", QUEUE, TEXT, "--client", url).exit_code == 0
    assert run("browse", QUEUE, "--client", url).stdout == f"{TEXT}\n"
    assert run("get", QUEUE, "--client", url).stdout == f"{TEXT}\n"
    other = run("get", QUEUE, "--client", estate.url("peer=CN=MARS"))
    assert (other.exit_code, other.stdout) == (1, "")
    assert "MQRC_SSL_PEER_NAME_MISMATCH (2398)" in other.stderr
    assert SECRET not in other.stderr


def test_a_recorder_between_the_ends_sees_nothing_of_what_passes(estate: Estate, tmp_path: Path) -> None:
    proxy = Proxy(tmp_path, f"127.0.0.1:{estate.service.port}", "--passwords")
    try:
        with mqbridge.connect(estate.url(port=proxy.port)) as manager:
            manager.put(QUEUE, TEXT)
            assert manager.get(QUEUE) is not None
        assert proxy.stop() == 0
    finally:
        proxy.close()
    recorded = proxy.output.read_bytes()
    assert len(recorded) > 1000
    for seen in (TEXT, SECRET, "alice", QUEUE, "DEV.APP.SVRCONN", "TSH"):
        for code_page in ("ascii", "cp500", "utf-16-be", "utf-16-le"):
            assert seen.encode(code_page) not in recorded
    assert b"dev2e-app2e-svrconn.chl.mq.ibm.com" in recorded  # the server name is in clear
    played = run("replay", str(proxy.output), "--json")
    (flow,) = json.loads(played.stdout)["flows"]
    assert flow["kind"] == "tls"


def test_a_plain_recording_is_played_inside_tls(estate: Estate, mq: Any, tmp_path: Path) -> None:
    proxy = Proxy(tmp_path, f"127.0.0.1:{mq.port}")
    try:
        with mqbridge.connect(f"mq://alice:x@127.0.0.1:{proxy.port}/") as manager:
            manager.put(QUEUE, TEXT)
            assert manager.get(QUEUE) is not None
        assert proxy.stop() == 0
    finally:
        proxy.close()
    password = tmp_path / "password"
    password.write_text(SECRET)
    target = f"mqs://127.0.0.1:{estate.service.port}?trusted={estate.trusted}"
    signed_on = ("--user", "alice", "--password-file", str(password))
    played = run("replay", str(proxy.output), "--against", target, "--json", *signed_on)
    report = json.loads(played.stdout)
    assert report["flows"][0]["notes"] == []
    assert (played.exit_code, report["different"]) == (0, [])
    unknown = run("replay", str(proxy.output), "--against", f"{target}&peer=CN=MARS", "--json", *signed_on)
    assert unknown.exit_code == 20
    assert "2398" in unknown.stderr
    wrong = run("replay", str(proxy.output), "--against", target.replace("mqs://", "mqs://alice:x@"), "--json")
    assert (wrong.exit_code, "--user" in wrong.stderr) == (2, True)
