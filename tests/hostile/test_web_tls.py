"""The REST endpoint for users with TLS: certificates of clients, and what is no TLS at all."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.rest_client import EndpointNotReachable, RestClient, RestFailure, parse_url
from support.processes.running_service import MakeService, RunningService, wait_for
from support.processes.web_door import (
    LOGIN,
    PASSWORDS,
    QMGR,
    RIGHTS,
    SECURE,
    SHARED,
    TEXT,
    SecureDoor,
    WebDoor,
    as_user,
    basic,
    new_source,
    require_no_secret,
    with_users,
)
from support.tls.authority import Authority


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureDoor]:
    folder = tmp_path_factory.mktemp("web")
    file = folder / "queue-manager.toml"
    file.write_text(SECURE + '[log]\nlevel = "debug"\n', encoding="utf-8")
    made = RunningService(folder, mqsc=RIGHTS, listen=None, options=("--config", str(file), "--store", "memory"))
    secure = SecureDoor(with_users(made), folder / "clients")
    made.start()
    yield secure
    made.close()
    require_no_secret(made)


def refused(door: WebDoor) -> str:
    """Why a connection is refused in the handshake or right behind it."""
    with pytest.raises(OSError) as caught:
        door.ask("GET", QMGR, as_user("carl"))
    return str(caught.value)


def test_user_and_password_come_in_without_a_certificate(secure: SecureDoor) -> None:
    door = secure.door()
    assert secure.url.startswith("https://127.0.0.1:")
    assert door.ask("GET", QMGR, as_user("carl")).status == 200
    assert door.ask("GET", QMGR, basic("carl", "guessed")).status == 401
    assert door.ask("GET", QMGR).status == 401
    answer = door.log_in("carl", PASSWORDS["carl"])
    assert answer.headers["set-cookie"].endswith("; SameSite=Strict; Secure")
    assert "AMQ5041" not in secure.service.log
    assert f"AMQ5090I: REST endpoint for users accepts connections on {secure.url}" in secure.service.log


def test_a_message_of_many_records_passes(secure: SecureDoor) -> None:
    door, body = secure.door(), bytes(range(97, 123)) * 100_000
    assert door.ask("POST", SHARED, {**as_user("carl"), **TEXT}, body).status == 201
    assert door.ask("GET", SHARED, as_user("carl")).body == body
    assert door.ask("DELETE", SHARED, as_user("carl")).body == body
    assert secure.service.depth("SHARED") == 0


def test_a_message_whose_reader_leaves_stays_on_the_queue(secure: SecureDoor) -> None:
    secure.service.mqsc("ALTER QMGR MAXMSGL(40000000)", "DEFINE QLOCAL(LONG) MAXMSGL(40000000)")
    path, body = SHARED.replace("SHARED", "LONG"), b"x" * 30_000_000
    assert secure.door().ask("POST", path, {**as_user("anne"), **TEXT}, body).status == 201
    place = secure.url.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=str(secure.trust))
    with (
        socket.create_connection((place[0], int(place[1])), 60) as plain,
        context.wrap_socket(plain, server_hostname=place[0]) as client,
    ):
        credentials = as_user("anne")["Authorization"]
        head = (
            f"DELETE {path} HTTP/1.1\r\nHost: localhost\r\nibm-mq-rest-csrf-token:\r\nAuthorization: {credentials}\r\n"
        )
        client.sendall(f"{head}\r\n".encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
    wait_for(
        "the message is back", lambda: "CURDEPTH(1)" in " ".join(secure.service.mqsc("DISPLAY QLOCAL(LONG) CURDEPTH"))
    )
    wait_for("nobody has it", lambda: secure.service.attribute("DISPLAY QSTATUS(LONG) UNCOM", "UNCOM") == "0")
    assert secure.door().ask("DELETE", path, as_user("anne")).body == body
    assert secure.service.depth("LONG") == 0


@pytest.mark.parametrize("rest", ["\r\n", "Content-Length: 9\r\n\r\nx"], ids=["complete", "cut"])
def test_who_leaves_while_the_password_is_checked_disturbs_nobody(secure: SecureDoor, rest: str) -> None:
    place = secure.url.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=str(secure.trust))
    for number in range(5):
        credentials = basic(f"nobody{number}", "guessed")["Authorization"]
        with (
            socket.create_connection((place[0], int(place[1])), 60, (new_source(), 0)) as plain,
            context.wrap_socket(plain, server_hostname=place[0]) as client,
        ):
            client.sendall(
                f"POST {SHARED} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {credentials}\r\n{rest}".encode()
            )
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert secure.door().ask("GET", QMGR, as_user("carl")).status == 200
    assert secure.door().ask("GET", QMGR, basic("fred", "guessed")).status == 401


@pytest.mark.parametrize(("name", "role"), [("anne", "MQWebAdmin"), ("rita", "MQWebAdminRO"), ("carl", "MQWebUser")])
def test_a_certificate_is_that_of_its_user(secure: SecureDoor, name: str, role: str) -> None:
    door = secure.door(secure.certificate(name))
    (user,) = door.ask("GET", LOGIN.replace("v2", "v1")).document["user"]
    assert user == {"authenticationMechanism": "clientCertificate", "name": name, "role": [role]}
    assert door.ask("GET", QMGR, as_user("dora")).status == 200  # the password counts first
    assert door.ask("GET", QMGR, basic("dora", "guessed")).status == 401


@pytest.mark.parametrize("name", ["fred", "CARL", "carl ", "mca", "nobody", "mqm", "clients", "c" * 64, "c\u0430rl"])
def test_a_certificate_of_nobody_comes_not_in(secure: SecureDoor, name: str) -> None:
    door = secure.door(secure.certificate(name))
    answer = door.ask("GET", QMGR)
    assert (answer.status, answer.document["error"][0]["msgId"]) == (401, "MQWB0104E")
    assert "AMQ5091E" in secure.service.log


@pytest.mark.parametrize("what", ["of another authority", "expired", "not valid yet", "self-signed"])
def test_a_certificate_that_is_not_trusted_ends_the_handshake(secure: SecureDoor, what: str) -> None:
    options = {"expired": (-20.0, -1.0), "not valid yet": (1.0, 20.0)}
    authority = Authority("O=Elsewhere,CN=Authority") if what in ("of another authority", "self-signed") else None
    file = secure.certificate("carl", authority, valid=options.get(what, (-1.0, 365.0)))
    before = secure.service.log.count("AMQ5093W: TLS with REST client 127.0.")
    assert refused(secure.door(file))
    wait_for("a line", lambda: secure.service.log.count("AMQ5093W: TLS with REST client 127.0.") == before + 1)


def test_a_revoked_certificate_ends_the_handshake(secure: SecureDoor) -> None:
    issued = secure.authority.issue("O=Space,CN=carl", hosts=())
    door = secure.door(issued.save(secure.folder / "revoked.pem"))
    good = secure.door(secure.certificate("carl"))
    assert door.ask("GET", QMGR).status == 200
    revoked = secure.keys / "crl" / "authority.pem"
    revoked.parent.mkdir()
    revoked.write_bytes(secure.authority.revoke(issued))
    try:
        secure.service.mqsc("REFRESH SECURITY TYPE(SSL)")
        assert refused(door)
        assert good.ask("GET", QMGR).status == 200
    finally:
        revoked.unlink()
        secure.service.mqsc("REFRESH SECURITY TYPE(SSL)")


def test_a_login_is_its_user_s_whatever_the_certificate(secure: SecureDoor) -> None:
    cookie = secure.door().cookie("dora")
    other = secure.door(secure.certificate("carl"))
    assert other.ask("GET", LOGIN, cookie).document["user"][0]["name"] == "dora"
    assert other.ask("GET", LOGIN, {"Cookie": "LtpaToken2=forged"}).status == 401


@pytest.mark.parametrize(
    "data",
    [
        f"GET {QMGR} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        bytes(100),
        b"\x16\x03\x01\xff\xff" + bytes(100),
        b"TSH " + bytes(100),
    ],
    ids=["http", "zeros", "long record", "mq"],
)
def test_what_is_no_tls_gets_no_answer(secure: SecureDoor, data: bytes) -> None:
    place = secure.url.removeprefix("https://").split(":")
    with socket.create_connection((place[0], int(place[1]))) as client:
        client.settimeout(60)
        client.sendall(data)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            received = client.recv(1000)
    assert b"HTTP" not in received
    assert secure.door().ask("GET", QMGR, as_user("carl")).status == 200


def test_old_versions_are_refused(secure: SecureDoor) -> None:
    context = ssl.create_default_context(cafile=str(secure.trust))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert WebDoor(secure.url, context).ask("GET", QMGR, as_user("carl")).status == 200
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    assert refused(WebDoor(secure.url, context))


def test_commands_use_it(secure: SecureDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    service = secure.service
    url = secure.url.replace("//", "//carl@") + f"?trusted={secure.trust}"
    monkeypatch.setenv("MQBRIDGE_PASSWORD", PASSWORDS["carl"])
    assert service.command("put", "--url", url, "SHARED", "two apples").exit_code == 0
    assert service.command("browse", "--url", url, "SHARED").stdout == "two apples\n"
    assert service.command("get", "--url", url, "SHARED").stdout == "two apples\n"
    shown = service.command("mqsc", "--url", url, "-e", "DISPLAY QLOCAL(*) CURDEPTH")
    assert ("SHARED" in shown.stdout, "CLOSED" in shown.stdout) == (True, False)
    own = f"{secure.url}?trusted={secure.trust}&certificate={secure.certificate('anne')}"
    assert "CLOSED" in service.command("mqsc", "--url", own, "-e", "DISPLAY QLOCAL(*)").stdout
    monkeypatch.setenv("MQBRIDGE_PASSWORD", "guessed")
    result = service.command("put", "--url", url, "SHARED", "x")
    assert (result.exit_code, "guessed" in result.output) == (1, False)
    assert "authentication failed" in result.output


def test_a_connection_that_the_endpoint_has_closed_is_made_again(secure: SecureDoor) -> None:
    address = parse_url(secure.url.replace("//", "//carl:secret of carl@") + f"?trusted={secure.trust}")
    with RestClient(address) as client:
        for _ in range(3):
            assert client.call("GET", QMGR, headers={"Connection": "close"}).status == 200
            assert client.call("GET", QMGR).status == 200


def test_who_serves_is_checked(secure: SecureDoor, tmp_path: Path) -> None:
    other = Authority("O=Elsewhere,CN=Authority").trust_file(tmp_path / "other.pem")
    for options in ("", f"?trusted={other}"):
        with (
            RestClient(parse_url(secure.url.replace("//", "//carl:x@") + options)) as client,
            pytest.raises(EndpointNotReachable, match="certificate is not accepted"),
        ):
            client.call("GET", QMGR)
    missing = parse_url(f"{secure.url}?trusted={tmp_path / 'missing.pem'}")
    with RestClient(missing) as client, pytest.raises(EndpointNotReachable, match=r"missing\.pem cannot be used"):
        client.call("GET", QMGR)
    with (
        RestClient(parse_url(f"{secure.url}?trusted={secure.trust}")) as client,
        pytest.raises(RestFailure, match="not authenticated"),
    ):
        client.call("GET", QMGR)


def test_without_a_certificate_it_does_not_start(make_service: MakeService, tmp_path: Path) -> None:
    file = tmp_path / "queue-manager.toml"
    file.write_text(SECURE, encoding="utf-8")
    service = make_service(listen=None, start=False, options=("--config", str(file)))
    assert service.launch().wait(60) == 2
    assert "mqbridge certificate create" in service.log
