"""Passwords, keys and cookies are nowhere to be found after callers came with them, rightly or wrongly.

Not in the log, recordings, displays, events, dumps, representations of objects, tracebacks and errors of commands, and
not in the data folder, but for passwords that are attributes of objects, which are stored there.
"""

from __future__ import annotations

import base64
import gc
import hashlib
import json
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from twisted.python.failure import Failure

import mqbridge
from mqbridge.bridge.queue_manager.mqsc import dump, reply_to_json, reply_to_text
from mqbridge.bridge.queue_manager.mqsc.commands import HANDLERS
from mqbridge.bridge.rest_client.address import parse_url
from mqbridge.bridge.security import Security
from support.doors.credentials import Credentials, SigningClient
from support.doors.scene import TRANSPORTS, CredentialScene
from support.processes.running_service import RunningService
from support.processes.web_door import JSON, LOGIN, PASSWORDS, RIGHTS, WEB, WebDoor, basic, with_users
from support.tls.authority import Issued

pytestmark = [pytest.mark.spec("channels.md 15"), pytest.mark.faulty_traffic]

GIVEN = [
    Credentials(b"alice", b"wonderland"),
    Credentials(b"alice", b"guessed-right"),
    Credentials(b"carol", b"guessed-right"),
    Credentials(b"anne", b"of-the-shire"),
    Credentials(b"alice", b"wonderland", compatible=True),
    Credentials(b"alice", b"guessed-rig", compatible=True),
    Credentials(b"alice", b"guessed-right" * 100),
    Credentials("\uff41".encode(), b"guessed-right"),
]
ATTRIBUTES = {
    "KEYRPWD": "ALTER QMGR KEYRPWD('pin-of-keyring')",
    "LDAPPWD": "DEFINE AUTHINFO(L) AUTHTYPE(CRLLDAP) CONNAME('h') LDAPUSER('u') LDAPPWD('pin-of-ldap')",
    "PASSWORD": "DEFINE CHANNEL(OUT) CHLTYPE(SDR) XMITQ(X) CONNAME('h') USERID('u') PASSWORD('pin-of-chl')",
}
ATTRIBUTE = "pin-of-"
SECRETS = ["wonderland", "builder-4711", "of-the-shire", "long-and-secret", "guessed-rig", ATTRIBUTE]
EVENTS = [f"SYSTEM.ADMIN.{kind}.EVENT" for kind in ("QMGR", "CHANNEL", "COMMAND", "CONFIG")]
HARDWARE = "ALTER QMGR SSLCRYP('GSK_PKCS11=/lib;token;pin-of-hardware;')"
"""With this channels with TLS would be refused."""
DISPLAYS = sorted(noun for verb, noun in HANDLERS if verb == "DISPLAY")


def forms(secret: str | bytes) -> list[bytes]:
    """How a secret may be written."""
    if isinstance(secret, bytes):
        return [secret, base64.b64encode(secret), secret.hex().encode(), secret.hex().upper().encode()]
    encoded = [secret.encode(), secret.encode("cp500"), secret.encode("utf-16-le")]
    return [*encoded, *(base64.b64encode(each) for each in encoded), encoded[0].hex().encode()]


def found_in(what: bytes | str, secrets: list[Any]) -> list[Any]:
    """The secrets that are in something."""
    data = what.encode("utf-8", "surrogateescape") if isinstance(what, str) else what
    return [secret for secret in secrets if any(form in data for form in forms(secret))]


def key_bytes(issued: Issued) -> bytes:
    """The private number of a key, by which it would be known."""
    der = issued.key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return der[-110:-80]


