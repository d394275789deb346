"""`mqbridge check` of queue managers that run, have stopped, and have never been started."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mqbridge.bridge.cli import cli
from mqbridge.bridge.store.folder import DataFolder
from support.processes.running_service import MakeService, RunningService
from support.tls.authority import Authority

Call = Callable[..., Result]
CONFIGURATION = """
[queue_manager]
name = "EARTH"
data = "data"
[[listener]]
endpoint = "tcp:1414"
[tls]
key_log = "keys.log"
crl = "required"
[web]
endpoint = "tcp:9443"
certificate = "web"
"""
INPUTS = """
[[route]]
name = "open"
input = { kind = "http", endpoint = "tcp:8080", plain = true, anonymous = true }
to = "Q"
[[route]]
name = "shop"
input = { kind = "http", endpoint = "tcp:8081:interface=127.0.0.1", users = ["shop"] }
to = "Q"
[[route]]
name = "files"
input = { kind = "files", folder = "in" }
to = "Q"
"""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.delenv("MQBRIDGE_CONFIG", raising=False)
    monkeypatch.delenv("MQBRIDGE_DATA", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, [*arguments], prog_name="mqbridge")

    return run


def test_before_the_first_start_the_defaults_are_in_order(call: Call, tmp_path: Path) -> None:
    result = call("check")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "MQBRIDGE, before its first start",
        "Certificates in mqbridge-data/ssl",
        "  none",
        "Users",
        "  none",
        "Doors",
        "  channels at 127.0.0.1:1414, for this machine",
        "    DEV.APP.SVRCONN, SVRCONN",
        "      clients from anywhere: as app, no password, no TLS",
        "    7 channels for nobody",
        "  administration at unix:mqbridge-data/admin.sock, mode 600, for this machine",
        "Nothing is to be done.",
    ]
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_is_judged_too(call: Call, tmp_path: Path) -> None:
    (tmp_path / "qm.toml").write_text(CONFIGURATION, encoding="utf-8")
    Authority().trust_file(tmp_path / "data" / "ssl" / "trusted" / "theirs.pem")
    (tmp_path / "data").chmod(0o755)
    result = call("check", "--config", "qm.toml", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["queueManager"] == "EARTH"
    assert document["listeners"] == [{"place": "*:1414", "local": False}]
    found = {(each["subject"], each["text"]) for each in document["findings"]}
    assert found == {
        ("revocation lists", 'CN=Authority,O=Tests has none, and [tls] crl = "required" refuses its certificates'),
        ("users", "clients need a password, and there is no user"),
        ("channel DEV.APP.SVRCONN", "clients from anywhere send passwords and messages in clear"),
        ("web endpoint", "there is no certificate web"),
        ("data", "others than its owner may read it"),
        ("[tls] key_log", "whoever reads keys.log can decrypt all traffic"),
    }


def test_http_inputs_are_doors(call: Call, tmp_path: Path) -> None:
    (tmp_path / "qm.toml").write_text(INPUTS, encoding="utf-8")
    result = call("check", "--config", "qm.toml")
    assert [line for line in result.stdout.splitlines() if "input" in line] == [
        "  input of route open at *:8080, without TLS, anybody, for other machines",
        "  input of route shop at 127.0.0.1:8081, TLS, shop, for this machine",
        "  input of route open: anybody may send messages to *:8080",
        "  input of route open: *:8080 can be reached in clear",
        "      remove plain = true from its input",
    ]


def test_certificates_are_judged(call: Call, tmp_path: Path) -> None:
    folder, authority = tmp_path / "mqbridge-data" / "ssl", Authority()
    folder.parent.mkdir(mode=0o700)
    authority.issue("CN=soon", valid=(-9, 3.5), curve=True).save(folder / "soon.pem")
    authority.issue("CN=open", curve=True).save(folder / "open.pem").chmod(0o644)
    result = call("check", "--quiet")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[::2] == [
        "  certificate open: mqbridge-data/ssl/open.pem holds a key and others than its owner may use it: "
        "chmod 600 mqbridge-data/ssl/open.pem",
        "  certificate soon: it expires in 3 days",
        "  certificate soon: the certificate of its issuer CN=Authority,O=Tests is missing, "
        "so partners may not accept it",
    ]
    authority.trust_file(folder / "trusted" / "root.pem")
    (folder / "open.pem").chmod(0o600)
    result = call("check", "--quiet")
    assert result.stdout.splitlines()[::2] == ["  certificate soon: it expires in 3 days"]


def test_users_that_cannot_be_read_are_told(call: Call, tmp_path: Path) -> None:
    data = tmp_path / "mqbridge-data"
    data.mkdir(mode=0o700)
    (data / "users").write_text("joe\n", encoding="utf-8")
    (data / "users").chmod(0o600)
    result = call("check", "--quiet")
    assert result.exit_code == 1
    assert "users: mqbridge-data/users, line 1: not name:groups:hash" in result.stdout


def test_a_running_queue_manager_is_asked(service: RunningService, tmp_path: Path) -> None:
    assert service.command("check", "--quiet").output == ""
    service.mqsc("DEFINE CHANNEL(TLS.APP) CHLTYPE(SVRCONN) MCAUSER('mqm') SSLCIPH(ANY_TLS13) SSLCAUTH(OPTIONAL)")
    service.mqsc("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('eve') ACTION(REPLACE)")
    result = service.command("check", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["source"] == "running"
    by_channel = {each["channel"]: each for each in document["entrances"]}
    assert (by_channel["TLS.APP"]["user"], by_channel["TLS.APP"]["cipher"]) == ("mqm", "ANY_TLS13")
    texts = [each["text"] for each in document["findings"]]
    assert any("data/ssl does not exist: mqbridge certificate create" in text for text in texts)
    assert "clients from anywhere act as mqm, an administrator, without password or certificate" in texts
    service.kill()
    stopped = json.loads(service.command("check", "--json").stdout)
    assert stopped["source"] == "not running; its definitions at the last stop"
    assert stopped["entrances"] == document["entrances"]


def test_who_may_not_see_everything_is_told_so(make_service: MakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_service(start=False)
    file = service.folder / "qm.toml"
    text = '[queue_manager]\nname = "EARTH"\ndata = "data"\n[admin]\nendpoint = "tcp:0:interface=127.0.0.1"\n'
    file.write_text(text, encoding="utf-8")
    for name, group in (("app", ()), ("ann", ("--group", "mqm"))):
        added = ["user", "add", name, *group, "--data", str(service.data)]
        assert CliRunner().invoke(cli, added, input="secret\n").exit_code == 0
    service.options += ["--config", str(file)]
    service.start()
    monkeypatch.setenv("MQBRIDGE_PASSWORD", "secret")
    for user, status in (("app", 1), ("ann", 0)):
        monkeypatch.setenv("MQSAMP_USER_ID", user)
        result = service.command("check", "--quiet")
        assert result.exit_code == status, result.output
        assert result.stdout == ""
        assert ("not granted access" in result.stderr) == (user == "app")


def test_a_folder_that_is_in_use_without_an_address_is_not_read(call: Call, tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "mqbridge-data")
    folder.create()
    folder.journal.write_bytes(b"")
    folder.lock()
    try:
        result = call("check")
    finally:
        folder.unlock()
    assert result.exit_code == 1
    assert "mqbridge-data is in use by process " in result.stderr
    assert result.stdout == ""


def test_a_wrong_configuration_is_status_2(call: Call, tmp_path: Path) -> None:
    (tmp_path / "qm.toml").write_text("[tls]\ncrll = 1\n", encoding="utf-8")
    assert call("check", "--config", "qm.toml").exit_code == 2