def representations() -> Iterator[str]:
    """Those of all objects of ours that there are."""
    for each in gc.get_objects():
        if str(getattr(type(each), "__module__", "")).startswith("mqbridge"):
            with suppress(AttributeError):  # another thread is making it
                yield repr(each)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CredentialScene]:
    """MARS after everybody was there, with events enabled and passwords in its objects."""
    with closing(CredentialScene(tmp_path_factory.mktemp("doors"))) as made:
        kinds = ("CMDEV", "CONFIGEV", "AUTHOREV", "CHLEV", "SSLEV")
        made.types("ALTER QMGR " + " ".join(f"{kind}(ENABLED)" for kind in kinds))
        for command in ATTRIBUTES.values():
            assert made.types(command).ok
        for transport in TRANSPORTS:
            channel = "TLS" if transport == "TLS" else "PLAIN"
            for given in GIVEN:
                made.comes_in(transport, channel, given, certificate="right" if transport == "TLS" else "")
            made.opens_channel(transport, f"TO.{channel}")
        for certificate in ("right", "of another subject", "revoked"):
            made.comes_in("TLS", "TLS.NAMED", GIVEN[0], certificate=certificate)
        yield made


@pytest.fixture(scope="module")
def secrets(scene: CredentialScene) -> list[Any]:
    """All that nobody may see."""
    return [*SECRETS, *(key_bytes(each) for each in scene.issued.values())]


def test_secrets_would_be_found(scene: CredentialScene, secrets: list[Any]) -> None:
    seen = (scene.folder / "callers" / "0.pem").read_bytes().replace(b"\n", b"")
    key = serialization.load_pem_private_key((scene.folder / "callers" / "0.pem").read_bytes(), None)
    der = key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    assert found_in(der, secrets)
    assert b"PRIVATE KEY" in seen
    assert found_in("password 'wonderland'", secrets) == ["wonderland"]


def test_nothing_secret_is_logged_or_recorded(scene: CredentialScene, secrets: list[Any]) -> None:
    log = "\n".join(scene.log) + repr(scene.host.log)
    assert "AMQ5534" in log
    assert found_in(log, secrets) == []
    recorded = scene.recorded()
    assert b"alice" in recorded
    assert found_in(recorded, secrets) == []


@pytest.mark.parametrize("noun", DISPLAYS)
def test_nothing_secret_is_displayed(scene: CredentialScene, secrets: list[Any], noun: str) -> None:
    with closing(scene.call("TLS", "right")) as made:
        assert SigningClient(made).signs_on("TLS.NAMED", GIVEN[0], b"joe").outcome == (0, 0)
        name = "" if noun in ("QMGR", "QMSTATUS", "CMDSERV", "PUBSUB", "AUTHREC", "ENTAUTH", "AUTHSERV") else "(*)"
        for form in ("ALL", "WHERE(PASSWORD EQ 'pin-of-chl')", "PASSWORD LDAPPWD SSLCRYP KEYRPWD", ""):
            reply = scene.types(f"DISPLAY {noun}{name} {form}")
            shown = str(reply_to_text(reply)) + json.dumps(reply_to_json(reply)) + str(reply.rows)
            assert found_in(shown.replace("'pin-of-chl'", "") if "WHERE" in form else shown, secrets) == [], form
    scene.settled()


def test_nothing_secret_of_the_queue_manager_is_displayed(scene: CredentialScene, secrets: list[Any]) -> None:
    assert scene.types(HARDWARE).ok
    reply = scene.types("DISPLAY QMGR ALL")
    scene.types("ALTER QMGR SSLCRYP(' ')")
    shown = str(reply_to_text(reply)) + json.dumps(reply_to_json(reply)) + str(reply)
    assert "SSLCRYP(********)" in shown
    assert found_in(shown, secrets) == []


def test_nothing_secret_is_dumped_or_in_events(scene: CredentialScene, secrets: list[Any]) -> None:
    text = "\n".join(scene.host.call(lambda: list(dump(scene.host.manager.objects, 0.0))))
    assert "LDAPPWD" in text
    assert found_in(text, secrets) == []
    seen = b""
    for queue in EVENTS:
        for message in scene.messages(queue):
            seen += message
    assert b"LDAPPWD" in seen
    assert b"alice" in seen
    assert found_in(seen, secrets) == []


WRONG_COMMANDS = [
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD('pin-of-much-too-long')",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD('pin-of-\t')",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD(pin-of-chl)",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) password ( 'x' 'pin-of-chl' )",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD('x'pin-of-chl)",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD(pin-of-chl",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD('pin-of-chl",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD('pin-of-') PASSWORD('pin-of-')",
    "ALTER CHANNEL(OUT) CHLTYPE(SDR) PASSWORD('pin-of-') NOSUCH(1)",
    "ALTER CHANNEL(OUT) CHLTYPE(RCVR) PASSWORD('pin-of-')",
    "ALTER CHANNEL(NO.SUCH) CHLTYPE(SDR) PASSWORD('pin-of-')",
    "ALTER QMGR SSLCRYP(a(pin-of-))",
    f"ALTER AUTHINFO(L) AUTHTYPE(CRLLDAP) LDAPPWD('{'pin-of-' * 10}')",
    "ALTER AUTHINFO(L) AUTHTYPE(CRLLDAP) LDAPPWD(pin;of-;pin-of-)",
]


@pytest.mark.parametrize("command", WRONG_COMMANDS)
def test_a_wrong_command_is_refused_without_the_password(scene: CredentialScene, command: str) -> None:
    reply = scene.types(command)
    assert not reply.ok
    assert "pin" not in str(reply_to_text(reply)) + repr(reply.responses)


def test_no_representation_shows_a_password_while_it_is_checked(
    scene: CredentialScene, secrets: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scrypt = hashlib.scrypt
    begun, may_end = threading.Event(), threading.Event()

    def held(*arguments: Any, **options: Any) -> bytes:
        begun.set()
        assert may_end.wait(60)
        return scrypt(*arguments, **options)

    monkeypatch.setattr(hashlib, "scrypt", held)
    for number, given in enumerate(
        (Credentials(b"bob", b"guessed-right"), Credentials(b"bob", b"guessed-rig", 1, True))
    ):
        transport = TRANSPORTS[number]
        begun.clear()
        may_end.clear()
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(scene.comes_in, transport, "TLS" if transport == "TLS" else "PLAIN", given)
            assert begun.wait(60)
            shown = "\n".join(representations())
            may_end.set()
            assert coming.result().lines == ("AMQ5534", "AMQ5542")
        assert "LoginAttempt(" in shown
        assert found_in(shown, [secret for secret in secrets if secret != ATTRIBUTE]) == []


@pytest.mark.parametrize("place", ["connect_client", "proceed"])
def test_no_traceback_shows_a_password(
    scene: CredentialScene, secrets: list[Any], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    told: list[str] = []

    def tell(failure: Failure, *arguments: Any, **options: Any) -> str:
        told.append(traceback_of(failure, *arguments, **options))
        return told[-1]

    def breaks(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(f"for {arguments!r} {options!r}")

    traceback_of = Failure.getTraceback
    monkeypatch.setattr(Failure, "getTraceback", tell)  # by which every log writes them
    monkeypatch.setattr(Security, place, breaks)
    with closing(scene.call("plain")) as made:
        made.settimeout(0.3)
        with pytest.raises((ConnectionError, TimeoutError)):
            SigningClient(made).signs_on("PLAIN", Credentials(b"bob", b"guessed-right"), b"joe")
    scene.settled()
    assert "RuntimeError" in "".join(told)
    assert found_in("".join(told), secrets) == []


@pytest.mark.parametrize(
    "address",
    [
        "mq://alice:wonderland@127.0.0.1:{port}/MARS?channel=NO.SUCH",
        "mq://bob:wonderland@127.0.0.1:{port}/MARS?channel=PLAIN",
        "mq://alice:wonderland@127.0.0.1:{port}/VENUS?channel=PLAIN",
        "mqs://bob:wonderland@127.0.0.1:{port}/MARS?channel=TLS&trusted={trusted}",
        "mqs://alice:wonderland@127.0.0.1:{port}/MARS?channel=TLS&trusted=/no/such",
        "mqs://alice:wonderland@127.0.0.1:{port}/MARS?channel=PLAIN&trusted={trusted}",
        "mq://alice:wonderland@127.0.0.1:1/MARS",
        "mq://alice:wonderland@127.0.0.1:x/MARS",
        "mq://alice:wonderland@127.0.0.1:99999/MARS",
        "mq://alice:wonderland@/MARS",
        "mq://alice:wonderland@127.0.0.1/",
        "mq://alice:wonderland@127.0.0.1/MARS?chanel=x",
        "mqx://alice:wonderland@127.0.0.1/MARS",
        "mq://alice:wonderland/@127.0.0.1/MARS",
        "mq://alice:wonderland#@127.0.0.1/MARS",
        "mq://alice:wonderland@wonderland@127.0.0.1/MARS",
        "mq://[alice:wonderland@127.0.0.1/MARS",
        "alice:wonderland@127.0.0.1/MARS",
        "mq:alice:wonderland@127.0.0.1/MARS",
    ],
)
def test_the_client_names_no_password_in_its_errors(scene: CredentialScene, address: str) -> None:
    url = address.format(port=scene.host.port, trusted=scene.folder / "callers" / "trusted.pem")
    with pytest.raises((mqbridge.MQError, ValueError)) as caught:
        mqbridge.connect(url, timeout=10)
    scene.settled()
    told = "".join(traceback.format_exception(caught.value))
    assert "wonderland" not in told.replace("mqbridge.connect(url", "")
    assert "wonderland" not in repr(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "anne:wonderland@127.0.0.1",
        "https:anne:wonderland@127.0.0.1",
        "https://anne:wonderland@127.0.0.1:x",
        "https://anne:wonderland@127.0.0.1/path",
        "https://anne:wonderland?@127.0.0.1",
        "http://anne:wonderland@192.0.2.1",
        "ftp://anne:wonderland@127.0.0.1",
    ],
)
def test_the_address_of_a_rest_endpoint_is_refused_without_the_password(address: str) -> None:
    with pytest.raises(ValueError, match="…@") as caught:
        parse_url(address)
    assert "wonderland" not in "".join(traceback.format_exception(caught.value))


def test_the_client_shows_no_password(scene: CredentialScene) -> None:
    with mqbridge.connect(f"mq://alice:wonderland@127.0.0.1:{scene.host.port}/MARS?channel=PLAIN") as manager:
        assert "alice" in repr(manager)
        assert not [shown for shown in representations() if "wonderland" in shown]
    scene.settled()


# A whole process: REST, its Unix socket, clients, and what is on disk afterwards


def test_nothing_secret_is_left_by_a_process(tmp_path: Path) -> None:
    file = tmp_path / "queue-manager.toml"
    file.write_text(WEB.replace("listener = []\n", "") + '[log]\nlevel = "debug"\n', encoding="utf-8")
    service = RunningService(tmp_path, mqsc=RIGHTS, options=("--config", str(file)))
    with closing(with_users(service).start()) as made:
        made.mqsc("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)")
        door = WebDoor(str(made.ready["web"]))
        cookie = door.cookie("carl")
        token = cookie["Cookie"].partition("=")[2]
        assert door.ask("GET", LOGIN, cookie).status == 200
        assert door.ask("GET", LOGIN, {"Cookie": f"LtpaToken2={token[:-1]}"}).status == 401
        assert door.log_in("carl", "guessed-right").status == 401
        headers = [
            basic("anne", "guessed-right"),
            basic("anne", PASSWORDS["anne"]),
            cookie,
            {"Authorization": "Basic !"},
        ]
        for each in headers:  # the operator's socket asks nobody, and hears nothing of it
            assert made.http("GET", "/ibmmq/rest/v2/admin/qmgr", None, each).status == 200
        body = json.dumps({"username": "anne", "password": "guessed-right"}).encode()
        assert made.http("POST", LOGIN, body, JSON).status == 404
        url = f"mq://carl:{{}}@127.0.0.1:{made.port}/EARTH?channel=DEV.APP.SVRCONN"
        with pytest.raises(mqbridge.NotAuthorized):
            mqbridge.connect(url.format("guessed-right"))
        with mqbridge.connect(url.format(PASSWORDS["carl"].replace(" ", "%20"))):
            pass
        assert made.stop() == 0
    seen = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != file}
    assert any(path.suffix == ".pcap" for path in seen)
    secrets = ["guessed-right", "secret of ", token, base64.b64encode(b"anne:guessed-right").decode()]
    assert {str(path): found for path, data in seen.items() if (found := found_in(data, secrets))} == {}
    assert "AMQ5534" in service.log
    modes = {path.name: path.stat().st_mode & 0o077 for path in (service.data, service.data / "users")}
    assert set(modes.values()) == {0}
